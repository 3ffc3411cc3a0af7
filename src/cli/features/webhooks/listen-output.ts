/**
 * The output of `listen`: a line for each request and each attempt to forward, printed after the answer is sent. At a terminal
 * the lines are rows for people.
 */
import {createHash} from 'node:crypto'
import process from 'node:process'
import {isoTime, systemClock} from '../../../contract/dates.js'
import {sanitizeLine, shellWord} from '../../../contract/foreign-text.js'
import {WEBHOOK_RESPONSE_SECONDS} from '../../../contract/limits.js'
import {bufferOf, captureRecord} from '../../../webhooks/captures/records.js'
import type {CheckTerms, RemovedSecret} from '../../../webhooks/diagnose/finding.js'
import {type ForwardReport, SIGNATURE_TOO_OLD} from '../../../webhooks/forward/forwarder.js'
import {signerOf} from '../../../webhooks/forward/request.js'
import {addressesFor, type RoutedTarget, targetLabel} from '../../../webhooks/forward/routes.js'
import type {Receipt} from '../../../webhooks/receive/receiver.js'
import {gatherHeaders, pairsOf} from '../../../webhooks/signature/headers.js'
import type {NamedSecret} from '../../../webhooks/signature/signature.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import {escapeUnsafe, jsonText} from '../../terminal/json-text.js'
import {isForPeople, type OutputFlags} from '../../terminal/output.js'
import {
  EVENT_WIDTHS,
  findingNotes,
  type LineOf,
  type LineOutputs,
  lineOf,
  openLineOutputs,
  REASONS,
  type Row,
  rowLines,
} from './event-lines.js'
import type {ListenLog, LogLine} from './listen-log.js'
import type {WebhookSecretFlags} from './secrets.js'
import {isLate, isRedirect, targetText, unansweredText} from './targets.js'

export class ListenOutput {
  private readonly outputs: LineOutputs
  private readonly rows: ListenRows | undefined
  /** Pairs of a target and a secret that it refused. */
  private readonly refused = new Set<string>()
  private readonly isJson: boolean
  private readonly printsJson: boolean
  /** Lines that came before "Ready", which must be printed first: at most 1000, because all events are stored anyway. */
  private early: string[] | undefined = []

  /** Opens the output. Throws a usage error if --capture cannot be written. */
  static async open(terms: ListenTerms): Promise<ListenOutput> {
    return new ListenOutput(terms, await lineOf(terms.flags, EVENT_WIDTHS))
  }

  private constructor(
    private readonly terms: ListenTerms,
    private readonly lineOf: LineOf,
  ) {
    const {flags, log} = terms
    const warn = (message: string) => log.writeCounted({level: 'warn', event: 'warning', message})
    const dropped = 'lines were dropped: their reader is too slow; the events are stored'
    this.outputs = openLineOutputs(flags.capture, dropped, warn)
    this.isJson = flags.json || flags.format === 'ndjson'
    this.printsJson = this.isJson && flags.query === undefined
    if (isForPeople(flags, process.stdout)) this.rows = new ListenRows(line => this.print(line), terms)
  }

  /** Reports that events are received: where, what is checked, where they are stored, and where they are forwarded. */
  ready({url, adminUrl, pid, store}: Started): void {
    const {targets, secrets, log} = this.terms
    const count = secrets().length
    const to = targets.map((target, n) => `${n === 0 ? ' →' : ','} ${routeText(target)}`).join('')
    const listed = targets.map(target => ({url: target.url, patterns: target.patterns ?? null}))
    const admin = adminUrl === undefined ? {} : {admin_url: adminUrl}
    const document = {type: 'ready', url, pid, ...admin, ...(listed.length > 0 ? {targets: listed} : {})}
    if (this.isJson) this.outputs.stdout.write(jsonText(document))
    const served = adminUrl === undefined ? '' : `; health and metrics at ${adminUrl}`
    const found = `${url}${to} (${counted(count, 'signing secret')})`
    log.write({
      level: 'info',
      event: 'start',
      message: `Ready: ${found}; events in ${store}${served}`,
      url,
      ...admin,
      targets: targets.map(target => targetLabel(target.url)),
      secrets: count,
      store,
      pid,
    })
    for (const line of this.early ?? []) this.outputs.stdout.write(line)
    this.early = undefined
  }

