/** Builds the request of `api` from the command line, and its result from the answer. */
import {isUtf8} from 'node:buffer'
import {buildRaw, METHODS} from '../../../api/operations/raw.js'
import {createRedactor} from '../../../api/redact/redact.js'
import type {Answer} from '../../../api/types.js'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {HEADER_NAME, HEADER_VALUE} from '../../../contract/identifiers.js'
import {isObject} from '../../../contract/json.js'
import {BOOKING_SCOPES, type Scope} from '../../../contract/operations.js'
import {readJson, readText} from '../../input/files.js'
import type {Target} from '../../session/resolve.js'
import {scopesOf} from '../../session/setting-keys.js'
import {jsonText} from '../../terminal/json-text.js'
import type {OutputFlags} from '../../terminal/output.js'
import {columnsOf, type Result} from '../../terminal/result.js'

type Header = readonly [name: string, value: string]

interface ApiFlags {
  readonly data?: string | undefined
  readonly header?: readonly Header[] | undefined
  readonly scope?: readonly string[] | undefined
  readonly include?: boolean | undefined
}

/** Returns the method in upper case. Throws a usage error if the method is not supported. */
export function checkMethod(field: string, text: string): string {
  const method = text.toUpperCase()
  if (METHODS.includes(method)) return method
  throw usage('invalid_input', `${field}: must be one of ${METHODS.join(', ')}`)
}

/** Reads the arguments and flags, before the service is known. Throws a usage error if a value is invalid. */
export async function readCall(args: {method: string; path: string}, flags: ApiFlags & OutputFlags) {
  const {include, json, query, format, columns, quiet} = flags
  // A table has no place for status and headers.
  if (include && !json && query === undefined && (format ?? columns ?? quiet)) {
    const hint =
      'with --json they are keys of the document; without a format they are printed before the body'
    throw usage('invalid_input', '--include: status and headers need --json or no format', hint)
  }
  // A header that is given several times is sent once, with all values (RFC 9110 §5.3).
  const headers = new Map<string, string>()
  for (const [name, value] of flags.header ?? []) {
    const before = headers.get(name)
    if (before !== undefined && GIVEN_ONCE.has(name))
      throw usage('invalid_input', `--header: ${name} may be given once`)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  let body = flags.data
  if (body !== undefined) {
    if (body.startsWith('@') || body === '-') body = await readText('--data', body.replace(/^@/, ''))
    // The body is parsed only to check it. It is sent as written, so that no number loses a digit.
    readJson('--data', body)
    body = body.replace(/^\ufeff/, '').trim()
  }
  return {
    method: args.method,
    path: args.path,
    headers: Object.fromEntries(headers),
    body,
    scopes: scopesOf(...(flags.scope ?? [])),
  }
}

const GIVEN_ONCE = new Set(['content-type', 'idempotency-key'])

/** Matches headers that are set by the connection or from the token. */
const OWN_HEADERS =
  /^(authorization|proxy-authorization|host|connection|content-length|transfer-encoding|accept-encoding|upgrade|expect|te|trailer|keep-alive)$/

/**
 * Splits `NAME:VALUE` into a lower-case name and a value. Throws a usage error if the header is not valid or may not be
 * set.
 */
export function splitHeader(field: string, text: string): Header {
  const [, given = '', value = ''] = /^([^:]+):(.*)$/s.exec(text)?.map(part => part.trim()) ?? []
  if (!HEADER_NAME.test(given) || !HEADER_VALUE.test(value))
    throw usage('invalid_input', `${field}: must be NAME:VALUE, as a header may hold it`)
  const name = given.toLowerCase()
  const hint = name === 'authorization' ? 'the token is that of the profile or environment' : undefined
  if (OWN_HEADERS.test(name)) throw usage('invalid_input', `${field}: ${name} may not be set here`, hint)
  return [name, value]
}

/**
 * Plans the request and its scopes: those of --scope, otherwise the scope of the operation, otherwise the configured
 * ones.
 */
export function planCall(target: Target, call: Awaited<ReturnType<typeof readCall>>) {
  const raw = buildRaw(target.baseUrl, call)
  const known: readonly Scope[] | undefined = raw.scope && [raw.scope]
  return {...raw, scopes: call.scopes ?? known ?? target.scopes ?? BOOKING_SCOPES}
}

/**
 * Returns the body of the answer as JSON; null if the body is empty, and an object that describes it if it is not JSON.
 */
export function bodyOf(answer: Answer): unknown {
  if (answer.json !== undefined) return answer.json
  if (answer.body.length === 0) return null
  const body = textOf(answer.body)
  return {
    content_type: answer.headers['content-type'] ?? null,
    bytes: answer.body.length,
    ...(body === undefined ? {body_base64: Buffer.from(answer.body).toString('base64')} : {body}),
  }
}

/** Returns the result to print: the body, or `{status, headers, body}` if `include` is true. */
export function apiResult(answer: Answer, include: boolean): Result {
  const body = bodyOf(answer)
  const inner = isObject(body) && 'data' in body ? body.data : body
  const items: Record<string, unknown>[] = [inner].flat().map(item => (isObject(item) ? item : {value: item}))
  const names = [...new Set(items.flatMap(item => Object.keys(item)))]
  return {
    document: (include ? {status: answer.status, headers: headersOf(answer), body} : body) as object,
    items,
    columns: columnsOf(names),
    id: item => Object.values(item)[0],
  }
}

/** Returns the bytes to print if no format was chosen; undefined if they are not text and stdout is a terminal. */
export function bytesOf(answer: Answer, include: boolean, isTerminal: boolean): Uint8Array | undefined {
  const body = plainBody(answer, isTerminal)
  if (body === undefined || !include) return body
  const head = Object.entries(headersOf(answer)).map(([name, value]) => `${name}: ${value}`)
  return Buffer.concat([Buffer.from([`HTTP/1.1 ${answer.status}`, ...head, '', ''].join('\n')), body])
}

function plainBody(answer: Answer, isTerminal: boolean): Uint8Array | undefined {
  if (!isTerminal) return answer.body
  if (answer.json !== undefined) return Buffer.from(`${jsonText(answer.json, 2)}\n`)
  const text = textOf(answer.body)
  const lines = text?.split(/\r?\n/).map(line => sanitizeLine(line))
  return lines && Buffer.from(text === '' ? '' : `${lines.join('\n')}\n`)
}

/** Returns the headers of the answer, without secrets and control characters. */
function headersOf({headers, secrets}: Answer): Record<string, string> {
  const redactor = createRedactor(secrets)
  const shown = Object.entries(headers).map(([name, value]) => [name, redactor.header(name, value)] as const)
  return Object.fromEntries(shown.map(pair => pair.map(text => sanitizeLine(text))))
}

/** Returns the bytes as text; undefined if they are not UTF-8 or contain NUL. */
function textOf(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) && !bytes.includes(0) ? new TextDecoder().decode(bytes) : undefined
}
