/** Formats the plan of a batch for a person: a table of the trips to book, then the trips that cannot be booked. */
import {isSameCurrency, type Money} from '../../../api/answers/amounts.js'
import {nightsBetween} from '../../../contract/dates.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {compareAmounts} from '../../../contract/money.js'
import {type Painter, unpainted} from '../../terminal/colour.js'
import {moneyText, onItsOwnClock} from '../../terminal/dates-and-amounts.js'
import {cancellationText} from '../catalogue/offer-lines.js'
import {type BatchRow, totalsOf} from './rows.js'

const COLUMNS = [
  {name: 'line'},
  {name: 'client_reference_id'},
  {name: 'check_in'},
  {name: 'nights'},
  {name: 'hotel, room, board', wraps: true},
  {name: 'price'},
  {name: 'cancellation', wraps: true},
]

/**
 * Returns lines for at most `most` planned trips and for all trips that cannot be booked, none of them wider than
 * `width`. `now` is in Unix seconds.
 */
export async function planLines(
  rows: readonly BatchRow[],
  {most, now, width, paint = unpainted}: {most: number; now: number; width: number; paint?: Painter},
): Promise<string[]> {
  const [{layOut}, {hang}] = await Promise.all([
    import('../../terminal/table.js'),
    import('../../terminal/text.js'),
  ])
  const planned = rows.filter(row => row.outcome === 'planned')
  const cells = planned.slice(0, most).map(row => cellsOf(row, now))
  const others = planned.length - cells.length
  const table = cells.length === 0 ? undefined : layOut({columns: COLUMNS, rows: cells, width, paint})
  const whole = table && table.leftOut.length === 0
  return [
    ...(whole ? [...table.head, ...table.body] : cells.flatMap(each => hang(each.join('  '), width, 2))),
    ...(others > 0 ? [`and ${others} more`] : []),
    ...rows.filter(row => row.outcome === 'refused').flatMap(row => hang(refusalLine(row), width, 2)),
  ]
}

function cellsOf({trip, stay, offer, cost}: BatchRow, now: number): string[] {
  const hotel = [offer?.hotel_name ?? 'unknown hotel', offer?.room_name, offer?.board]
  const onDay = (until: string) => onItsOwnClock(until).replace(/ .*/, '')
  const cells = [
    String(trip.line),
    trip.reference,
    stay?.check_in ?? 'unknown',
    stay ? String(nightsBetween(stay.check_in, stay.check_out)) : '',
    hotel.filter(Boolean).join(', '),
    moneyText(cost ?? null) ?? 'unknown',
    (offer && cancellationText({offer}, now, onDay)) ?? 'terms unknown',
  ]
  return cells.map(cell => sanitizeLine(cell, 128))
}

function refusalLine({trip, failure}: BatchRow): string {
  const reference = sanitizeLine(trip.reference, 128)
  return `line ${trip.line}, ${reference}: refused: ${sanitizeLine(failure?.message ?? '', 2000)}`
}

/** Maximum number of exchange rates that are listed. */
const MOST_RATES = 4

/**
 * Returns lines about charges in a currency other than the price's: the charges that the offers state, and the
 * account's currency if offers state none.
 */
export function chargeLines(balance: Money | undefined, planned: readonly BatchRow[]): string[] {
  const stated = planned.filter(row => row.chargeAhead)
  const charges = totalsOf(stated.map(row => row.chargeAhead)).map(moneyText)
  const inWords = (rows: readonly BatchRow[]) =>
    [...new Set(rows.map(row => row.cost?.currency ?? 'unknown'))].sort().join(', ')
  const others = planned.filter(({offer, cost, paysFromAccount}) => {
    const isUnstated = cost?.currency && offer?.details.charge === undefined && paysFromAccount
    return isUnstated && balance?.currency && !isSameCurrency(cost, balance)
  })
  const account = `in ${balance?.currency}, the currency of the account, at rates that the service decides`
  return [
    ...(stated.length > 0
      ? [
          `Charged to the account for prices in ${inWords(stated)}: ${charges.join(' + ')}${atWhichRates(stated)}`,
        ]
      : []),
    ...(others.length > 0 ? [`Prices in ${inWords(others)} are charged ${account}`] : []),
  ].map(line => sanitizeLine(line, 200))
}

/**
 * Returns the exchange rates of the charges, each with the currency of the price: `, at the rate 0.92 for USD, 1.16 for
 * GBP`.
 */
function atWhichRates(rows: readonly BatchRow[]): string {
  const rates = rows.flatMap(({chargeAhead, cost}) => {
    const rate = chargeAhead?.rate ?? null
    return rate === null ? [] : [`${rate} for ${cost?.currency ?? 'unknown'}`]
  })
  const different = [...new Set(rates)].sort()
  if (different.length === 0) return ''
  return different.length > MOST_RATES ? ', at several rates' : `, at the rate ${different.join(', ')}`
}

/**
 * Returns a line with the balance. It also says if the balance is less than the cost of the trips to book in its
 * currency.
 */
export function balanceLine(balance: Money, planned: readonly BatchRow[]): string {
  const costs = planned.map(row => row.chargeAhead ?? row.cost)
  const inCurrency = totalsOf(costs).find(total => isSameCurrency(total, balance))
  const isLess = inCurrency !== undefined && compareAmounts(balance.amount, inCurrency.amount) < 0
  return `Balance of the account: ${moneyText(balance)}${isLess ? ', less than the trips to book cost' : ''}`
}
