/**
 * `webhooks listen`: receives and forwards events, subscribes with --subscribe, waits for expected events, and closes. It never
 * loses an event that it answered with 200.
 */
import {hostname} from 'node:os'
import process from 'node:process'
import {setTimeout as sleep} from 'node:timers/promises'
import {systemClock} from '../../../contract/dates.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {
  type Backlog,
  EVENT_RETENTION_SECONDS,
  type EventKeeper,
  type NewEvent,
} from '../../../contract/stored-events.js'
import {StorageError} from '../../../storage/errors.js'
import {parseBody} from '../../../webhooks/captures/records.js'
import {Forwarder} from '../../../webhooks/forward/forwarder.js'
import {createHandover, freshHeaders, type Handover} from '../../../webhooks/forward/request.js'
import {addressesFor} from '../../../webhooks/forward/routes.js'
import type {Observed, ServedAdmin} from '../../../webhooks/observe/admin.js'
import {Heartbeat} from '../../../webhooks/observe/heartbeat.js'
import {ReceiverState, refusalReason} from '../../../webhooks/observe/receiver-state.js'
import {type Receipt, Receiver} from '../../../webhooks/receive/receiver.js'
import {RECEIVER_LIMITS, type ServedReceiver, serveReceiver} from '../../../webhooks/receive/server.js'
import type {WebhookHeaderNames} from '../../../webhooks/signature/headers.js'
import type {Connection} from '../../session/connect.js'
import {profileName} from '../../session/resolve.js'
import type {BaseCommand} from '../../shell/base-command.js'
import type {OutputFlags} from '../../terminal/output.js'
import {finderOf} from '../../terminal/query.js'
import {hasTerminal} from '../../terminal/streams.js'
import {serveAdminOn} from '../sandbox/port.js'
import {identityFor, listenAtOrInherit} from './address.js'
import {type ListenFlags, type ListenPlan, USUAL_PORT} from './listen-flags.js'
import type {ListenLog, LogLine} from './listen-log.js'
import {additionText, ListenOutput, removalText} from './listen-output.js'
import {Reloader} from './listen-reload.js'
import {subscribe} from './listen-subscribe.js'
import type {Identity} from './listen-tls.js'
import {Expectation, LONGEST_TIMER_MILLISECONDS, within} from './listen-wait.js'
import {
  removedSecretsFor,
  storedWebhookSecrets,
  WatchedSecrets,
  type WebhookSecretFlags,
  webhookHeaderNames,
} from './secrets.js'
import {warningsAtStart} from './status.js'
import {ServiceManager} from './systemd.js'

type Flags = ListenFlags & WebhookSecretFlags & OutputFlags & {readonly 'ca-file'?: string | undefined}

/** Time limit of an attempt to forward. It exceeds what the service would wait (§6.4), to show how late the answer is. */
const FORWARD_MILLISECONDS = 30_000
/** Time limits of closing, which together stay under 3 s. */
const LIMITS_OF_END = {answeringMilliseconds: 1500, forwardingMilliseconds: 700, writingMilliseconds: 500}
/** How often a store that keeps failing for the same reason is reported, and how long it has to work until that is reported. */
const STORE_REPORT_MILLISECONDS = 60_000
const STORE_STEADY_MILLISECONDS = 3000
/** How often old events are removed and forwards of dead processes adopted; TIDY_ROWS limits the rows of a transaction. */
const TIDY_MILLISECONDS = 60_000
const TIDY_ROWS = 500

/** Listens until the wait is over or a signal comes; subscribes if there is a `connection`. Throws a Failure. */
export async function listen(
  command: BaseCommand,
  log: ListenLog,
  plan: ListenPlan,
  flags: Flags,
  connection?: Connection,
) {
  const listener = await Listener.open(command, log, plan, flags)
  if (connection) await subscribe(command, log, connection, listener, plan, flags)
  await listener.run()
}

