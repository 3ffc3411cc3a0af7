/**
 * `webhooks listen`, put together: a server, the store behind it, and what comes after the answer. It starts in an
 * order in which "ready" is true, and ends in one in which nothing that was answered is lost.
 */
import process from 'node:process'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {StorageError} from '../../../storage/errors.js'
import {createForwarder, type Forwarder} from '../../../webhooks/forward/forwarder.js'
import {createHandover} from '../../../webhooks/forward/request.js'
import {parseBody} from '../../../webhooks/receive/capture-record.js'
import type {KeyPair} from '../../../webhooks/receive/certificate.js'
import {createReceiver, type Receipt} from '../../../webhooks/receive/receiver.js'
import {RECEIVER_LIMITS, type ServedReceiver, serveReceiver} from '../../../webhooks/receive/server.js'
import type {WebhookHeaderNames} from '../../../webhooks/signature/headers.js'
import type {NamedSecret} from '../../../webhooks/signature/signature.js'
import type {Occasionally} from '../../terminal/line-writer.js'
import {cannotListen} from '../sandbox/note.js'
import type {ListenPlan} from './listen-flags.js'
import type {ListenOutput} from './listen-output.js'
import type {ListenStore} from './listen-store.js'
import type {Expectation} from './listen-wait.js'

export interface ListeningParts {
  readonly plan: ListenPlan
  readonly tls: KeyPair | undefined
  readonly store: ListenStore
  readonly secrets: () => readonly NamedSecret[]
  readonly headerNames: WebhookHeaderNames
  /** Certificates that https targets may show; absent: the runtime's own. */
  readonly trusted: readonly string[] | undefined
  readonly output: ListenOutput
  readonly expectation: Expectation | undefined
  readonly talk: Occasionally
  /** Says to a person how many came, when it ends. */
  readonly note: (text: string) => void
  /** Unix seconds. */
  readonly clock: () => number
}

/** Ours: events that may wait for the disk; more are answered 503. */
const MOST_WAITING = 2048
/** A hand-over is watched for longer than the service would wait (§6.4), to show how late it was. */
const HANDOVER_MILLISECONDS = 30_000
/** The end, in all under 3 s: answering, handing on, writing. */
const ANSWERING_MILLISECONDS = 1500
const HANDING_ON_MILLISECONDS = 700
const WRITING_MILLISECONDS = 500

export class Listening {
  private server: ServedReceiver | undefined
  private readonly forwarder: Forwarder | undefined
  private readonly watchers = new Set<(receipt: Receipt) => boolean>()
  private readonly count = {valid: 0, invalid: 0, duplicate: 0, handedOn: 0}
  private fatal: (error: unknown) => void = () => {}

  constructor(private readonly parts: ListeningParts) {
    this.forwarder = parts.plan.targets.length > 0 ? this.createForwarder() : undefined
  }

  /** Starts to listen; returns the address. Throws usage when host or port cannot be had. */
  async open(): Promise<string> {
    const {plan, tls, clock, talk} = this.parts
    this.server = await serveReceiver(
      {
        receiver: this.createReceiver(),
        clock,
        limits: RECEIVER_LIMITS,
        onRefused: status => talk.say(REFUSALS[status] ?? `a request was answered ${status}`),
      },
      {host: plan.host, port: plan.port, path: plan.path, ...(tls ? {tls} : {})},
    ).catch(error => listenFailed(error, plan))
    const host = plan.host.includes(':') ? `[${plan.host}]` : plan.host
    return `${tls ? 'https' : 'http'}://${host}:${this.server.port}${plan.path}`
  }

  /** Says "ready"; resolves when enough came, never when nothing is waited for. Rejects when it cannot go on. */
  async run(url: string): Promise<void> {
    const {output, expectation} = this.parts
    output.ready(url, process.pid)
    this.forwarder?.wake()
    const failed = new Promise<never>((_, reject) => {
      this.fatal = reject
    })
    await Promise.race([failed, expectation?.begin() ?? failed])
    await this.forwarder?.settled(HANDING_ON_MILLISECONDS * 3)
  }

