/** The total price of an offer, wherever the service puts it; never a tax, a fee, a fine or another offer's price. */
import {fieldsOf} from '../../contract/field-names.js'
import {isObject, type JsonObject, type Node} from '../../contract/json.js'
import {isCurrencyCode} from '../../contract/money.js'
import {type MoneyWay, moneyIn} from './facts.js'
import {type OfferNode, offerIdOf} from './offers.js'
import {ALTERNATIVE_PRICES, CURRENCY, LEADS_TO_PRICE, PRICE} from './vocabulary.js'

export interface FoundPrice {
  /** Decimal string: as the service wrote it, or made from its number. */
  readonly total: string | null
  readonly currency: string | null
}

/** The offer's price: its own, or that of an object around it which holds no other offer. */
export function priceOf(offer: OfferNode, node: Node): FoundPrice {
  const way: MoneyWay = {
    inside: [...PRICE, 'value', ...LEADS_TO_PRICE],
    child: (value, name) => childOf(offer, value, name),
    leads: LEADS_TO_PRICE,
    currency: [...CURRENCY, 'price_currency', 'total_currency'],
  }
  const names = [...PRICE, ...LEADS_TO_PRICE]
  const price = moneyIn(fieldsOf(node.value), names, node, way) ?? priceAround(offer, node, way)
  const currency = price?.currency ?? null
  return {
    total: price?.amount ?? null,
    currency: currency !== null && isCurrencyCode(currency) ? currency : null,
  }
}

/** An object that may hold the price, unless it is another offer's. A list counts when it has one item, or alternatives. */
function childOf({offerId}: OfferNode, value: unknown, name: string): JsonObject | undefined {
  const isUsable = !Array.isArray(value) || value.length === 1 || ALTERNATIVE_PRICES.includes(name)
  const child = Array.isArray(value) ? value[0] : value
  if (!isUsable || !isObject(child) || (offerIdOf(child) ?? offerId) !== offerId) return undefined
  if (name !== 'occupancy_pricing') return child
  // Prices by occupancy (`{"2": …}`): with several, none of them is the price of the whole offer.
  const [only, ...others] = Object.values(child)
  return isObject(only) && others.length === 0 ? only : undefined
}

/** Across a list, only an object under a price's name counts: a bare `total` beside a list is the number of its items. */
function priceAround(offer: OfferNode, node: Node, way: MoneyWay) {
  let crossedList = node.inArray
  for (let around = node.parent; around && offer.isAloneIn(around); around = around.parent) {
    const fields = fieldsOf(around.value)
    const objects = crossedList
      ? ['price', 'total_price', 'pricing'].filter(name => isObject(fields.get(name)))
      : undefined
    const price = moneyIn(fields, objects ?? [...PRICE, ...LEADS_TO_PRICE], around, way)
    if (price) return price
    crossedList ||= around.inArray
  }
  return null
}