class Listener {
  private readonly forwarder: Forwarder
  private readonly tidying: NodeJS.Timeout
  private readonly state: ReceiverState
  private readonly heartbeat: Heartbeat
  private readonly manager: ServiceManager
  private readonly since = systemClock.now()
  /** The addresses that events are forwarded to. */
  private readonly addresses: readonly string[]
  private server: ServedReceiver | undefined
  private admin: ServedAdmin | undefined
  private url = ''
  private starting: Promise<void> = Promise.resolve()
  private readonly drain = new AbortController()
  private toForward = 0
  /** Why the store fails, and when that was last reported; undefined once it is reported that it works. */
  private reported: {readonly why: string; readonly at: number} | undefined
  /** Set while the store works again and that is not reported yet. */
  private steadying: NodeJS.Timeout | undefined
  private breakOff: (error: unknown) => void = () => {}
  /** Rejects when the store can no longer be used. */
  private readonly broken = new Promise<never>((_, reject) => {
    this.breakOff = reject
  })
  private awaitedTest: {readonly secretName: string; readonly onReceived: () => void} | undefined

  /**
   * Opens the store and starts to receive. Throws a usage error, or a StorageError, because without a store no event may be
   * answered 200.
   */
  static async open(command: BaseCommand, log: ListenLog, plan: ListenPlan, flags: Flags): Promise<Listener> {
    let isReloadWanted = false
    let reload = () => {
      isReloadWanted = true
    }
    const takesHangup = reloadOnHangup(() => reload())
    command.takesSignal = takesHangup
    const state = await command.state()
    const expect = plan.wait?.expect
    // `!!` converts the result to what JMESPath counts as true.
    const matches = expect === undefined ? () => true : await finderOf(`!!(${expect})`)
    const expectation = plan.wait && new Expectation(plan.wait, matches)
    const secrets = await WatchedSecrets.open(flags, state)
    command.whenStopped(() => secrets.stop())
    const readIdentity = () => identityFor(flags, state.directory, text => void command.warn(text))
    const tls = await readIdentity()
    const {trustedCertificates} = await import('../../session/trust.js')
    const trusted = await trustedCertificates(flags['ca-file'], process.env)
    const names = webhookHeaderNames(flags, state)
    const output = await ListenOutput.open({
      flags,
      log,
      targets: plan.targets,
      names,
      secrets: () => secrets.current,
      otherSecrets: () => storedWebhookSecrets(state),
      removedSecrets: removedSecretsFor(flags, state),
    })
    secrets.watch(
      removed => {
        const {subscription_id} = removed
        log.write({level: 'warn', event: 'secret_removed', message: removalText(removed), subscription_id})
        output.secretRemoved(removed)
      },
      id => log.write({level: 'info', event: 'secret_added', message: additionText(id), subscription_id: id}),
    )
    const keeper = await state.openEventKeeper(profileName(flags, state))
    const handover = createHandover({trusted, timeoutMilliseconds: FORWARD_MILLISECONDS})
    const opened = {names, secrets, output, keeper, handover, expectation}
    const listener = new Listener(command, log, plan, flags, opened)
    command.whenStopped(() => listener.close())
    await listener.start(tls)
    for (const warning of listener.isStopping ? [] : await warningsAtStart(keeper))
      command.warn(`Warning: ${sanitizeLine(warning, 500)}`)
    const onIdentity = (identity: Identity) => listener.renew(identity)
    const reloading = {flags, log, secrets, readIdentity, onIdentity, clock: systemClock.now}
    const reloader = new Reloader(reloading, tls)
    reloader.start()
    command.whenStopped(() => reloader.stop())
    reload = () => {
      if (!listener.isStopping) void listener.reload(reloader)
    }
    if (isReloadWanted) reload()
    command.takesSignal = signal => takesHangup(signal) || (listener.isStopping && listener.endDrain())
    return listener
  }

