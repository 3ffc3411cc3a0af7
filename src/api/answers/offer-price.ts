/** The total price of an offer, wherever the service puts it; never a tax, a fee, a fine or another offer's price. */

import type {Fields} from '../../contract/field-names.js'
import {isObject, type JsonObject, own} from '../../contract/json.js'
import type {Node} from '../../contract/json-walk.js'
import {isAmount, minorUnits} from '../../contract/money.js'
import {type OfferNode, offerIdOf} from './offers.js'

export interface FoundPrice {
  /** Decimal string: as the service wrote it, or made from its number. */
  readonly total: string | null
  readonly currency: string | null
}

export interface RawMoney {
  readonly amount: string | number
  readonly currency: string | undefined
}

/** Where the amount itself may stand, best first. */
const AMOUNT_KEYS = [
  'total_price',
  'total_amount',
  'price_total',
  'grand_total',
  'total',
  'price',
  'price_amount',
  'selling_rate',
  'selling_price',
  'amount',
  'net',
  'gross',
]
/** What leads to it, best first. */
const PRICE_KEYS = [
  'price',
  'total_price',
  'offer_retail_rate',
  'retail_rate',
  'selling_price',
  'total',
  'totals',
  'total_amount',
  'inclusive',
  'gross',
  'billable_currency',
  'request_currency',
  'pricing',
  'prices',
  'price_details',
  'cost',
  'amount',
  'rate',
  'rates',
  'payment_options',
  'payment_types',
  'occupancy_pricing',
  'rooms',
]
/** Lists of which the first item stands for the others. Any other list counts only when it has one item. */
const ALTERNATIVES = new Set(['prices', 'payment_types', 'total', 'amount'])
const MAX_DEPTH = 7
const NO_PRICE: FoundPrice = {total: null, currency: null}

/** The offer's price: its own, or that of an object around it which holds no other offer. */
export function priceOf(offer: OfferNode, node: Node): FoundPrice {
  const inside = moneyIn(offer, node.value, 0)
  const money = inside ?? moneyAround(offer, node)
  if (!money) return NO_PRICE
  const currency = money.currency ?? currencyAround(offer, node)
  return {total: amountText(money.amount, currency), currency: currency ?? null}
}

function moneyIn(offer: OfferNode, value: JsonObject, depth: number): RawMoney | undefined {
  const fields = offer.fieldsOf(value)
  const keys = depth === 0 ? AMOUNT_KEYS : [...AMOUNT_KEYS, 'value']
  for (const key of keys) {
    const money = moneyFrom(fields.get(key))
    if (money) return {amount: money.amount, currency: money.currency ?? currencyBeside(fields, key)}
  }
  if (depth >= MAX_DEPTH) return undefined
  for (const child of priceChildren(fields)) {
    if ((offerIdOf(child) ?? offer.offerId) !== offer.offerId) continue
    const money = moneyIn(offer, child, depth + 1)
    if (money) return {amount: money.amount, currency: money.currency ?? currencyBeside(fields, '')}
  }
  return undefined
}

function* priceChildren(fields: Fields): Generator<JsonObject> {
  for (const key of PRICE_KEYS) {
    const value = fields.get(key)
    const isUsable = !Array.isArray(value) || value.length === 1 || ALTERNATIVES.has(key)
    const child = Array.isArray(value) ? value[0] : value
    if (isUsable && isObject(child)) yield child
  }
  // Prices by occupancy (`{"2": …}`): with several, none of them is the price of the whole offer.
  const occupancies = [...fields].filter(([key]) => /^\d+([-_,]\d+)*$/.test(key))
  const only = occupancies.length === 1 ? occupancies[0]?.[1] : undefined
  if (isObject(only)) yield only
}

/**
 * Across a list, only an object under a price's name counts: a bare `total` beside a list is the number of its items.
 */
function moneyAround(offer: OfferNode, node: Node): RawMoney | undefined {
  let crossedList = node.inArray
  for (let around = node.parent; around && offer.isAloneIn(around); around = around.parent) {
    const fields = offer.fieldsOf(around.value)
    const named = ['price', 'total_price', 'pricing'].map(key => fields.get(key)).find(isObject)
    const from = crossedList ? named : around.value
    const money = from && moneyIn(offer, from, crossedList ? 1 : 0)
    if (money) return {amount: money.amount, currency: money.currency ?? currencyBeside(fields, '')}
    crossedList ||= around.inArray
  }
  return undefined
}

function currencyAround(offer: OfferNode, node: Node): string | undefined {
  for (let around = node.parent; around; around = around.parent) {
    const currency = currencyBeside(offer.fieldsOf(around.value), '')
    if (currency !== undefined) return currency
  }
  return undefined
}

/** `total_amount` goes with `total_currency` before any other. */
function currencyBeside(fields: Fields, amountKey: string): string | undefined {
  const prefix = amountKey.replace(/_?(amount|price|rate)$/, '')
  const names = [
    `${prefix}_currency`,
    'currency',
    'currency_code',
    'price_currency',
    'total_currency',
    'currency_iso',
  ]
  for (const name of names) {
    const value = fields.get(name)
    const code = isObject(value) ? own(value, 'code') : value
    if (typeof code === 'string' && /^[A-Za-z]{3}$/.test(code.trim())) return code.trim().toUpperCase()
  }
  return undefined
}

/** A number, a decimal string, or both parts in one string: `1250.00 EUR`, `EUR 1250.00`. */
export function moneyFrom(value: unknown): RawMoney | undefined {
  if (typeof value === 'number') {
    return value >= 0 && value < 1e15 ? {amount: value, currency: undefined} : undefined
  }
  if (typeof value !== 'string') return undefined
  const [, before, amount = '', after] =
    /^(?:([A-Z]{3})\s*)?([\d.]+)(?:\s*([A-Z]{3}))?$/.exec(value.trim()) ?? []
  return isAmount(amount) ? {amount, currency: before ?? after} : undefined
}

/** Strings stay as they are; numbers are written with the decimals of their currency. */
export function amountText(amount: string | number, currency: string | undefined): string {
  if (typeof amount === 'string') return amount
  const decimals = currency === undefined ? 0 : minorUnits(currency)
  const text = String(amount)
  const fraction = text.split('.')[1] ?? ''
  // An exponent, or more decimals than any price has, is an artefact of floating point.
  if (/e/.test(text) || fraction.length > 6) return amount.toFixed(currency === undefined ? 2 : decimals)
  return fraction.length >= decimals ? text : amount.toFixed(decimals)
}