  /** Prints a request that was answered 200 or 401. `isShown` is false if --event leaves its type out. */
  request(receipt: Receipt, isShown: boolean, isTest: boolean) {
    const {rows, printsJson} = this
    const {capture} = this.outputs
    const {log} = this.terms
    if (log.logsEach) log.write(receiptLogLine(receipt))
    const json = capture || (printsJson && isShown) ? receiptLine(receipt) : ''
    capture?.write(json)
    if (!isShown) return
    if (rows) return rows.request(receipt, isTest)
    const line = printsJson ? json : this.lineOf(captureRecord(receipt))
    if (line !== undefined) this.print(line)
  }

  /** Reports that a stored signing secret was removed: events signed with it are refused from now on. */
  secretRemoved({subscription_id, removed_at, removed_by}: RemovedSecret): void {
    if (!this.printsJson) return
    const removed = {type: 'secret_removed', subscription_id, removed_at: isoTime(removed_at), removed_by}
    this.print(jsonText(removed))
  }

  forward(report: ForwardReport) {
    const {log} = this.terms
    const isResult = this.rows !== undefined || this.printsJson
    const note = this.noteOn(report)
    // The note may name the target, whose query may be a secret. Only a terminal shows it whole.
    if (log.logsEach || !isResult) log.write(forwardLogLine(report, note?.(targetLabel(report.target))))
    if (this.rows) return this.rows.forward(report, note?.(report.target))
    if (!this.printsJson) return
    const {eventId: event_id, target, attempt, state, status, ms} = report
    const error = unansweredText(report.error, target)
    const document = {type: 'forward', event_id, target, attempt, state, status, ms, late: isLate(ms), error}
    const next_attempt_at = state === 'pending' ? isoTime(report.nextAttemptAt) : null
    this.print(jsonText({...document, next_attempt_at}))
  }

  /**
   * Returns the note on a failed forward, as a function of the target in the form to show: the command that replays an event that
   * was given up, or which secret the target refused, once for each target.
   */
  private noteOn(report: ForwardReport): ((shown: string) => string) | undefined {
    const {eventId, target, state, status, rawHeaders, body} = report
    const {names, secrets, flags} = this.terms
    // The flags that another command needs to use the same secrets.
    let same = flags.profile === undefined ? '' : ` --profile ${shellWord(flags.profile)}`
    if (flags['secret-file'] !== undefined) same += ` --secret-file ${shellWord(flags['secret-file'])}`
    if (flags['secret-stdin']) same += ' --secret-stdin'
    if (state === 'given_up') {
      const replay = `bookctl webhooks events replay ${shellWord(eventId)} --to`
      return shown => `Replay it: ${replay} ${shellWord(shown)} --resign${same}`
    }
    if (status !== 401) return undefined
    const signer = signerOf({rawHeaders, body}, names.signature, secrets())
    const refused = `${target} ${signer?.name}`
    if (this.refused.has(refused)) return undefined
    this.refused.add(refused)
    if (!signer) return () => 'The target refused a signature whose secret is not known here any more'
    const what = `The target refused the signature; its secret is ${sourceOf(signer)}. Compare it with that of the target:`
    return () => `${what} bookctl webhooks listen --print-secret${same}`
  }

  async end(milliseconds: number): Promise<void> {
    this.rows?.end()
    await this.outputs.end(milliseconds)
  }

  private print(line: string): void {
    if (this.early === undefined) this.outputs.stdout.write(line)
    else if (this.early.length < 1000) this.early.push(line)
  }
}

/** What is known when events are received. */
interface Started {
  readonly url: string
  readonly adminUrl: string | undefined
  readonly pid: number
  /** Where events are stored, for people. */
  readonly store: string
}

function receiptLogLine(receipt: Receipt): LogLine {
  const {reason, status, eventId: event_id, type, duplicate, ackMilliseconds} = receipt
  const ms = Math.round(ackMilliseconds * 100) / 100
  const facts = {event_id, event_type: type ?? undefined, status, ms}
  if (reason !== 'ok')
    return {level: 'warn', event: 'refused', message: `refused: ${REASONS[reason]}`, reason, ...facts}
  const message = `${event_id} ${duplicate ? 'is a duplicate' : 'is stored'}`
  return {level: 'info', event: 'received', message, duplicate, ...facts}
}

