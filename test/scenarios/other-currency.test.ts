/** A price in one currency, paid from an account that is kept in another. */
import {afterAll, beforeAll, expect, test} from 'vitest'
import {toMinor} from '../../src/contract/money.js'
import {Home} from '../support/bookctl.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {GUESTS, searchWith} from '../support/stay.js'
import {atTerminal} from '../support/terminal.js'

const sandbox = await sandboxOfFile()
const home = new Home()
afterAll(() => home.remove())

interface Offer {
  readonly offer_id: string
  readonly price: {readonly total: string; readonly currency: string}
  readonly raw: {readonly account_charge: {amount: string; currency: string; rate: string}}
}

beforeAll(async () => {
  const login = [
    'login',
    '--base-url',
    sandbox.baseUrl,
    '--client-id',
    'cid_sandbox',
    '--client-secret-stdin',
  ]
  expect(await home.json(login, {stdin: 'sk_test_sandbox\n'})).toMatchObject({exit: 0})
})

async function offersIn(currency: string): Promise<Offer[]> {
  const {result} = await home.json<{offers: Offer[]}>(searchWith({'--currency': currency}))
  return result.offers
}

const balance = async () =>
  toMinor((await home.run(['account', '--query', 'account.balance'])).stdout.trim(), 'EUR')

test.each(['USD', 'JPY', 'KWD'])(
  'a price in %s: the result says the charge and its rate, and no price has changed',
  async currency => {
    const [offer] = await offersIn(currency)
    const charge = offer?.raw.account_charge
    const before = await balance()
    const argv = ['reserve', offer?.offer_id ?? '', '--pay', 'account', ...GUESTS]
    const limit = ['--max-price', `${offer?.price.total} ${currency}`]
    const first = await home.json([...argv, ...limit])
    const agreed = {price: offer?.price.total, currency}
    expect(first).toMatchObject({exit: 0, result: {agreed, price_changed: false, charged: charge}})
    expect(before - (await balance())).toBe(toMinor(charge?.amount ?? '', 'EUR'))
    // The journal knows it too.
    expect(await home.json(argv)).toMatchObject({exit: 0, result: {price_changed: false, charged: charge}})
    const shown = await home.run(argv)
    expect(shown.stdout).toContain(`charged\t${charge?.amount} EUR at the rate ${charge?.rate}\n`)
  },
)

test('--max-price compares the price, however little the account is charged', async () => {
  const [offer] = await offersIn('JPY')
  const argv = ['reserve', offer?.offer_id ?? '', '--pay', 'account', ...GUESTS, '--max-price', '999 JPY']
  expect(await home.json(argv)).toMatchObject({exit: 2, result: {error: {code: 'price_too_high'}}})
})

test('a price in the currency of the account has no charge', async () => {
  const [offer] = await offersIn('EUR')
  const argv = ['reserve', offer?.offer_id ?? '', '--pay', 'account', ...GUESTS]
  expect((await home.json(argv)).result).not.toHaveProperty('charged')
  expect((await home.run(argv)).stdout).not.toContain('charged')
})

test('at a terminal, the plan and the question say the charge before it is sent', async () => {
  const [offer] = await offersIn('USD')
  const {amount, rate} = offer?.raw.account_charge ?? {}
  const terminal = atTerminal(home, ['reserve', offer?.offer_id ?? '', '--pay', 'account', ...GUESTS], {
    columns: 120,
    rows: 40,
  })
  await terminal.waitFor(
    `for ${offer?.price.total} USD, charged as ${amount} EUR at the rate ${rate} (TEST)?`,
  )
  expect(terminal.screen()).toMatch(new RegExp(`^Charged +${amount} EUR at the rate ${rate}$`, 'm'))
  const asked = (await sandbox.requests()).filter(line => line.includes('/account'))
  terminal.type('y\r')
  expect(await terminal.exit).toBe(0)
  expect(terminal.screen()).toMatch(new RegExp(`^charged: +${amount} EUR at the rate ${rate}$`, 'm'))
  // Nothing was asked for the plan: the offer had said it.
  expect((await sandbox.requests()).filter(line => line.includes('/account'))).toHaveLength(asked.length + 1)
})
