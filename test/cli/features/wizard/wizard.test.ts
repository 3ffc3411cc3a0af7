/**
 * The whole wizard: after a refusal or an expired offer it continues with the earlier answers, and an unknown outcome ends it.
 */
import {beforeEach, describe, expect, test} from 'vitest'
import {offerFound, search} from '../../../../src/cli/features/catalogue/hotels.js'
import {detailRows} from '../../../../src/cli/features/catalogue/offer-lines.js'
import {peopleHere} from '../../../../src/cli/features/wizard/ask-people.js'
import {Draft} from '../../../../src/cli/features/wizard/draft.js'
import {chooseSeen} from '../../../../src/cli/features/wizard/find-offer.js'
import {resumingLines} from '../../../../src/cli/features/wizard/wizard.js'
import type {SearchRequest} from '../../../../src/contract/hotels.js'
import {closing} from '../../../support/own.js'
import {answer, ScriptedService, type ServiceForm} from '../../../support/scripted-service.js'
import {sandboxOfFile} from '../../../support/served-sandbox.js'
import {CONTACT} from '../../../support/stay.js'
import {rejectionOf} from '../../../support/thrown.js'
import {type Desk, LEAD, openDesk} from './desk.js'
import {type Line, said} from './scripted-prompts.js'

const sandbox = await sandboxOfFile()
let desk: Desk

beforeEach(async () => {
  desk = await openDesk(sandbox.env)
})

const DATES = said`Check-in → 2030-06-01 | Check-out → 2 | Number of rooms → 1 | Adults → 1
  Number of children → |  Nationality → TR | Currency → EUR`
const SEARCH: readonly Line[] = [['City', '101'], ...DATES]
const GUEST = said`first name → Ayşe | family name → Öğüt | birth date → 1990-02-03 | gender → Female
  nationality → TR | document → None`
const CONTACT_LINES = said`Contact: first name → | Contact: family name → | e-mail → ayse@example.com
  telephone → 5321234567`
const PEOPLE = [...GUEST, ...CONTACT_LINES]
const SEARCH_AND_PEOPLE: readonly Line[] = [...SEARCH, ['Offer', ''], ...PEOPLE]
const FLAGS = {guest: [LEAD], contact: CONTACT}
const REQUEST: SearchRequest = {
  destination: {type: 'CITY', id: 101},
  check_in: '2030-06-01',
  check_out: '2030-06-03',
  rooms: [{adults: 1, children_ages: []}],
  client_nationality: 'TR',
  currency: 'EUR',
}

test('books after questions alone, without flags', async () => {
  const booked = await desk.run([
    ...SEARCH_AND_PEOPLE,
    ...said`Payment → balance | reference → TRIP-1 | Store these guests → with their identity
      Reserve this now for → yes`,
  ])
  expect(booked.booking).toMatchObject({outcome: 'confirmed', client_reference_id: 'TRIP-1', attempts: 1})
  expect(desk.prompts.left()).toBe(0)
  expect((await peopleHere(desk.connection))?.guests()).toHaveLength(1)
  expect((await peopleHere(desk.connection))?.contacts()).toHaveLength(1)
  // The time left is shown from the list to the confirmation.
  const {log} = desk.prompts
  const asked = log.slice(log.findIndex(line => line.startsWith('Offer')))
  expect(asked.filter(line => /^(These offers|This offer): 1[45]:\d\d left$/.test(line)).length).toBe(15)
})

test('what flags gave is not asked again', async () => {
  const {items} = await search(desk.connection, REQUEST, {})
  const script = said`Payment → balance | reference → | Store these guests → No | Reserve → yes`
  const booked = await desk.run(script, {...FLAGS, offer: items[0]?.offer_id ?? ''})
  expect(booked.booking?.outcome).toBe('confirmed')
  expect(desk.messages.join('\n')).toMatch(/^Nationality +Türkiye \(TR\), as searched$/m)
})

test('shows an earlier offer with all its terms, and searches again without asking for the city', async () => {
  const {items} = await search(desk.connection, REQUEST, {})
  const {state, target} = desk.connection
  const client = {baseUrl: target.baseUrl, clientId: target.clientId}
  for (const offer of items) {
    const draft = new Draft()
    chooseSeen(draft, offer.offer_id, await state.offers.find(client, offer.offer_id))
    const seen = draft.chosen?.seen
    expect(seen && detailRows(seen, 0)).toEqual(detailRows(offerFound(REQUEST, offer, 0), 0))
    expect(draft.search.city).toBe(101)
  }
})

test('an offer from elsewhere is booked with the nationality that the person states', async () => {
  const script = said`Nationality → TR | Payment → balance | reference → | Store these guests → No
    Reserve → ^C`
  const failure = await rejectionOf(desk.run(script, {...FLAGS, offer: 'off_elsewhere'}))
  expect(failure.kind).toBe('interrupted')
  expect(desk.messages.join('\n')).toContain('the offer was not searched for on this machine')
})

