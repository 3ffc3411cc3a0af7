/**
 * Reads requests from JSON that gateways and logs write: an object with headers and a body somewhere in it, alone, in a list, or
 * one on a line behind a time and other words.
 */
import {isObject, type JsonObject} from '../../contract/json.js'
import {gatherHeaders, headerOf, type WebhookHeaderNames} from '../signature/headers.js'
import {ANSWER, BODY_MISSING, unclear} from './gaps.js'
import {endOfValue, isCutJson} from './json-text.js'
import {holdsSignature, isSignature} from './lines.js'
import {type CapturedRequest, parseText, type Reading, timeOf, unreadable} from './request.js'
import {JOINED, joinedReadings} from './wrapped.js'

const MOST_DEPTH = 12
const MOST_NODES = 100_000

/** Returns the requests in `text`, or undefined if it is no JSON or holds no headers. `leftOut` counts other lines of a log. */
export function readLogs(
  text: string,
  names: WebhookHeaderNames,
  leftOut: {count: number},
): CapturedRequest[] | undefined {
  const plain = text.replace(/^\ufeff/, '')
  const whole = parseText(plain)
  if (whole !== undefined) return requestsIn(whole, plain, names, '')
  const found: CapturedRequest[] = []
  let others = 0
  const lines = plain.split('\n')
  for (const [n, line] of lines.entries()) {
    if (line.trim() === '') continue
    const place = lines.length > 2 ? `:${n + 1}` : ''
    const requests = requestsInText(line, names, place)
    if (requests) found.push(...requests)
    else if (isCutRequest(line, names)) found.push(unreadable(`line ${n + 1} is cut off`, `:${n + 1}`))
    else others += 1
  }
  // JSON on several lines, between other words.
  if (!found.some(isRead)) return requestsInText(plain, names, '') ?? undefinedIfEmpty(found)
  leftOut.count += others
  return found
}

/** Reports whether a request could be read, unlike a line that is cut off. */
export const isRead = ({problem}: CapturedRequest): boolean => problem === undefined

const undefinedIfEmpty = <T>(list: T[]) => (list.length === 0 ? undefined : list)

/** Returns the requests in the JSON that a text has among other words. The body may be in a second piece, behind the headers. */
function requestsInText(
  text: string,
  names: WebhookHeaderNames,
  place: string,
): CapturedRequest[] | undefined {
  const json = embeddedJson(text)
  const requests = json && requestsIn(json.value, json.text, names, place)
  const [only, ...others] = requests ?? []
  if (json === undefined || only?.gap?.code !== 'body_missing' || others.length > 0) return requests
  const behind = embeddedJson(json.rest)
  return behind ? [{...only, gap: undefined, body: Buffer.from(behind.text)}] : requests
}

const MOST_JOINED = 300

/**
 * Returns the requests in JSON whose lines a mail has broken, also within its texts. `text` has one character per byte (latin1).
 */
