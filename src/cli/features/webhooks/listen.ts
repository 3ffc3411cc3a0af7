/** `webhooks listen`: what it is made of, its lifecycle, --subscribe, and waits. It loses nothing that it answered. */
import process from 'node:process'
import {setTimeout as sleep} from 'node:timers/promises'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {isLoopbackHost} from '../../../contract/loopback.js'
import {EVENT_RETENTION_SECONDS} from '../../../contract/stored-events.js'
import {StorageError} from '../../../storage/errors.js'
import {parseBody} from '../../../webhooks/captures/records.js'
import {Forwarder} from '../../../webhooks/forward/forwarder.js'
import {createHandover, freshHeaders} from '../../../webhooks/forward/request.js'
import {type Receipt, Receiver} from '../../../webhooks/receive/receiver.js'
import {RECEIVER_LIMITS, type ServedReceiver, serveReceiver} from '../../../webhooks/receive/server.js'
import {systemClock} from '../../session/clock.js'
import type {Connection} from '../../session/connect.js'
import {profileName} from '../../session/resolve.js'
import type {BaseCommand} from '../../shell/base-command.js'
import {createOccasionally} from '../../terminal/line-writer.js'
import type {OutputFlags} from '../../terminal/output.js'
import {finderOf} from '../../terminal/query.js'
import {listenOn} from '../sandbox/port.js'
import {type ListenFlags, type ListenPlan, USUAL_PORT, wantedSubscription} from './listen-flags.js'
import {createListenOutput, removalText} from './listen-output.js'
import {listenIdentity} from './listen-tls.js'
import {
  removedSecretsFor,
  storedWebhookSecrets,
  type WebhookSecretFlags,
  watchSecrets,
  webhookHeaderNames,
} from './secrets.js'
import {createAndKeep, deleteAndForget, failNotStored} from './subscriptions.js'

type Flags = ListenFlags & WebhookSecretFlags & OutputFlags & {readonly 'ca-file'?: string | undefined}

/** An attempt to forward is watched for longer than the service would wait (§6.4), to show how late it was. */
const FORWARD_MILLISECONDS = 30_000
/** The end takes less than 3 s in all: answering, forwarding, writing. */
const LIMITS_OF_END = {answeringMilliseconds: 1500, forwardingMilliseconds: 700, writingMilliseconds: 500}
/** How often old events are removed and forwards of dead processes adopted, and how many rows in a transaction. */
const TIDY_MILLISECONDS = 60_000
const TIDY_ROWS = 500

/** Listens, and with a `connection` subscribes, until the wait is over, or a signal comes. Throws Failure. */
export async function listen(command: BaseCommand, plan: ListenPlan, flags: Flags, connection?: Connection) {
  const listening = await openListening(command, plan, flags)
  if (connection) await subscribe(command, connection, listening, plan, flags)
  await listening.run()
}

type Listening = Awaited<ReturnType<typeof openListening>>