function forwardLogLine(report: ForwardReport, note: string | undefined): LogLine {
  const {eventId: event_id, type, target, attempt, state, status, ms, error} = report
  const shown = {
    done: ['info', 'forwarded'],
    pending: ['warn', 'warning'],
    given_up: ['error', 'given_up'],
  } as const
  const [level, event] = shown[state]
  const what = `${sanitizeLine(event_id, 60)} → ${targetText(target)}`
  return {
    level,
    event,
    message: [`${what}: ${answerText(report, systemClock.now())}`, note].filter(Boolean).join('. '),
    event_id,
    event_type: type ?? undefined,
    reason: unansweredText(error, target) ?? undefined,
    status: status ?? undefined,
    ms,
    target: targetLabel(target),
    attempt,
  }
}

/** Describes a target with the patterns of the types it gets: `http://127.0.0.1:3000/ (reservation.*, voucher.ready)`. */
function routeText({url, patterns}: RoutedTarget): string {
  const types = patterns === undefined ? '' : ` (${patterns.join(', ')})`
  return targetText(url) + types
}

export function additionText(subscriptionId: string): string {
  return `the signing secret of ${sanitizeLine(subscriptionId, 100)} was stored; events signed with it are now accepted`
}

export function removalText({subscription_id, removed_at, removed_by}: RemovedSecret): string {
  const what = `the signing secret of ${sanitizeLine(subscription_id, 100)} was removed at ${isoTime(removed_at)}`
  return `${what} by bookctl ${sanitizeLine(removed_by, 100)}; events signed with it are now refused with 401`
}

/**
 * Formats a receipt as the line that --json prints. The line is built from texts, so that numbers stay as the service wrote them.
 * Compared with JSON.stringify, this saves the main thread of `listen` a tenth of its time (`npm run bench`, listen).
 */
export function receiptLine(
  receipt: Pick<
    Receipt,
    'eventId' | 'type' | 'receivedAt' | 'rawHeaders' | 'body' | 'duplicate' | 'ackMilliseconds'
  > & {
    readonly reason: string
  },
): string {
  const {reason, eventId, type, duplicate, receivedAt, ackMilliseconds, rawHeaders} = receipt
  // The body of a refused request may not be JSON.
  if (reason !== 'ok') return jsonText(captureRecord(receipt))
  const body = bufferOf(receipt.body)
  const json = body.toString('utf8')
  // In valid JSON, raw line breaks are only between tokens.
  const event = /^[\x20-\x7e]*$/.test(json) ? json : escapeUnsafe(json.replace(/[\t\n\r]/g, ' '))
  const time = new Date(receivedAt * 1000).toISOString()
  const ack = Math.round(ackMilliseconds * 100) / 100
  return (
    `{"type":"event","verdict":"valid","reason":"ok","event_id":${quoted(eventId)},"event_type":${quoted(type)},` +
    `"duplicate":${duplicate},"received_at":"${time}","ack_ms":${ack},"body_base64":"${body.toString('base64')}",` +
    `"headers":${headersText(rawHeaders)},"event":${event}}`
  )
}

/** Matches text that JSON and `escapeUnsafe` leave unchanged. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

function quoted(text: string | null | undefined): string {
  return typeof text === 'string' && PLAIN.test(text) ? `"${text}"` : jsonText(text)
}

function headersText(rawHeaders: readonly string[]): string {
  const names: string[] = []
  let text = ''
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = (rawHeaders[n] as string).toLowerCase()
    if (names.includes(name) || n > MOST_PLAIN) return jsonText(gatherHeaders(pairsOf(rawHeaders)))
    names.push(name)
    text += `${n === 0 ? '{' : ','}${quoted(name)}:${quoted(rawHeaders[n + 1])}`
  }
  return `${text || '{'}}`
}

/**
 * Maximum number of header names and values that are checked for repeated names. With more, the check costs more than it saves.
 */
const MOST_PLAIN = 60

/** How long an event waits to be printed together with its target's answer. After that, the answer gets a row of its own. */
const HELD_MILLISECONDS = 1000
/** Minimum time between two searches for a cause, because a search delays answers. */
const EXPLAINED_EVERY_MILLISECONDS = 1000
/** How many ids of early answers are kept. */
const MOST_EARLY = 1000

/** What the output of `listen` needs. `otherSecrets` are stored for other subscriptions and only used in explanations. */
interface ListenTerms extends Pick<CheckTerms, 'names' | 'otherSecrets' | 'removedSecrets'> {
  readonly flags: OutputFlags & WebhookSecretFlags & {readonly capture?: string | undefined}
  readonly log: ListenLog
  readonly targets: readonly RoutedTarget[]
  readonly secrets: () => readonly NamedSecret[]
}

