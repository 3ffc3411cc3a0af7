/** Probes a receiver: sends valid and invalid requests, and compares the answers with the requirements of §6. */
import {randomBytes} from 'node:crypto'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isObject} from '../../contract/json.js'
import {SIGNATURE_TOLERANCE_SECONDS, sizeText, WEBHOOK_RESPONSE_SECONDS} from '../../contract/limits.js'
import {isSuccess} from '../../contract/operations.js'
import {unescapeHtml} from '../captures/rendered.js'
import {parseText} from '../captures/request.js'
import {rawBodyFix} from '../diagnose/explanations.js'
import type {Handover, HandoverResult} from '../forward/request.js'
import {MOST_EVENT_BYTES} from '../signature/event.js'
import type {WebhookHeaderNames} from '../signature/headers.js'
import {sign} from '../signature/signature.js'

export interface ProbeRow {
  readonly case: string
  readonly sent: string
  /** `2xx` if the receiver must accept the request, `401` if it must refuse it (§6.3.5). */
  readonly expected: '2xx' | '401'
  /** The status of the answer, or the reason why there was none. */
  readonly answered: number | string
  /** Milliseconds until the response headers. */
  readonly ms: number
  /** Whether the answer was the expected one and came within 3 s. */
  readonly ok: boolean
  /** Whether §6 requires this answer. If not, the case is advice. */
  readonly required: boolean
  /** What to check, or null if the answer was right. */
  readonly advice: string | null
  /** The first line of a wrong answer, sanitised. */
  readonly said: string | null
}

interface ProbeOptions {
  /**
   * Sends the requests. Its time limit is longer than the 3 s of §6.4, so that late answers are measured, and it keeps
   * the start of each answer.
   */
  readonly handover: Handover
  readonly url: string
  readonly names: WebhookHeaderNames
  readonly secret: string
  /** Returns Unix seconds. */
  readonly clock: () => number
  /** Called before request number `n` (from 1) of at most `most`. */
  readonly onSend?: ((n: number, most: number) => void) | undefined
}

export type ProbeSheet = Awaited<ReturnType<typeof probe>>

/** The probe ends after this many requests in a row without an answer, or with a late one. */
const MOST_SILENCES = 3
const MOST_LATE = 2

/**
 * Sends the cases in order. Stops if several answers in a row are missing or late, or if the answer to the first, valid
 * request shows that it did not reach a signature check. `notSent` is the number of cases that were not sent.
 */
export async function probe(options: ProbeOptions) {
  // Each run uses new event ids, because a receiver may ignore ids that it has seen.
  const run = randomBytes(6).toString('hex')
  const rows: ProbeRow[] = []
  let silences = 0
  let late = 0
  for (const probeCase of CASES) {
    options.onSend?.(rows.length + 1, CASES.length)
    const {row, isOver, isLate} = await tryCase(options, probeCase, run, rows[0])
    rows.push(row)
    silences = typeof row.answered === 'string' ? silences + 1 : 0
    late = isLate ? late + 1 : 0
    if (isOver || silences >= MOST_SILENCES || late >= MOST_LATE) break
  }
  return {rows, notSent: CASES.length - rows.length}
}

async function tryCase(options: ProbeOptions, probeCase: Case, run: string, first: ProbeRow | undefined) {
  const {handover, url, names, clock, secret} = options
  const {name, sent, expected, required = true, eventOf = name, offset = 0, change} = probeCase
  const {spell = (plain: string) => plain} = probeCase
  const now = Math.floor(clock())
  const eventId = `evt_probe_${run}_${eventOf}`
  // An event as in §2.8, marked as a test.
  const created = new Date(now * 1000).toISOString().replace('.000Z', '+00:00')
  const data = {object: 'reservation', reservation_ref: 'RSV-PROBE00000', status: 'CONFIRMED', test: true}
  const plain = JSON.stringify({id: eventId, type: 'reservation.confirmed', created, data})
  const event = Buffer.from(spell(plain))
  const header = sign(secret, String(now + offset), event)
  const {body = event, signatures = [header]} = change?.(header, event, now, secret) ?? {}
  const headers = ['Content-Type', 'application/json', 'User-Agent', 'bookctl-probe', names.eventId, eventId]
  for (const value of signatures) headers.push(names.signature, value)
  const result = await handover.send(url, headers, body)
  const {status, error, milliseconds: ms} = result
  const isLate = ms > WEBHOOK_RESPONSE_SECONDS * 1000 || error === 'timeout'
  const isRight = expected === '401' ? status === 401 : isSuccess({status})
  const ok = isRight && !isLate
  const said = isRight ? null : await messageOf(result, secret)
  const refusal = first === undefined ? refusalAdvice(result, said ?? '') : undefined
  let advice: string | null = null
  if (!ok) {
    if (refusal !== undefined) advice = refusal
    else if (isLate) advice = LATE
    else if (status === null) advice = SILENT
    // If the first case failed, all valid requests fail for the same reason, so they get the same advice.
    else if (expected === '2xx' && first && Number(first.answered) >= 400) advice = first.advice
    else advice = probeCase.advice
  }
  const answered = status ?? error ?? 'no answer'
  const row: ProbeRow = {case: name, sent, expected, answered, ms, ok, required, advice, said}
  return {row, isOver: refusal !== undefined, isLate}
}