  private constructor(
    command: BaseCommand,
    private readonly log: ListenLog,
    private readonly plan: ListenPlan,
    private readonly flags: Flags,
    private readonly opened: {
      readonly names: WebhookHeaderNames
      readonly secrets: WatchedSecrets
      readonly output: ListenOutput
      readonly keeper: EventKeeper
      readonly handover: Handover
      readonly expectation: Expectation | undefined
    },
  ) {
    this.addresses = plan.targets.map(({url}) => url)
    // Avoids an unhandled rejection; `run` reports the error.
    this.broken.catch(() => {})
    this.state = new ReceiverState({
      version: command.config.version,
      targets: this.addresses,
      maxWaiting: RECEIVER_LIMITS.maxWaiting,
      clock: systemClock.now,
      onStoreUp: () => this.onStoreUp(),
    })
    this.heartbeat = new Heartbeat({
      store: opened.keeper,
      state: this.state,
      place: () => this.place(),
      onStoreError: error => this.onStoreError(error, 'the store cannot be written'),
    })
    this.manager = new ServiceManager({
      env: process.env,
      onProblem: message => this.log.write({level: 'warn', event: 'warning', message}),
    })
    this.forwarder = this.createForwarder()
    this.tidying = setInterval(() => void this.tidy(), TIDY_MILLISECONDS).unref()
  }

  /** Starts to receive. */
  start(tls: Identity | undefined): Promise<void> {
    this.starting = this.receive(tls)
    return this.starting
  }

  private async receive(tls: Identity | undefined): Promise<void> {
    const {names, secrets} = this.opened
    const {host} = this.flags
    this.state.certificateEndsAt = tls?.endsAt
    await this.serveAdmin()
    await this.adoptForwards()
    const receiver = new Receiver({
      store: {receive: events => this.store(events)},
      secrets: () => secrets.current,
      headerNames: names,
      maxWaiting: RECEIVER_LIMITS.maxWaiting,
      targetsOf: type => this.addressesFor(type),
      onReceipt: receipt => this.onReceipt(receipt),
      onStoreError: error => this.onStoreError(error, 'events cannot be stored and are answered 503'),
    })
    this.state.waiting = () => receiver.waiting
    const options = {
      receiver,
      clock: systemClock.now,
      limits: RECEIVER_LIMITS,
      onRefused: (status: number, milliseconds: number) => {
        this.state.turnedAway(status, milliseconds)
        this.log.writeCounted(refusalLine(status))
      },
    }
    const {path} = this.plan
    const {server, origin} = await listenAtOrInherit(
      {
        host,
        isTls: tls !== undefined,
        port: this.flags.port,
        usualPort: USUAL_PORT,
        tell: text => this.log.writeText(text, text.startsWith('Warning: ') ? 'warn' : 'info'),
      },
      place => serveReceiver(options, {...place, path, tls}),
    )
    this.server = server
    this.url = origin + path
    if (!this.isStopping) this.state.phase = 'serving'
    await this.heartbeat.start()
  }

  /** Reads certificate and secrets again, and tells the service manager. */
  private async reload(reloader: Reloader): Promise<void> {
    this.manager.reloading()
    await reloader.reload()
    // Ready even if the new files are refused, because then the earlier ones stay in use. After STOPPING=1 it would be
    // wrong to report ready.
    if (!this.isStopping) this.reportReady()
  }

  private reportReady(): void {
    this.manager.ready(`Receiving at ${this.url}`)
  }

  /** Uses another certificate from now on. */
  private renew(identity: Identity): void {
    this.server?.renew(identity)
    this.state.certificateEndsAt = identity.endsAt
  }

  /** Stores events, and notes that the store works. */
  private async store(events: readonly NewEvent[]) {
    const outcomes = await this.opened.keeper.receive(events)
    this.state.storeWorks()
    return outcomes
  }

  private place() {
    const {pid} = process
    return {pid, host: hostname(), since: this.since, url: this.url, adminUrl: this.admin?.url ?? null}
  }

  /** Serves --admin. It is there before the first event, and until the last one is answered. */
  private async serveAdmin(): Promise<void> {
    const {admin} = this.flags
    if (admin === undefined) return
    const backlog = createBacklogReader(this.opened.keeper)
    const observed: Observed = {
      problems: () => this.state.problems(),
      metrics: async () => this.state.text(await backlog()),
    }
    this.admin = await serveAdminOn(observed, admin)
  }

  private wants(type: string | null): boolean {
    return this.plan.types === undefined || this.plan.types.has(type ?? '')
  }

  private addressesFor(type: string | null): readonly string[] {
    return this.wants(type) ? addressesFor(this.plan.targets, type) : []
  }

