/**
 * Encrypts values in the shared store with AES-256-GCM. HKDF-SHA256 derives the keys from the client secret, which is
 * never stored there.
 */
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
import {usage} from '../../contract/failure.js'

/** The column and row that an encrypted value belongs to. A value that was moved to another row cannot be decrypted. */
interface SealedPlace {
  readonly table: string
  readonly column: string
  /** The values that identify the row, for example base URL, client id and key. */
  readonly row: readonly (string | number)[]
}

const VERSION = 1
const KEY_ID_BYTES = 8
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Without `authTagLength`, Node 20 accepts authentication tags of 4 bytes, which can be guessed. */
const TAGGED = {authTagLength: TAG_BYTES}
const HEAD_BYTES = 1 + KEY_ID_BYTES + SALT_BYTES + NONCE_BYTES + TAG_BYTES

export type Seal = ReturnType<typeof createSeal>

export function createSeal(clientSecret: string) {
  const keyId = derive(clientSecret, '', 'key id', KEY_ID_BYTES)
  const fingerprintKey = derive(clientSecret, '', 'fingerprint', 32)
  return {
    /** Identifies the secret that a value was encrypted with, without revealing anything about it. */
    keyId: keyId.toString('hex'),
    seal(text: string, place: SealedPlace): Buffer {
      const salt = randomBytes(SALT_BYTES)
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keyFor(clientSecret, salt, place), nonce, TAGGED)
      cipher.setAAD(contextOf(place))
      const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), keyId, salt, nonce, cipher.getAuthTag(), bytes])
    },
    /** Decrypts a value. Returns undefined if it was changed, or encrypted with another secret or for another row. */
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
    /**
     * Returns a keyed hash of a text that could be guessed, such as an identity number. Equal texts have equal hashes,
     * and nobody can compute them without the client secret.
     */
    fingerprint: (text: string) => createHmac('sha256', fingerprintKey).update(text).digest('hex'),
  }
}

/** Returns the seal, or throws a usage error if there is no client secret to make one of. */
export function requiredSeal(seal: Seal | undefined): Seal {
  if (seal) return seal
  const hint = 'use the client id and secret (bookctl login), or reserve without a shared store'
  throw usage(
    'no_secret_to_seal',
    'in a shared store a reservation is sealed with the client secret, and BOOKCTL_TOKEN comes without one',
    hint,
  )
}

const stretch = promisify<string, Buffer, number, Buffer>(scrypt)
const LASTING_BYTES = 32

/**
 * Returns a fingerprint that stays valid when the client secret changes. It is salted and slow to compute. It must not
 * be used for identity numbers, which could still be found by trying.
 */
export async function lastingFingerprint(
  text: string,
  salt: Buffer = randomBytes(SALT_BYTES),
): Promise<string> {
  return `${salt.toString('hex')}.${(await stretch(text, salt, LASTING_BYTES)).toString('hex')}`
}

/** Reports whether `stored` is the lasting fingerprint of `text`. */
export async function hasLastingFingerprint(text: string, stored: string): Promise<boolean> {
  const salt = Buffer.from(stored.split('.')[0] ?? '', 'hex')
  const given = Buffer.from(await lastingFingerprint(text, salt))
  const known = Buffer.from(stored)
  return known.length === given.length && timingSafeEqual(given, known)
}

/**
 * Derives a key for one value. With a single key for all, random nonces would be safe for only about four billion
 * values.
 */
function keyFor(secret: string, salt: Uint8Array, {table, column}: SealedPlace): Buffer {
  return derive(secret, salt, `${table}|${column}`, 32)
}

function derive(secret: string, salt: string | Uint8Array, what: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, `bookctl/v${VERSION}|${what}`, bytes))
}

/** Encodes a place. Each part has its length in front of it, so that no two places have the same encoding. */
function contextOf({table, column, row}: SealedPlace): Buffer {
  const parts = [String(VERSION), table, column, ...row.map(String)]
  return Buffer.from(parts.map(part => `${Buffer.byteLength(part)}:${part}`).join(''))
}
