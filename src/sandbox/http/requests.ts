/** Shared by all routes: the state of a request, the log of requests (`GET /_sandbox/requests`), a wrong method. */
import type {Context, Hono} from 'hono'
import {isoTime} from '../../contract/dates.js'
import {REDACTED} from '../../contract/foreign-text.js'
import {isTooDeep} from '../../contract/json.js'
import {Refusal} from '../base/answers.js'
import type {Service} from '../base/service.js'

export const API_PATH = '/partner-api/v1'
/** Paths that answer in JSON; all others are pages. */
export const FOR_PROGRAMS = /^\/(partner-api|_sandbox)(\/|$)/

export interface RequestState {
  Variables: {
    requestId: string
    /** `http://127.0.0.1:PORT`, as the request was sent to it. */
    origin: string
    body: Uint8Array
    entry: LoggedRequest
    /** Whether the answer is cut in the middle, also if it is a refusal. */
    isTruncated?: boolean
  }
}

export type App = Hono<RequestState>

/** A request of the log, with how long it took when it was answered. */
export type AnsweredRequest = LoggedRequest & {readonly milliseconds: number}

/** Middleware that logs and reports each request but those of the dashboard and the controls. Its operation and body come later. */
export function logRequests(
  {clock, requests}: Pick<Service, 'clock'> & {readonly requests: LoggedRequest[]},
  onAnswered?: (request: AnsweredRequest) => void,
) {
  return async (context: Context<RequestState>, next: () => Promise<void>) => {
    const {raw, path} = context.req
    const startedAt = performance.now()
    const entry = loggedRequest(raw, context.var.requestId, clock.now())
    context.set('entry', entry)
    if (path === '/' || /^\/(ui|_sandbox)(\/|$)/.test(path)) return next()
    requests.push(entry)
    if (requests.length > KEPT_REQUESTS) requests.shift()
    try {
      await next()
      entry.status = context.res.status
    } finally {
      onAnswered?.({...entry, milliseconds: performance.now() - startedAt})
    }
  }
}

/** Refuses every method of the path but those that were added before. */
export function refuseOthers(app: App, path: string, methods: readonly string[]): void {
  const allowed = methods.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const Allow = allowed.join(', ')
  app.all(path, () => {
    throw new Refusal('method_not_allowed', `this path takes ${Allow}`, {}, {Allow})
  })
}

export const KEPT_REQUESTS = 200
/** Limited because requests are logged before they are authorized. */
const MOST_LOGGED_BYTES = 16 * 1024
const SECRET_FIELDS = /^(client_secret|token|access_token|secret|authorization|cookie)$/i
/** The filters and pages of lists, and how a payment page was left. */
const SHOWN_QUERY = /^(limit|after|status|client_reference_id|created_from|created_to|result)$/
const SHOWN_HEADERS = ['content-type', 'accept', 'user-agent', 'idempotency-key', 'origin', 'content-length']

export type LoggedRequest = ReturnType<typeof loggedRequest>

/** Without secrets. */
function loggedRequest(request: Request, request_id: string, now: number) {
  return {
    at: isoTime(now),
    request_id,
    operation: null as string | null,
    method: request.method,
    path: redactPath(new URL(request.url)),
    headers: redactHeaders(request.headers),
    body: null as unknown,
    /** Null when the connection was dropped or is still open. */
    status: null as number | null,
  }
}

/** The path and query, without the token of a payment or voucher link; of the query, only values known to be harmless. */
function redactPath(url: URL): string {
  const path = url.pathname.replace(/^\/(pay|vouchers)\/[^/]+/, `/$1/${REDACTED}`)
  const query = [...url.searchParams].map(shownParameter)
  return query.length > 0 ? `${path}?${query.join('&')}` : path
}

/** A name without a value may itself be a secret. */
function shownParameter([name, value]: readonly [string, string]): string {
  if (SHOWN_QUERY.test(name)) return `${name}=${encodeURIComponent(value)}`
  return value === '' ? REDACTED : `${encodeURIComponent(name)}=${REDACTED}`
}

/** The headers worth seeing. Authorization is shown as present, without its value. */
function redactHeaders(headers: Headers): Record<string, string> {
  const shown = SHOWN_HEADERS.flatMap(name => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  if (headers.has('authorization')) shown.push(['authorization', REDACTED])
  return Object.fromEntries(shown)
}

/** `bytes` as JSON without secrets and identity numbers; a note when it is too long or too deep; null when it is not JSON. */
export function redactBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength > MOST_LOGGED_BYTES) return `[longer than ${MOST_LOGGED_BYTES} bytes]`
  if (isTooDeep(bytes)) return '[nested too deeply]'
  try {
    return redact(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return null
  }
}

function redact(value: unknown, parent = ''): unknown {
  if (Array.isArray(value)) return value.map(item => redact(item, parent))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const secret = SECRET_FIELDS.test(key) || (parent === 'identity' && key === 'number')
      return [key, secret ? REDACTED : redact(inner, key)]
    }),
  )
}
