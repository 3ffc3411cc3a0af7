/** Seals what a shared database holds: AES-256-GCM, keys derived by HKDF-SHA256 from the client secret, never stored there. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import {promisify} from 'node:util'

/** What a sealed value belongs to. A value moved to another row, or an older one put back, does not open. */
interface SealedPlace {
  readonly table: string
  readonly column: string
  /** What tells the row apart: base URL, client id, key. */
  readonly row: readonly (string | number)[]
}

const VERSION = 1
const KEY_ID_BYTES = 8
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Without it Node 20 accepts tags of 4 bytes, which can be guessed. */
const TAGGED = {authTagLength: TAG_BYTES}
const HEAD_BYTES = 1 + KEY_ID_BYTES + SALT_BYTES + NONCE_BYTES + TAG_BYTES

export type Seal = ReturnType<typeof createSeal>

export function createSeal(clientSecret: string) {
  const keyId = derive(clientSecret, '', 'key id', KEY_ID_BYTES)
  const fingerprintKey = derive(clientSecret, '', 'fingerprint', 32)
  return {
    /** Tells apart the secrets under which values were sealed; says nothing of the secret. */
    keyId: keyId.toString('hex'),
    seal(text: string, place: SealedPlace): Buffer {
      const salt = randomBytes(SALT_BYTES)
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keyFor(clientSecret, salt, place), nonce, TAGGED)
      cipher.setAAD(contextOf(place))
      const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), keyId, salt, nonce, cipher.getAuthTag(), bytes])
    },
    /** Undefined when it was sealed under another secret, for another row, or was changed. */
    open(sealed: Uint8Array, place: SealedPlace): string | undefined {
      const bytes = Buffer.from(sealed)
      if (bytes.length < HEAD_BYTES || bytes[0] !== VERSION) return undefined
      const lengths = [1, KEY_ID_BYTES, SALT_BYTES, NONCE_BYTES, TAG_BYTES]
      let end = 0
      const [, id, salt, nonce, tag] = lengths.map(length => {
        end += length
        return bytes.subarray(end - length, end)
      }) as [Buffer, Buffer, Buffer, Buffer, Buffer]
      if (!id.equals(keyId)) return undefined
      const decipher = createDecipheriv('aes-256-gcm', keyFor(clientSecret, salt, place), nonce, TAGGED)
      decipher.setAAD(contextOf(place)).setAuthTag(tag)
      try {
        return decipher.update(bytes.subarray(HEAD_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        return undefined
      }
    },
    /** Of a text that could be guessed, such as an identity number's: equal for equal texts, and only to who has the secret. */
    fingerprint: (text: string) => createHmac('sha256', fingerprintKey).update(text).digest('hex'),
  }
}

const stretch = promisify<string, Buffer, number, Buffer>(scrypt)
const LASTING_BYTES = 32

/**
 * A fingerprint that a change of the client secret does not change: salted and slow to try. Never of an identity number,
 * which could be tried in spite of that.
 */
export async function lastingFingerprint(
  text: string,
  salt: Buffer = randomBytes(SALT_BYTES),
): Promise<string> {
  return `${salt.toString('hex')}.${(await stretch(text, salt, LASTING_BYTES)).toString('hex')}`
}

/** Whether the lasting fingerprint `stored` is of `text`. */
export async function hasLastingFingerprint(text: string, stored: string): Promise<boolean> {
  const salt = Buffer.from(stored.split('.')[0] ?? '', 'hex')
  const given = Buffer.from(await lastingFingerprint(text, salt))
  const known = Buffer.from(stored)
  return known.length === given.length && timingSafeEqual(given, known)
}

/** A key for each value: random nonces under one key would run out after about four thousand million. */
function keyFor(secret: string, salt: Uint8Array, {table, column}: SealedPlace): Buffer {
  return derive(secret, salt, `${table}|${column}`, 32)
}

function derive(secret: string, salt: string | Uint8Array, what: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, `bookctl/v${VERSION}|${what}`, bytes))
}

/** Each part with its length before it, so that no two places look alike. */
function contextOf({table, column, row}: SealedPlace): Buffer {
  const parts = [String(VERSION), table, column, ...row.map(String)]
  return Buffer.from(parts.map(part => `${Buffer.byteLength(part)}:${part}`).join(''))
}
