/** Random identifiers and secrets, and the hash under which secrets are stored. */
import {createHash, randomBytes} from 'node:crypto'
import {SANDBOX_RESERVATION_REF_PREFIX} from '../../contract/identifiers.js'

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Returns `prefix` and 24 random characters (18 bytes, base64url). */
export function randomId(prefix: string): string {
  return prefix + randomBytes(18).toString('base64url')
}

/** Returns `prefix` and 43 random characters (32 bytes, base64url). */
export function randomSecret(prefix = ''): string {
  return prefix + randomBytes(32).toString('base64url')
}

export function randomReservationRef(): string {
  const digits = [...randomBytes(10)].map(byte => CROCKFORD[byte % 32]).join('')
  return SANDBOX_RESERVATION_REF_PREFIX + digits
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
