/** Filtering and sorting by price or by other facts, which no service is known to do. */
import {compareAmounts, isAmount} from '../../../contract/money.js'
import type {Column} from '../../terminal/result.js'

interface Price {
  readonly total: string | null
  readonly currency: string | null
}

interface Priced {
  readonly price: Price
}

export const priceText = ({total, currency}: Price) =>
  total === null ? null : [total, currency].filter(Boolean).join(' ')

/** The price as a text, and as two columns of its own. */
export const PRICE_COLUMN: Column<Priced> = {name: 'price', value: ({price}) => priceText(price)}
export const AMOUNT_COLUMNS: readonly Column<Priced>[] = [
  {name: 'total', value: ({price}) => price.total},
  {name: 'currency', value: ({price}) => price.currency},
]

/** Null for a price that is unknown or not a number. */
export function amountOf({price: {total}}: Priced): string | null {
  return total !== null && isAmount(total) ? total : null
}

/** Whether the price is known to be at most `maxPrice`; true without one. */
export function isAffordable(item: Priced, maxPrice: string | undefined): boolean {
  const total = amountOf(item)
  return maxPrice === undefined || (total !== null && compareAmounts(total, maxPrice) <= 0)
}

/** In the order of a key that is read once for each item: numbers, or names; null comes last. */
export function inOrder<Item, Key extends number | string>(
  items: readonly Item[],
  keyOf: (item: Item) => Key | null,
  compare: (left: Key, right: Key) => number = (left, right) =>
    typeof left === 'number' ? left - Number(right) : String(left).localeCompare(String(right), 'en'),
): Item[] {
  return items
    .map(item => ({item, key: keyOf(item)}))
    .sort(({key: left}, {key: right}) =>
      left === null || right === null ? Number(left === null) - Number(right === null) : compare(left, right),
    )
    .map(({item}) => item)
}
