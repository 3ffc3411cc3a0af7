/** The parts of a record of a capture, as both ways to read one need them. */
import {gatherHeaders, type HeaderMap} from './headers.js'

/** The bytes, when all of `text` is base64: Node passes over what is not, which leaves too few. */
export function decodeBase64(text: unknown): Buffer | undefined {
  if (typeof text !== 'string' || text.length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === (text.length / 4) * 3 - padding ? bytes : undefined
}

/** As we write them, headers are gathered already. */
export function headersOf(headers: Record<string, unknown>): HeaderMap {
  const names = Object.keys(headers)
  if (names.every(name => typeof headers[name] === 'string' && name === name.toLowerCase()))
    return headers as Record<string, string>
  return gatherHeaders(
    names.flatMap(name =>
      [headers[name]].flat().flatMap(value => (typeof value === 'string' ? [[name, value] as const] : [])),
    ),
  )
}
