/**
 * The live state of a receiver: what it answered, whether it can acknowledge events, and what it has to forward.
 * Metrics, readiness, the report in the store and the closing line are all derived from it.
 */
import type {Backlog, ListenerReport} from '../../contract/stored-events.js'
import type {ForwardReport} from '../forward/forwarder.js'
import {targetLabel} from '../forward/routes.js'
import type {Receipt} from '../receive/receiver.js'
import type {Problem} from './admin.js'
import {type Histogram, Metrics, type Series, versionGauge} from './metrics.js'

/** Upper bounds of the histogram buckets, in seconds. A sender waits 3 s (§6.4). */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3]

const REFUSED_BY_STATUS = {404: 'path', 405: 'method', 413: 'too_large'} as const
const REASONS = [
  'missing_header',
  'malformed_header',
  'signature_mismatch',
  'timestamp_outside_tolerance',
  'event_id_mismatch',
  ...Object.values(REFUSED_BY_STATUS),
] as const
type Reason = (typeof REASONS)[number]

const RESULTS = ['done', 'failed', 'given_up'] as const
type Result = (typeof RESULTS)[number]

/**
 * Maximum number of targets with their own series. Further targets share one, so that there are never too many series.
 */
const MOST_TARGETS = 20
const OTHER_TARGETS = 'other'

/** The part of its limit above which the queue is reported as nearly full. */
const NEAR_LIMIT = 0.8
/** A certificate that expires within this time causes a warning. */
export const CERTIFICATE_WARNING_SECONDS = 14 * 24 * 3600

interface ReceiverStateOptions {
  readonly version: string
  /** The targets that events are forwarded to. */
  readonly targets: readonly string[]
  /** Maximum number of events that may wait for the disk. */
  readonly maxWaiting: number
  /** Returns Unix seconds. */
  readonly clock: () => number
  /** Called when a store that had failed works again. */
  readonly onStoreUp?: () => void
}

export class ReceiverState {
  readonly metrics = new Metrics()
  /** The counts for the closing line. */
  readonly count = {valid: 0, invalid: 0, duplicate: 0, refused: 0, forwarded: 0, givenUp: 0}
  /** Whether the receiver serves, or is about to end. */
  phase: 'starting' | 'serving' | 'stopping' = 'starting'
  /** Returns how many events wait for the disk. */
  waiting: () => number = () => 0
  /** When the current certificate expires, in Unix seconds. Undefined without https. */
  certificateEndsAt: number | undefined
  /** Why the last commit failed, or undefined if it succeeded. */
  private storeProblem: string | undefined
  /** The number of requests that were refused since the last report, by reason. */
  private unreported: Record<string, number> = {}

  private readonly outcomes: Record<'stored' | 'duplicate' | 'refused' | 'busy', {value: number}>
  private readonly refusedBy: Readonly<Record<Reason, {value: number}>>
  private readonly commitSeconds: Histogram
  private readonly ackSeconds: Histogram
  private readonly gauges: Record<
    'waiting' | 'lastEvent' | 'pending' | 'oldestPending' | 'certificate' | 'storeUp',
    Series
  >
  private readonly attempts = new Map<string, Readonly<Record<Result, {value: number}>>>()

  constructor(private readonly options: ReceiverStateOptions) {
    const {metrics} = this
    const webhook = 'bookctl_webhook'
    const outcome = (name: string) =>
      metrics.counter(`${webhook}_requests_total`, 'Requests by outcome.', {outcome: name})
    this.outcomes = {
      stored: outcome('stored'),
      duplicate: outcome('duplicate'),
      refused: outcome('refused'),
      busy: outcome('busy'),
    }
    const refused = `${webhook}_refused_total`
    this.refusedBy = seriesFor(REASONS, reason => metrics.counter(refused, 'Refused requests.', {reason}))
    const commit = 'Time from the end of the checks of an event until it was stored.'
    this.commitSeconds = metrics.histogram(`${webhook}_commit_seconds`, commit, SECONDS)
    const ack = 'Time from the headers of a request to its answer.'
    this.ackSeconds = metrics.histogram(`${webhook}_ack_seconds`, ack, SECONDS)
    const waiting = metrics.gauge(`${webhook}_waiting`, 'Events that wait for the disk.')
    const lastEvent = metrics.gauge(
      `${webhook}_last_event_timestamp_seconds`,
      'When the newest event was received.',
    )
    const shown = new Set(options.targets.slice(0, MOST_TARGETS).map(targetLabel))
    if (options.targets.length > MOST_TARGETS) shown.add(OTHER_TARGETS)
    for (const target of shown) {
      const add = (result: string) =>
        metrics.counter('bookctl_forward_attempts_total', 'Attempts to forward an event.', {target, result})
      this.attempts.set(target, seriesFor(RESULTS, add))
    }
    const oldest = 'Age of the oldest event of the store that is still to be forwarded; 0 if there is none.'
    this.gauges = {
      waiting,
      lastEvent,
      pending: metrics.gauge('bookctl_forward_pending', 'Forwards of the store that are still to be done.'),
      oldestPending: metrics.gauge('bookctl_forward_oldest_pending_seconds', oldest),
      certificate: metrics.gauge(
        'bookctl_certificate_expiry_timestamp_seconds',
        'When the certificate in use ends.',
      ),
      storeUp: metrics.gauge('bookctl_store_up', 'Whether the last commit to the store succeeded.'),
    }
    versionGauge(metrics, options.version)
  }

