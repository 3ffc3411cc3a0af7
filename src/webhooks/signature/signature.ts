/**
 * Creates and verifies webhook signatures exactly as §6.2 and §6.3 say: HMAC-SHA256, with the whole secret as key, of
 * the timestamp as spelled in the header, a full stop and the raw body. It reads no clock and does not parse the body.
 */
import {createHash, createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual} from 'node:crypto'
import {SIGNATURE_TOLERANCE_SECONDS} from '../../contract/limits.js'

/** A signing secret with a name for use in results. The name is never the secret itself. */
export interface NamedSecret {
  /** A subscription id, or the source of the secret: `file`, `stdin`, `env[0]`. */
  readonly name: string
  readonly secret: string
}

type Refusal = 'missing_header' | 'malformed_header' | 'signature_mismatch' | 'timestamp_outside_tolerance'

export interface Verdict {
  readonly valid: boolean
  readonly reason: 'ok' | Refusal
  /** Unix seconds, if the header is well-formed. */
  readonly timestamp?: number
  /** Seconds from the timestamp until now, negative if the timestamp is in the future. */
  readonly ageSeconds?: number
  /** The name of the secret that matched, even if the timestamp is outside the tolerance. */
  readonly secretName?: string
}

interface VerifyTerms {
  /** The value of the header. An array with several values is malformed, because the header must occur once. */
  readonly header: string | readonly string[] | undefined
  readonly secrets: readonly NamedSecret[]
  /** Unix seconds. Fractions are dropped. */
  readonly now: number
  /** Default 300 (§6.3.4). A difference of exactly this many seconds is accepted. */
  readonly toleranceSeconds?: number
}

type JudgeTerms = Omit<VerifyTerms, 'header'>

/** A well-formed header: every `v1` in lowercase hex, and the timestamp as received, because its digits are signed. */
interface ParsedSignature {
  readonly timestamp: string
  readonly digests: readonly string[]
}

/** Returns the value of the signature header for `rawBody`. `timestamp` is Unix seconds in digits. */
export function sign(secret: string, timestamp: string, rawBody: Uint8Array): string {
  const signer = createSigner([secret], timestamp)
  signer.update(rawBody)
  return signer.finish()
}

/** Signs a body that arrives in pieces, without storing them. The header gets a `v1` for each secret. */
export function createSigner(secrets: readonly (string | KeyObject)[], timestamp: string) {
  const sums = secrets.map(secret => createHmac('sha256', secret).update(`${timestamp}.`))
  const digests = () => sums.map(sum => sum.digest('hex'))
  const update = (piece: Uint8Array) => {
    for (const sum of sums) sum.update(piece)
  }
  /**
   * `finish` returns the value of the header, `digests` only the digests. Only one of them may be called, and it must
   * be the last call.
   */
  return {update, digests, finish: () => [`t=${timestamp}`, ...digests().map(hex => `v1=${hex}`)].join(',')}
}

const FIELD = /^([A-Za-z0-9_-]+)=([\x21-\x2b\x2d-\x7e]*)$/

/**
 * Parses `t=<1 to 12 digits>,v1=<64 lowercase hex>`: fields separated by single commas without spaces, exactly one `t`,
 * at least one `v1`. Fields with other names are ignored. Returns undefined for any other text.
 */
export function parseSignature(header: string): ParsedSignature | undefined {
  const timestamps: string[] = []
  const digests: string[] = []
  for (const field of header.split(',')) {
    const found = FIELD.exec(field)
    if (found === null) return undefined
    if (found[1] === 't') timestamps.push(found[2] as string)
    if (found[1] === 'v1') digests.push(found[2] as string)
  }
  const timestamp = timestamps.join(',')
  if (!/^\d{1,12}$/.test(timestamp)) return undefined
  if (digests.length === 0 || !digests.every(digest => /^[0-9a-f]{64}$/.test(digest))) return undefined
  return {timestamp, digests}
}

/**
 * Verifies one request (§6.3): first the digest, then the tolerance. A refusal is returned as a verdict. Throws a
 * TypeError for an empty secret.
 */
export function verify(input: VerifyTerms & {readonly rawBody: Uint8Array}): Verdict {
  const signature = signatureIn(input.header)
  if (typeof signature === 'string') return {valid: false, reason: signature}
  return verifyParsed(signature, input.rawBody, input)
}

/** Like `verify`, for a parsed header. If the body is a string, it is latin1, with one character per byte. */
export function verifyParsed(
  signature: ParsedSignature,
  rawBody: Uint8Array | string,
  terms: JudgeTerms,
): Verdict {
  let matched: string | undefined
  for (const named of terms.secrets) {
    const {key, padded} = keyOf(named)
    let digest: string
    if (rawBody.length <= MOST_AT_ONCE_BYTES) digest = digestAtOnce(padded, signature.timestamp, rawBody)
    else {
      const body = typeof rawBody === 'string' ? Buffer.from(rawBody, 'latin1') : rawBody
      digest = createHmac('sha256', key).update(`${signature.timestamp}.`).update(body).digest('hex')
    }
    if (isAmong(signature.digests, digest)) matched ??= named.name
  }
  return judge(signature, matched, terms)
}

