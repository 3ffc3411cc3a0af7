/** The list of offers in the wizard, and moving through it. */
import stringWidth from 'string-width'
import {beforeAll, describe, expect, test, vi} from 'vitest'
import type {FoundOffer} from '../../../../src/api/operations/hotels.js'
import {offerFound} from '../../../../src/cli/features/catalogue/hotels.js'
import {detailRows, offerGlance, offerLine} from '../../../../src/cli/features/catalogue/offer-lines.js'
import {Draft, minutesLeft} from '../../../../src/cli/features/wizard/draft.js'
import {chooseOffer, findSame, type Listed} from '../../../../src/cli/features/wizard/find-offer.js'
import {onThreeClocks} from '../../../../src/cli/terminal/dates-and-amounts.js'
import type {OfferFound} from '../../../../src/contract/seen-offers.js'
import {searchRequest} from '../../../support/sandbox.js'
import {type Line, said, scriptedPrompts} from './scripted-prompts.js'

const NOW = Date.parse('2030-05-01T00:00:00Z') / 1000
beforeAll(() => void vi.stubEnv('TZ', 'America/New_York'))

const REQUEST = searchRequest()

const offer = (change: Partial<FoundOffer> = {}): Listed => {
  const found = {...USUAL, ...change}
  return {...found, seen: offerFound(REQUEST, found, NOW)}
}

const USUAL: FoundOffer = {
  offer_id: 'off_1',
  hotel_id: null,
  hotel_name: 'Otel Şadırvan',
  stars: 3,
  room_name: 'Standard Room',
  board: 'BB',
  price: {total: '120.00', currency: 'EUR'},
  refundable: true,
  free_cancellation_until: '2030-05-29T18:00:00+03:00',
  expires_at: '2030-05-01T00:15:00.000Z',
  raw: {},
}

describe('the deadline on three clocks', () => {
  const PAST = [{from: '2030-04-30', amount: '9.00'}]
  // This answer comes from a service whose clock is a second ahead.
  const raw = {cancellation_policies: [{from: '2030-05-01T00:00:01Z', amount: '9.00'}]}
  const NEVER_FREE = offer({free_cancellation_until: null, refundable: false, raw})
  const THERE = ['2030-05-29 11:00 your time (America/New_York)', '2030-05-29 15:00 UTC']
  test.each([
    ['2030-05-29T18:00:00+03:00', ['2030-05-29 18:00 (UTC+03:00) hotel time', ...THERE]],
    ['2030-05-29T15:00:00Z', ['hotel time: not in the answer', ...THERE]],
    ['2030-05-29', ['2030-05-29 (no time zone in the answer)']],
  ])('%s', (until, lines) => expect(onThreeClocks(until)).toEqual(lines))

  test('is once where this machine has UTC', () => {
    vi.stubEnv('TZ', 'UTC')
    const times = ['2030-05-29T15:00:00Z', '2030-05-29T15:00:00+00:00'].flatMap(onThreeClocks)
    expect(times.filter(line => line.includes('15:00'))).toHaveLength(2)
    vi.stubEnv('TZ', 'America/New_York')
  })

  test.each([
    [offer(), 'free until 2030-05-29 18:00'],
    [offer({free_cancellation_until: '2030-04-01T00:00:00Z'}), 'cancelling costs a fee'],
    [offer({free_cancellation_until: null, refundable: false}), 'not refundable'],
    [offer({refundable: false}), 'Cancellation: not refundable'],
    [NEVER_FREE, 'Cancellation: not refundable'],
    [offer({free_cancellation_until: null}), 'Cancellation: refundable'],
    [
      offer({free_cancellation_until: null, raw: {cancellation_policies: PAST}}),
      'Cancellation: cancelling costs',
    ],
    [offer({free_cancellation_until: null, refundable: null}), 'unknown'],
  ])('is in plain words (%#)', (shown, words) => {
    expect(offerGlance(shown.seen, NOW)).toContain(words)
  })

  test('is not in the list for an offer that is never free to cancel', () => {
    expect(offerLine(NEVER_FREE.seen, NOW)).toMatch(/ not refundable$/)
  })
})

test('facts that the answer lacks are shown as unknown', () => {
  const bare = {hotel_name: null, stars: null, room_name: null, board: null}
  const price = {total: null, currency: null}
  const {seen} = offer({...bare, price, free_cancellation_until: null, refundable: null})
  const shown = offerGlance(seen, NOW)
  expect(shown.match(/unknown|unnamed/g)?.length).toBe(4)
})

