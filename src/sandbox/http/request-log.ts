/** The last requests, for `GET /_sandbox/requests`: kept in memory, secrets and identity numbers taken out. */
import {isTooDeep} from '../../contract/json.js'

const KEPT_REQUESTS = 200
/** Ours: the longest body kept. Requests are logged before anyone is asked who he is. */
const MOST_KEPT_BYTES = 16 * 1024
const REDACTED = '[redacted]'
const SECRET_FIELDS = new Set(['client_secret', 'token', 'access_token', 'secret', 'authorization', 'cookie'])
/** The filters and pages of lists, and how a payment page was left. */
const SHOWN_QUERY = new Set([
  ...['limit', 'after', 'status', 'client_reference_id', 'created_from', 'created_to', 'result'],
])
const SHOWN_HEADERS = ['content-type', 'accept', 'user-agent', 'idempotency-key', 'origin', 'content-length']

export interface LoggedRequest {
  readonly at: string
  readonly request_id: string
  readonly operation: string | null
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The JSON body with secrets taken out, or a note why it is not kept; null: none, or not JSON. */
  readonly body: unknown
  /** Status answered; null when the connection was dropped or is still open. */
  status: number | null
}

/** A fixed number of the latest requests, oldest first. */
export class RequestLog {
  #requests: LoggedRequest[] = []

  add(request: LoggedRequest): void {
    this.#requests.push(request)
    if (this.#requests.length > KEPT_REQUESTS) this.#requests.shift()
  }

  list(): readonly LoggedRequest[] {
    return this.#requests
  }

  clear(): void {
    this.#requests = []
  }
}

/** The path and query, without the token of a payment or voucher link; of the query, only the values known harmless. */
export function redactPath(url: URL): string {
  const path = url.pathname.replace(/^\/(pay|vouchers)\/[^/]+/, `/$1/${REDACTED}`)
  const query = [...url.searchParams].map(shownParameter)
  return query.length > 0 ? `${path}?${query.join('&')}` : path
}

/** A name without a value may be a secret itself. */
function shownParameter([name, value]: readonly [string, string]): string {
  if (SHOWN_QUERY.has(name)) return `${name}=${encodeURIComponent(value)}`
  return value === '' ? REDACTED : `${encodeURIComponent(name)}=${REDACTED}`
}

/** The headers worth seeing. Authorization is shown as present, never as it is. */
export function redactHeaders(headers: Headers): Record<string, string> {
  const shown = SHOWN_HEADERS.flatMap(name => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  if (headers.has('authorization')) shown.push(['authorization', REDACTED])
  return Object.fromEntries(shown)
}

/** `bytes` as JSON with secrets and identity numbers taken out; a note when it is too long or too deep, null: not JSON. */
export function redactBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength > MOST_KEPT_BYTES) return `[longer than ${MOST_KEPT_BYTES} bytes]`
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
      const secret = SECRET_FIELDS.has(key.toLowerCase()) || (parent === 'identity' && key === 'number')
      return [key, secret ? REDACTED : redact(inner, key)]
    }),
  )
}