/** Prints rows of events at a terminal. A forwarded event is printed together with its target's answer. */
class ListenRows {
  private readonly held = new Map<string, {readonly timer: NodeJS.Timeout; readonly row: Row}>()
  /** Ids of events whose target answered before the receipt arrived here. */
  private readonly early = new Set<string>()
  /** When the last search for a cause ended (`performance.now()`); infinite while one runs. */
  private explainedAt = Number.NEGATIVE_INFINITY
  private testId: string | undefined

  constructor(
    private readonly print: (line: string) => void,
    private readonly terms: ListenTerms,
  ) {}

  /** Prints a request; `isTest` marks the test event of --subscribe. */
  request(receipt: Receipt, isTest: boolean): void {
    const {receivedAt: time, body, reason, status, duplicate, type, eventId = ''} = receipt
    if (isTest) this.testId = eventId
    const row = {time, isGood: reason === 'ok', body, text: duplicate ? 'duplicate' : ''}
    if (!row.isGood) void this.refuse(receipt, {...row, text: `${status} ${REASONS[reason]}`})
    else if (!duplicate && addressesFor(this.terms.targets, type).length > 0) this.hold(eventId, row)
    else this.show(row)
  }

  forward(report: ForwardReport, note: string | undefined): void {
    const {eventId, body} = report
    clearTimeout(this.held.get(eventId)?.timer)
    if (!this.held.delete(eventId)) this.early.add(eventId)
    if (this.early.size > MOST_EARLY) this.early.clear()
    const target = this.terms.targets.length > 1 ? `, ${targetText(report.target)}` : ''
    const time = systemClock.now()
    const text = answerText(report, time) + target
    this.show({time, isGood: report.state === 'done', body, text, notes: note === undefined ? [] : [note]})
  }

  end(): void {
    for (const {timer, row} of this.held.values()) {
      clearTimeout(timer)
      this.show({...row, text: 'not answered by the target yet'})
    }
    this.held.clear()
  }

  private show(row: Row): void {
    for (const line of rowLines(row, this.testId)) this.print(line)
  }

  private hold(id: string, row: Row): void {
    if (this.early.delete(id)) return
    const timer = setTimeout(() => {
      this.held.delete(id)
      this.show({...row, text: 'waiting for the target'})
    }, HELD_MILLISECONDS)
    this.held.set(id, {timer, row})
  }

  private async refuse(receipt: Receipt, row: Row): Promise<void> {
    if (performance.now() - this.explainedAt < EXPLAINED_EVERY_MILLISECONDS)
      return this.show({...row, text: `${row.text}, cause not looked for (at most one a second)`})
    this.explainedAt = Number.POSITIVE_INFINITY
    const notes: string[] = []
    try {
      const {checkReceived} = await import('../../../webhooks/diagnose/check.js')
      const {findings} = await checkReceived(receipt, {...this.terms, secrets: this.terms.secrets()})
      notes.push(...findingNotes(findings))
    } catch {
      // The row is printed even if the search for its cause fails.
    }
    this.explainedAt = performance.now()
    this.show({...row, notes})
  }
}

/** Describes the target's answer, its time, and what happens next. `now` is in Unix seconds. */
function answerText(report: ForwardReport, now: number): string {
  const {target, status, error, ms, attempt, resigned, state, nextAttemptAt} = report
  const why = unansweredText(error, target) ?? ''
  const words = status === null ? `no answer (${sanitizeLine(why, 300)})` : `${status} in ${ms} ms`
  const facts = [
    error === SIGNATURE_TOO_OLD ? 'not sent, its signature is too old' : words,
    status !== null && isLate(ms) && `later than the ${WEBHOOK_RESPONSE_SECONDS} s a receiver has`,
    isRedirect(status) && 'redirects are not followed',
    resigned && 'signed again',
    attempt > 1 && `attempt ${attempt}`,
    state === 'pending' && `again in ${Math.max(1, Math.round(nextAttemptAt - now))} s`,
    state === 'given_up' && 'given up',
  ]
  return facts.filter(Boolean).join(', ')
}

/** Describes where a secret comes from. The start of its SHA-256 identifies the secret without showing it. */
function sourceOf({name, secret}: NamedSecret): string {
  let source = `that of ${sanitizeLine(name, 60)}`
  if (/^env\b/.test(name)) source = 'from BOOKCTL_WEBHOOK_SECRET'
  const [flag] = /^(?:file|stdin)\b/.exec(name) ?? []
  if (flag) source = `from --secret-${flag}`
  return `${source} (SHA-256 ${createHash('sha256').update(secret).digest('hex').slice(0, 8)}…)`
}
