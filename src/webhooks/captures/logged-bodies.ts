/** Reads the body of a request in the forms in which logs and gateways write it, and puts the request together. */
import {isObject} from '../../contract/json.js'
import {gatherHeaders, headerOf} from '../signature/headers.js'
import {BODY_MISSING, unclear} from './gaps.js'
import {endOfValue} from './json-text.js'
import {BODY_NAMES, membersOf} from './logged-names.js'
import {type CapturedRequest, parseText, type Reading} from './request.js'

/** What was found of a request so far. */
export interface RequestParts {
  readonly pairs?: [string, string][] | undefined
  readonly body?: LoggedBody | undefined
  readonly receivedAt?: number | undefined
  readonly isAnswer?: boolean
}

/** A body as it is in the log. Whether it is base64 is undefined if the log does not say it. */
export interface LoggedBody {
  readonly value: unknown
  readonly isBase64: boolean | undefined
}

/** Returns the body among the members of an object, which come by their plain names. */
export function bodyIn(members: ReadonlyMap<string, unknown>): LoggedBody | undefined {
  const flag = [...members].find(([name]) =>
    /^(?:is|body)?base64(?:encoded|encoding)?$|^bodyisbase64$/.test(name),
  )?.[1]
  const encoding = members.get('encoding') ?? members.get('bodyencoding')
  const isEncoded =
    flag === true || flag === 'true' || (typeof encoding === 'string' && /base64/i.test(encoding))
  for (const name of BODY_NAMES) {
    const value = members.get(name)
    if (typeof value === 'string') {
      if (isEncoded || /base64|b64/.test(name)) return {value, isBase64: true}
      return {value, isBase64: typeof flag === 'boolean' ? false : undefined}
    }
    // Objects are bodies only under names that mean nothing else.
    if (!isObject(value) || !/body|payload/.test(name)) continue
    const {type, data} = value
    if (type === 'Buffer' && Array.isArray(data)) return {value: Buffer.from(data), isBase64: false}
    // Some tools write how a body is stored beside its text.
    const isStored = !('type' in value) && !('id' in value)
    const inner = isStored ? bodyIn(membersOf(value)) : undefined
    return inner ?? {value, isBase64: undefined}
  }
  return undefined
}

const NOT_BASE64 = unclear('The body is said to be base64, but it is not whole base64.')
const PARSED = unclear('The log holds the data of the body, but not its text as it was sent.')

/** Puts the parts of a request together. `source` is the JSON that they were read from. */
export function requestOf({pairs = [], body, receivedAt}: RequestParts, source: string): CapturedRequest {
  const headers = gatherHeaders(pairs)
  const base = {headers, receivedAt}
  if (body === undefined) return {...base, body: new Uint8Array(), gap: BODY_MISSING}
  const {value, isBase64} = body
  const declared = headerOf(headers, 'content-length')
  if (value === '' && declared !== '0') return {...base, body: new Uint8Array(), gap: BODY_MISSING}
  if (value instanceof Uint8Array) return {...base, body: value}
  if (typeof value !== 'string') {
    const otherReadings = (): Reading[] => slicesOf(value, source).map(text => ({body: Buffer.from(text)}))
    return {
      ...base,
      body: Buffer.from(JSON.stringify(value)),
      doubt: PARSED,
      otherReadings,
      afterwards: {notes: []},
    }
  }
  const decoded = base64Bytes(value)
  if (isBase64)
    return decoded ? {...base, body: decoded} : {...base, body: Buffer.from(value), gap: NOT_BASE64}
  const otherReadings = (): Reading[] =>
    isBase64 === undefined && decoded !== undefined && value.length >= 8 ? [{body: decoded}] : []
  const text = Buffer.from(value)
  const missingBytes = typeof declared === 'string' ? Number(declared) - text.length : 0
  const isCut = missingBytes > 0 && headerOf(headers, 'content-encoding') === undefined
  return {...base, body: text, otherReadings, afterwards: {notes: [], ...(isCut ? {missingBytes} : {})}}
}

/** Decodes base64, also without padding and in lines. Returns undefined if the text is not base64 or was cut off. */
function base64Bytes(text: string): Buffer | undefined {
  const plain = text.replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(plain) || plain.replace(/=+$/, '').length % 4 === 1) return undefined
  if (plain.endsWith('=') && plain.length % 4 !== 0) return undefined
  return Buffer.from(plain, 'base64')
}

/** Returns the parts of the log's own text that hold `value`, because a log often puts the text of a body into its own. */
function slicesOf(value: unknown, source: string): string[] {
  const same = JSON.stringify(value)
  const slices: string[] = []
  for (const {index, 0: label} of [...source.matchAll(/"\w+"\s*:\s*(?=\{)/g)].slice(0, 200)) {
    const rest = source.slice(index + label.length)
    const slice = rest.slice(0, endOfValue(rest))
    if (slice !== '' && JSON.stringify(parseText(slice)) === same) slices.push(slice)
  }
  return slices
}
