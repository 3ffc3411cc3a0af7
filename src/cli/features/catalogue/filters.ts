/** Filters and sorts lists on this machine, because no service is known to do it, and counts the results. */
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {compareAmounts, isAmount, moneyText} from '../../../contract/money.js'
import type {Maximum} from '../../input/checks.js'
import {counted, shownOf} from '../../terminal/dates-and-amounts.js'
import {type Column, headLine} from '../../terminal/result.js'

interface Priced {
  readonly price: {readonly total: string | null; readonly currency: string | null}
}

export const priceText = ({total, currency}: Priced['price']) =>
  total === null ? null : moneyText(total, currency)

/** The column with the price as one text. AMOUNT_COLUMNS show the same as two columns. */
export const PRICE_COLUMN: Column<Priced> = {name: 'price', value: ({price}) => priceText(price)}
export const AMOUNT_COLUMNS: readonly Column<Priced>[] = [
  {name: 'total', value: ({price}) => price.total},
  {name: 'currency', value: ({price}) => price.currency},
]

/** Returns the amount of a price. Null if it is unknown or not a number. */
function amountOf({price: {total}}: Priced): string | null {
  return total !== null && isAmount(total) ? total : null
}

interface Filters {
  readonly 'max-price'?: Maximum | undefined
  /** The currency of the search. It applies to prices and maxima without a currency. */
  readonly currency?: string | undefined
  /** A sort key, or `price` (default: the service's order). */
  readonly sort?: string | undefined
  readonly limit?: number | undefined
}

function isElsewhere({price}: Priced, {'max-price': most, currency = ''}: Filters): boolean {
  return (price.currency ?? currency).toUpperCase() !== (most?.currency ?? currency).toUpperCase()
}

/** Returns a warning about items that were left out because their price is not in the currency of `max-price`. */
export function warningOfCurrencies(noun: string, found: readonly Priced[], filters: Filters): string[] {
  const {'max-price': most, currency} = filters
  const left = most ? found.filter(item => amountOf(item) !== null && isElsewhere(item, filters)) : []
  if (left.length === 0) return []
  const others = [...new Set(left.map(({price}) => sanitizeLine(price.currency ?? currency ?? '', 20)))]
  const shown = `${others.slice(0, 5).join(', ')}${others.length > 5 ? ', …' : ''}`
  const text = `${counted(left.length, noun)} left out: priced in ${shown}, and --max-price is in ${most?.currency ?? currency}`
  return [`Warning: ${text}`]
}

/** Returns at most `limit` items that cost no more than `max-price`, sorted. Items without the sort key come last. */
export function filterAndSort<Item extends Priced>(
  found: readonly Item[],
  filters: Filters,
  keys: Readonly<Record<string, (item: Item) => number | string | null>>,
): Item[] {
  const {'max-price': most, sort = '', limit} = filters
  const kept = found.filter(item => {
    if (most === undefined) return true
    const amount = amountOf(item)
    return amount !== null && !isElsewhere(item, filters) && compareAmounts(amount, most.amount) <= 0
  })
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

/**
 * Returns what is shown with a list at a terminal: a line with `head` and the numbers of shown and found items, or the
 * text for an empty list.
 */
export function countOf(noun: string, shown: readonly unknown[], found: readonly unknown[], head: string) {
  const whenEmpty =
    found.length > 0 ? `No ${noun}s match your filters (${found.length} found).` : `No ${noun}s were found.`
  return {lead: headLine(`${head}: ${shownOf(shown.length, found.length, noun)}`), whenEmpty}
}
