/**
 * Implements `webhooks tap`: forwards every request to a receiver unchanged, and shows for each whether its signature
 * is valid and whether the answer follows the rules. Stores nothing, unless --capture is given.
 */
import process from 'node:process'
import {setImmediate as nextTurn} from 'node:timers/promises'
import type {InferredFlags} from '@oclif/core/interfaces'
import {systemClock} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {isLoopbackHost} from '../../../contract/network.js'
import {captureRecord} from '../../../webhooks/captures/records.js'
import {type Relayed, serveRelay} from '../../../webhooks/forward/relay.js'
import {RECEIVER_LIMITS} from '../../../webhooks/receive/server.js'
import {checkedFlag, portFlag} from '../../input/flags.js'
import type {BaseCommand} from '../../shell/base-command.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import {jsonText} from '../../terminal/json-text.js'
import {createOccasionally} from '../../terminal/line-writer.js'
import {isForPeople, type OutputFlags} from '../../terminal/output.js'
import {identityFor, listenAt} from './address.js'
import {
  EVENT_WIDTHS,
  findingNotes,
  type LineOutputs,
  lineOf,
  openLineOutputs,
  REASONS,
  rowLines,
} from './event-lines.js'
import {listenFlags} from './listen-flags.js'
import {receiptLine, removalText} from './listen-output.js'
import {
  removedSecretsFor,
  storedWebhookSecrets,
  WatchedSecrets,
  type WebhookSecretFlags,
  webhookHeaderNames,
  webhookSecretFlags,
} from './secrets.js'
import {type Judgement, judgeExchange} from './tap-judgement.js'
import {checkTarget, targetText, trustedFor} from './targets.js'

const USUAL_PORT = 4030

const {host, tls, cert, key, capture} = listenFlags
export const tapFlags = {
  to: checkedFlag(checkTarget)({
    helpValue: 'URL',
    required: true,
    summary: 'the receiver: https, or http on this machine; the path of each request is kept',
  }),
  host,
  port: portFlag(`${USUAL_PORT}; another one if that is in use`),
  ...webhookSecretFlags,
  tls,
  cert,
  key,
  capture,
}

type TapFlags = InferredFlags<typeof tapFlags> &
  WebhookSecretFlags &
  OutputFlags & {readonly 'ca-file'?: string | undefined}

/** How long the receiver may be silent, unless --timeout says otherwise: much longer than the service waits (§6.4). */
const SILENCE_SECONDS = 60
/** Time limits at the end. Together they take less than 3 s. */
const LIMITS_OF_END = {answeringMilliseconds: 1500, writingMilliseconds: 500}
/** Number of exchanges waiting to be shown from which on no cause is searched for. */
const MOST_SEARCHES_WAITING = 32
/** Number of event ids that are remembered, to notice duplicates. */
const MOST_IDS = 10_000

/** The columns of `listen`, with the receiver's answer in place of the answer of `listen`. */
const {ack_ms: ackWidth, ...checkWidths} = EVENT_WIDTHS
const WIDTHS = {...checkWidths, answered: 3, answer_ms: ackWidth}
export const TAP_COLUMNS = Object.keys(WIDTHS) as (keyof typeof WIDTHS)[]

/**
 * Forwards requests until a signal comes. Throws a usage error if the port or host cannot be used, or if there is no
 * signing secret.
 */
