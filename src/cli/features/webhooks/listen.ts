/** `webhooks listen`: the lifecycle of a receiver, which loses nothing that it answered. */
import process from 'node:process'
import {isLoopbackHost} from '../../../api/http/loopback.js'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {EVENT_RETENTION_SECONDS} from '../../../state/event-store.js'
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {createOwner} from '../../../storage/temporary.js'
import {createForwarder, type Forwarder} from '../../../webhooks/forward/forwarder.js'
import {createHandover} from '../../../webhooks/forward/request.js'
import {freshHeaders} from '../../../webhooks/forward/resign.js'
import {parseBody} from '../../../webhooks/receive/capture-record.js'
import {RECEIVER_LIMITS} from '../../../webhooks/receive/limits.js'
import {createReceiver, type Receipt} from '../../../webhooks/receive/receiver.js'
import {type ServedReceiver, serveReceiver} from '../../../webhooks/receive/server.js'
import {systemClock} from '../../session/clock.js'
import {profileName} from '../../session/target.js'
import {createOccasionally} from '../../terminal/line-writer.js'
import type {OutputFlags} from '../../terminal/output.js'
import {listenOn} from '../sandbox/port.js'
import {createExpectation, type ListenFlags, type ListenPlan, USUAL_PORT} from './listen-flags.js'
import {createListenOutput} from './listen-output.js'
import {explainRefusal} from './listen-rows.js'
import {listenIdentity} from './listen-tls.js'
import {storedWebhookSecrets, type WebhookSecretFlags, watchSecrets, webhookHeaderNames} from './secrets.js'

export interface ListenParts {
  readonly plan: ListenPlan
  readonly flags: ListenFlags & WebhookSecretFlags & OutputFlags & {readonly 'ca-file'?: string | undefined}
  readonly env: NodeJS.ProcessEnv
  readonly state: State
  readonly tell: (text: string) => void
  /** Prints for a person at a terminal. */
  readonly note: (text: string) => void
}

/** An attempt to forward is watched for longer than the service would wait (§6.4), to show how late it was. */
const FORWARD_MILLISECONDS = 30_000
/** The end takes less than 3 s in all: answering, forwarding, writing. */
const LIMITS_OF_END = {answeringMilliseconds: 1500, forwardingMilliseconds: 700, writingMilliseconds: 500}
/** How often old events are removed and forwards of dead processes adopted, and how many rows in a transaction. */
const TIDY_MILLISECONDS = 60_000
const TIDY_ROWS = 500

/** Throws usage, and StorageError: without a store no event may be answered 200. */
export async function openListening(
  parts: ListenParts,
  whenStopped: (undo: () => unknown) => void,
): Promise<Listening> {
  const opened = await openParts(parts, whenStopped)
  const {host} = parts.plan
  const listening = new Listening(opened)
  whenStopped(() => listening.close())
  if (opened.tls === undefined && !isLoopbackHost(host))
    parts.tell(
      `Warning: plain http on ${sanitizeLine(host, 100)}: others on the network can read it; use --tls, or a proxy with TLS`,
    )
  await listening.open()
  return listening
}

type Opened = Awaited<ReturnType<typeof openParts>>

/** What a receiver is made of; `trusted`: certificates of https targets, undefined for the runtime's own. */
async function openParts(
  {plan, flags, env, state, tell, note}: ListenParts,
  whenStopped: (undo: () => unknown) => void,
) {
  const profile = profileName(flags, state)
  const expectation = plan.wait && (await createExpectation(plan.wait))
  const secrets = await watchSecrets(flags, env, state)
  whenStopped(secrets.stop)
  const tls = await listenIdentity(flags, plan.host, state.directory, systemClock.now())
  const {trustedCertificates} = await import('../../session/trust.js')
  const trusted = await trustedCertificates(flags['ca-file'], env)
  const headerNames = webhookHeaderNames(flags, state)
  const otherSecrets = () => storedWebhookSecrets(state)
  const output = await createListenOutput({
    ...{flags, tell, targets: plan.targets, secrets: secrets.now, headerName: headerNames.signature},
    explain: receipt => explainRefusal(receipt, {secrets: secrets.now(), names: headerNames, otherSecrets}),
  })
  const keeper = await state.openEventKeeper()
  const talk = createOccasionally(tell)
  return {plan, profile, expectation, secrets, tls, trusted, output, keeper, headerNames, talk, tell, note}
}