  /** Counts a request that was answered with 200 or 401. */
  receipt({reason, duplicate, receivedAt, ackMilliseconds, commitMilliseconds}: Receipt): void {
    const {count, outcomes, gauges} = this
    this.ackSeconds.observe(ackMilliseconds / 1000)
    if (reason !== 'ok') {
      count.invalid += 1
      this.refused(reason)
      return
    }
    count.valid += 1
    if (duplicate) count.duplicate += 1
    outcomes[duplicate ? 'duplicate' : 'stored'].value += 1
    if (commitMilliseconds !== undefined) this.commitSeconds.observe(commitMilliseconds / 1000)
    if (!duplicate) gauges.lastEvent.value = Math.max(gauges.lastEvent.value ?? 0, receivedAt)
  }

  /** Counts a request that was answered with 503 or a status of REFUSED_BY_STATUS. */
  turnedAway(status: number, milliseconds: number): void {
    this.ackSeconds.observe(milliseconds / 1000)
    const reason = refusalReason(status)
    if (reason === 'busy') this.outcomes.busy.value += 1
    else this.refused(reason)
  }

  private refused(reason: Reason): void {
    this.count.refused += 1
    this.outcomes.refused.value += 1
    this.refusedBy[reason].value += 1
    this.unreported[reason] = (this.unreported[reason] ?? 0) + 1
  }

  /** Counts an attempt to forward an event. */
  forwarded({target, state}: Pick<ForwardReport, 'target' | 'state'>): void {
    if (state === 'done') this.count.forwarded += 1
    if (state === 'given_up') this.count.givenUp += 1
    const series = this.attempts.get(targetLabel(target)) ?? this.attempts.get(OTHER_TARGETS)
    const result = state === 'pending' ? 'failed' : state
    if (series) series[result].value += 1
  }

  storeFailed(message: string): void {
    this.storeProblem = message
  }

  storeWorks(): void {
    if (this.isStoreUp) return
    this.storeProblem = undefined
    this.options.onStoreUp?.()
  }

  get isStoreUp(): boolean {
    return this.storeProblem === undefined
  }

  /** Returns why events cannot be acknowledged now, or an empty list. */
  problems(): Problem[] {
    const {phase, storeProblem, certificateEndsAt, options} = this
    const problems: Problem[] = []
    if (phase === 'starting') problems.push({reason: 'starting', message: 'it does not listen yet'})
    if (phase === 'stopping') problems.push({reason: 'stopping', message: 'it is about to end'})
    if (storeProblem !== undefined) problems.push({reason: 'store_failed', message: storeProblem})
    if (this.waiting() >= options.maxWaiting) {
      const message = `${options.maxWaiting} events wait for the disk, and no more may`
      problems.push({reason: 'queue_full', message})
    }
    if (certificateEndsAt !== undefined && certificateEndsAt <= options.clock())
      problems.push({reason: 'certificate_expired', message: 'the certificate has expired'})
    return problems
  }

  /** Returns sentences about limits that are nearly reached. */
  private warnings(): string[] {
    const {certificateEndsAt, options} = this
    const warnings: string[] = []
    const left = (certificateEndsAt ?? Number.POSITIVE_INFINITY) - options.clock()
    if (left <= 0) warnings.push('the certificate has expired')
    else if (left < CERTIFICATE_WARNING_SECONDS)
      warnings.push(`the certificate ends in ${Math.ceil(left / 86_400)} days`)
    const waiting = this.waiting()
    if (waiting >= options.maxWaiting * NEAR_LIMIT)
      warnings.push(`${waiting} events wait for the disk, of at most ${options.maxWaiting}`)
    return warnings
  }

  /** Returns the report of this process to the store. */
  report(place: Pick<ListenerReport, 'pid' | 'host' | 'since' | 'url' | 'adminUrl'>): ListenerReport {
    const problems = this.problems().map(({reason}) => reason)
    const targets = [...new Set(this.options.targets.map(targetLabel))]
    return {...place, targets, problems, warnings: this.warnings()}
  }

  /** Returns how many requests were refused since the last call, by reason, and starts to count again. */
  takeRefused(): Record<string, number> {
    const taken = this.unreported
    this.unreported = {}
    return taken
  }

  /** Adds back counts that could not be reported. */
  returnRefused(refused: Readonly<Record<string, number>>): void {
    for (const [reason, count] of Object.entries(refused))
      this.unreported[reason] = (this.unreported[reason] ?? 0) + count
  }

  /** Returns the metrics as text. `backlog` is undefined if the store was never asked for it. */
  text(backlog: Backlog | undefined): string {
    const {gauges} = this
    gauges.waiting.value = this.waiting()
    gauges.storeUp.value = Number(this.isStoreUp)
    gauges.certificate.value = this.certificateEndsAt
    if (backlog) {
      gauges.pending.value = backlog.pending
      gauges.oldestPending.value = backlog.oldestPendingSeconds ?? 0
      // This is only set at first, because this process may have received a newer event than the backlog knows.
      gauges.lastEvent.value ??= backlog.lastEventAt ?? undefined
    }
    return this.metrics.text()
  }
}

/** Returns the reason for a status other than 200 and 401. */
export function refusalReason(status: number): (typeof REASONS)[number] | 'busy' {
  return status in REFUSED_BY_STATUS ? REFUSED_BY_STATUS[status as keyof typeof REFUSED_BY_STATUS] : 'busy'
}

function seriesFor<Name extends string>(names: readonly Name[], add: (name: Name) => {value: number}) {
  return Object.fromEntries(names.map(name => [name, add(name)])) as Record<Name, {value: number}>
}
