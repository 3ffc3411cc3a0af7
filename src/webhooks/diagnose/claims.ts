/** What a signature header claims, read as generously as can be: which digests, made at which time. */
import {parseSignature} from '../signature/signature.js'
import type {Cause, Claim} from './cause.js'

const cause = (code: string, what: string): Cause => ({code, what})

const REWRITTEN = (how: string) => cause('header_rewritten', `The signature is right, but its header ${how}.`)

/** Ours: a header has few signatures; one that has many is not searched through. */
const MOST_CLAIMS = 12

/** The claims in `values`, the header's values. The grammar's own come without causes. */
export function readClaims(values: readonly string[]): Claim[] {
  const repeated =
    values.length > 1 ? [cause('header_repeated', 'The signature header came more than once.')] : []
  return values
    .slice(0, 4)
    .flatMap(one =>
      readOne(one.slice(0, 4096)).map(claim => ({...claim, causes: [...repeated, ...claim.causes]})),
    )
    .slice(0, MOST_CLAIMS)
}

interface Field {
  readonly name: string
  readonly value: string
}

function readOne(text: string): Claim[] {
  const proper = parseSignature(text)
  if (proper) return proper.digests.map(digest => ({timestamp: proper.timestamp, digest, causes: []}))
  const {fields, causes} = splitFields(text)
  const stamps = [...new Set(fields.filter(({name}) => name === 't').map(({value}) => value))]
  const digests = fields.filter(({name}) => name !== 't').flatMap(({value}) => readDigest(value))
  const times = stamps.length === 0 ? [undefined] : stamps.slice(0, 3)
  return times.flatMap(timestamp =>
    digests.map(digest => {
      const found = [...timeCauses(timestamp), ...digest.causes]
      const kept =
        found.length > 0
          ? found
          : [REWRITTEN(stamps.length > 1 ? 'has more than one t' : 'breaks the grammar')]
      return {timestamp, digest: digest.hex, causes: causes.length > 0 ? [...causes, ...found] : kept}
    }),
  )
}

function splitFields(text: string): {fields: Field[]; causes: Cause[]} {
  const bare = text.trim().replace(/^["'](.*)["']$/s, '$1')
  const causes: Cause[] = []
  if (bare !== text) causes.push(REWRITTEN('has quotes or blanks around it'))
  else if (/\s/.test(text)) causes.push(REWRITTEN('has blanks in it'))
  const parts = bare.split(/[,;&|\s]+/).filter(Boolean)
  const separated = /[;&|]/.test(bare) && !bare.includes(',')
  if (separated) causes.push(REWRITTEN('separates its fields with something else than commas'))
  const fields = parts.map(part => readField(part))
  if (fields.some(({letter}) => letter)) causes.push(REWRITTEN('names its fields in capitals'))
  return {fields, causes: causes.slice(0, 1)}
}

function readField(part: string): Field & {letter: boolean} {
  const [, name = '', value = part] = /^(t|v\d|ts|timestamp|s|sig|signature)[=:](.*)$/is.exec(part) ?? []
  const low = name.toLowerCase()
  return {
    name: low === 'ts' || low === 'timestamp' ? 't' : low,
    value: value.replace(/^"(.*)"$/, '$1'),
    letter: name !== low,
  }
}

function timeCauses(timestamp: string | undefined): Cause[] {
  if (timestamp === undefined || /^\d{1,12}$/.test(timestamp)) return []
  if (/^\d{13,19}$/.test(timestamp) || /^\d{9,12}\.\d+$/.test(timestamp)) {
    return [
      cause(
        'timestamp_milliseconds',
        'The timestamp of the header is in milliseconds or finer, not in whole seconds.',
      ),
    ]
  }
  return [REWRITTEN('has a timestamp that is not written in digits')]
}

/** The digests `value` may stand for, in lowercase hex, with what is wrong with how it is written. */
function readDigest(value: string): {hex: string; causes: Cause[]}[] {
  const prefix =
    /^(?:(?:hmac[-_]?)?sha-?256|v1|hmac|hex|sha256hex|0x)[=:,-]?(?=.{43})/i.exec(value)?.[0] ?? ''
  const prefixed =
    prefix === '' ? [] : [cause('signature_prefixed', `${JSON.stringify(prefix)} stands before the digest.`)]
  const bare = value.slice(prefix.length)
  if (/^[\da-f]{64}$/.test(bare)) return [{hex: bare, causes: prefixed}]
  if (/^[\da-f]{64}$/i.test(bare)) {
    const upper = cause('signature_uppercase', 'The digits of the digest are upper case.')
    return [{hex: bare.toLowerCase(), causes: [...prefixed, upper]}]
  }
  return base64Digests(bare).map(hex => {
    const encoded = cause('signature_base64', 'The digest is written in base64, not in hex.')
    return {hex, causes: [...prefixed, encoded]}
  })
}

function base64Digests(text: string): string[] {
  if (!/^[A-Za-z0-9+/_-]{43,88}={0,2}$/.test(text)) return []
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length === 32) return [bytes.toString('hex')]
  const inner = bytes.toString('latin1')
  return /^[\da-f]{64}$/i.test(inner) ? [inner.toLowerCase()] : []
}