/** A key as RFC 2104 pads it: filled with zeros to the block size of SHA-256, then XORed with each of two bytes. */
interface PaddedKey {
  readonly inner: Uint8Array
  readonly outer: Uint8Array
}

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
const MOST_TIMESTAMP_BYTES = 13
const MOST_AT_ONCE_BYTES = 64 * 1024

function padKey(secret: Buffer): PaddedKey {
  const block = Buffer.alloc(BLOCK_BYTES)
  const short = secret.length > BLOCK_BYTES ? createHash('sha256').update(secret).digest() : secret
  short.copy(block)
  return {inner: block.map(byte => byte ^ 0x36), outer: block.map(byte => byte ^ 0x5c)}
}

const message = Buffer.alloc(BLOCK_BYTES + MOST_TIMESTAMP_BYTES + MOST_AT_ONCE_BYTES)
const innerDigest = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES)

/**
 * Returns the HMAC of a short body in hex, computed with two plain hashes. An Hmac object would cost as much as hashing
 * an event, and as much again when it is garbage-collected (`npm run bench`, verify-many).
 */
function digestAtOnce({inner, outer}: PaddedKey, timestamp: string, rawBody: Uint8Array | string): string {
  message.set(inner)
  let length = BLOCK_BYTES + message.write(`${timestamp}.`, BLOCK_BYTES, 'latin1')
  if (typeof rawBody === 'string') length += message.write(rawBody, length, 'latin1')
  else {
    message.set(rawBody, length)
    length += rawBody.length
  }
  innerDigest.set(outer)
  innerDigest.write(hash('sha256', message.subarray(0, length), 'binary'), BLOCK_BYTES, 'latin1')
  return hash('sha256', innerDigest, 'hex')
}

/**
 * Returns the parsed header, or the reason why it cannot be parsed. A list of one value counts as a header that
 * occurred once.
 */
export function signatureIn(header: VerifyTerms['header']): ParsedSignature | Refusal {
  const values = typeof header === 'string' ? [header] : (header ?? [])
  const [value] = values
  if (value === undefined) return 'missing_header'
  return (values.length === 1 ? parseSignature(value) : undefined) ?? 'malformed_header'
}

interface Key {
  readonly key: KeyObject
  readonly padded: PaddedKey
}

const keys = new WeakMap<NamedSecret, Key>()

/** Returns the key of a secret. Keys are cached. */
function keyOf(named: NamedSecret): Key {
  const known = keys.get(named)
  if (known) return known
  // A secret that consists only of the prefix is rejected, because everyone knows it.
  if (isEmptySecret(named.secret)) throw new TypeError('an empty signing secret verifies nothing')
  const secret = Buffer.from(named.secret)
  const key = {key: createSecretKey(secret), padded: padKey(secret)}
  keys.set(named, key)
  return key
}

/** Verifies a body that arrives in pieces, without storing them. `finish` must be the last call. */
export function createVerifier(terms: VerifyTerms): {update(piece: Uint8Array): void; finish(): Verdict} {
  const signature = signatureIn(terms.header)
  if (typeof signature === 'string')
    return {update: () => {}, finish: () => ({valid: false, reason: signature})}
  const signer = createSigner(
    terms.secrets.map(named => keyOf(named).key),
    signature.timestamp,
  )
  return {
    update: signer.update,
    finish() {
      const found = signer.digests().map(digest => isAmong(signature.digests, digest))
      return judge(signature, terms.secrets[found.indexOf(true)]?.name, terms)
    },
  }
}

/** Reports whether `secret` contains nothing but prefixes, spaces and quotes. */
export function isEmptySecret(secret: string): boolean {
  return /^(whsec_)*$/.test(secret.replace(/[\s"'`\ufeff\u200b]/gu, ''))
}

/**
 * Digests are compared in two buffers that are used again, because new ones would add a tenth to the time (`npm run
 * bench`, verify-many).
 */
const expected = Buffer.alloc(64)
const claimed = Buffer.alloc(64)

/** Reports whether `digest` is one of `received` (64 hex digits each). Compares with all of them, in constant time. */
function isAmong(received: readonly string[], digest: string): boolean {
  let found = false
  expected.write(digest, 'latin1')
  for (const hex of received) {
    claimed.write(hex, 'latin1')
    if (timingSafeEqual(expected, claimed)) found = true
  }
  return found
}

function judge(signature: ParsedSignature, secretName: string | undefined, terms: JudgeTerms): Verdict {
  const timestamp = Number(signature.timestamp)
  const ageSeconds = Math.floor(terms.now) - timestamp
  if (secretName === undefined) return {valid: false, reason: 'signature_mismatch', timestamp, ageSeconds}
  const {toleranceSeconds = SIGNATURE_TOLERANCE_SECONDS} = terms
  if (Math.abs(ageSeconds) <= toleranceSeconds)
    return {valid: true, reason: 'ok', timestamp, ageSeconds, secretName}
  return {valid: false, reason: 'timestamp_outside_tolerance', timestamp, ageSeconds, secretName}
}