export function readBrokenLogs(text: string, names: WebhookHeaderNames): CapturedRequest[] | undefined {
  const start = text.search(/[{[]/)
  const end = start < 0 ? 0 : start + endOfValue(text.slice(start))
  if (end <= start) return undefined
  function* ways(): Generator<CapturedRequest[]> {
    let tried = 0
    for (const {body} of joinedReadings(text.slice(start, end), text)) {
      tried += 1
      if (tried > MOST_JOINED) return
      const json = body.toString('utf8')
      const value = parseText(json)
      const requests = value === undefined ? undefined : requestsIn(value, json, names, '')
      if (requests) yield requests
    }
  }
  const [first] = ways()
  return first?.map((request, n) => {
    if (request.gap) return request
    function* otherReadings(body: Uint8Array): Generator<Reading> {
      yield* request.otherReadings?.(body) ?? []
      for (const {[n]: other} of ways())
        if (other?.body instanceof Uint8Array) yield {body: other.body, note: JOINED}
    }
    return {...request, otherReadings, afterwards: {notes: []}}
  })
}

/** Reports whether a line of a log has a record with headers that breaks off. */
function isCutRequest(line: string, names: WebhookHeaderNames): boolean {
  const record = /\{\s*".*/s.exec(line)?.[0] ?? ''
  return holdsSignature(record, names) && /"\w*headers"\s*:/i.test(record) && isCutJson(record)
}

/** Returns the JSON in a text, behind a time or other words, with its own text and that behind it. */
function embeddedJson(line: string): {value: object; text: string; rest: string} | undefined {
  for (const {index} of [...line.matchAll(/[{[]/g)].slice(0, 20)) {
    const rest = line.slice(index)
    const end = endOfValue(rest)
    const value = end === 0 ? undefined : parseText(rest.slice(0, end))
    if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
      return {value, text: rest.slice(0, end), rest: rest.slice(end)}
  }
  return undefined
}

interface Parts {
  readonly pairs?: [string, string][] | undefined
  readonly body?: LoggedBody | undefined
  readonly receivedAt?: number | undefined
  readonly isAnswer?: boolean
}

interface LoggedBody {
  readonly value: unknown
  readonly isBase64: boolean | undefined
}

function requestsIn(
  value: unknown,
  source: string,
  names: WebhookHeaderNames,
  place: string,
): CapturedRequest[] | undefined {
  const walk = new Walk(names)
  const rest = walk.visit(value, 0)
  const whole = walk.found.length > 0 ? walk.found : [rest]
  const isRequest = (parts: Parts) => parts.pairs !== undefined && !parts.isAnswer
  if (!whole.some(isRequest))
    return rest.isAnswer ? [{body: new Uint8Array(), place, gap: ANSWER}] : undefined
  const requests = whole.filter(isRequest).map(parts => requestOf(parts, source))
  return requests.map((one, n) => ({...one, place: requests.length > 1 ? `${place}#${n + 1}` : place}))
}

/** Names of members, without case and separators. */
const HEADER_NAMES = new Set([
  'headers',
  'header',
  'multivalueheaders',
  'rawheaders',
  'requestheaders',
  'httpheaders',
  'reqheaders',
])
const BODY_NAMES = [
  ...[
    'raw',
    'rawbody',
    'bodyraw',
    'requestbody',
    'httprequestbody',
    'httprequestbodycontent',
    'httpbody',
    'reqbody',
    'body',
    'bodybase64',
    'bodyb64',
    'rawbodybase64',
  ],
  ...['rawpayload', 'payload', 'payloadbase64', 'postdata', 'content', 'rawdata', 'text', 'data'],
]
const TIME_NAMES = new Set([
  'receivedat',
  'timestamp',
  'time',
  'timeepoch',
  'requesttimeepoch',
  'datetime',
  'date',
  'starttime',
])
const ANSWER_NAMES = /^(?:response|res|answer|reply|result|upstreamresponse)/

const simple = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '')

/** Walks through a value and collects the objects that have headers and a body, in themselves or below them. */
class Walk {
  readonly found: Parts[] = []
  private nodes = 0

  constructor(private readonly names: WebhookHeaderNames) {}

  /** Returns what `value` has of a request that is not whole. Whole ones are added to `found`. */
  visit(value: unknown, depth: number): Parts {
    this.nodes += 1
    if (depth > MOST_DEPTH || this.nodes > MOST_NODES) return {}
    if (typeof value === 'string') return this.visitText(value, depth)
    if (Array.isArray(value)) return this.visitAll(value, depth)
    if (!isObject(value)) return {}
    const own = this.partsOf(value)
    if (own.isAnswer) return own
    if (own.pairs && own.body) {
      this.found.push(own)
      return {}
    }
    const before = this.found.length
    const inner = Object.entries(value).filter(([name]) => {
      const key = simple(name)
      return !ANSWER_NAMES.test(key) && !HEADER_NAMES.has(key)
    })
    const below = this.visitAll(
      inner.map(([, one]) => one),
      depth,
    )
    if (this.found.length > before) return {}
    const parts = {
      pairs: own.pairs ?? below.pairs,
      body: own.body ?? below.body,
      receivedAt: own.receivedAt ?? below.receivedAt,
    }
    if (parts.pairs === undefined || parts.body === undefined)
      return {...parts, isAnswer: below.isAnswer ?? false}
    this.found.push(parts)
    return {}
  }

  private visitAll(values: readonly unknown[], depth: number): Parts {
    let all: Parts = {}
    for (const value of values) {
      const {pairs, body, receivedAt, isAnswer} = this.visit(value, depth + 1)
      all = {
        pairs: all.pairs ?? pairs,
        body: all.body ?? body,
        receivedAt: all.receivedAt ?? receivedAt,
        isAnswer: all.isAnswer || (isAnswer ?? false),
      }
    }
    return all
  }

  /** A message of a log often holds JSON as text. */
  private visitText(text: string, depth: number): Parts {
    if (!/"(?:\w*[hH]eaders)"/.test(text) && !holdsSignature(text, this.names)) return {}
    const inner = embeddedJson(text)
    return inner === undefined ? {} : this.visit(inner.value, depth + 1)
  }

  private partsOf(value: JsonObject): Parts {
    const members = new Map(Object.entries(value).map(([name, one]) => [simple(name), one]))
    const listed = [...members].filter(([name]) => HEADER_NAMES.has(name))
    const pairs = headersIn(listed.map(([, one]) => one)) ?? this.flatHeaders(value)
    const isAnswer =
      (typeof members.get('statuscode') === 'number' || typeof members.get('status') === 'number') &&
      !pairs?.some(pair => isSignature(pair, this.names))
    const receivedAt = [...members].flatMap(([name, one]) =>
      TIME_NAMES.has(name) ? (timeIn(one) ?? []) : [],
    )[0]
    return {
      pairs,
      body: bodyIn(members),
      receivedAt,
      isAnswer: isAnswer && (pairs !== undefined || members.has('body')),
    }
  }

  /** Some logs write each header as a member of its own: `http.request.headers.x-service-signature`. */
  private flatHeaders(value: JsonObject): [string, string][] | undefined {
    const pairs = Object.entries(value).flatMap(([name, one]): [string, string][] => {
      const short = /(?:^|[.\s])([\w-]+)$/.exec(name)?.[1]
      return short !== undefined && typeof one === 'string' ? [[short, one]] : []
    })
    const isSigned = pairs.some(([name]) => name.toLowerCase() === this.names.signature.toLowerCase())
    return isSigned ? pairs : undefined
  }
}

/** Returns the headers of the members of an object that hold headers; those with all values of a name come before the others. */
function headersIn(members: readonly unknown[]): [string, string][] | undefined {
  const all = members.flatMap(one => {
    const pairs = headerPairs(one)
    return pairs === undefined ? [] : [pairs]
  })
  if (all.length === 0) return undefined
  const kept: [string, string][] = []
  for (const pairs of all.toSorted((a, b) => b.length - a.length)) {
    const known = new Set(kept.map(([name]) => name.toLowerCase()))
    kept.push(...pairs.filter(([name]) => !known.has(name.toLowerCase())))
  }
  return kept
}

/** Reads headers as an object, as a list of names and values in turn, of pairs, of objects, or of lines. */
function headerPairs(headers: unknown): [string, string][] | undefined {
  if (typeof headers === 'string')
    return headerLines(headers.split(/\r?\n/).filter(line => line.trim() !== ''))
  if (isObject(headers)) {
    return Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().flatMap((one): [string, string][] => {
        const text = isObject(one) ? (one.value ?? one.Value) : one
        return typeof text === 'string' || typeof text === 'number' ? [[name, String(text)]] : []
      }),
    )
  }
  if (!Array.isArray(headers) || headers.length === 0) return undefined
  if (headers.every(one => typeof one === 'string')) {
    const lines = headerLines(headers)
    if (lines) return lines
    return headers.flatMap((name, n): [string, string][] =>
      n % 2 === 0 ? [[name, `${headers[n + 1] ?? ''}`]] : [],
    )
  }
  return headers.flatMap((one): [string, string][] => {
    const [name, value] = Array.isArray(one) ? one : namedValue(one)
    return typeof name === 'string' && typeof value === 'string' ? [[name, value]] : []
  })
}

/** Reads lines such as `Name: value`. Returns undefined unless each line is one. */
function headerLines(lines: readonly string[]): [string, string][] | undefined {
  const pairs = lines.flatMap((line): [string, string][] => {
    const [, name, value = ''] = /^([\w-]+):[ \t]*(.*)$/s.exec(line) ?? []
    return name === undefined ? [] : [[name, value]]
  })
  return lines.length > 0 && pairs.length === lines.length ? pairs : undefined
}

function namedValue(one: unknown): readonly unknown[] {
  if (!isObject(one)) return []
  const members = new Map(Object.entries(one).map(([name, value]) => [simple(name), value]))
  return [members.get('name') ?? members.get('key'), members.get('value')]
}

function bodyIn(members: ReadonlyMap<string, unknown>): LoggedBody | undefined {
  const flag = [...members].find(([name]) =>
    /^(?:is|body)?base64(?:encoded|encoding)?$|^bodyisbase64$/.test(name),
  )?.[1]
  const encoding = members.get('encoding') ?? members.get('bodyencoding')
  const isEncoded =
    flag === true || flag === 'true' || (typeof encoding === 'string' && /base64/i.test(encoding))
  for (const name of BODY_NAMES) {
    const value = members.get(name)
    if (typeof value === 'string') {
      if (isEncoded || /base64|b64/.test(name)) return {value, isBase64: true}
      return {value, isBase64: typeof flag === 'boolean' ? false : undefined}
    }
    // Objects are bodies only under names that mean nothing else.
    if (!isObject(value) || !/body|payload/.test(name)) continue
    const {type, data} = value
    if (type === 'Buffer' && Array.isArray(data)) return {value: Buffer.from(data), isBase64: false}
    // Some tools write how a body is stored beside its text.
    const isStored = !('type' in value) && !('id' in value)
    const inner = isStored
      ? bodyIn(new Map(Object.entries(value).map(([key, one]) => [simple(key), one])))
      : undefined
    return inner ?? {value, isBase64: undefined}
  }
  return undefined
}

/** Returns the time of a log as Unix seconds: an ISO 8601 text, or seconds or milliseconds since 1970. */
function timeIn(value: unknown): number | undefined {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return timeOf(value)
  if (typeof value !== 'number' || value < 1e9) return undefined
  return value >= 1e11 ? value / 1000 : value
}

const NOT_BASE64 = unclear('The body is said to be base64, but it is not whole base64.')
const PARSED = unclear('The log holds the data of the body, but not its text as it was sent.')

function requestOf({pairs = [], body, receivedAt}: Parts, source: string): CapturedRequest {
  const headers = gatherHeaders(pairs)
  const base = {headers, receivedAt}
  if (body === undefined) return {...base, body: new Uint8Array(), gap: BODY_MISSING}
  const {value, isBase64} = body
  const declared = headerOf(headers, 'content-length')
  if (value === '' && declared !== '0') return {...base, body: new Uint8Array(), gap: BODY_MISSING}
  if (value instanceof Uint8Array) return {...base, body: value}
  if (typeof value !== 'string') {
    const otherReadings = (): Reading[] => slicesOf(value, source).map(text => ({body: Buffer.from(text)}))
    return {
      ...base,
      body: Buffer.from(JSON.stringify(value)),
      doubt: PARSED,
      otherReadings,
      afterwards: {notes: []},
    }
  }
  const decoded = base64Bytes(value)
  if (isBase64)
    return decoded ? {...base, body: decoded} : {...base, body: Buffer.from(value), gap: NOT_BASE64}
  const otherReadings = (): Reading[] =>
    isBase64 === undefined && decoded !== undefined && value.length >= 8 ? [{body: decoded}] : []
  const text = Buffer.from(value)
  const missingBytes = typeof declared === 'string' ? Number(declared) - text.length : 0
  const isCut = missingBytes > 0 && headerOf(headers, 'content-encoding') === undefined
  return {...base, body: text, otherReadings, afterwards: {notes: [], ...(isCut ? {missingBytes} : {})}}
}

/** Decodes base64, also without padding and in lines. Returns undefined if the text is not base64 or was cut off. */
function base64Bytes(text: string): Buffer | undefined {
  const plain = text.replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(plain) || plain.replace(/=+$/, '').length % 4 === 1) return undefined
  if (plain.endsWith('=') && plain.length % 4 !== 0) return undefined
  return Buffer.from(plain, 'base64')
}

/** Returns the parts of the log's own text that hold `value`, because a log often puts the text of a body into its own. */
function slicesOf(value: unknown, source: string): string[] {
  const same = JSON.stringify(value)
  const slices: string[] = []
  for (const {index, 0: label} of [...source.matchAll(/"\w+"\s*:\s*(?=\{)/g)].slice(0, 200)) {
    const rest = source.slice(index + label.length)
    const slice = rest.slice(0, endOfValue(rest))
    if (slice !== '' && JSON.stringify(parseText(slice)) === same) slices.push(slice)
  }
  return slices
}