  private onReceipt(receipt: Receipt): void {
    const {state, forwarder} = this
    const {output, expectation} = this.opened
    const isValid = receipt.reason === 'ok'
    state.receipt(receipt)
    const isShown = !isValid || this.wants(receipt.type)
    const isTest = isValid && receipt.secretName === this.awaitedTest?.secretName
    output.request(receipt, isShown, isTest)
    if (isTest) {
      this.awaitedTest?.onReceived()
      this.awaitedTest = undefined
    }
    if (!isValid || !isShown || receipt.duplicate) return
    this.toForward += this.addressesFor(receipt.type).length
    forwarder.wake()
    // The test event of `--subscribe` does not count towards --exit-after.
    if (!isTest) expectation?.see(parseBody(receipt.body))
  }

  /** Reports a failed store. A busy or full store may recover; after any other fault the command ends. */
  private onStoreError(error: unknown, what: string): void {
    const why = error instanceof Error ? error.message : String(error)
    const wasUp = this.state.isStoreUp
    const now = performance.now()
    clearTimeout(this.steadying)
    this.steadying = undefined
    const {reported} = this
    if (reported?.why !== why || now - reported.at >= STORE_REPORT_MILLISECONDS) {
      this.reported = {why, at: now}
      this.log.writeCounted({level: 'error', event: 'warning', message: `${what}: ${why}`})
    }
    this.state.storeFailed(why)
    if (wasUp) this.heartbeat.hurry()
    if (!(error instanceof StorageError && error.isPassing)) this.breakOff(error)
  }

  /** A full disk takes a small commit now and then, so the report waits whether it stays so. */
  private onStoreUp(): void {
    this.steadying = setTimeout(() => this.reportStoreUp(), STORE_STEADY_MILLISECONDS).unref()
  }

  private reportStoreUp(): void {
    clearTimeout(this.steadying)
    this.steadying = undefined
    this.reported = undefined
    const message = 'the store works again, and events are stored'
    this.log.writeCounted({level: 'info', event: 'store_works', message})
  }

  private createForwarder(): Forwarder {
    const {names, secrets, keeper, handover, output} = this.opened
    return new Forwarder({
      targets: this.addresses,
      store: keeper,
      handover,
      headersOf: (event, now) =>
        freshHeaders(event, names.signature, this.flags['no-resign'] ? [] : secrets.current, now),
      clock: systemClock.now,
      elapsed: () => performance.now(),
      random: Math.random,
      onReport: report => {
        this.state.forwarded(report)
        output.forward(report)
      },
      onStoreError: error => this.onStoreError(error, 'results of forwarding cannot be recorded yet'),
    })
  }

  private async tidy(): Promise<void> {
    const oldest = systemClock.now() - EVENT_RETENTION_SECONDS
    try {
      let removed = TIDY_ROWS
      while (removed === TIDY_ROWS) removed = await this.opened.keeper.prune(oldest, TIDY_ROWS)
      await this.adoptForwards()
    } catch {
      // A busy store is tidied at the next interval.
    }
  }

  /** Adopts forwards left by dead processes. */
  private adoptForwards(): Promise<number> {
    return this.opened.keeper.adopt(this.addresses, systemClock.now())
  }

  /**
   * Prints "ready" and resolves when enough events came; without --exit-after it never does. Rejects when the store can no longer
   * be used.
   */
  async run(): Promise<void> {
    const {output, expectation, keeper} = this.opened
    // A signal came while it started, so it is about to end.
    if (this.isStopping) return this.broken
    output.ready({url: this.url, adminUrl: this.admin?.url, pid: process.pid, store: keeper.place})
    this.reportReady()
    this.forwarder.wake()
    await Promise.race([this.broken, expectation?.fulfilled() ?? this.broken])
    await this.forwarder.settled(LIMITS_OF_END.forwardingMilliseconds * 3)
  }

  /** Reads the stored secrets again and resolves with the first event signed with the secret `secretName`. */
  testReceived(secretName: string): Promise<void> {
    this.opened.secrets.refresh()
    return new Promise(onReceived => {
      this.awaitedTest = {secretName, onReceived}
    })
  }

  /** Stops reporting removed secrets, because at the end --subscribe removes its own. */
  stopWatchingSecrets(): void {
    this.opened.secrets.stop()
  }