/** A receiver, from its opening to its end. */
export class Listening {
  readonly profile: string
  private readonly owner = createOwner()
  private readonly forwarder: Forwarder | undefined
  private readonly watchers = new Set<(receipt: Receipt) => boolean>()
  private readonly count = {valid: 0, invalid: 0, duplicate: 0, forwarded: 0}
  private server: ServedReceiver | undefined
  private tidying: NodeJS.Timeout | undefined
  private url = ''
  private fatal: (error: unknown) => void = () => {}

  constructor(private readonly parts: Opened) {
    this.profile = parts.profile
    this.forwarder = parts.plan.targets.length > 0 ? this.createForwarder() : undefined
  }

  /** Opens the store and listens. Throws usage when host or port is unavailable, StorageError. */
  async open(): Promise<void> {
    const {plan, tls, talk} = this.parts
    await this.adopt()
    this.tidying = setInterval(() => void this.tidy(), TIDY_MILLISECONDS).unref()
    const served = {
      receiver: this.createReceiver(),
      clock: systemClock.now,
      limits: RECEIVER_LIMITS,
      onRefused: (status: number) => talk.say(REFUSALS[status] ?? `a request was answered ${status}`),
    }
    const address = {host: plan.host, path: plan.path, ...(tls ? {tls} : {})}
    const wanted = {typed: plan.port, usual: USUAL_PORT, tell: this.parts.tell}
    this.server = await listenOn(wanted, port => serveReceiver(served, {...address, port})).catch(error =>
      listenFailed(error, plan),
    )
    const host = plan.host.includes(':') ? `[${plan.host}]` : plan.host
    this.url = `${tls ? 'https' : 'http'}://${host}:${this.server.port}${plan.path}`
  }

  /** Prints "ready"; resolves when enough events came, never without --exit-after. Rejects when it cannot go on. */
  async run(): Promise<void> {
    const {output, expectation} = this.parts
    output.ready(this.url, process.pid)
    this.forwarder?.wake()
    const failed = new Promise<never>((_, reject) => {
      this.fatal = reject
    })
    await Promise.race([failed, expectation?.begin() ?? failed])
    await this.forwarder?.settled(LIMITS_OF_END.forwardingMilliseconds * 3)
  }

  /** Reads the stored secrets again; resolves with the first receipt signed with the secret `secretName`. */
  next(secretName: string): Promise<Receipt> {
    this.parts.secrets.refresh()
    return new Promise(resolve => {
      const watch = (receipt: Receipt) => {
        if (receipt.reason !== 'ok' || receipt.secretName !== secretName) return false
        this.watchers.delete(watch)
        resolve(receipt)
        return true
      }
      this.watchers.add(watch)
    })
  }

  /** Answers open requests, records what was forwarded, writes what waits. */
  async close(): Promise<void> {
    const {keeper, output, talk, note} = this.parts
    clearInterval(this.tidying)
    await Promise.all([
      this.server?.close(LIMITS_OF_END.answeringMilliseconds),
      this.forwarder?.settled(LIMITS_OF_END.forwardingMilliseconds),
    ])
    await this.forwarder?.stop()
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
    await output.end(LIMITS_OF_END.writingMilliseconds)
    talk.end()
    await keeper.close()
    if (this.server) note(this.summary())
  }

  private isMeant(type: string | null): boolean {
    const {types} = this.parts.plan
    return types === undefined || types.has(type ?? '')
  }

