/** How a person sees the plan of a batch, at terminals of several widths. */
import {expect, test} from 'vitest'
import type {BatchOffer} from '../../../../src/cli/features/batch/offers.js'
import {balanceLine, chargeLines, planLines} from '../../../../src/cli/features/batch/plan-lines.js'
import {BatchRow} from '../../../../src/cli/features/batch/rows.js'
import {usage} from '../../../../src/contract/failure.js'

const OFFER: BatchOffer = {
  offer_id: 'off_1',
  hotel_id: 'htl_1',
  hotel_name: 'Kaftan Park Otel',
  stars: 4,
  room_name: 'Standard Room',
  board: 'RO',
  price: {total: '101.62', currency: 'EUR'},
  refundable: true,
  free_cancellation_until: '2027-01-04T18:00:00+03:00',
  details: {
    refundable: true,
    free_cancellation_until: '2027-01-04T18:00:00+03:00',
    terms: null,
    city: 101,
  },
  expiresAt: 0,
}

function rowOf(line: number, reference: string): BatchRow {
  const trip = {
    line,
    reference,
    offerId: undefined,
    search: undefined,
    choose: {},
    request: JSON.stringify({payment: {mode: 'account'}}),
    guestsAreRows: true,
    past: undefined,
    source: {rows: []},
  }
  return new BatchRow(trip, {nationality: undefined, baseUrl: 'https://service.test/v1'})
}

function planned(line: number, reference: string): BatchRow {
  const row = rowOf(line, reference)
  row.outcome = 'planned'
  row.offer = OFFER
  row.stay = {check_in: '2027-01-07', check_out: '2027-01-10', rooms: [], city: 101}
  return row
}

const now = Date.parse('2026-12-01T00:00:00Z') / 1000

test('has a row for each trip with hotel, room, price and cancellation, and the refused trips below', async () => {
  const refused = rowOf(4, 'G-2')
  refused.fail(usage('no_offer', 'the search found no offers'), 'refused')
  const rows = [planned(2, 'G-1'), refused]
  expect(await planLines(rows, {most: 10, now, width: 120})).toEqual([
    'LINE  CLIENT REFERENCE ID  CHECK IN    NIGHTS  HOTEL, ROOM, BOARD                        PRICE  CANCELLATION',
    '   2  G-1                  2027-01-07       3  Kaftan Park Otel, Standard Room, RO  101.62 EUR  free until 2027-01-04',
    'line 4, G-2: refused: the search found no offers',
  ])
})

test.each([40, 60, 80, 100])('fits into %d columns and leaves nothing out', async width => {
  const lines = await planLines([planned(2, 'G-1')], {most: 10, now, width})
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(width)
  const text = lines.join(' ')
  for (const word of ['G-1', '2027-01-07', 'Kaftan', 'Standard', 'RO', '101.62', '2027-01-04'])
    expect(text).toContain(word)
})

test('shows no more trips than asked for, and the number of the others', async () => {
  const rows = [planned(2, 'G-1'), planned(4, 'G-2'), planned(6, 'G-3')]
  const lines = await planLines(rows, {most: 1, now, width: 100})
  expect(lines.at(-1)).toBe('and 2 more')
  expect(lines.join(' ')).not.toContain('G-2')
})

const CHARGE = {amount: '94.09', currency: 'EUR', rate: '0.9259'}

/** A trip that costs 101.62 in `currency`, of which the service said `charge`. */
function pricedIn(currency: string, charge?: typeof CHARGE): BatchRow {
  const row = planned(2, 'G-1')
  row.offer = {
    ...OFFER,
    price: {total: '101.62', currency},
    details: {...OFFER.details, ...(charge && {charge})},
  }
  return row
}

test('what the account is charged is summed as the offers say it, else only its currency is said', () => {
  const balance = {amount: '500.00', currency: 'EUR'}
  const rows = [pricedIn('USD', CHARGE), pricedIn('USD', CHARGE), pricedIn('KWD'), pricedIn('EUR')]
  expect(chargeLines(balance, rows)).toEqual([
    'Charged to the account for prices in USD: 188.18 EUR, at the rate 0.9259 for USD',
    'Prices in KWD are charged in EUR, the currency of the account, at rates that the service decides',
  ])
  expect(chargeLines(undefined, [pricedIn('KWD')])).toEqual([])
  const rates = ['0.1', '0.2', '0.3', '0.4', '0.5'].map(rate => pricedIn('USD', {...CHARGE, rate}))
  expect(chargeLines(balance, rates)).toEqual([
    'Charged to the account for prices in USD: 470.45 EUR, at several rates',
  ])
  const itself = {amount: '101.62', currency: 'EUR', rate: '1'}
  expect(chargeLines(balance, [pricedIn('EUR', itself)])).toEqual([])
})

test('the balance is compared with the charges, not with the prices in another currency', () => {
  const rows = [pricedIn('USD', CHARGE), pricedIn('EUR')]
  expect(balanceLine({amount: '195.71', currency: 'EUR'}, rows)).not.toContain('less')
  expect(balanceLine({amount: '195.70', currency: 'EUR'}, rows)).toContain('less than the trips to book cost')
})