test('after a no, the person can change answers, and is asked again', async () => {
  const booked = await desk.run([
    ...SEARCH_AND_PEOPLE,
    ...said`Payment → balance | reference → | Store these guests → No | Reserve → no
      What do you want to change → Change a guest | Which guest → Ayşe
      Which field → First name | first name → Ayşegül | Reserve → no
      What do you want to change → Change the payment | Payment → page | Reserve → no
      What do you want to change → Change a guest | Which guest → Ayşegül | Which field → All of it`,
    ...GUEST,
    ...said`Reserve → yes`,
  ])
  expect(booked.plan?.request.guests[0]?.name).toBe('Ayşe')
  expect(booked.booking).toMatchObject({outcome: 'pending_payment'})
  expect(booked.booking?.payment_url).toContain('/pay/')
})

test('while the service fails, the answers are kept and the person may try again', async () => {
  const broken = {operation: 'hotels.search', kind: 'status', status: 503, times: 4}
  await sandbox.fault(broken)
  const again = said`Try again? → yes | Offer → | Store these guests → No | Reserve → yes`
  const flags = {...FLAGS, pay: 'account', 'client-reference': 'TRIP-AGAIN'}
  const booked = await desk.run([...SEARCH, ...again], flags)
  expect(booked.booking?.outcome).toBe('confirmed')
  expect(desk.messages.join('\n')).toMatch(/Your answers are kept/)
  // From now on, the wizard suggests the nationality and currency of this search.
  const given = {...FLAGS, pay: 'account', 'client-reference': 'TRIP-NEXT'}
  await sandbox.fault(broken)
  const end = said`Nationality → | Currency → | Try again? → no`
  const stopped = desk.run([...SEARCH.slice(0, -2), ...end], given)
  expect((await rejectionOf(stopped)).kind).toBe('service_failed')
  expect(desk.messages.at(-1)).toBe(
    'To search again later: bookctl hotels search --city 101 --check-in 2030-06-01 --check-out 2030-06-03 --room 1 --nationality TR --currency EUR',
  )
})

test('a search without matches says why, and nothing is sent if the person stops', async () => {
  const script = said`What do you want to change in the search → ^C`
  const given = {...FLAGS, 'max-price': {amount: '1', currency: null}}
  expect((await rejectionOf(desk.run([...SEARCH, ...script], given))).kind).toBe('interrupted')
  expect(desk.messages.at(-1)).toMatch(/^No offers match your filters \(\d+ found\)\.$/)
  const end = said`Payment → balance | reference → T-3 | Store these guests → No | Reserve → no
    What do you want to change → Stop`
  const stopped = await rejectionOf(desk.run([...SEARCH, ['Offer', ''], ...end], FLAGS))
  expect(stopped.details.code).toBe('not_confirmed')
})

describe('a refusal leads on', () => {
  test('after a refused search, the person can change it', async () => {
    const script = said`Currency → ALI | What do you want to change → Currency | Currency → EUR | Offer →
      Store these guests → No | Reserve → yes`
    const given = {...FLAGS, pay: 'account', 'client-reference': 'TRIP-REFUSED'}
    const booked = await desk.run([...SEARCH.slice(0, -1), ...script], given)
    expect(booked.booking?.outcome).toBe('confirmed')
    expect(desk.messages.join('\n')).toMatch(/currency.*\. Your answers are kept/)
  })

  test('after an offer is gone, the same search is repeated', async () => {
    const booked = await desk.run([
      ...SEARCH_AND_PEOPLE,
      ...said`Payment → balance | reference → T-price_changed | Store these guests → No
        Reserve → yes | Offer → | Reserve → no | What do you want to change → reference
        reference → T-2 | Reserve → yes`,
    ])
    expect(booked.booking?.client_reference_id).toBe('T-2')
    expect(desk.messages.join('\n')).toContain('guests and contact are kept')
    expect(desk.messages.join('\n')).toContain('the room you chose is still available, at the same price')
  })

  test('a used reference shows its reservation, and a second booking needs consent and another reference', async () => {
    const rest = said`Payment → balance | reference → TWICE | Store these guests → No | Reserve → yes`
    await desk.run([...SEARCH_AND_PEOPLE, ...rest])
    const refusal = await rejectionOf(desk.run([...SEARCH_AND_PEOPLE, ...rest, ...said`second booking → no`]))
    expect(refusal.details).toMatchObject({code: 'reference_in_use', result: {status: 'CONFIRMED'}})
    expect(desk.messages.join('\n')).toMatch(/TWICE is already used .*: the reservation RSV-.*confirmed/)
    const other = said`second booking → yes | reference → ONCE | Reserve → yes`
    const again = await desk.run([...SEARCH_AND_PEOPLE, ...rest, ...other])
    expect(again.booking?.client_reference_id).toBe('ONCE')
  })
})