interface Case extends Pick<ProbeRow, 'sent' | 'expected'> {
  readonly name: string
  readonly advice: string
  /** The case whose event id is used (default: its own). */
  readonly eventOf?: string
  /** Returns the JSON to send, made from the JSON of a plain event. */
  readonly spell?: (plain: string) => string
  readonly required?: boolean
  /** How many seconds the time of the signature is ahead of now. */
  readonly offset?: number
  /** Changes the request after it was signed. `header` is its signature, and `now` is in Unix seconds. */
  readonly change?: (
    header: string,
    body: Buffer,
    now: number,
    secret: string,
  ) => {readonly signatures?: readonly string[]; readonly body?: Buffer}
}

const RAW_BODY = 'verify the raw bytes of the body, before anything parses it'
export const REFUSE = 'answer 401 to every request whose signature check fails, not 400 or 500'
const CLOCK = `allow ${SIGNATURE_TOLERANCE_SECONDS} s in both directions and no more, and set the clock by NTP`
const SILENT = 'it ended the connection without an answer: see its log'
/** The advice for an answer that was late or did not come in time. */
export const LATE = `answer within ${WEBHOOK_RESPONSE_SECONDS} s: 200 first, the work afterwards`

function right(name: string, sent: string, advice: string, more: Partial<Case> = {}): Case {
  return {name, sent, advice, expected: '2xx', ...more}
}

function wrong(name: string, sent: string, change: NonNullable<Case['change']>): Case {
  return {name, sent, advice: REFUSE, expected: '401', change}
}

function header(name: string, sent: string, spell: (value: string) => string): Case {
  return wrong(name, sent, value => ({signatures: [spell(value)]}))
}

function at(name: string, offset: number): Case {
  const sent = `a right signature, made ${Math.abs(offset)} s ${offset < 0 ? 'ago' : 'ahead'}`
  const expected = Math.abs(offset) <= SIGNATURE_TOLERANCE_SECONDS ? '2xx' : '401'
  return {name, sent, advice: CLOCK, expected, offset}
}

/**
 * Returns a case with a valid event that has additional members, given as text. They change if the event is parsed and
 * printed again.
 */
function canary(name: string, sent: string, more: string): Case {
  return right(name, sent, RAW_BODY, {spell: plain => plain.replace('"test":true', `"test":true,${more}`)})
}

const SECRET =
  'give the receiver the same signing secret as this command, and let it verify the raw bytes of the body'
const DUPLICATE = 'answer 2xx to an event that came before'
const ROTATED = 'try every v1 and ignore names you do not know: while a secret is replaced, both sign'
/** Ages in seconds that differ from the tolerance by enough that transfer time and rounding do not matter. */
const ALLOWED_SECONDS = SIGNATURE_TOLERANCE_SECONDS - 5
const REFUSED_SECONDS = SIGNATURE_TOLERANCE_SECONDS + 10

