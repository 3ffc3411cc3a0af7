/** A reservation at another price or currency than agreed is reported first, with exit 3 in every state. */
import {beforeAll, expect, test} from 'vitest'
import {OFFER_RETENTION_SECONDS} from '../../src/contract/seen-offers.js'
import {openState} from '../../src/state/state.js'
import {CLIENT} from '../support/client.js'
import {answer, drop} from '../support/scripted-service.js'
import {GUESTS} from '../support/stay.js'
import {scriptedHome} from './scripted-home.js'

const {service, home} = await scriptedHome()
service.tokenMilliseconds = 0
const SEARCH =
  'hotels search --city 7 --check-in 2031-05-01 --nights 3 --nationality TR --currency EUR'.split(' ')
/** The agreed price, which is that of `off_a` in the search. */
const AGREED = {price: '240.00', currency: 'EUR'}
const PAYING = ['--pay', 'account', ...GUESTS]

/** Every offer costs 240.00 EUR. Reservations are answered with `said`. */
function answerWith(said: object, status = 'CONFIRMED', offer = {total: '240.00', currency: 'EUR'}): void {
  service.script = ({path, body}, response) => {
    const ids = Array.from({length: 40}, (_, index) => `off_${index}`)
    if (path === '/hotels/search')
      answer(response, 200, {offers: ids.map(offer_id => ({offer_id, price: offer}))})
    else if (path === '/reservations/hotel') {
      const {offer_id} = JSON.parse(body) as {offer_id: string}
      answer(response, 201, {data: {reservation_ref: `R-${offer_id}`, status, ...said}})
    } else return false
    return true
  }
}

let next = 0
const newOffer = () => `off_${next++}`
/** Returns the lines of stderr without the summary of the request. */
const warningsOf = (stderr: string) => stderr.split('\n').filter(line => /^(Warning|Error|Pay at)/.test(line))
const argvOf = (offer: string) => ['reserve', offer, '--client-reference', `T-${offer}`, ...PAYING]

beforeAll(async () => {
  answerWith({})
  expect(await home.run(SEARCH)).toMatchObject({exit: 0})
})

const eur = (total: string | number) => ({price: {total, currency: 'EUR'}})
test.each<[string, object, string?]>([
  ['dearer', eur('9999.00')],
  ['in another currency', {price: {total: '240.00', currency: 'KWD'}}],
  ['dearer, and pending', eur('9999.00'), 'PENDING_PAYMENT'],
])('%s: exit 3 for the booking, its repeat and --resume', async (_, said, status = 'CONFIRMED') => {
  const offer = newOffer()
  answerWith(said, status)
  for (const argv of [argvOf(offer), argvOf(offer), ['reserve', '--resume', `T-${offer}`]]) {
    const {exit, result, stderr} = await home.json(argv)
    const facts = {reservation_ref: `R-${offer}`, status, agreed: AGREED, price_changed: true}
    expect({exit, result}).toMatchObject({exit: 3, result: facts})
    expect(result).not.toHaveProperty('error')
    expect(warningsOf(stderr)[0]).toMatch(
      /^Warning: reservation R-off_\d+ costs .*, and 240.00 EUR was agreed$/,
    )
  }
  expect(service.seen('/reservations/hotel')).toHaveLength(1)
  const {exit, stdout, stderr} = await home.run(argvOf(offer))
  expect({exit, stdout}).toMatchObject({exit: 3, stdout: expect.stringMatching(/^price_changed\ttrue$/m)})
  expect(stderr).toContain('240.00 EUR was agreed')
})

test.each<[string, object]>([
  ['a second price that differs', {total: '240.00', price: {total: '500.00'}}],
  ['a payment of more than the price', {...eur('240.00'), payment: {amount: '500.00'}}],
  ['a payment in another currency', {...eur('240.00'), payment: {amount: '240.00', currency: 'KWD'}}],
])('%s is reported, and compared with nothing', async (_, said) => {
  answerWith(said)
  const {exit, result, stderr} = await home.json(argvOf(newOffer()))
  expect({exit, result}).toMatchObject({exit: 0, result: {price_changed: null}})
  expect(warningsOf(stderr)[0]).toMatch(/^Warning: the answer names different prices for it/)
})

test('without a stored offer, no price was agreed', async () => {
  answerWith(eur('9999.00'))
  const result = {agreed: null, price_changed: false}
  const argv = ['reserve', 'off_unseen', ...PAYING, '--nationality', 'TR']
  expect(await home.json(argv)).toMatchObject({exit: 0, result})
})

test('a price that becomes known later is compared with the agreed one', async () => {
  const offer = newOffer()
  answerWith({}, 'PENDING_PAYMENT')
  expect(await home.json(argvOf(offer))).toMatchObject({exit: 0, result: {price_changed: null}})
  service.script = ({path}, response) => {
    if (path === '/_sandbox/clock') {
      response.setHeader('x-local-sandbox', 'bookctl')
      answer(response, 200, {now: '2030-01-01T00:00:00Z'})
    } else if (path === `/reservations/R-${offer}`)
      answer(response, 200, {reservation_ref: `R-${offer}`, status: 'CONFIRMED', ...eur('300.00')})
    else return false
    return true
  }
  const result = {status: 'CONFIRMED', agreed: AGREED, price_changed: true}
  for (let times = 0; times < 2; times++)
    expect(await home.json(['reserve', '--resume', `T-${offer}`])).toMatchObject({exit: 3, result})
})

test('--max-price does not hide an earlier attempt whose offer is no longer stored', async () => {
  const [made, lost] = [newOffer(), newOffer()]
  const run = (offer: string, most: string) =>
    home.json([...argvOf(offer), '--nationality', 'TR', '--timeout', '2', '--max-price', most])
  answerWith(eur('240.00'))
  expect(await home.run(SEARCH)).toMatchObject({exit: 0})
  expect(await run(made, '250 EUR')).toMatchObject({exit: 0})
  service.script = drop
  expect(await run(lost, '250 EUR')).toMatchObject({exit: 10})
  const state = openState(home.configDirectory)
  await state.offers.remember(CLIENT, [], Date.now() / 1000 + OFFER_RETENTION_SECONDS + 1)
  await state.close()

  service.forget()
  answerWith(eur('240.00'))
  for (const most of ['250 EUR', '1 EUR'])
    expect(await run(made, most)).toMatchObject({exit: 0, result: {reservation_ref: `R-${made}`}})
  const refusal = {error: {code: 'price_too_high', hint: `find out with: bookctl reserve --resume T-${lost}`}}
  expect(await run(lost, '1 EUR')).toMatchObject({exit: 2, result: refusal})
  expect(service.seen('/reservations/hotel')).toEqual([])
  expect(await run(lost, '250 EUR')).toMatchObject({exit: 0, result: {agreed: AGREED}})
})