/** Opens the store and listens. Throws usage, and StorageError: without a store no event may be answered 200. */
async function openListening(command: BaseCommand, plan: ListenPlan, flags: Flags) {
  const state = await command.state()
  const tell = (text: string) => command.tell(text)
  const profile = profileName(flags, state)
  const expectation = plan.wait && (await createExpectation(plan.wait))
  const secrets = await watchSecrets(flags, state)
  command.whenStopped(secrets.stop)
  const warn = (text: string) => void command.warn(text)
  const tls = await listenIdentity(flags, state.directory, systemClock.now(), warn)
  const {trustedCertificates} = await import('../../session/trust.js')
  const trusted = await trustedCertificates(flags['ca-file'], process.env)
  const names = webhookHeaderNames(flags, state)
  const stored = {
    otherSecrets: () => storedWebhookSecrets(state),
    removedSecrets: removedSecretsFor(flags, state),
  }
  const terms = {flags, tell, targets: plan.targets, secrets: secrets.now, names, ...stored}
  const output = await createListenOutput(terms)
  secrets.watch(removed => {
    command.warn(`Warning: ${removalText(removed)}`)
    output.secretRemoved(removed)
  })
  const keeper = await state.openEventKeeper(profile)
  const talk = createOccasionally(tell)
  const count = {valid: 0, invalid: 0, duplicate: 0, forwarded: 0}
  let server: ServedReceiver | undefined
  let fatal = (_: unknown) => {}
  /** The secret of the test event that `next` waits for. */
  let awaited: {readonly secretName: string; readonly resolve: () => void} | undefined

  const isMeant = (type: string | null) => plan.types === undefined || plan.types.has(type ?? '')
  /** A store that is busy or full may recover; after any other fault it is not used again. */
  const onStoreError = (error: unknown, what: string) => {
    talk.say(`ERROR: ${what}: ${error instanceof Error ? error.message : String(error)}`)
    if (!(error instanceof StorageError && error.isPassing)) fatal(error)
  }

  const forwarder = new Forwarder({
    targets: plan.targets,
    store: keeper,
    headersOf: (one, now) => freshHeaders(one, names.signature, flags['no-resign'] ? [] : secrets.now(), now),
    handover: createHandover({trusted, timeoutMilliseconds: FORWARD_MILLISECONDS}),
    clock: systemClock.now,
    elapsed: () => performance.now(),
    random: Math.random,
    onReport: report => {
      if (report.state === 'done') count.forwarded += 1
      output.forward(report)
    },
    onStoreError: error => onStoreError(error, 'results of forwarding cannot be recorded yet'),
  })

  const afterAnswer = (receipt: Receipt) => {
    const isValid = receipt.reason === 'ok'
    count[isValid ? 'valid' : 'invalid'] += 1
    if (receipt.duplicate) count.duplicate += 1
    const isShown = !isValid || isMeant(receipt.type)
    const isAwaited = isValid && receipt.secretName === awaited?.secretName
    output.request(receipt, isShown, isAwaited)
    if (isAwaited) {
      awaited?.resolve()
      awaited = undefined
    }
    if (!isValid || !isShown || receipt.duplicate) return
    forwarder.wake()
    // The test event of `--subscribe` is none of those a script waits for.
    if (!isAwaited) expectation?.see(parseBody(receipt.body))
  }
  const receiver = new Receiver({
    store: keeper,
    secrets: secrets.now,
    headerNames: names,
    maxWaiting: RECEIVER_LIMITS.maxWaiting,
    targetsOf: type => (isMeant(type) ? plan.targets : []),
    onReceipt: afterAnswer,
    onStoreError: error => onStoreError(error, 'events cannot be stored and are answered 503'),
  })

  const adopt = () => keeper.adopt(plan.targets, systemClock.now())
  const tidying = setInterval(async () => {
    const oldest = systemClock.now() - EVENT_RETENTION_SECONDS
    try {
      while ((await keeper.prune(oldest, TIDY_ROWS)) === TIDY_ROWS);
      await adopt()
    } catch {
      // A busy store is tidied the next time.
    }
  }, TIDY_MILLISECONDS).unref()

  command.whenStopped(async () => {
    clearInterval(tidying)
    await Promise.all([
      server?.close(LIMITS_OF_END.answeringMilliseconds),
      forwarder.settled(LIMITS_OF_END.forwardingMilliseconds),
    ])
    await forwarder.stop()
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
    await output.end(LIMITS_OF_END.writingMilliseconds)
    talk.end()
    await keeper.close()
    if (!server) return
    const {valid, invalid, duplicate, forwarded} = count
    const rest = forwarded < valid - duplicate ? '; the others are kept and tried again' : ''
    const forwards = plan.targets.length > 0 ? `, ${forwarded} forwarded${rest}` : ''
    command.note(`Stopped: ${valid} valid (${duplicate} of them duplicates), ${invalid} refused${forwards}`)
  })

  const {host} = flags
  const risk = 'others on the network can read it; use --tls, or a proxy with TLS'
  if (tls === undefined && !isLoopbackHost(host))
    tell(`Warning: plain http on ${sanitizeLine(host, 100)}: ${risk}`)
  await adopt()
  const served = {
    receiver,
    clock: systemClock.now,
    limits: RECEIVER_LIMITS,
    onRefused: (status: number) => talk.say(REFUSALS[status] ?? `a request was answered ${status}`),
  }
  const serve = (port: number) => serveReceiver(served, {host, port, path: plan.path, ...(tls ? {tls} : {})})
  const wanted = {typed: flags.port, usual: USUAL_PORT, tell}
  server = await listenOn(wanted, serve).catch(error => listenFailed(error, host))
  const authority = `${host.includes(':') ? `[${host}]` : host}:${server.port}`
  const url = `${tls ? 'https' : 'http'}://${authority}${plan.path}`
  return {
    profile,
    /** Prints "ready"; resolves when enough events came, never without --exit-after. Rejects when it cannot go on. */
    async run(): Promise<void> {
      output.ready(url, process.pid)
      forwarder.wake()
      const failed = new Promise<never>((_, reject) => {
        fatal = reject
      })
      await Promise.race([failed, expectation?.begin() ?? failed])
      await forwarder.settled(LIMITS_OF_END.forwardingMilliseconds * 3)
    },
    /** For the end, at which a subscription of its own is deleted with its secret. */
    stopWatching: secrets.stop,
    /** Reads the stored secrets again; resolves with the first event signed with the secret `secretName`. */
    next(secretName: string): Promise<void> {
      secrets.refresh()
      return new Promise(resolve => {
        awaited = {secretName, resolve}
      })
    },
  }
}

