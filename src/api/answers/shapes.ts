/** Reads the facts the interface promises out of answers of any shape: bare, in `data`, or in a named object. */

import {fieldsOf} from '../../contract/field-names.js'
import {isObject, type JsonObject, own} from '../../contract/json.js'
import {breadthFirst, findRecord, textOf} from '../../contract/json-walk.js'
import {LONGEST_TOKEN_LIFETIME_SECONDS} from '../../contract/limits.js'

export {findRecord} from '../../contract/json-walk.js'
export {findOffers} from './offers.js'

/** What stands in the envelope's `data`, or the whole when there is no envelope. */
export function unwrap(json: unknown): unknown {
  if (!isObject(json)) return json
  const data = own(json, 'data')
  return data === undefined || data === null ? json : data
}

export interface ReadReservation {
  /** As the service sent it. */
  readonly reservation: JsonObject
  readonly reservation_ref: string
  readonly status: string | null
  /** Where the customer pays (§2.5). */
  readonly payment_url: string | null
}

/** The reservation in an answer (§2.5): the outermost object with a `reservation_ref`, or undefined. */
export function readReservation(json: unknown): ReadReservation | undefined {
  for (const {value} of breadthFirst(json)) {
    const reference = textOf(own(value, 'reservation_ref'), own(value, 'reservationRef'))
    if (reference === undefined) continue
    const status = textOf(own(value, 'status')) ?? null
    return {reservation: value, reservation_ref: reference, status, payment_url: findPaymentUrl(value, json)}
  }
  return undefined
}

const PAYMENT_URL_KEYS = [
  'payment_url',
  'paymentUrl',
  'payment_link',
  'paymentLink',
  'checkout_url',
  'checkoutUrl',
]
const LINK_KEYS = ['url', 'link', 'href', 'payment_url', 'paymentUrl', 'redirect_url', 'redirectUrl']

function findPaymentUrl(reservation: JsonObject, json: unknown): string | null {
  return paymentUrlIn(reservation) ?? paymentUrlIn(json) ?? null
}

function paymentUrlIn(json: unknown): string | undefined {
  for (const {value} of breadthFirst(json)) {
    const found =
      firstUrl(value, PAYMENT_URL_KEYS) ??
      urlUnder(own(value, 'payment')) ??
      urlUnder(own(value, 'payment_link'))
    if (found !== undefined) return found
  }
  return undefined
}

function urlUnder(value: unknown): string | undefined {
  if (typeof value === 'string') return asUrl(value)
  for (const {value: inner} of breadthFirst(value)) {
    const found = firstUrl(inner, LINK_KEYS)
    if (found !== undefined) return found
  }
  return undefined
}

function firstUrl(value: JsonObject, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const found = asUrl(own(value, key))
    if (found !== undefined) return found
  }
  return undefined
}

function asUrl(value: unknown): string | undefined {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value) ? value : undefined
}

export interface ReadToken {
  readonly access_token: string
  /** Seconds, at most a year; 0 for one that has already ended. */
  readonly expires_in?: number
  readonly scope?: string
  /** As the service wrote it; JSON of what is not a text. */
  readonly token_type?: string
}

/** The token in an answer of §4.1, or undefined. */
export function readToken(json: unknown): ReadToken | undefined {
  const record = findRecord(json, 'access_token') ?? findRecord(json, 'accessToken')
  if (!record) return undefined
  const fields = fieldsOf(record)
  const token = fields.get('access_token')
  if (typeof token !== 'string' || token === '') return undefined
  const seconds = Number(textOf(fields.get('expires_in')) ?? Number.NaN)
  const scope = fields.get('scope')
  const type = fields.get('token_type') ?? ''
  const scopeText = Array.isArray(scope) ? scope.filter(item => typeof item === 'string').join(' ') : scope
  return {
    access_token: token,
    ...(Number.isFinite(seconds)
      ? {expires_in: Math.min(Math.max(0, seconds), LONGEST_TOKEN_LIFETIME_SECONDS)}
      : {}),
    ...(typeof scopeText === 'string' ? {scope: scopeText} : {}),
    ...(type === '' ? {} : {token_type: typeof type === 'string' ? type : JSON.stringify(type)}),
  }
}
