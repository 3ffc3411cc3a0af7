/**
 * What all routes share: the running service, the state of a request, the checks of host and origin, the log, and
 * reading and validating a body.
 */
import type {Context, Hono} from 'hono'
import {z} from 'zod'
import {isoTime} from '../../contract/dates.js'
import {REDACTED} from '../../contract/foreign-text.js'
import {
  ACCESS_TOKEN_PREFIX,
  isTcNumber,
  LIVE_SECRET_PREFIX,
  SIGNING_SECRET_PREFIX,
  TEST_SECRET_PREFIX,
} from '../../contract/identifiers.js'
import {plainMessage} from '../../contract/input-mistakes.js'
import {ExactNumber, isTooDeep, MOST_NESTING, parseJson as parse} from '../../contract/json.js'
import {isLoopbackHost} from '../../contract/network.js'
import type {ErrorDetail} from '../../contract/records.js'
import {Refusal} from '../base/answers.js'
import type {Service} from '../base/service.js'
import type {SeenRequest} from '../certify/evidence.js'
import type {Dispatcher} from '../delivery/dispatcher.js'
import type {ActiveFault} from './faults.js'

export interface RunningService extends Service {
  /** Injected faults. If several match a request, the first in the list takes effect. */
  readonly faults: ActiveFault[]
  /** The latest requests, oldest first. */
  readonly requests: LoggedRequest[]
  /** How many requests were answered or dropped since the start. */
  readonly answered: {count: number}
  /** For each Idempotency-Key whose first request is still running, the hash of its body. */
  readonly runningKeys: Map<string, string>
  readonly latencyMilliseconds: number
  readonly dispatcher: Dispatcher
  /** Records the evidence by which `sandbox certify` judges. */
  readonly recorder: RequestRecorder
}

/** A request that is being recorded. */
export interface Visit {
  /** The number of the request in the order of arrival. */
  readonly sequence: number
  /** When the request arrived: `begun` in milliseconds of real time, `at` in Unix seconds of the sandbox's clock. */
  readonly begun: number
  readonly at: number
  /** By how many seconds the clock had been moved when the request arrived. */
  readonly moved: number
  readonly context: RequestContext
}

export interface RequestRecorder {
  /**
   * Starts to record a request. Must be called as soon as the request has arrived. `at` and `realNow` are Unix seconds.
   */
  begin(context: RequestContext, at: number, realNow: number): Visit
  /** Records a request that has ended. */
  end(service: RunningService, visit: Visit): void
  /** Returns the evidence about requests that have not ended; their clients may have hung up. */
  running(service: RunningService): SeenRequest[]
  /** Writes the records that are waiting. If the disk is full, they are written later. */
  flush(): void
  /** Drops the records that are waiting. Called after the tables were emptied. */
  clear(): void
  /**
   * Writes the records that are waiting, and those of requests whose client hung up. Requests that end later are not
   * recorded.
   */
  close(service: RunningService): void
}

export const API_PATH = '/partner-api/v1'
/** Matches the paths that answer with JSON. All other paths are pages. */
export const FOR_PROGRAMS = /^\/(partner-api|_sandbox)(\/|$)/

/** What is known about the connection that a request came on. */
export interface Link {
  /** Header names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[]
  /** When the client hung up before it had the whole answer, in milliseconds as `realMilliseconds` returns them. */
  goneAt: number | undefined
  /** When the connection was opened, and whether this is its first request. Undefined in process. */
  readonly connection?: {readonly openedAt: number; readonly isNew: boolean}
}

interface RequestState {
  Bindings: {readonly link: Link}
  Variables: {
    requestId: string
    /** The origin as in the request: `http://127.0.0.1:PORT` or `http://localhost:PORT`. */
    origin: string
    body: Uint8Array
    entry: LoggedRequest
    /** Whether the connection is cut in the middle of the answer, even if the answer is a refusal. */
    isTruncated?: boolean | undefined
    /** The body of a request with an Idempotency-Key, parsed and as canonical JSON. Set once it was parsed. */
    booking?: {readonly json: unknown; readonly canonical: string}
    /** The kind of the injected fault that took effect. */
    fault?: string | undefined
  }
}

export type App = Hono<RequestState>
export type RequestContext = Context<RequestState>
export type Handle = (service: RunningService, context: RequestContext) => Response | Promise<Response>

/** Reports whether a browser asks for a page. Programs accept anything, or JSON or a PDF. */
export function isFromBrowser(context: RequestContext): boolean {
  return context.req.header('accept')?.includes('text/html') ?? false
}

/** Adds routes, given as `METHOD /path`. Other methods on the same paths are refused. */
export function addRoutes(app: App, service: RunningService, routes: Readonly<Record<string, Handle>>): void {
  const all = Object.entries(routes).map(([name, handle]) => {
    const [method = '', path = ''] = name.split(' ')
    return {method, path, handle}
  })
  for (const path of new Set(all.map(route => route.path))) {
    const here = all.filter(route => route.path === path)
    for (const {method, handle} of here) app.on(method, path, context => handle(service, context))
    const methods = here.map(({method}) => method)
    const Allow = methods.join(', ').replace('GET', 'GET, HEAD')
    app.all(path, () => {
      throw new Refusal('method_not_allowed', `this path takes ${Allow}`, {}, {Allow})
    })
  }
}