describe('at another service', () => {
  let service: ScriptedService
  let there: Desk
  const reach = async (form: ServiceForm = {}) => {
    service = closing(await ScriptedService.start(form))
    there = await openDesk(service.env)
  }
  const toSend = said`Payment → balance | reference → T-1 | Store these guests → No | Reserve → yes`

  test('an unknown outcome ends the wizard with the command to resume', async () => {
    await reach({offers: 'nested', money: 'number'})
    service.honoursKey = false
    service.script = (request, response) => {
      if (request.path !== '/reservations/hotel' || service.reservations.length > 0) return false
      service.commit(request)
      response.destroy()
      return true
    }
    const lines: Line[] = [['City id', '7'], ...DATES, ['Offer', 'galata'], ...PEOPLE, ...toSend]
    const failure = await rejectionOf(there.run(lines))
    expect(failure.kind).toBe('outcome_unknown')
    expect(failure.details.hint).toContain('bookctl reserve --resume T-1')
    expect(service.reservations).toHaveLength(1)
    // Facts that the answers do not contain are not invented.
    const glance = there.prompts.log.join('\n')
    expect(glance).toContain('Due at hotel: unknown')
    expect(glance).toContain('terms unknown')
  })

  test('a refusal because of an earlier reservation ends it: nothing is searched or sent again', async () => {
    await reach()
    service.script = ({path}, response) => {
      if (path === '/reservations/hotel') answer(response, 409, {error: {code: 'offer_already_used'}})
      return path === '/reservations/hotel'
    }
    const lines: Line[] = [['City', '5'], ...DATES, ['Offer', ''], ...PEOPLE, ...toSend]
    const failure = await rejectionOf(there.run(lines))
    expect(failure.kind).toBe('refused')
    expect(failure.details.hint).toContain('bookctl journal')
    expect([failure.message, ...there.messages].join('\n')).not.toContain('Nothing was reserved')
    expect(service.seen('/hotels/search')).toHaveLength(1)
  })

  test('after an offer expires, repeats the search, reports the new price and keeps the answers', async () => {
    await reach()
    service.script = ({path}, response) => {
      if (path !== '/hotels/search') return false
      const isFirst = service.seen(path).length === 1
      // The first offers are valid for a second and a half.
      const expires_at = new Date(Date.now() + (isFirst ? 1500 : 600_000)).toISOString()
      const room = {hotel_name: '\u001b[2JOtel', room_name: 'Oda', board: 'BB', currency: 'EUR'}
      const rate = isFirst ? {offer_id: 'off_0', total: '100.00'} : {offer_id: 'off_1', total: '120.00'}
      answer(response, 200, {data: {offers: [{...room, ...rate, expires_at}]}})
      return true
    }
    const before = [...said`City → 5`, ...DATES, ...said`Offer →`, ...GUEST.slice(0, 3)]
    const after = [...GUEST.slice(3), ...CONTACT_LINES, ...toSend]
    const booked = await there.run([...before, ...said`gender → ^wait | Offer →`, ...after])
    expect(booked.booking?.outcome).toBe('confirmed')
    expect(service.reservations.map(({offer}) => offer)).toEqual(['off_1'])
    expect(there.messages.join('\n')).toContain('price CHANGED from 100.00 EUR to 120.00 EUR')
    expect(there.messages.join('\n')).not.toContain('\u001b')
  })
})

test('people typed for an offer that has expired are in the command for the next one', () => {
  const draft = new Draft({nationality: 'TR'}, [
    {type: 'ADULT', name: 'Ayşe', surname: 'Öğüt', is_lead: true},
  ])
  draft.search = {...draft.search, city: 101, 'check-in': '2030-06-01', 'check-out': '2030-06-04'}
  draft.answers.set('Ayşe Öğüt: gender', 'FEMALE')
  expect(resumingLines(draft, {service: ['--profile', 'agency'], wait: 60, yes: true})).toEqual([
    'To search with these answers:',
    '  bookctl hotels search --city 101 --check-in 2030-06-01 --check-out 2030-06-04 --nationality TR --profile agency',
    'Then, with the id of an offer:',
    "  bookctl reserve OFFER_ID --nationality TR --guest 'type=ADULT,name=Ayşe,surname=Öğüt,is_lead=true' --wait=60 --profile agency",
  ])
})

test('nothing is printed before the first answer', () => {
  expect(resumingLines(new Draft(), {'dry-run': true})).toEqual([])
})