  private createReceiver() {
    const {plan, profile, keeper, secrets, headerNames} = this.parts
    return createReceiver({
      store: {receive: events => keeper.receive({profile, owner: this.owner}, events)},
      secrets: secrets.now,
      headerNames,
      maxWaiting: RECEIVER_LIMITS.maxWaiting,
      targetsOf: type => (this.isMeant(type) ? plan.targets : []),
      onReceipt: receipt => this.afterAnswer(receipt),
      onStoreError: error => this.onStoreError(error, 'events cannot be stored and are answered 503'),
    })
  }

  private createForwarder(): Forwarder {
    const {plan, keeper, trusted, output, secrets, headerNames} = this.parts
    const {signature: headerName} = headerNames
    return createForwarder({
      targets: plan.targets,
      store: {
        take: (target, now, limit) => keeper.take(this.owner, target, now, limit),
        settle: results => keeper.settle(results),
        holds: one => keeper.holds?.(one) ?? true,
      },
      headersOf: (one, now) =>
        freshHeaders(one, {headerName, secrets: secrets.now(), now, mayResign: plan.mayResign}),
      handover: createHandover({trusted, timeoutMilliseconds: FORWARD_MILLISECONDS}),
      clock: systemClock.now,
      random: Math.random,
      onReport: report => {
        if (report.state === 'done') this.count.forwarded += 1
        output.forward(report)
      },
      onStoreError: error => this.onStoreError(error, 'results of forwarding cannot be recorded yet'),
    })
  }

  private afterAnswer(receipt: Receipt): void {
    const {output, expectation} = this.parts
    const isValid = receipt.reason === 'ok'
    this.count[isValid ? 'valid' : 'invalid'] += 1
    if (receipt.duplicate) this.count.duplicate += 1
    const isShown = !isValid || this.isMeant(receipt.type)
    output.request(receipt, isShown)
    const isAwaited = [...this.watchers].filter(watch => watch(receipt)).length > 0
    if (!isValid || !isShown || receipt.duplicate) return
    this.forwarder?.wake()
    // The test event of `--subscribe` is none of those a script waits for.
    if (!isAwaited) expectation?.see(parseBody(receipt.body))
  }

  private summary(): string {
    const {valid, invalid, duplicate, forwarded} = this.count
    const rest = forwarded < valid - duplicate ? '; the others are kept and tried again' : ''
    const forwards = this.forwarder ? `, ${forwarded} forwarded${rest}` : ''
    return `Stopped: ${valid} valid (${duplicate} of them duplicates), ${invalid} refused${forwards}`
  }

  /** Adopts forwards left by dead processes. */
  private adopt(): Promise<unknown> {
    return this.parts.keeper.adopt(this.owner, this.parts.plan.targets, systemClock.now())
  }

  private async tidy(): Promise<void> {
    const oldest = systemClock.now() - EVENT_RETENTION_SECONDS
    try {
      while ((await this.parts.keeper.prune(oldest, TIDY_ROWS)) === TIDY_ROWS);
      await this.adopt()
    } catch {
      // A busy store is tidied the next time.
    }
  }

  /** A store that is busy or full may recover; after any other fault it is not used again. */
  private onStoreError(error: unknown, what: string): void {
    const message = error instanceof Error ? error.message : String(error)
    this.parts.talk.say(`ERROR: ${what}: ${message}`)
    if (!(error instanceof StorageError && error.isPassing)) this.fatal(error)
  }
}

function listenFailed(error: unknown, {host}: ListenPlan): never {
  const {code = ''} = error as NodeJS.ErrnoException
  if (!['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)) throw error
  throw usage(
    'host_unavailable',
    `--host: ${sanitizeLine(host, 100)} is not an address of this machine (${code})`,
    'omit --host to listen on 127.0.0.1',
  )
}

const REFUSALS: Readonly<Record<number, string>> = {
  404: 'answered 404: a request for another path than --path',
  405: 'answered 405: a request that was not a POST',
  413: `answered 413: a body of more than ${RECEIVER_LIMITS.maxBodyBytes / 1024 ** 2} MiB`,
  503: 'answered 503: an event could not be stored; the service will send it again',
}
