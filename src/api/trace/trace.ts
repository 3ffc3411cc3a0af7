/**
 * Reports every attempt: as lines for `--verbose`, as a command for `--print-curl`, as a summary to store, and as a
 * record for `--har`. No secrets leave this folder.
 */
import {parseUrl, percentDecoded, sanitizeLine} from '../../contract/foreign-text.js'
import {isObject, parseJson, stringify} from '../../contract/json.js'
import {describeError, requestIdOf} from '../answers/refusals.js'
import {createRedactor, isOperation, peopleIn, type Redactor, secretsIn} from '../redact/redact.js'
import {type AttemptRecord, ExchangeError, type WireAnswer, type WireRequest} from '../types.js'

interface TraceOptions {
  /** Receives each line of `--verbose`, without its line end. */
  readonly show?: ((line: string) => void) | undefined
  /** Whether `show` also receives headers and bodies (`-vv`). */
  readonly bodies?: boolean | undefined
  /** Receives each request for `--print-curl`, and the redactor to apply to it. */
  readonly showCurl?: ((request: WireRequest, redactor: Redactor) => void) | undefined
  /** Receives a summary of each attempt. */
  readonly note?: ((summary: AttemptSummary) => void) | undefined
  /** Whether to keep the records that `har` needs. */
  readonly keep?: boolean
  /** Secrets that are redacted from the start. */
  readonly secrets?: readonly string[]
}

/** Creates a trace that reports each attempt once it has ended. */
export function createTrace(options: TraceOptions) {
  const redactor = createRedactor(options.secrets)
  const records: AttemptRecord[] = []
  return {
    attempt(record: AttemptRecord) {
      const {request, outcome} = record
      for (const secret of secretsIn(request, outcome)) redactor.add(secret)
      // A service may repeat a guest's name anywhere in an error message.
      for (const value of peopleIn(parseJson(Buffer.from(request.body ?? '')))) redactor.add(value)
      if (options.keep) records.push(record)
      const summary = summarise(record, redactor)
      options.note?.(summary)
      options.showCurl?.(request, redactor)
      options.show?.(describeAttempt(record, summary, redactor))
      if (!options.bodies) return
      const received = outcome instanceof ExchangeError ? [] : sideLines('<', outcome, redactor)
      for (const line of [...sideLines('>', request, redactor), ...received]) options.show?.(line)
    },
    /** Returns the HAR document of the kept records; `version` is the version of bookctl. */
    async har(version: string) {
      const {toHar} = await import('./har.js')
      return toHar(records, version, redactor)
    },
  }
}

/**
 * Describes an attempt on one line, redacted and sanitised: `GET https://host/v1/account: 200 in 41 ms, request req_1, attempt
 * 1`.
 */
function describeAttempt(record: AttemptRecord, summary: AttemptSummary, redactor: Redactor): string {
  const {method, ms, status, fault, reason, request_id: id, attempt} = summary
  const {request, waitMilliseconds: wait} = record
  const parts = [
    status === null ? `${fault} in ${ms} ms (${reason})` : `${status} in ${ms} ms`,
    ...(id === undefined ? [] : [`request ${id}`]),
    `attempt ${attempt}`,
    ...(wait === undefined ? [] : [`again in ${Math.round(wait)} ms`]),
  ]
  const url = redactor.url(request.url, isOperation(request))
  return sanitizeLine(`${method} ${url}: ${parts.join(', ')}`)
}

/** Maximum length of a body shown with `-vv`, in UTF-16 units. Not in the interface. */
const MOST_LENGTH = 4096

/** Returns headers and body as lines for `-vv`, marked `>` if sent and `<` if received. */
function sideLines(mark: string, {headers, body = ''}: WireRequest | WireAnswer, redactor: Redactor) {
  const lines = Object.entries(headers).map(([name, value]) =>
    sanitizeLine(`  ${mark} ${redactor.text(name)}: ${redactor.header(name, value)}`, 1000),
  )
  if (body.length === 0) return lines
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const json = parseJson(bytes)
  if (json === undefined) return [...lines, `  ${mark} ${bytes.length} bytes that are not JSON, left out`]
  const {start, isWhole} = startOf(json)
  const text = stringify(redactor.json(start)) ?? ''
  const left = !isWhole || text.length > MOST_LENGTH ? ` (cut; ${bytes.length} bytes)` : ''
  return [...lines, `  ${mark} ${sanitizeLine(text, MOST_LENGTH)}${left}`]
}

/**
 * Maximum length before redaction, in UTF-16 units. It is larger than MOST_LENGTH because redaction shortens a text.
 */
const MOST_REDACTED = 8 * MOST_LENGTH

/**
 * Returns the first members of a JSON value, up to about MOST_REDACTED. No text is cut, because half a secret would not
 * be recognised. `isWhole` is false if members were left out.
 */
function startOf(json: unknown) {
  let left = MOST_REDACTED
  let isWhole = true
  const copy = (value: unknown): unknown => {
    const isList = Array.isArray(value)
    if (!isList && !isObject(value)) {
      left -= String(value).length + 2
      return value
    }
    const kept: [string, unknown][] = []
    for (const key of Object.keys(value)) {
      if (left <= 0) {
        isWhole = false
        break
      }
      left -= isList ? 1 : key.length + 4
      kept.push([key, copy(value[key as keyof typeof value])])
    }
    return isList ? kept.map(([, inner]) => inner) : Object.fromEntries(kept)
  }
  const start = copy(json)
  return {start, isWhole}
}

type AttemptSummary = ReturnType<typeof summarise>

/** Summarises an attempt without its headers, bodies and the values in its query. */
function summarise(record: AttemptRecord, redactor: Redactor) {
  const {request, outcome, attempt} = record
  const key = request.headers['idempotency-key']
  const answered = outcome instanceof ExchangeError ? undefined : {...outcome, redactor}
  const id = answered && requestIdOf(answered)
  const code = answered && answered.status >= 400 ? describeError(answered).code : ''
  const url = redactor.url(request.url, isOperation(request))
  const origin = parseUrl(url)?.origin ?? ''
  // A path may contain personal data.
  const shownUrl = origin + redactor.text(origin === '' ? url : percentDecoded(url.slice(origin.length)))
  return {
    /** ISO 8601. */
    at: new Date(record.startedAt * 1000).toISOString(),
    method: request.method,
    url: sanitizeLine(shownUrl, 1000),
    ms: Math.round(record.milliseconds),
    attempt,
    ...(key !== undefined && {idempotency_key: redactor.text(sanitizeLine(key, 100))}),
    /** Null if no answer came. `fault` and `reason` then say why. */
    status: answered?.status ?? null,
    ...(outcome instanceof ExchangeError && {fault: outcome.fault, reason: redactor.text(outcome.reason)}),
    ...(id !== undefined && {request_id: redactor.text(id)}),
    // Only a single word is kept, because some services send a sentence as the code, which may name a person.
    ...(/^[A-Za-z][\w.:-]*$/.test(code) && {error_code: redactor.text(code)}),
  }
}
