/** What a person is asked, and the command that answers at a terminal. */
import {beforeEach, expect, test} from 'vitest'
import {approveCommandOf, questionOf} from '../../../../src/cli/features/agents/consent.js'
import type {PreparedCancellation, PreparedReservation} from '../../../../src/contract/agent-handles.js'
import {openState, type State} from '../../../../src/state/state.js'
import {targetAt} from '../../../support/agents.js'
import {requestFor} from '../../../support/booking.js'
import {intent, offer} from '../../../support/client.js'
import {closing, ownDirectory} from '../../../support/own.js'

const target = targetAt('https://service.example/v1')
let state: State

beforeEach(() => {
  state = closing(openState(ownDirectory()))
})

const about = {handle: 'hdl_1', program: 'assistant\u001b[2J 1.0', expiresAt: 9}

const reservation: PreparedReservation = {
  kind: 'reservation',
  intent: intent(1, {
    body: JSON.stringify(requestFor('off_1', 'agent-1', 'Öğüt\u001b[2J\nPrice  1.00 EUR')),
    agreed: {price: '403.20', currency: 'EUR'},
  }),
  offer: offer('off_1', {total: '403.20', hotel_name: 'Hotel\u202e Ağa'}),
  priceChecked: true,
  doubts: ['the offer was searched for 2 guests\n\u001b[31m'],
}
const cancellation: PreparedCancellation = {
  kind: 'cancellation',
  reservationRef: 'RSV-1',
  fee: {price: '20.00', currency: 'EUR'},
  lines: ['Hotel  Ağa'],
}

test('the question says what is booked, for how much, for whom, who asked, and whether it is real', async () => {
  const {title, lines} = await questionOf(about, reservation, {state, target})
  expect(title).toBe('Reserve this for 403.20 EUR (TEST)?')
  const text = lines.join('\n')
  for (const word of ['Ağa', '2030', 'Öğüt', 'from the account', 'cid_test', 'TEST: no real money'])
    expect(text).toContain(word)
  expect(text).toMatch(/^Guests +Ayşe Öğüt.* \(lead\), adult, birth date not given\nContact +.*@/m)
  expect(lines).toContain('Asked by      assistant\\u001b[2J 1.0')
  expect(lines.at(-1)).toMatch(/^Warning: the offer was searched for 2 guests/)
  const live = await questionOf(about, reservation, {state, target: {...target, mode: 'live'}})
  expect(live.title).toBe('Reserve this for 403.20 EUR (LIVE, with real money)?')
  expect(live.lines.join('\n')).toContain('LIVE: a real booking, with real money')
})

test('the question names the city of the search, by its stored name or its id', async () => {
  const details = {refundable: null, free_cancellation_until: null, terms: null, city: 101}
  const inCity = {...reservation, offer: {...reservation.offer, details}}
  const cityLines = async () => {
    const {lines} = await questionOf(about, inCity, {state, target})
    return lines.filter(line => line.startsWith('City'))
  }
  expect(await cityLines()).toEqual(['City          101'])
  state.cities.remember(target, [{id: 101, name: 'Istanbul', country_code: 'TR'}])
  expect(await cityLines()).toEqual(['City          Istanbul (101)'])
  expect((await questionOf(about, reservation, {state, target})).lines.join()).not.toContain('City')
})

test('the question says that the price was not checked, if it was not', async () => {
  const unchecked = {...reservation, priceChecked: false}
  const [before, after] = await Promise.all(
    [reservation, unchecked].map(async each => (await questionOf(about, each, {state, target})).lines.join()),
  )
  expect(before).not.toContain('Not checked')
  expect(after).toContain('Not checked   the price is that of the search')
})

test('nothing that an agent or the service wrote can add a line or move the cursor', async () => {
  for (const prepared of [reservation, cancellation]) {
    const {title, lines} = await questionOf(about, prepared, {state, target})
    for (const line of [title, ...lines]) expect(line).not.toMatch(/[\p{Cc}\u202e]/u)
  }
  const {lines} = await questionOf(about, reservation, {state, target})
  expect(lines.filter(line => line.startsWith('Price'))).toEqual([expect.stringContaining('403.20 EUR')])
})

test('no text of others shows a secret, or pushes away what it costs', async () => {
  const hostile = `sk_test_right ${'Hotel '.repeat(80)}`.slice(0, 450)
  const long = {
    ...reservation,
    offer: offer('off_1', {
      total: '403.20',
      hotel_name: hostile,
      room_name: `${'x'.repeat(95)}sk_test_right`,
    }),
  }
  const facts = ['Reservation', 'Hotel', 'Room'].map(name => `${name.padEnd(13)} ${hostile}`)
  const fees = ['Price         90.00 EUR', 'Fee now       20.00 EUR', 'Refund        70.00 EUR']
  const costly = {...cancellation, lines: [...facts, ...fees]}
  const asked = await questionOf(about, long, {state, target})
  const ofCancelling = await questionOf(about, costly, {state, target})
  for (const {title, lines} of [asked, ofCancelling]) {
    expect([title, ...lines].join()).toContain('[redacted]')
    expect([title, ...lines].join()).not.toMatch(/sk_t/)
    for (const line of lines.filter(each => !/^(Guests|Warning)/.test(each)))
      expect(line.length).toBeLessThanOrEqual(120)
  }
  expect(asked.lines[0]).toMatch(/^Price +403\.20 EUR/)
  expect(ofCancelling.lines.slice(0, 3)).toEqual(fees)
})

test('the question about a cancellation has its fee', async () => {
  const {title, lines} = await questionOf(about, cancellation, {state, target})
  expect(title).toBe('Cancel RSV-1 for a fee of 20.00 EUR (TEST)?')
  expect(lines).toEqual(['Hotel  Ağa', 'Asked by      assistant\\u001b[2J 1.0'])
})

test.each([
  [null, [], 'bookctl mcp approve hdl_1'],
  ['agents', [], 'bookctl mcp approve hdl_1 --profile agents'],
  ['agents', ['--profile agents', '--insecure'], 'bookctl mcp approve hdl_1 --profile agents --insecure'],
  [null, ['--base-url http://127.0.0.1:1/v1'], 'bookctl mcp approve hdl_1 --base-url http://127.0.0.1:1/v1'],
] as const)('with profile %s and %j it is approved by %s', (profile, flags, command) => {
  expect(approveCommandOf('hdl_1', {...target, profile}, flags)).toBe(command)
})