  get isStopping(): boolean {
    return this.state.phase === 'stopping'
  }

  /** Ends the time of --drain, after a second signal. Returns false if it is over. */
  endDrain(): boolean {
    const isDraining = !this.drain.signal.aborted
    this.drain.abort()
    return isDraining
  }

  private async close(): Promise<void> {
    const {forwarder, log, state, heartbeat, manager} = this
    const {output, keeper} = this.opened
    state.phase = 'stopping'
    manager.stopping()
    // Otherwise a start that goes on would meet a closed store.
    const started = this.starting.catch(() => {})
    await within(LIMITS_OF_END.answeringMilliseconds, started, () => {})
    const {server} = this
    const {drain = 0} = this.flags
    if (server) {
      const message = drain > 0 ? `Stopping: events are received for ${drain} s more` : 'Stopping'
      log.write({level: 'info', event: 'stopping', message})
    }
    // The senders see first that it is not ready, and send elsewhere.
    const draining = Math.min(drain * 1000, LONGEST_TIMER_MILLISECONDS)
    if (server && drain > 0) await sleep(draining, undefined, {signal: this.drain.signal}).catch(() => {})
    this.drain.abort()
    clearInterval(this.tidying)
    await Promise.all([
      server?.close(LIMITS_OF_END.answeringMilliseconds),
      forwarder.settled(LIMITS_OF_END.forwardingMilliseconds),
    ])
    await forwarder.stop()
    // Receipts are reported a turn after their answers, so two turns are awaited.
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
    await output.end(LIMITS_OF_END.writingMilliseconds)
    await heartbeat.stop()
    await keeper.close()
    await manager.end()
    await this.admin?.close()
    if (this.steadying) this.reportStoreUp()
    if (!server) return
    const {givenUp: given_up, ...counts} = state.count
    const {valid, duplicate, refused, forwarded} = counts
    const lost = given_up > 0 ? `, ${given_up} given up` : ''
    const rest = forwarded + given_up < this.toForward ? '; the others are kept and tried again' : ''
    const forwards = this.plan.targets.length > 0 ? `, ${forwarded} forwarded${lost}${rest}` : ''
    const message = `Stopped: ${valid} valid (${duplicate} of them duplicates), ${refused} refused${forwards}`
    log.write({level: 'info', event: 'stopped', message, ...counts, given_up})
  }
}

/**
 * Returns what takes SIGHUP: it calls `reload`, unless the terminal is gone at which the command was started. The command then has
 * to end, as at a terminal every command does.
 */
function reloadOnHangup(reload: () => void): (signal: NodeJS.Signals) => boolean {
  const hadTerminal = hasTerminal()
  return signal => {
    if (signal !== 'SIGHUP' || (hadTerminal && !hasTerminal())) return false
    reload()
    return true
  }
}

/** How long the figures of the store are reused, and how long a request for metrics waits for newer ones. */
const BACKLOG_MILLISECONDS = 1000

/** Returns a function that asks the store for its backlog, at most once a second, and returns the last answer. */
function createBacklogReader(keeper: Pick<EventKeeper, 'backlog'>): () => Promise<Backlog | undefined> {
  let known: Backlog | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let asking = Promise.resolve()
  return async () => {
    if (performance.now() - askedAt >= BACKLOG_MILLISECONDS) {
      askedAt = performance.now()
      asking = keeper.backlog().then(
        backlog => {
          known = backlog
        },
        // The metric of the store says that it fails.
        () => {},
      )
    }
    await within(BACKLOG_MILLISECONDS, asking, () => {})
    return known
  }
}

const REFUSALS: Readonly<Record<number, string>> = {
  404: 'answered 404: a request for another path than --path',
  405: 'answered 405: a request that was not a POST',
  413: `answered 413: a body of more than ${RECEIVER_LIMITS.maxBodyBytes / 1024 ** 2} MiB`,
  503: 'answered 503: an event could not be stored; the service will send it again',
}

function refusalLine(status: number): LogLine {
  const message = REFUSALS[status] ?? `a request was answered ${status}`
  const reason = refusalReason(status)
  return {level: status === 503 ? 'error' : 'info', event: 'refused', message, reason, status}
}