function listenFailed(error: unknown, host: string): never {
  const {code = ''} = error as NodeJS.ErrnoException
  if (!['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)) throw error
  const problem = `--host: ${sanitizeLine(host, 100)} is not an address of this machine (${code})`
  throw usage('host_unavailable', problem, 'omit --host to listen on 127.0.0.1')
}

const REFUSALS: Readonly<Record<number, string>> = {
  404: 'answered 404: a request for another path than --path',
  405: 'answered 405: a request that was not a POST',
  413: `answered 413: a body of more than ${RECEIVER_LIMITS.maxBodyBytes / 1024 ** 2} MiB`,
  503: 'answered 503: an event could not be stored; the service will send it again',
}

/** Time for a test event through a tunnel. A shorter --within or --timeout bounds it too. */
const TEST_SECONDS = 30
/** `listen` ends soon, even if the service does not answer. */
const DELETION_MILLISECONDS = 2000

/** Waits for a test event; deletes the subscription at the end if that path may be called, or names it. Throws Failure. */
async function subscribe(
  command: BaseCommand,
  connection: Connection,
  {profile, next, stopWatching}: Listening,
  plan: ListenPlan,
  flags: Flags,
): Promise<void> {
  const wanted = wantedSubscription(flags, plan)
  const kept = await createAndKeep(connection, wanted, {profile})
  const {id, problem} = kept
  for (const warning of kept.warnings) command.warn(`Warning: ${warning}`)
  /** Deletes the subscription and its secret; whether that is known to have happened. Throws nothing. */
  const isDeleted = () => {
    const deletion = deleteAndForget(connection, id, {profile}).then(() => true)
    return within(DELETION_MILLISECONDS, deletion, () => false).catch(() => false)
  }
  if (problem) {
    if (await isDeleted()) {
      const what = 'the secret of the subscription could not be stored, so the subscription was deleted again'
      throw usage('secret_not_stored', `${what}: ${problem.message}`, problem.hint)
    }
    return failNotStored(command, kept, flags)
  }
  // At every end, also when the test event does not come.
  command.whenStopped(async () => {
    stopWatching()
    const named = `The subscription ${sanitizeLine(id, 100)} that --subscribe created`
    if (await isDeleted()) command.tell(`${named} was deleted again.`)
    else command.warn(`${named} stays active; to remove it: bookctl webhooks delete ${sanitizeLine(id, 100)}`)
  })
  const limits = [plan.wait?.seconds, command.timeoutSeconds].filter(limit => limit !== undefined)
  const seconds = Math.min(TEST_SECONDS, ...limits)
  const {sendTestEvent} = await import('../../../api/operations/webhooks.js')
  const came = next(id)
  const sentAndCame = sendTestEvent(connection.api, id).then(() => came)
  await within(seconds * 1000, sentAndCame, () => {
    const message = `the subscription ${id} was created, but its test event did not come within ${seconds} s`
    throw new Failure('pending', message, {
      code: 'test_event_missing',
      hint: 'check that --public-url leads to this receiver',
      result: {subscription_id: id},
    })
  })
}

/** `work`; the result of `late` when it takes longer. */
async function within<T>(milliseconds: number, work: Promise<T>, late: () => T): Promise<T> {
  const timeout = sleep(Math.min(milliseconds, 2 ** 31 - 1), undefined, {ref: false})
  return Promise.race([work, timeout.then(late)])
}

async function createExpectation({count, seconds, expect}: NonNullable<ListenPlan['wait']>) {
  // What is true is what JMESPath takes for true.
  const find = expect === undefined ? () => true : await finderOf(`!!(${expect})`)
  let seen = 0
  let resolve = () => {}
  const enough = new Promise<void>(onDone => {
    resolve = onDone
  })
  return {
    see(event: unknown) {
      if (find(event) !== true) return
      seen += 1
      if (seen >= count) resolve()
    },
    /** Starts the time; resolves when enough came, rejects with `pending` (exit 8) when time runs out first. */
    async begin() {
      if (seconds === undefined) return enough
      return within(seconds * 1000, enough, () => {
        throw new Failure('pending', `${seen} of ${count} expected events came within ${seconds} s`, {
          code: 'events_missing',
          hint: 'list all received events: bookctl webhooks events list',
        })
      })
    },
  }
}
