/** Another service, whose price is in dollars and whose account is in euro: what it says of the charge, in its own words. */
import {beforeEach, expect, test} from 'vitest'
import {answer} from '../support/scripted-service.js'
import {GUESTS} from '../support/stay.js'
import {scriptedHome} from './scripted-home.js'

const {service, home} = await scriptedHome()
service.tokenMilliseconds = 0
const SEARCH =
  'hotels search --city 7 --check-in 2031-05-01 --nights 3 --nationality TR --currency USD'.split(' ')
const PRICE = {total: '240.00', currency: 'USD'}
let next = 0

/** Answers the reservation with `said` and the account with `account`. Returns the arguments that reserve. */
async function reserving(said: object, account?: object, offer: object = {}): Promise<string[]> {
  const offer_id = `off_${next++}`
  service.script = ({path}, response) => {
    if (path === '/hotels/search') answer(response, 200, {offers: [{offer_id, price: PRICE, ...offer}]})
    else if (path === '/account' && account) answer(response, 200, account)
    else if (path === '/reservations/hotel')
      answer(response, 201, {data: {reservation_ref: `R-${offer_id}`, status: 'CONFIRMED', ...said}})
    else return false
    return true
  }
  expect(await home.run(SEARCH)).toMatchObject({exit: 0})
  return ['reserve', offer_id, '--pay', 'account', ...GUESTS]
}

beforeEach(() => service.forget())

test.each<[string, object, object]>([
  [
    'numbers',
    {payment: {amount: 240, currency: 'USD', charged: {amount: 222.22, currency: 'EUR', rate: 0.9259}}},
    {amount: '222.22', currency: 'EUR', rate: '0.9259'},
  ],
  [
    'other names',
    {payment: {debitedAmount: '222.22', debitedCurrency: 'EUR', exchangeRate: '0.9259'}},
    {amount: '222.22', currency: 'EUR', rate: '0.9259'},
  ],
  [
    'a payment that was converted',
    {payment: {amount: '222.22', currency: 'EUR', fx_rate: 0.9259}},
    {amount: '222.22', currency: 'EUR', rate: '0.9259'},
  ],
  ['no rate', {charged: '222.22 EUR'}, {amount: '222.22', currency: 'EUR', rate: null}],
])('%s: the charge is in the result, and the price is as agreed', async (_, said, charged) => {
  const argv = await reserving({price: PRICE, ...said})
  for (const more of [['--max-price', '240 USD'], []]) {
    const {exit, result, stderr} = await home.json([...argv, ...more])
    expect({exit, result}).toMatchObject({exit: 0, result: {price_changed: false, charged}})
    expect(stderr).not.toContain('Warning')
  }
})

test('a changed price is reported, whatever was charged', async () => {
  const argv = await reserving({price: {total: '250.00', currency: 'USD'}, charged: '222.22 EUR'})
  expect(await home.json(argv)).toMatchObject({exit: 3, result: {price_changed: true}})
})

test.each<[string, object | undefined, object, RegExp | undefined]>([
  [
    'the offer says it',
    undefined,
    {account_charge: {amount: 222.22, currency: 'EUR'}},
    /^Charged +222\.22 EUR$/m,
  ],
  [
    'the account is in euro',
    {currency: 'EUR', balance: 1000},
    {},
    /^Charged +in EUR, the currency of the account, at a rate that the service decides$/m,
  ],
  ['the account is in dollars', {currency: 'USD', balance: 1000}, {}, undefined],
  ['the account cannot be read', undefined, {}, undefined],
])('the plan before it is sent: %s', async (_, account, offer, line) => {
  const argv = await reserving({price: PRICE}, account, offer)
  const {exit, stderr} = await home.run([...argv, '-v'])
  expect(exit).toBe(0)
  if (line) expect(stderr).toMatch(line)
  else expect(stderr).not.toMatch(/^Charged/m)
})
