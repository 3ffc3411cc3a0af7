/** Random events and their signatures, made with node's HMAC and not by the code under test. */
import {createHmac} from 'node:crypto'
import type {CheckTerms} from '../../src/webhooks/diagnose/finding.js'
import {HEADER_NAMES, signatureOf} from '../support/webhook-files.js'

/** Returns a random integer from 0 to `limit` − 1. */
export type Pick = (limit: number) => number

/** Returns a small seeded generator that gives the same numbers on every machine (mulberry32). */
export function seeded(seed: number): Pick {
  let state = seed >>> 0
  return limit => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

export const T = 1_700_000_000

/** Returns the terms of a check at T with the secret `whsec_test`. */
export const checkTerms = (more: Partial<CheckTerms> = {}): CheckTerms => ({
  secrets: [{name: 'file', secret: 'whsec_test'}],
  otherSecrets: () => [],
  names: HEADER_NAMES,
  now: () => T,
  toleranceSeconds: 300,
  inVain: {count: 0},
  ...more,
})

export function hmac(key: string | Uint8Array, message: string | Uint8Array): string {
  return createHmac('sha256', key).update(message).digest('hex')
}

export const headerFor = (key: string | Uint8Array, body: Uint8Array, t: string | number = T) =>
  signatureOf(body, t, key)

const PEOPLE = 'Ayşe Öğüt|İbrahim Çağrı|Zoë Núñez|Łukasz Żółć|山田太郎|Anna 🏖️ Berg|Müller|Şükrü Ağaoğlu'
const NAMES = PEOPLE.split('|')
const TYPES = ['reservation.confirmed', 'reservation.updated', 'payment.captured', 'voucher.ready']
const WORDS = 'ABCDEFGHJKMNPQRSTVWXYZ0123456789'

export function word(pick: Pick, length: number): string {
  return Array.from({length}, () => WORDS[pick(WORDS.length)]).join('')
}

/** Returns an event as JSON text without spaces, with numbers written as amounts of money. */
export function eventText(pick: Pick): string {
  const type = TYPES[pick(TYPES.length)] ?? ''
  const name = NAMES[pick(NAMES.length)] ?? ''
  const amount = `${pick(9000) + 100}.${String(pick(100)).padStart(2, '0')}`
  const fields = [
    '"object":"reservation"',
    `"reservation_ref":"RSV-${word(pick, 10)}"`,
    `"client_reference_id":"TRIP-${pick(10_000)}"`,
    '"status":"CONFIRMED"',
    ...(type === 'payment.captured' ? [`"amount":"${amount}","currency":"EUR","payment_status":"PAID"`] : []),
    ...(type === 'voucher.ready'
      ? [
          `"voucher":{"url":"https://v.example.com/p/${word(pick, 12)}?a=1&b=2","expires_at":"2026-11-20T13:00:00+03:00"}`,
        ]
      : []),
    ...(type === 'reservation.updated'
      ? [`"changes":[{"field":"guests[0].name","old":"Ali","new":"${name}"}],"tags":[]`]
      : []),
    ...(pick(2) ? [`"lead_guest":"${name}"`] : []),
    ...(pick(3) === 0 ? [`"total":${amount}`] : []),
  ]
  return `{"id":"evt_${word(pick, 16)}","type":"${type}","created":"2026-11-20T12:00:00+03:00","data":{${fields.join(',')}}}`
}

/** Returns an event with a letter beyond ASCII, a slash and an amount of money. */
export function richText(pick: Pick): string {
  const name = NAMES[pick(NAMES.length)] ?? ''
  return eventText(pick).replace(
    /\}\}$/,
    `,"contact":{"name":"${name}","site":"https://e.example.com/${word(pick, 4)}"}}}`,
  )
}

export const secretOf = (pick: Pick) =>
  `whsec_${Buffer.from(word(pick, 32)).toString('base64').replace(/=+$/, '')}`