export async function tap(command: BaseCommand, flags: TapFlags): Promise<void> {
  const state = await command.state()
  const secrets = await WatchedSecrets.open({...flags, subscribe: false}, state)
  command.whenStopped(() => secrets.stop())
  secrets.watch(removed => void command.warn(`Warning: ${removalText(removed)}`))
  const names = webhookHeaderNames(flags, state)
  const identity = await identityFor(flags, state.directory, text => void command.warn(text))
  const output = await TapOutput.open(command, flags)
  const otherSecrets = () => storedWebhookSecrets(state)
  const removedSecrets = removedSecretsFor(flags, state)
  const remarks = createOccasionally<string>(
    (text, times) => command.tell(times === 1 ? text : `${text} (${times} times)`),
    text => text,
  )
  const {to} = flags
  const receiver = new URL(to)
  let waiting = 0
  let shown = Promise.resolve()
  const show = async (relayed: Relayed) => {
    const searches = waiting <= MOST_SEARCHES_WAITING
    const terms = {names, secrets: secrets.current, otherSecrets, removedSecrets, searches, to}
    // If the search for the cause fails, the line is still printed.
    const plain = () => judgeExchange(relayed, {...terms, searches: false})
    output.exchange(relayed, await judgeExchange(relayed, terms).catch(plain))
    waiting -= 1
    // Lets requests that came during a search be forwarded before the next search.
    await nextTurn()
  }
  const options = {
    receiver,
    trusted: await trustedFor(to, flags['ca-file'], state.directory),
    silenceMilliseconds: (command.timeoutSeconds ?? SILENCE_SECONDS) * 1000,
    names,
    secrets: () => secrets.current,
    clock: systemClock.now,
    limits: RECEIVER_LIMITS,
    onRelayed: (relayed: Relayed) => {
      waiting += 1
      shown = shown.then(() => show(relayed))
      return shown
    },
    onDropped: () => remarks.say('a connection was refused: too many are open'),
  }
  const wanted = {host: flags.host, isTls: identity !== undefined, port: flags.port, usualPort: USUAL_PORT}
  const tell = (text: string) => command.tell(text)
  const {server, origin} = await listenAt({...wanted, tell}, port =>
    serveRelay(options, {host: flags.host, port, tls: identity}),
  )
  command.whenStopped(async () => {
    await server.close(LIMITS_OF_END.answeringMilliseconds)
    // Cut exchanges are reported one turn of the event loop later.
    await nextTurn()
    await shown
    remarks.end()
    await output.end(LIMITS_OF_END.writingMilliseconds)
  })
  const usualPort = receiver.protocol === 'https:' ? 443 : 80
  if (isLoopbackHost(receiver.hostname) && Number(receiver.port || usualPort) === server.port)
    throw usage(
      'to_itself',
      '--to: that is the address of this command itself',
      'give the receiver a port of its own',
    )
  output.ready(`${origin}${receiver.pathname}${receiver.search}`, secrets.current.length)
  await new Promise(() => {})
}

/** Prints the lines of `webhooks tap`, and writes the file of --capture. */
class TapOutput {
  private readonly outputs: LineOutputs
  private readonly count = {requests: 0, valid: 0, unanswered: 0}
  /** Ids of the events with a valid signature, oldest first. */
  private readonly ids = new Set<string>()
  private readonly isJson: boolean

  /** Opens the output. Throws a usage error if the file of --capture cannot be written. */
  static async open(command: BaseCommand, flags: TapFlags): Promise<TapOutput> {
    return new TapOutput(command, flags, await lineOf<TapRecord>(flags, WIDTHS))
  }

  private constructor(
    private readonly command: BaseCommand,
    private readonly flags: TapFlags,
    private readonly lineOf: (record: TapRecord) => string | undefined,
  ) {
    const dropped = 'lines were dropped: their reader is too slow'
    this.outputs = openLineOutputs(flags.capture, dropped, text => command.tell(text))
    this.isJson = flags.json || flags.format === 'ndjson'
  }

  ready(url: string, secrets: number): void {
    const {command, flags, isJson} = this
    if (isJson) this.outputs.stdout.write(jsonText({type: 'ready', url, pid: process.pid, to: flags.to}))
    const checked = counted(secrets, 'signing secret')
    if (!isJson) command.tell(`Ready: ${targetText(url)} → ${targetText(flags.to)} (${checked})`)
  }