const CASES: readonly Case[] = [
  right('valid', 'a right signature', SECRET),
  canary('non_ascii', 'names with letters beyond ASCII', '"guest":"Ayşe Öğüt ığİ 🏖"'),
  canary('canary_escapes', 'escaped slashes and letters', '"url":"https:\\/\\/example.com\\/\\u015e\\u003c"'),
  canary('canary_numbers', '1250.00, 1e3 and a large integer', '"n":[1250.00,1e3,9007199254740993]'),
  right('canary_spacing', 'spaces and line breaks', RAW_BODY, {
    spell: plain => `${plain.replace(/,/g, ' ,\n  ')}\n`,
  }),
  canary('canary_keys', 'repeated and number-like keys', '"2":"b","1":"a","1":"c"'),
  right('duplicate', 'the first event again, with a new signature', DUPLICATE, {eventOf: 'valid'}),
  right('two_signatures', 'two v1, the second right, and an unknown v0', ROTATED, {
    required: false,
    change: value => ({signatures: [value.replace(',', `,v0=0,v1=${'0'.repeat(64)},`)]}),
  }),
  wrong('tampered', 'a body changed after it was signed', (_, body) => ({
    body: Buffer.from(body.toString().replace('CONFIRMED', 'CANCELLED')),
  })),
  wrong('wrong_secret', 'signed with another secret', (_, body, now, secret) => ({
    signatures: [sign(`${secret}x`, String(now), body)],
  })),
  wrong('other_time', 'another timestamp than the signed one', (value, _, now) => ({
    signatures: [value.replace(`t=${now}`, `t=${now - 1}`)],
  })),
  wrong('no_header', 'no signature header', () => ({signatures: []})),
  header('empty_header', 'an empty signature header', () => ''),
  header('no_timestamp', 'a header without t', value => value.replace(/^t=\d+,/, '')),
  header('no_signature', 'a header without v1', value => value.replace(/,v1=.*/, '')),
  header('short_digest', 'a digest cut short', value => value.slice(0, -2)),
  header('long_digest', 'a digest with two more digits', value => `${value}00`),
  header('not_hex', 'a digest that is not hex', value => `${value.slice(0, -2)}zz`),
  header('not_ascii', 'a digest with a letter beyond ASCII', value => `${value.slice(0, -1)}é`),
  header('not_a_time', 't=NaN', value => value.replace(/^t=\d+/, 't=NaN')),
  at('old_allowed', -ALLOWED_SECONDS),
  at('old_refused', -REFUSED_SECONDS),
  at('future_allowed', ALLOWED_SECONDS),
  at('future_refused', REFUSED_SECONDS),
  at('year_ahead', 365 * 24 * 3600),
  right('still_there', 'a right signature, after all the others', 'a bad request must not stop the receiver'),
]

/** Returns the advice for a valid request that was not answered with 2xx. */
export function adviceOnRefusal(answer: HandoverResult): string {
  return refusalAdvice(answer, '') ?? SECRET
}

/** Returns the advice for a wrong answer to a valid request, or undefined if the other cases tell more. */
function refusalAdvice({status, headers = {}}: HandoverResult, said: string): string | undefined {
  if (status === null || isSuccess({status})) return undefined
  if (status >= 300 && status < 400)
    return 'it redirects, and a webhook follows no redirect: probe and subscribe the final address'
  if (status === 500)
    return `a JSON parser took the body before the check, which needs its raw bytes. ${rawBodyFix(headers, said)}`
  if (status > 501 && status < 505)
    return 'a proxy in front of it has no answer from it: check that the receiver itself runs'
  return REFUSALS[status] ?? (status > 501 ? 'see the log of the receiver' : undefined)
}

const NO_PATH = 'nothing is at this path: compare it with the route of the receiver'
const NO_POST = 'this path takes no POST: compare it with the route of the receiver'
const PROTECTED =
  'a login, a firewall or a CSRF check refuses it: exempt this path, because the signature protects it'
const REFUSALS: Readonly<Record<number, string>> = {
  403: PROTECTED,
  419: PROTECTED,
  404: NO_PATH,
  410: NO_PATH,
  405: NO_POST,
  501: NO_POST,
  413: `it takes no body of this size: events are below ${sizeText(MOST_EVENT_BYTES)}`,
  415: 'it takes no application/json: accept this content type on this path',
  422: 'it checks the fields of the body, or a CSRF token, before the signature: exempt this path',
  429: 'it limits the rate of requests: exempt this path',
}

/** Returns the first meaningful line of an answer, sanitised and without `secret`, or null if there is none. */
async function messageOf({start}: HandoverResult, secret: string): Promise<string | null> {
  const text = (await start)?.toString('utf8').trim() ?? ''
  const plain = messageIn(parseText(text)) ?? (text.startsWith('<') ? visibleText(text) : text)
  const lines = plain.replaceAll(secret, '…').split(/[\r\n]+/)
  const line = lines.find(each => each.trim() !== '')
  return line === undefined ? null : sanitizeLine(line.trim(), 200)
}

/** Returns the message in an error answer, under one of the names that frameworks use, at any depth. */
function messageIn(json: unknown): string | undefined {
  if (typeof json === 'string') return json
  if (!isObject(json)) return undefined
  const values = ['message', 'detail', 'error', 'title', 'reason'].map(name => json[name])
  return messageIn(values.find(value => typeof value === 'string' || isObject(value)))
}

/** Returns the title of an HTML page. If it is not meaningful, returns the first fixed-width text, heading or body. */
function visibleText(page: string): string {
  for (const name of ['title', 'pre', 'h1', 'body', '']) {
    const element = new RegExp(`<${name}\\b[^>]*>(.*?)(?:</${name}>|$)`, 'is')
    const inside = name === '' ? page : (element.exec(page)?.[1] ?? '')
    const lines = inside.replace(/<br\s*\/?>/gi, '\n')
    const text = unescapeHtml(lines.replace(/<(style|script)\b.*?<\/\1>|<[^>]*>/gis, ' '))
    if (!/^\s*(?:error)?\s*$/i.test(text)) return text
  }
  return ''
}
