/**
 * Formats a request as a curl command for a POSIX shell (`--print-curl`), with variables in place of secrets and
 * without personal data.
 */
import {isObject, jsonEscapes, parseJson, stringify} from '../../contract/json.js'
import {isOperation, type Redactor} from '../redact/redact.js'
import type {WireRequest} from '../types.js'

/** The secret fields of the OAuth request bodies (§4.1, §4.2), and the variable that replaces each. */
const VARIABLES: Readonly<Record<string, string>> = {
  client_secret: 'BOOKCTL_CLIENT_SECRET',
  token: 'BOOKCTL_TOKEN',
}
const NOT_SHOWN = /^(user-agent|content-length|host|connection)$/

/** Returns the curl command as one line, without a line end. */
export function curlLine(request: WireRequest, redactor: Redactor): string {
  const {method, headers, body} = request
  const words = ['curl', '-sS']
  // With `-X HEAD` curl would wait for a body that never comes.
  if (method === 'HEAD') words.push('--head')
  else if (method !== 'GET') words.push('-X', method)
  if (isOperation(request)) {
    // The query is kept, because the user wrote it. Secrets in it are redacted.
    const {origin, pathname, searchParams} = new URL(request.url)
    const query = [...searchParams].map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(redactor.text(value))}`,
    )
    words.push(quote(origin + pathname + (query.length === 0 ? '' : `?${query.join('&')}`)))
  } else {
    words.push(quote(redactor.url(request.url, false)))
  }
  for (const [name, value] of Object.entries(headers)) {
    if (NOT_SHOWN.test(name)) continue
    const isToken = name === 'authorization'
    words.push(
      '-H',
      isToken ? '"Authorization: Bearer $BOOKCTL_TOKEN"' : quote(`${name}: ${redactor.header(name, value)}`),
    )
  }
  if (body !== undefined) words.push('--data-raw', bodyOf(body, redactor))
  return words.join(' ')
}

function bodyOf(body: string, redactor: Redactor): string {
  const json = parseJson(Buffer.from(body))
  if (json === undefined) return quote('[not JSON; left out]')
  const shown = redactor.json(json)
  if (isObject(json) && isObject(shown))
    for (const name of Object.keys(VARIABLES)) if (typeof json[name] === 'string') shown[name] = `\0${name}\0`
  // A variable must be outside the single quotes for the shell to expand it.
  return (stringify(shown) ?? '')
    .split(/\\u0000(\w+)\\u0000/)
    .map((part, index) => (index % 2 === 0 ? quote(part) : `"$${VARIABLES[part]}"`))
    .join('')
}

/** Quotes a text in single quotes. Control characters become visible escapes. */
function quote(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, jsonEscapes)
  return `'${line.replaceAll("'", `'\\''`)}'`
}
