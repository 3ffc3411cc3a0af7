/** Shared by all routes: the state of a request, the log of requests (`GET /_sandbox/requests`), a wrong method. */
import type {Context, Hono} from 'hono'
import {isoTime} from '../../contract/dates.js'
import {REDACTED} from '../../contract/foreign-text.js'
import {isTooDeep} from '../../contract/json.js'
import {Refusal} from '../base/answers.js'
import type {Service} from '../base/service.js'

export const API_PATH = '/partner-api/v1'

export interface RequestState {
  Variables: {
    requestId: string
    /** `http://127.0.0.1:PORT`, as the request was sent to it. */
    origin: string
    body: Uint8Array
    /** Whether the answer is cut in the middle, also if it is a refusal. */
    isTruncated?: boolean
  }
}

export type App = Hono<RequestState>

/** Middleware that puts the request into the log, and its status when it is answered. */
export function logRequests(
  {clock, requests}: Pick<Service, 'clock'> & {readonly requests: LoggedRequest[]},
  operation: string | null,
) {
  return async (context: Context<RequestState>, next: () => Promise<void>) => {
    const entry = loggedRequest(context, operation, clock.now())
    requests.push(entry)
    if (requests.length > KEPT_REQUESTS) requests.shift()
    await next()
    entry.status = context.res.status
  }
}

function loggedRequest(
  {req: {raw}, var: state}: Context<RequestState>,
  operation: string | null,
  now: number,
) {
  return {
    at: isoTime(now),
    request_id: state.requestId,
    operation,
    method: raw.method,
    path: redactPath(new URL(raw.url)),
    headers: redactHeaders(raw.headers),
    body: redactBody(state.body),
    /** Null when the connection was dropped or is still open. */
    status: null as number | null,
  }
}

export interface AnsweredRequest {
  readonly method: string
  /** Without secrets. */
  readonly path: string
  /** Null when the connection was cut instead. */
  readonly status: number | null
  readonly milliseconds: number
  readonly requestId: string
}

/** Middleware that reports each request that was answered, except those of the dashboard and the controls. */
export function reportTo(report: (request: AnsweredRequest) => void) {
  return async (context: Context<RequestState>, next: () => Promise<void>) => {
    const startedAt = performance.now()
    let status: number | null = null
    try {
      await next()
      status = context.res.status
    } finally {
      const {raw, path} = context.req
      const milliseconds = performance.now() - startedAt
      const {requestId} = context.var
      if (path !== '/' && !/^\/(ui|_sandbox)(\/|$)/.test(path))
        report({method: raw.method, path: redactPath(new URL(raw.url)), status, milliseconds, requestId})
    }
  }
}

/** Refuses every method of the path but those that were added before. */
export function refuseOthers(app: App, path: string, methods: readonly string[]): void {
  app.all(path, () => {
    throw wrongMethod(methods)
  })
}

export function wrongMethod(methods: readonly string[]): Refusal {
  const allowed = methods.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const Allow = allowed.join(', ')
  return new Refusal('method_not_allowed', `this path takes ${Allow}`, {}, {Allow})
}

export const KEPT_REQUESTS = 200
/** Limited because requests are logged before they are authorized. */
const MOST_LOGGED_BYTES = 16 * 1024
const SECRET_FIELDS = /^(client_secret|token|access_token|secret|authorization|cookie)$/i
/** The filters and pages of lists, and how a payment page was left. */
const SHOWN_QUERY = /^(limit|after|status|client_reference_id|created_from|created_to|result)$/
const SHOWN_HEADERS = ['content-type', 'accept', 'user-agent', 'idempotency-key', 'origin', 'content-length']

export type LoggedRequest = ReturnType<typeof loggedRequest>

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
function redactBody(bytes: Uint8Array): unknown {
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