test('every charge and every policy has its own line in the summary, and a list counts those that it leaves out', () => {
  const numbers = ['1', '2', '3', '4']
  const charges = numbers.map(n => ({description: 'fee for each night', amount: `1${n}.00`, currency: 'EUR'}))
  const policies = numbers.map(n => ({from: `2030-05-0${n}`, fee: `${n}.50`, currency: 'EUR'}))
  const shown = offer({raw: {due_at_property: charges, cancellation_policies: policies}}).seen
  const rows = detailRows(shown, NOW).map(([, text]) => text)
  for (const {amount} of charges)
    expect(rows.filter(text => text.startsWith(`${amount} EUR`))).toHaveLength(1)
  for (const {fee} of policies) expect(rows.filter(text => text.endsWith(`costs ${fee} EUR`))).toHaveLength(1)
  expect(offerGlance(shown, NOW).match(/and 1 more/g)).toHaveLength(2)
})

test('details that are not stored here are not called missing in the answer', () => {
  const text = detailRows({...offer().seen, details: null}, NOW).join('\n')
  expect(text).toContain('not stored here; see: bookctl hotels price off_1')
  expect(text).not.toContain('the answer does not say')
})

test('removes control characters from a hostile name, and fits a line to the terminal', async () => {
  const hostile = ['\u001b[2J\u001b]0;x\u0007Otel', 'ホテル東京'.repeat(9), 'a\r\nb', '\u202eletO']
  for (const hotel_name of hostile) {
    const line = offerLine(offer({hotel_name, board: '\u001b[31mBB'}).seen, NOW)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through.
    expect(line).not.toMatch(/[\u0000-\u001f\u007f\u202e]/)
    expect(stringWidth(line)).toBeLessThanOrEqual(77)
    expect(offerGlance(offer({room_name: hotel_name}).seen, NOW)).not.toContain('\u001b')
  }
})

const cheap = offer({offer_id: 'off_cheap', hotel_name: 'Konak', price: {total: '80.00', currency: 'EUR'}})
const fine = offer({
  offer_id: 'off_fine',
  hotel_name: 'Saray',
  stars: 5,
  board: 'AI',
  refundable: false,
  price: {total: '900.00', currency: 'EUR'},
})
const OFFERS = [fine, offer(), cheap]

async function choose(script: readonly Line[], wanted?: OfferFound) {
  const prompts = scriptedPrompts(script)
  const {view} = new Draft()
  const choice = await chooseOffer(prompts, OFFERS, () => NOW, {view, lost: wanted})
  return {id: choice?.offer_id ?? 'change search', prompts, view}
}

describe('the list', () => {
  test('has its prices end in one column', () =>
    expect(OFFERS.map(({seen}) => offerLine(seen, NOW).indexOf(' EUR'))).toEqual([11, 11, 11]))

  test.each<[string, readonly Line[], string]>([
    ['cheapest first', [['cheapest first', '']], 'off_cheap'],
    ['narrowed by name, without accents', [['3 offers', 'sadirvan']], 'off_1'],
    ['narrowed by board', [['Offer', 'ai']], 'off_fine'],
    ['narrowed by terms', [['Offer', 'refundable standard 120']], 'off_1'],
    ['sorted otherwise', said`Offer → sort: most stars | most stars first →`, 'off_fine'],
    ['with a refund only', said`Offer → only those with a refund | 2 offers →`, 'off_cheap'],
    ['the search changed', [['Offer', 'change the search']], 'change search'],
  ])('%s', async (_, script, id) => {
    expect((await choose(script)).id).toBe(id)
  })

  test('has the offer chosen before first', async () => {
    expect((await choose([['Offer', '']], {...fine.seen, offer_id: 'off_old'})).id).toBe('off_fine')
  })
})

test('the same room is found again by hotel, room, board and terms', () => {
  const old = offer({offer_id: 'off_old', hotel_name: 'OTEL SADIRVAN'}).seen
  expect(findSame(OFFERS, old)?.offer_id).toBe('off_1')
  expect(findSame(OFFERS, offer({board: 'HB'}).seen)).toBeUndefined()
})

test('the time left is in minutes and seconds', () => {
  expect([899.9, 60, 5, -1].map(minutesLeft)).toEqual(['14:59', '1:00', '0:05', '0:00'])
})
