/** Reads headers in the forms in which logs and gateways write them as JSON. */
import {isObject, type JsonObject} from '../../contract/json.js'
import type {WebhookHeaderNames} from '../signature/headers.js'
import {membersOf} from './logged-names.js'

/** Returns the headers of the members of an object that hold headers; those with all values of a name come before the others. */
export function headersIn(members: readonly unknown[]): [string, string][] | undefined {
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
  const members = membersOf(one)
  return [members.get('name') ?? members.get('key'), members.get('value')]
}

/**
 * Returns the members of `value` as headers if one is the signature: some logs write each header as a member of its own,
 * `http.request.headers.x-service-signature`.
 */
export function flatHeaders(value: JsonObject, names: WebhookHeaderNames): [string, string][] | undefined {
  const pairs = Object.entries(value).flatMap(([name, one]): [string, string][] => {
    const short = /(?:^|[.\s])([\w-]+)$/.exec(name)?.[1]
    return short !== undefined && typeof one === 'string' ? [[short, one]] : []
  })
  const isSigned = pairs.some(([name]) => name.toLowerCase() === names.signature.toLowerCase())
  return isSigned ? pairs : undefined
}
