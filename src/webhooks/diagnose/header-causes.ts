/** Reads a signature header as leniently as possible, and lists the ways in which its digest may have been computed. */
import {createHash, createHmac, type KeyObject} from 'node:crypto'
import {parseSignature} from '../signature/signature.js'
import {type Cause, type Claim, cause} from './finding.js'

const MILLISECONDS = 'timestamp_milliseconds'
const REWRITTEN = (how: string) => cause('header_rewritten', `The signature is right, but its header ${how}.`)

/**
 * Returns the claims (each a digest with its timestamp) in the values of the header. A well-formed claim has no causes.
 * Only the first values and claims are read, because a real header has few.
 */
export function readClaims(values: readonly string[]): Claim[] {
  const repeated =
    values.length > 1 ? [cause('header_repeated', 'The signature header came more than once.')] : []
  return values
    .slice(0, 4)
    .flatMap(value => readValue(value.slice(0, 4096)))
    .map(claim => ({...claim, causes: [...repeated, ...claim.causes]}))
    .slice(0, 12)
}

function readValue(text: string): Claim[] {
  const proper = parseSignature(text)
  if (proper) return proper.digests.map(digest => ({timestamp: proper.timestamp, digest, causes: []}))
  const {fields, rewritten} = splitFields(text)
  const times = new Set(fields.filter(({name}) => name === 't').map(({value}) => value))
  const digests = fields.filter(({name}) => name !== 't').flatMap(({value}) => readDigest(value))
  const grammar = REWRITTEN(times.size > 1 ? 'has more than one t' : 'breaks the grammar')
  return (times.size === 0 ? [undefined] : [...times].slice(0, 3)).flatMap(timestamp => {
    const odd: Cause[] = []
    if (timestamp !== undefined && /^(?:\d{13,19}|\d{9,12}\.\d+)$/.test(timestamp))
      odd.push(
        cause(MILLISECONDS, 'The timestamp of the header is in milliseconds or finer, not in whole seconds.'),
      )
    else if (timestamp !== undefined && !/^\d{1,12}$/.test(timestamp))
      odd.push(REWRITTEN('has a timestamp that is not written in digits'))
    return digests.map(digest => {
      const causes = [...rewritten, ...odd, ...digest.causes]
      return {timestamp, digest: digest.hex, causes: causes.length > 0 ? causes : [grammar]}
    })
  })
}