  /** Resolves with the first receipt that `isIt`. */
  next(isIt: (receipt: Receipt) => boolean): Promise<Receipt> {
    return new Promise(resolve => {
      const watch = (receipt: Receipt) => {
        if (!isIt(receipt)) return false
        this.watchers.delete(watch)
        resolve(receipt)
        return true
      }
      this.watchers.add(watch)
    })
  }

  /** Answers what has come, records what was handed on, writes what is to be written. */
  async close(): Promise<void> {
    const {store, output, expectation, talk} = this.parts
    expectation?.end()
    await Promise.all([
      this.server?.close(ANSWERING_MILLISECONDS),
      this.forwarder?.settled(HANDING_ON_MILLISECONDS),
    ])
    await this.forwarder?.stop()
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
    await output.end(WRITING_MILLISECONDS)
    talk.end()
    await store.close()
    this.parts.note(this.summary())
  }

  private createReceiver() {
    const {plan, store, secrets, headerNames} = this.parts
    const isMeant = (type: string | null) => plan.types === undefined || plan.types.has(type ?? '')
    return createReceiver({
      store: store.received,
      secrets,
      headerNames,
      maxWaiting: MOST_WAITING,
      targetsOf: type => (isMeant(type) ? plan.targets : []),
      onReceipt: receipt => this.afterAnswer(receipt, isMeant),
      onStoreError: error => this.onStoreError(error, 'events cannot be kept and are answered 503'),
    })
  }

  private createForwarder(): Forwarder {
    const {plan, store, trusted, clock, output} = this.parts
    return createForwarder({
      targets: plan.targets,
      store: store.forwards,
      handover: createHandover({trusted, timeoutMilliseconds: HANDOVER_MILLISECONDS}),
      clock,
      random: Math.random,
      onReport: report => {
        if (report.state === 'done') this.count.handedOn += 1
        output.forward(report)
      },
      onStoreError: error => this.onStoreError(error, 'what came of handing on cannot be recorded yet'),
    })
  }

  private afterAnswer(receipt: Receipt, isMeant: (type: string | null) => boolean): void {
    const {output, expectation} = this.parts
    const isValid = receipt.reason === 'ok'
    this.count[isValid ? 'valid' : 'invalid'] += 1
    if (receipt.duplicate) this.count.duplicate += 1
    const shown = !isValid || isMeant(receipt.type)
    output.request(receipt, shown)
    const isAwaited = [...this.watchers].filter(watch => watch(receipt)).length > 0
    if (!isValid || !shown || receipt.duplicate) return
    this.forwarder?.wake()
    // The test event of `--subscribe` is none of those a script waits for.
    if (!isAwaited) expectation?.see(parseBody(receipt.body))
  }

  private summary(): string {
    const {valid, invalid, duplicate, handedOn} = this.count
    const handed = this.forwarder ? `, ${handedOn} handed on; the others are kept and tried again` : ''
    return `Stopped: ${valid} valid (${duplicate} of them seen before), ${invalid} refused${handed}`
  }

  /** A store that is busy or full may do again; one that failed otherwise is not asked again. */
  private onStoreError(error: unknown, what: string): void {
    const message = error instanceof Error ? error.message : String(error)
    this.parts.talk.say(`ERROR: ${what}: ${message}`)
    if (!(error instanceof StorageError && ['busy', 'full'].includes(error.fault))) this.fatal(error)
  }
}

function listenFailed(error: unknown, {host, port}: ListenPlan): never {
  const {code = ''} = error as NodeJS.ErrnoException
  if (!['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)) return cannotListen(error, port)
  throw usage(
    'host_unavailable',
    `--host: ${sanitizeLine(host, 100)} is no address of this machine (${code})`,
    'leave --host out to listen on 127.0.0.1',
  )
}

const REFUSALS: Readonly<Record<number, string>> = {
  404: 'answered 404: a request for another path than the one that takes events',
  405: 'answered 405: a request that was no POST',
  413: 'answered 413: a body of more than 1 MiB',
  503: 'answered 503: an event could not be kept now; it will be sent again',
}
