/**
 * Voucher links (§2.6), which are protected by an HMAC, and sealed ids. A sealed id contains a mark of its owner and
 * its expiry in one encrypted AES block, so that an expired id is recognised without a stored record. It reveals
 * nothing and cannot be forged.
 */
import {createCipheriv, createDecipheriv, createHmac, timingSafeEqual} from 'node:crypto'
import {VOUCHER_LINK_VALIDITY_SECONDS} from '../../contract/limits.js'
import type {Database} from '../../storage/database.js'
import {randomSecret, sha256} from '../base/random.js'
import {readMeta, writeMeta} from './schema.js'

/**
 * The content of a sealed id. `expiresAt` is in Unix seconds with milliseconds; `sequence` is below 2^40, `index` below
 * 2^16.
 */
type Stamp = Readonly<Record<'expiresAt' | 'sequence' | 'index', number>>

/** The length of a sealed stamp: one AES block in base64url. */
export const STAMP_LENGTH = 22

/**
 * Returns functions that seal and open the stamps of `owner`. `open` returns undefined for a text that was not sealed
 * for this owner.
 */
export function stampsOf(database: Database, owner: string) {
  const key = sha256(`stamps ${secretOf(database)}`).subarray(0, 16)
  const mark = sha256(owner).subarray(0, 3)
  return {
    seal({expiresAt, sequence, index}: Stamp): string {
      const block = Buffer.alloc(16)
      block.writeUIntBE(Math.round(expiresAt * 1000), 0, 6)
      block.writeUIntBE(sequence, 6, 5)
      block.writeUIntBE(index, 11, 2)
      mark.copy(block, 13)
      const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
      return cipher.update(block).toString('base64url')
    },
    open(text: string): Stamp | undefined {
      const sealed = Buffer.from(text, 'base64url')
      if (sealed.length !== 16 || sealed.toString('base64url') !== text) return undefined
      const block = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(sealed)
      if (!block.subarray(13).equals(mark)) return undefined
      const expiresAt = block.readUIntBE(0, 6) / 1000
      return {expiresAt, sequence: block.readUIntBE(6, 5), index: block.readUIntBE(11, 2)}
    },
  }
}

/** Returns the secret of this sandbox, which is created when it is first needed. */
function secretOf(database: Database): string {
  const known = readMeta(database, 'voucher_secret')
  if (known !== undefined) return known
  const made = randomSecret()
  writeMeta(database, 'voucher_secret', made)
  return made
}

/** Returns the path of a voucher link and its expiry in Unix seconds. The link is valid from `now` (Unix seconds). */
export function signVoucherLink(database: Database, reservationRef: string, now: number) {
  const expiresAt = Math.floor(now) + VOUCHER_LINK_VALIDITY_SECONDS
  const payload = Buffer.from(JSON.stringify([reservationRef, expiresAt])).toString('base64url')
  return {path: `/vouchers/${payload}.${mac(database, payload)}`, expiresAt}
}

/**
 * Returns the reservation reference in a voucher link, or the reason why the link cannot be used: `altered` or
 * `expired`. `now` is in Unix seconds.
 */
export function verifyVoucherLink(database: Database, token: string, now: number) {
  const [payload = '', signature = '', ...rest] = token.split('.')
  const expected = Buffer.from(mac(database, payload))
  const given = Buffer.from(signature)
  if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
    return 'altered'
  const [reservationRef, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return expiresAt <= now ? 'expired' : {reservationRef: String(reservationRef)}
}

function mac(database: Database, payload: string): string {
  return createHmac('sha256', secretOf(database)).update(payload).digest('base64url')
}
