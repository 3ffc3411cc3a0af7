/** Filtering and sorting by price or by other facts, which no service is known to do, and how a list says what is left. */
import {compareAmounts, isAmount, moneyText} from '../../../contract/money.js'
import {shownOf} from '../../terminal/dates-and-amounts.js'
import {type Column, headLine} from '../../terminal/result.js'

interface Priced {
  readonly price: {readonly total: string | null; readonly currency: string | null}
}

export const priceText = ({total, currency}: Priced['price']) =>
  total === null ? null : moneyText(total, currency)

/** The price as a text, and as two columns of its own. */
export const PRICE_COLUMN: Column<Priced> = {name: 'price', value: ({price}) => priceText(price)}
export const AMOUNT_COLUMNS: readonly Column<Priced>[] = [
  {name: 'total', value: ({price}) => price.total},
  {name: 'currency', value: ({price}) => price.currency},
]

/** Null for a price that is unknown or not a number. */
function amountOf({price: {total}}: Priced): string | null {
  return total !== null && isAmount(total) ? total : null
}

interface Filters {
  readonly 'max-price'?: string | undefined
  /** One of `keys`, or `price`; without it the service's own order. */
  readonly sort?: string | undefined
  readonly limit?: number | undefined
}

/** At most `limit` of the items, none of which costs more than `max-price`; what has no key comes last. */
export function filterAndSort<Item extends Priced>(
  found: readonly Item[],
  {'max-price': most, sort = '', limit}: Filters,
  keys: Readonly<Record<string, (item: Item) => number | string | null>>,
): Item[] {
  const isAffordable = (amount: string | null) =>
    most === undefined || (amount !== null && compareAmounts(amount, most) <= 0)
  const kept = found.filter(item => isAffordable(amountOf(item)))
  const keyOf = sort === 'price' ? amountOf : keys[sort]
  if (!keyOf) return kept.slice(0, limit)
  const compare = (left: number | string, right: number | string) => {
    if (typeof left === 'number') return left - Number(right)
    return sort === 'price' ? compareAmounts(left, `${right}`) : left.localeCompare(`${right}`, 'en')
  }
  return kept
    .map(item => ({item, key: keyOf(item)}))
    .sort(({key: left}, {key: right}) =>
      left === null || right === null ? Number(left === null) - Number(right === null) : compare(left, right),
    )
    .map(({item}) => item)
    .slice(0, limit)
}

/** What is said of a list at a terminal: `head` and how many are shown of those found. */
export function countOf(noun: string, shown: readonly unknown[], found: readonly unknown[], head: string) {
  const whenEmpty =
    found.length > 0 ? `No ${noun}s match your filters (${found.length} found).` : `No ${noun}s were found.`
  return {lead: headLine(`${head}: ${shownOf(shown.length, found.length, noun)}`), whenEmpty}
}
