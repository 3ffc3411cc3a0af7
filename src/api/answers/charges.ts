/**
 * Reads what the partner's account is charged if its currency differs from the price's, and the exchange rate, from
 * answers of any shape (not in the interface). A charge is never read as the price.
 */
import {type Fields, fieldsOf, firstObject, type JsonObject, textOf} from '../../contract/json.js'
import {isSameMoney, type Money, moneyIn, priceIn} from './amounts.js'
import {factIn} from './facts.js'
import {AMOUNT, CHARGED, RESERVATION} from './vocabulary.js'

export interface Charge extends Money {
  /** The exchange rate as the service wrote it, a decimal number. Null if the answer states none. */
  readonly rate: string | null
}

/**
 * Returns what the account is charged for an offer or a reservation, or null if the record does not state it. A charge
 * is found under a name of its own in the payment, the price or the record, or it is a payment in another currency that
 * has an exchange rate.
 */
export function chargeOf(record: JsonObject): Charge | null {
  const fields = fieldsOf(record)
  const payment = fieldsOf(firstObject(fields.get('payment')))
  const price = fieldsOf(firstObject(fields.get('price')))
  return chargeIn(payment) ?? chargeIn(price) ?? chargeIn(fields) ?? convertedPayment(fields, payment)
}

function chargeIn(fields: Fields): Charge | null {
  return factIn(fields, CHARGED.itself, (value, name) => {
    const money = moneyIn(fields, [name])
    const inside = fieldsOf(firstObject(value))
    return money && {...money, rate: rateIn(inside, CHARGED.rate) ?? rateIn(fields, CHARGED.conversion)}
  })
}

/**
 * Returns the charge of a payment that has an exchange rate and another currency than the price, such as `{price:
 * {total: "100.00", currency: "USD"}, payment: {amount: "92.59", currency: "EUR", exchange_rate: "0.9259"}}`; null for
 * any other payment.
 */
function convertedPayment(fields: Fields, payment: Fields): Charge | null {
  const rate = rateIn(payment, CHARGED.conversion)
  const paid = moneyIn(payment, AMOUNT)
  const price = priceIn(fields, RESERVATION.wholePrice)
  if (rate === null || !paid?.currency || price === null || price === 'unclear') return null
  return price.currency === null || price.currency === paid.currency ? null : {...paid, rate}
}

function rateIn(fields: Fields, names: readonly string[]): string | null {
  return factIn(fields, names, value => {
    const text = textOf(value)?.trim() ?? ''
    return /^\d{1,15}(\.\d{1,30})?(e-?\d{1,2})?$/i.test(text) && Number(text) > 0 ? text : undefined
  })
}

/** Reports whether the charge differs from the price in amount or currency, and so is worth showing. */
export function differsFrom(charge: Charge, price: Money | null): boolean {
  return price === null || !isSameMoney(charge, price)
}