  /** Prints an exchange, and writes it to the file of --capture. */
  exchange(relayed: Relayed, judgement: Judgement): void {
    const {count, flags} = this
    const {stdout, capture} = this.outputs
    count.requests += 1
    if (judgement.valid) count.valid += 1
    if (relayed.error !== null) count.unanswered += 1
    const record = recordOf(relayed, judgement, this.isDuplicate(judgement))
    const json = capture || this.isJson ? lineWith(relayed, judgement, record) : ''
    capture?.write(json)
    if (isForPeople(flags, process.stdout)) {
      for (const line of rowOf(relayed, judgement, record)) stdout.write(line)
      return
    }
    const line = this.isJson && flags.query === undefined ? json : this.lineOf(record)
    if (line !== undefined) stdout.write(line)
  }

  async end(milliseconds: number): Promise<void> {
    await this.outputs.end(milliseconds)
    const {requests, valid, unanswered} = this.count
    this.command.note(
      `Stopped: ${requests} requests, ${valid} valid, ${requests - valid} not, ${unanswered} without a whole answer`,
    )
  }

  private isDuplicate({valid, event_id: id}: Judgement): boolean {
    if (!valid || id === null) return false
    if (this.ids.has(id)) return true
    this.ids.add(id)
    const [oldest] = this.ids
    if (this.ids.size > MOST_IDS && oldest !== undefined) this.ids.delete(oldest)
    return false
  }
}

type TapRecord = ReturnType<typeof recordOf>

/**
 * Returns the exchange as a record of a capture, as `webhooks listen` prints it, with the receiver's answer and the
 * judgement.
 */
function recordOf(relayed: Relayed, judgement: Judgement, duplicate: boolean) {
  const {rawHeaders, receivedAt, body, status, milliseconds, error, method, path} = relayed
  const {reason, late, age_seconds, secret, findings} = judgement
  const ackMilliseconds = status === null ? null : milliseconds
  const kept = body ?? Buffer.alloc(0)
  const record = captureRecord({reason, duplicate, receivedAt, ackMilliseconds, rawHeaders, body: kept})
  return {
    ...record,
    body_base64: body === undefined ? null : record.body_base64,
    answered: status,
    answer_ms: Math.round(milliseconds * 100) / 100,
    late,
    error,
    method,
    path,
    age_seconds,
    secret,
    findings,
  }
}

/**
 * Returns the record as a JSON line. A valid event is written as `listen` does, so that its numbers stay as the service
 * wrote them.
 */
function lineWith(relayed: Relayed, {valid, event_id, type}: Judgement, record: TapRecord): string {
  const {rawHeaders, body, receivedAt, milliseconds: ackMilliseconds} = relayed
  const {answered, answer_ms, late, error, method, path, age_seconds, secret, findings} = record
  if (!valid || body === undefined || event_id === null || answered === null) return jsonText(record)
  const {reason, duplicate} = record
  const event = {reason, eventId: event_id, type, duplicate, receivedAt, ackMilliseconds, rawHeaders, body}
  const more = jsonText({answered, answer_ms, late, error, method, path, age_seconds, secret, findings})
  return `${receiptLine(event).slice(0, -1)},${more.slice(1)}`
}

/** Formats an exchange as lines for a person. */
function rowOf(relayed: Relayed, judgement: Judgement, {duplicate}: TapRecord): string[] {
  const {method, path, body = Buffer.alloc(0), receivedAt: time, status, milliseconds} = relayed
  const {valid, reason, age_seconds: age, findings} = judgement
  const facts = [
    method !== 'POST' && `${sanitizeLine(method, 20)} ${sanitizeLine(path, 100)}`,
    status === null ? 'no answer' : `${status} in ${Math.round(milliseconds)} ms`,
    reason === 'not_checked' ? 'incomplete' : REASONS[reason],
    age !== null && ageText(age),
    duplicate && 'duplicate',
  ]
  const text = facts.filter(Boolean).join(', ')
  return rowLines({time, isGood: valid && findings.length === 0, body, text, notes: findingNotes(findings)})
}

/** Formats the age of a signature as `signed 2 s ago`. */
function ageText(seconds: number): string {
  return seconds < 0 ? `signed ${-seconds} s ahead` : `signed ${seconds} s ago`
}