/**
 * Returns the origin that the request names. It must be that of `served`, or any loopback origin if the sandbox is only
 * called within the process. Throws the Refusal `forbidden` for another host, which prevents DNS rebinding.
 */
export function checkHost(request: Request, served: string | undefined): string {
  const url = new URL(request.url)
  const host = request.headers.get('host')?.toLowerCase() ?? url.host
  const own = served === undefined ? undefined : new URL(served)
  const isOwn = own
    ? url.host === own.host || url.host === `localhost:${own.port}`
    : isLoopbackHost(url.hostname)
  if (!isOwn || host !== url.host) {
    throw new Refusal('forbidden', 'the Host header does not name this local sandbox')
  }
  return `http://${url.host}`
}

/**
 * Throws the Refusal `forbidden` if a browser sent the request for a page of another origin. Such a page could
 * otherwise pay or move the clock.
 */
export function checkOrigin(request: Request, ownOrigin: string): void {
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  const foreign = origin !== null && origin !== ownOrigin
  if (foreign || (site !== null && site !== 'same-origin' && site !== 'none')) {
    throw new Refusal('forbidden', 'pages of another origin must not use the local sandbox')
  }
}

/**
 * Throws the Refusal `forbidden` if the headers do not show that a browser sent a form from the sandbox's own pages.
 * Scripts should call the controls instead.
 */
export function checkForm(request: Request, ownOrigin: string): void {
  const isOwn =
    request.headers.get('origin') === ownOrigin || request.headers.get('sec-fetch-site') === 'same-origin'
  if (!isOwn) throw new Refusal('forbidden', 'forms are accepted from the local sandbox’s own pages only')
}

/** A logged request that was answered, and how long that took. */
export type AnsweredRequest = LoggedRequest & {readonly milliseconds: number}

export const KEPT_REQUESTS = 200
/**
 * Maximum size of a body in the log. Requests are logged before they are authorized, and answers may list thousands of
 * offers.
 */
const MOST_LOGGED_BYTES = 16 * 1024
const SECRET_FIELDS = /^(client_secret|token|access_token|secret|authorization|cookie)$/i
/**
 * Matches query parameters whose values are logged: filters and cursors of lists, and the result of the payment page.
 */
const SHOWN_QUERY = /^(limit|after|status|client_reference_id|created_from|created_to|result)$/
const SHOWN_HEADERS = ['content-type', 'accept', 'user-agent', 'idempotency-key', 'origin', 'content-length']

export type LoggedRequest = ReturnType<typeof loggedRequest>

/**
 * Returns the log entry of a request, without secrets. The fields that are null are filled in later. `now` is in Unix
 * seconds.
 */
export function loggedRequest({url, method, headers}: Request, request_id: string, now: number) {
  const {pathname, searchParams} = new URL(url)
  const path = redactText(pathname)
  // Query values are shown only if they are known to be harmless.
  const query = [...searchParams].map(([name, value]) => {
    if (SHOWN_QUERY.test(name)) return `${name}=${encodeURIComponent(redactText(value))}`
    // The name of a parameter without a value may itself be a secret.
    return value === '' ? REDACTED : `${encodeURIComponent(name)}=${REDACTED}`
  })
  const shown = SHOWN_HEADERS.flatMap(name => {
    const value = headers.get(name)
    return value === null ? [] : [[name, redactText(value)]]
  })
  // The log shows that there was an Authorization header, but not its value.
  if (headers.has('authorization')) shown.push(['authorization', REDACTED])
  return {
    at: isoTime(now),
    request_id,
    /** The number of the request among the answered ones, from 1. Null while the request is running. */
    sequence: null as number | null,
    /** The client that the token belongs to, or the one that requests a token. */
    client_id: null as string | null,
    operation: null as string | null,
    method,
    path: query.length > 0 ? `${path}?${query.join('&')}` : path,
    headers: Object.fromEntries(shown) as Record<string, string>,
    body: null as unknown,
    /** Null if the connection was dropped or is still open. */
    status: null as number | null,
    ms: null as number | null,
    /** The JSON of the answer as it was sent, including secrets, which `shownAnswer` removes. */
    answer: null as string | null,
  }
}

/** Returns what the log keeps of an answer's JSON: all of it, or a note that it is too long. */
export function keptAnswer(json: string): string {
  return json.length > MOST_LOGGED_BYTES ? JSON.stringify(`[longer than ${MOST_LOGGED_BYTES} bytes]`) : json
}

/**
 * Returns the JSON of the answer to a logged request, without secrets and identity numbers, or null if there is none.
 */
export function shownAnswer({answer}: LoggedRequest): unknown {
  return answer === null ? null : redactBody(Buffer.from(answer))
}

/**
 * Returns the JSON in `bytes` without secrets and identity numbers. Returns a note if it is too long or nested too
 * deeply, and null if it is not JSON.
 */