function splitFields(text: string): {fields: {name: string; value: string}[]; rewritten: Cause[]} {
  const bare = text.trim().replace(/^["'](.*)["']$/s, '$1')
  const words = bare.split(/[,;&|\s]+/).filter(Boolean)
  const fields = words.map(word => {
    const [, name = '', value = word] = /^(t|v\d|ts|timestamp|s|sig|signature)[=:](.*)$/is.exec(word) ?? []
    return {name: name.replace(/^(?:ts|timestamp)$/i, 't'), value: value.replace(/^"(.*)"$/, '$1')}
  })
  const how = [
    bare !== text && 'has quotes or spaces around it',
    /\s/.test(text) && 'has spaces in it',
    /[;&|]/.test(bare) && !bare.includes(',') && 'separates its fields with something other than commas',
    fields.some(({name}) => /[A-Z]/.test(name)) && 'names its fields in capitals',
  ].find(text => text !== false)
  return {
    fields: fields.map(({name, value}) => ({name: name.toLowerCase(), value})),
    rewritten: how ? [REWRITTEN(how)] : [],
  }
}

/**
 * Returns the digests that `value` may mean, in lowercase hex. If it is not spelled like that, for example in base64,
 * that is added as a cause.
 */
function readDigest(value: string): {hex: string; causes: Cause[]}[] {
  const prefix =
    /^(?:(?:hmac[-_]?)?sha-?256|v1|hmac|hex|sha256hex|0x)[=:,-]?(?=.{43})/i.exec(value)?.[0] ?? ''
  const prefixed =
    prefix === '' ? [] : [cause('signature_prefixed', `${JSON.stringify(prefix)} is before the digest.`)]
  const bare = value.slice(prefix.length)
  if (/^[\da-f]{64}$/.test(bare)) return [{hex: bare, causes: prefixed}]
  if (/^[\da-f]{64}$/i.test(bare)) {
    const upper = cause('signature_uppercase', 'The digits of the digest are upper case.')
    return [{hex: bare.toLowerCase(), causes: [...prefixed, upper]}]
  }
  const bytes = /^[A-Za-z0-9+/_-]{43,88}={0,2}$/.test(bare) ? Buffer.from(bare, 'base64') : Buffer.alloc(0)
  const hex = bytes.length === 32 ? bytes.toString('hex') : bytes.toString('latin1').toLowerCase()
  if (!/^[\da-f]{64}$/.test(hex)) return []
  return [{hex, causes: [...prefixed, cause('signature_base64', 'The digest is in base64, not in hex.')]}]
}

export interface Scheme {
  readonly causes: readonly Cause[]
  digest(key: KeyObject, body: Uint8Array): string
}

type Timestamp = Claim['timestamp']

function framed(before: string, after: string, causes: readonly Cause[]): Scheme {
  return {causes, digest: (key, body) => hmac(key, before, body, after)}
}

/**
 * Returns the ways to compute a digest that follow §6.3: with the timestamp as it is and, if it is finer than a second,
 * with its whole seconds.
 */
export function properSchemes(timestamp: Timestamp): Scheme[] {
  if (timestamp === undefined) return []
  const proper = framed(`${timestamp}.`, '', [])
  const seconds = /^(\d{9,11})(?:\d{3}|\d{6}|\.\d+)$/.exec(timestamp)?.[1]
  if (seconds === undefined) return [proper]
  const sent = cause(MILLISECONDS, 'The timestamp was sent in milliseconds, and signed in seconds.')
  return [proper, framed(`${seconds}.`, '', [sent])]
}

const SEPARATORS = ['', ':', ',', '|', '\n', '-']

export function otherSchemes(timestamp: Timestamp): Scheme[] {
  const bodyAlone = 'The body alone was signed, without the timestamp and the full stop.'
  const unsigned = framed('', '', [cause('timestamp_not_signed', bodyAlone)])
  if (timestamp === undefined) return [unsigned]
  const wrong = (what: string) => [cause('separator_wrong', what)]
  const order = wrong('The body was put before the timestamp when it was signed.')
  return [
    unsigned,
    ...SEPARATORS.map(separator => {
      const shown = separator === '' ? 'nothing' : JSON.stringify(separator)
      const what = `Between timestamp and body was ${shown} instead of a full stop when it was signed.`
      return framed(timestamp + separator, '', wrong(what))
    }),
    ...['.', ...SEPARATORS].map(separator => framed('', separator + timestamp, order)),
  ]
}

/** Yields the ways to compute a digest as in §6.3 with a timestamp in milliseconds, for a header that has seconds. */
export function* millisecondSchemes(timestamp: Timestamp): Generator<Scheme> {
  if (timestamp === undefined || !/^\d{9,11}$/.test(timestamp)) return
  const signed = cause(MILLISECONDS, 'The timestamp was signed in milliseconds, and sent in seconds.')
  for (let n = 0; n < 1000; n++) yield framed(`${timestamp}${String(n).padStart(3, '0')}.`, '', [signed])
}

/** Returns ways to compute a digest that need no secret, or are not an HMAC with the secret as key. */
export function keylessSchemes(timestamp: Timestamp): Scheme[] {
  const scheme = (what: string, digest: Scheme['digest']) => ({
    causes: [cause('signed_without_hmac_key', what)],
    digest,
  })
  return (timestamp === undefined ? [''] : [`${timestamp}.`, '', timestamp]).flatMap(front => [
    scheme('It is a plain SHA-256, no HMAC: anyone can make it.', (_, body) => sha256(front, body)),
    scheme('It is a SHA-256 over secret and message together, no HMAC.', (key, body) =>
      sha256(key.export(), front, body),
    ),
    scheme('It is an HMAC with an empty key: anyone can make it.', (_, body) => hmac('', front, body)),
  ])
}

type Piece = string | Uint8Array

function sha256(...message: readonly Piece[]): string {
  const sum = createHash('sha256')
  for (const piece of message) sum.update(piece)
  return sum.digest('hex')
}

function hmac(key: Piece | KeyObject, ...message: readonly Piece[]): string {
  const sum = createHmac('sha256', key)
  for (const piece of message) sum.update(piece)
  return sum.digest('hex')
}
