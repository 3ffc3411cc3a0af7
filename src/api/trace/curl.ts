/** `--print-curl`: a request as a line for a POSIX shell, with variables for secrets and without personal data. */
import {isObject, jsonEscapes, parseJson, stringify} from '../../contract/json.js'
import {isOperation, type Redactor} from '../redact/redact.js'
import type {WireRequest} from '../types.js'

/** Fields of the OAuth bodies (§4.1, §4.2) and the variable in place of each. */
const VARIABLES: Readonly<Record<string, string>> = {
  client_secret: 'BOOKCTL_CLIENT_SECRET',
  token: 'BOOKCTL_TOKEN',
}
const NOT_SHOWN = /^(user-agent|content-length|host|connection)$/

/** One line, without a line end. */
export function curlLine(request: WireRequest, redactor: Redactor): string {
  const {method, headers, body} = request
  const words = ['curl', '-sS']
  // With `-X HEAD` curl would wait for a body that never comes.
  if (method === 'HEAD') words.push('--head')
  else if (method !== 'GET') words.push('-X', method)
  if (isOperation(request)) {
    // The query stays, since it is the caller's own; secrets in it do not.
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
  // A variable is outside the single quotes, where the shell puts its value in.
  return (stringify(shown) ?? '')
    .split(/\\u0000(\w+)\\u0000/)
    .map((part, index) => (index % 2 === 0 ? quote(part) : `"$${VARIABLES[part]}"`))
    .join('')
}

/** In single quotes; what no line may hold is written as a visible escape. */
function quote(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, jsonEscapes)
  return `'${line.replaceAll("'", `'\\''`)}'`
}