export function redactBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength > MOST_LOGGED_BYTES) return `[longer than ${MOST_LOGGED_BYTES} bytes]`
  return isTooDeep(bytes) ? '[nested too deeply]' : redact(parse(bytes) ?? null)
}

function redact(value: unknown, parent = ''): unknown {
  if (Array.isArray(value)) return value.map(item => redact(item, parent))
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'number' && isTcNumber(String(value))) return REDACTED
  if (value === null || typeof value !== 'object' || value instanceof ExactNumber) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const secret = SECRET_FIELDS.test(key) || (parent === 'identity' && key === 'number')
      return [redactText(key), secret ? REDACTED : redact(inner, key)]
    }),
  )
}

const SECRET_PREFIXES = [LIVE_SECRET_PREFIX, TEST_SECRET_PREFIX, SIGNING_SECRET_PREFIX]
const SECRETS = new RegExp(
  `(${SECRET_PREFIXES.join('|')})[\\w+/=.~-]+|\\b${ACCESS_TOKEN_PREFIX}[\\w-]{20,}`,
  'g',
)
/** Matches a payment or voucher link. The token in it gives access to the page. */
const SECRET_LINKS = /\/(pay|vouchers)\/[^/?#"\s]+/g

/** Removes texts that look like a secret, and identity numbers with a valid checksum. */
function redactText(text: string): string {
  return text
    .replace(SECRET_LINKS, `/$1/${REDACTED}`)
    .replace(SECRETS, REDACTED)
    .replace(/(?<!\d)\d{11}(?!\d)/g, digits => (isTcNumber(digits) ? REDACTED : digits))
}

const MOST_BODY_BYTES = 1024 * 1024

/**
 * Returns the whole body, empty if there is none. Throws the Refusal `payload_too_large` as soon as the limit is
 * exceeded.
 */
export async function readBody(request: Request): Promise<Uint8Array> {
  if (request.method === 'GET' || request.method === 'HEAD' || !request.body) return new Uint8Array()
  if (Number(request.headers.get('content-length') ?? 0) > MOST_BODY_BYTES) throw tooLarge()
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of request.body as AsyncIterable<Uint8Array>) {
    length += piece.byteLength
    if (length > MOST_BODY_BYTES) throw tooLarge()
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/**
 * Returns the Refusal `payload_too_large`. The rest of the body is not read, so the connection cannot be used again.
 */
function tooLarge(): Refusal {
  const message = `the body is larger than ${MOST_BODY_BYTES} bytes`
  return new Refusal('payload_too_large', message, {}, {Connection: 'close'})
}

/**
 * Parses the JSON in `bytes`. With `emptyAllowed`, an empty body is `{}`. Throws the Refusal `invalid_request` if it is
 * not JSON.
 */
export function parseJson(bytes: Uint8Array, contentType: string | undefined, emptyAllowed = false): unknown {
  if (bytes.byteLength === 0 && emptyAllowed) return {}
  if (!/^application\/json\s*(;|$)/i.test(contentType?.trim() ?? '')) {
    throw new Refusal('invalid_request', 'the body must be JSON, with Content-Type: application/json')
  }
  if (isTooDeep(bytes)) {
    throw new Refusal('invalid_request', `the body is nested more than ${MOST_NESTING} levels deep`)
  }
  const json = parse(bytes)
  if (json === undefined) throw new Refusal('invalid_request', 'the body is not valid JSON')
  return json
}

/** Maximum number of errors in an answer, because listing 80,000 would be slow. Not in the interface. */
const MOST_DETAILS = 100

/**
 * Returns `json` as parsed by the schema. Throws the Refusal `validation_failed`, with a detail for each of the first
 * MOST_DETAILS wrong fields.
 */
export function validate<T>(schema: z.ZodType<T>, json: unknown): T {
  const result = schema.safeParse(json, {error: plainMessage, reportInput: true})
  if (result.success) return result.data
  const details = result.error.issues.slice(0, MOST_DETAILS).flatMap(detailsOf).slice(0, MOST_DETAILS)
  const fields = details.map(detail => detail.field || 'body').join(', ')
  throw new Refusal('validation_failed', `the request is not valid: ${fields}`, {details})
}

function detailsOf(issue: z.core.$ZodIssue): ErrorDetail[] {
  if (issue.code === 'unrecognized_keys') {
    const unknown = {code: 'unknown_field', message: 'is not a field of this request'}
    return issue.keys.slice(0, MOST_DETAILS).map(key => ({field: fieldOf([...issue.path, key]), ...unknown}))
  }
  const missing = issue.input === undefined
  const code = missing ? 'required' : issue.code === 'custom' ? 'invalid_value' : issue.code
  return [{field: fieldOf(issue.path), code, message: missing ? 'is required' : issue.message}]
}

/** Formats a path that zod reports: `['guests', 0, 'identity', 'number']` becomes `guests[0].identity.number`. */
function fieldOf(path: readonly PropertyKey[]): string {
  return z.core.toDotPath(path.map(key => (typeof key === 'string' ? key.slice(0, 100) : key)))
}
