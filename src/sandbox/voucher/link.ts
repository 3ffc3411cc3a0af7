/** Signed voucher links (§2.6): the reservation and the end of validity, under an HMAC of a secret kept in the database. */
import {createHmac, timingSafeEqual} from 'node:crypto'
import {VOUCHER_LINK_VALIDITY_SECONDS} from '../../contract/limits.js'
import type {Database} from '../../storage/database.js'
import {randomSecret} from '../base/random.js'
import {readMeta, writeMeta} from '../store/schema.js'

export function ensureVoucherSecret(database: Database): void {
  if (readMeta(database, 'voucher_secret') === undefined) {
    writeMeta(database, 'voucher_secret', randomSecret())
  }
}

/** The path of a link to the reservation's voucher, valid from `now` (Unix seconds). */
export function signVoucherLink(database: Database, reservationRef: string, now: number) {
  const expiresAt = Math.floor(now) + VOUCHER_LINK_VALIDITY_SECONDS
  const payload = Buffer.from(JSON.stringify([reservationRef, expiresAt])).toString('base64url')
  return {path: `/vouchers/${payload}.${mac(database, payload)}`, expiresAt}
}

/** The reservation's reference, or why the link cannot be used. */
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
  const secret = readMeta(database, 'voucher_secret')
  if (secret === undefined) throw new Error('the sandbox has no voucher secret')
  return createHmac('sha256', secret).update(payload).digest('base64url')
}
