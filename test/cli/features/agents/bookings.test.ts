/** What agents book: prepared under a handle, agreed to by a person, made once under any repeat, and within the limits. */
import {beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {openBookings} from '../../../../src/cli/features/agents/bookings.js'
import {mintHandle} from '../../../../src/contract/agent-handles.js'
import {openState, type State} from '../../../../src/state/state.js'
import {
  type Charges,
  callerThat,
  charging,
  offersSeen,
  serverAt,
  targetAt,
  wanted,
} from '../../../support/agents.js'
import {closing, ownDirectory} from '../../../support/own.js'
import {answer, drop, refusing, ScriptedService} from '../../../support/scripted-service.js'
import {describeEachPlace, type Place} from '../../../support/stores.js'

let service: ScriptedService
let charges: Charges

beforeAll(async () => {
  service = await ScriptedService.start()
  service.tokenMilliseconds = 0
  return () => service.close()
})

beforeEach(() => {
  service.forget()
  service.reservations.length = 0
  charges = charging(service)
})

const sent = () => service.seen('/reservations/hotel')
const failing = (code: string) => ({details: {code}})
const agreeing = () => callerThat('approved')
/** Answers reservation requests with `script`, and all others as usual. */
const atReservation = (script: Charges['before']) => {
  charges.before = (request, response) =>
    request.path === '/reservations/hotel' ? script(request, response) : false
}

await describeEachPlace((place: Place) => {
  let state: State

  beforeEach(async () => {
    state = await place.open()
    await offersSeen(state, service.baseUrl, ['off_1', 'off_2', 'off_3'])
  })

  const open = async (options: Parameters<typeof serverAt>[2] = {}) =>
    (await serverAt(state, service.baseUrl, options)).bookings
  /** Opens another server with the same store, as another process would. */
  const openAnother = async (options: Parameters<typeof serverAt>[2] = {}) => {
    const another = await place.open(state.directory)
    return (await serverAt(another, service.baseUrl, options)).bookings
  }
  const prepared = async (offerId = 'off_1') => {
    const bookings = await open()
    return (await bookings.prepareReservation(wanted(offerId), agreeing())).handle
  }

  test('what another server books meanwhile is the result, although its offer can no longer be priced', async () => {
    const handle = await prepared()
    const [first, second] = [await open(), await openAnother()]
    let isBooking = false
    charges.before = async (request, response) => {
      if (!request.path.startsWith('/hotels/offers/') || isBooking) return false
      isBooking = true
      await first.reserve(handle, agreeing())
      return refusing(409, 'OFFER_ALREADY_USED')(request, response)
    }
    const booked = await second.reserve(handle, agreeing())
    expect(booked).toMatchObject({outcome: 'confirmed', reservation_ref: 'R-1'})
    expect(sent()).toHaveLength(1)
  })

  test('a reservation is prepared, agreed to, made once, and named in the journal', async () => {
    const bookings = await open({consent: 'ask'})
    const caller = agreeing()
    const plan = await bookings.prepareReservation(wanted('off_1'), caller)
    expect(plan).toMatchObject({
      handle: expect.stringMatching(/^hdl_[0-9a-z]{26}$/),
      expires_at: expect.stringMatching(/Z$/),
      offer: {offer_id: 'off_1', hotel_name: 'Ağa', check_in: '2030-01-01'},
      price: {amount: '100.00', currency: 'EUR'},
      price_checked: true,
      terms: {refundable: null},
      client_reference_id: expect.stringMatching(/^agent-[0-9a-f]{20}$/),
      limits: {left: '1000', spent: '0'},
    })
    expect(sent()).toEqual([])
    const booked = await bookings.reserve(plan.handle, caller)
    expect(booked).toMatchObject({outcome: 'confirmed', reservation_ref: 'R-1', attempts: 1, warnings: []})
    expect(caller.asked).toHaveLength(1)
    const [question] = caller.asked
    expect(question?.title).toBe('Reserve this for 100.00 EUR (TEST)?')
    const text = question?.lines.join('\n') ?? ''
    for (const word of ['Ağa', 'Canary', '2030', 'assistant 1.0', 'cid_test', plan.client_reference_id])
      expect(text).toContain(word)
    const [request] = sent()
    const body = JSON.parse(request?.body ?? '')
    expect(body).toMatchObject({offer_id: 'off_1', client_reference_id: plan.client_reference_id})
    expect(body.guests[0]).toMatchObject({type: 'ADULT', nationality: 'TR', is_lead: true})
    const madeBy = {program: 'assistant 1.0', handle: plan.handle}
    const entry = {clientReferenceId: plan.client_reference_id, outcome: 'confirmed', madeBy}
    expect(await state.journal.list({byAgents: true})).toMatchObject([entry])
    expect(await place.has('Canary')).toBe(false)
    const again = await (await openAnother({consent: 'ask'})).reserve(plan.handle, callerThat('declined'))
    expect(again).toMatchObject({
      outcome: 'confirmed',
      reservation_ref: 'R-1',
      idempotency_key: booked.idempotency_key,
    })
    expect(sent()).toHaveLength(1)
  })

  test('one handle, fifty times at a time on two servers, makes one reservation', async () => {
    const handle = await prepared()
    const servers = [await open({consent: 'ask'}), await openAnother({consent: 'ask'})]
    const caller = agreeing()
    const calls = Array.from({length: 50}, (_, n) => servers[n % 2]?.reserve(handle, caller))
    const results = await Promise.all(calls)
    expect(new Set(results.map(result => result?.reservation_ref))).toEqual(new Set(['R-1']))
    expect(sent()).toHaveLength(1)
    expect(caller.asked.length).toBeLessThanOrEqual(2)
  }, 60_000)

  test('twenty handles at a time on two servers stay below the limit', async () => {
    const ids = Array.from({length: 20}, (_, n) => `off_m${n}`)
    await offersSeen(state, service.baseUrl, ids)
    const limits = {currency: 'EUR', maxTotal: '650', maxEach: '500', perDay: undefined}
    const servers = [await open({limits}), await openAnother({limits})]
    const handles: string[] = []
    for (const id of ids) {
      const plan = await servers[0]?.prepareReservation(wanted(id), agreeing())
      handles.push(plan?.handle ?? '')
    }
    const calls = handles.map((handle, n) => servers[n % 2]?.reserve(handle, agreeing()))
    const settled = await Promise.allSettled(calls)
    expect(settled.filter(({status}) => status === 'fulfilled')).toHaveLength(6)
    for (const each of settled)
      if (each.status === 'rejected') expect(each.reason).toMatchObject(failing('over_limit'))
    expect(service.reservations).toHaveLength(6)
    expect(sent()).toHaveLength(6)
    const refused = servers[1]?.prepareReservation(wanted('off_1'), agreeing())
    await expect(refused).rejects.toMatchObject(failing('over_limit'))
  }, 60_000)

  test('a declined handle is dead, and a question that was closed leaves it as it was', async () => {
    const handle = await prepared()
    const bookings = await open({consent: 'ask'})
    await expect(bookings.reserve(handle, callerThat('closed'))).rejects.toMatchObject(
      failing('approval_closed'),
    )
    await expect(bookings.reserve(handle, callerThat('declined'))).rejects.toMatchObject(failing('declined'))
    const caller = agreeing()
    await expect(bookings.reserve(handle, caller)).rejects.toMatchObject(failing('declined'))
    await expect((await open()).reserve(handle, caller)).rejects.toMatchObject(failing('declined'))
    expect(caller.asked).toEqual([])
    expect(sent()).toEqual([])
  })

  test('where nobody can be asked it waits, and goes on once it was approved elsewhere', async () => {
    const handle = await prepared()
    const bookings = await open({consent: 'ask'})
    const caller = callerThat('cannot_ask')
    const waiting = {
      message: expect.stringContaining('waits until a person approves it'),
      details: {
        code: 'approval_needed',
        hint: expect.stringContaining(`bookctl mcp approve ${handle}`),
        result: {handle, approve: `bookctl mcp approve ${handle}`},
      },
    }
    await expect(bookings.reserve(handle, caller)).rejects.toMatchObject(waiting)
    const elsewhere = await place.open(state.directory)
    const handles = await elsewhere.agentHandles(targetAt(service.baseUrl))
    await handles.decide(handle, 'approved', 'terminal', Date.now() / 1000)
    expect(await bookings.reserve(handle, caller)).toMatchObject({outcome: 'confirmed'})
    expect(caller.asked).toHaveLength(1)
  })

  test('what was decided elsewhere while the question was open stands', async () => {
    const handle = await prepared()
    const bookings = await open({consent: 'ask'})
    const handles = await state.agentHandles(targetAt(service.baseUrl))
    const caller = callerThat(async () => {
      await handles.decide(handle, 'declined', 'terminal', Date.now() / 1000)
      return 'approved'
    })
    await expect(bookings.reserve(handle, caller)).rejects.toMatchObject(failing('declined'))
    expect(sent()).toEqual([])
  })

  test('without a question, what a person declines while the price is asked for is not sent', async () => {
    const handle = await prepared()
    const bookings = await open()
    const handles = await state.agentHandles(targetAt(service.baseUrl))
    charges.before = async request => {
      if (request.path.startsWith('/hotels/offers/'))
        await handles.decide(handle, 'declined', 'terminal', Date.now() / 1000)
      return false
    }
    await expect(bookings.reserve(handle, agreeing())).rejects.toMatchObject(failing('declined'))
    expect(sent()).toEqual([])
  })

  test('an error of the question changes nothing, and reaches the caller', async () => {
    const handle = await prepared()
    const bookings = await open({consent: 'ask'})
    const asking = callerThat(async () => {
      throw new Error('later')
    })
    await expect(bookings.reserve(handle, asking)).rejects.toThrow('later')
    expect(await bookings.reserve(handle, agreeing())).toMatchObject({outcome: 'confirmed'})
  })

  test('a price that rose is refused before the question and after it, and voids the handle', async () => {
    const [first, second, third, fourth] = [
      await prepared('off_1'),
      await prepared('off_2'),
      await prepared('off_3'),
      await prepared('off_3'),
    ]
    const bookings = await open({consent: 'ask'})
    charges.price = {amount: '100.01', currency: 'EUR'}
    const caller = agreeing()
    const rose = {
      message: expect.stringContaining('100.01 EUR now, and 100.00 EUR'),
      ...failing('price_rose'),
    }
    await expect(bookings.reserve(first, caller)).rejects.toMatchObject(rose)
    expect(caller.asked).toEqual([])
    charges.price = {amount: '90.00', currency: 'EUR'}
    await expect(bookings.reserve(first, caller)).rejects.toMatchObject(failing('price_rose'))
    const dearer = callerThat(async () => {
      charges.price = {amount: '101.00', currency: 'EUR'}
      return 'approved'
    })
    await expect(bookings.reserve(second, dearer)).rejects.toMatchObject(failing('price_rose'))
    charges.price = {amount: '1.00', currency: 'USD'}
    await expect(bookings.reserve(third, caller)).rejects.toMatchObject(failing('price_rose'))
    expect(sent()).toEqual([])
    charges.price = {amount: '90.00', currency: 'EUR'}
    expect(await bookings.reserve(fourth, caller)).toMatchObject({outcome: 'confirmed'})
  })

  test('where the service names no path for a price, that of the search stands, and a dearer booking is told', async () => {
    const bookings = await open({namesPaths: false})
    charges.price = {amount: '999.00', currency: 'EUR'}
    service.echo = () => ({price: {total: '130.00', currency: 'EUR'}})
    const plan = await bookings.prepareReservation(wanted('off_1'), agreeing())
    expect(plan).toMatchObject({price: {amount: '100.00', currency: 'EUR'}, price_checked: false})
    const booked = await bookings.reserve(plan.handle, agreeing())
    expect(booked).toMatchObject({price_changed: true, agreed: {price: '100.00'}})
    service.echo = ({guests}) => ({guests})
    const left = await bookings.prepareReservation(wanted('off_2'), agreeing())
    expect(left.limits).toMatchObject({spent: '130.00', left: '870.00'})
  })

  test('what another server has booked meanwhile is the result, also where its price can no longer be asked for', async () => {
    const handle = await prepared()
    const bookings = await open({consent: 'ask'})
    const other = await openAnother()
    const caller = callerThat(async () => {
      await other.reserve(handle, agreeing())
      charges.price = null
      return 'declined'
    })
    expect(await bookings.reserve(handle, caller)).toMatchObject({
      outcome: 'confirmed',
      reservation_ref: 'R-1',
    })
    const again = await prepared('off_2').catch(error => error)
    expect(again).toMatchObject({kind: 'refused'})
    expect(sent()).toHaveLength(1)
  })

  test('after a lost answer another server repeats the same bytes under the same key', async () => {
    const handle = await prepared()
    const first = await open({timeoutSeconds: 1})
    atReservation((request, response) => {
      service.commit(request)
      return drop(request, response)
    })
    const unknown = {
      kind: 'outcome_unknown',
      details: {hint: expect.stringMatching(/^call reserve again with the same handle/)},
    }
    await expect(first.reserve(handle, agreeing())).rejects.toMatchObject(unknown)
    atReservation(() => false)
    const second = await openAnother({consent: 'ask'})
    const caller = callerThat('declined')
    expect(await second.reserve(handle, caller)).toMatchObject({outcome: 'confirmed', reservation_ref: 'R-1'})
    expect(caller.asked).toEqual([])
    expect(new Set(sent().map(({headers, body}) => headers['idempotency-key'] + body)).size).toBe(1)
    expect(service.reservations).toHaveLength(1)
  }, 30_000)

  test('a server that was killed before its first attempt leaves a handle that is sent once', async () => {
    const handle = await prepared()
    const found = await (await state.agentHandles(targetAt(service.baseUrl))).find(handle, Date.now() / 1000)
    if (found?.prepared?.kind !== 'reservation') throw new Error('not prepared')
    const {intent} = found.prepared
    // All that a process has done that is killed between committing the intent and counting the attempt.
    await state.journal.forClient(targetAt(service.baseUrl)).begin(intent, Date.now() / 1000)
    const bookings = await openAnother()
    expect(await bookings.reserve(handle, agreeing())).toMatchObject({outcome: 'confirmed', attempts: 1})
    expect(sent().map(({headers}) => headers['idempotency-key'])).toEqual([intent.idempotencyKey])
    expect(await state.journal.list()).toHaveLength(1)
  })

  test('what was never sent, for want of a token, is sent by the next call', async () => {
    const bookings = await open({namesPaths: false, timeoutSeconds: 1})
    const {handle} = await bookings.prepareReservation(wanted('off_1'), agreeing())
    charges.before = (request, response) =>
      request.path === '/oauth/token' ? drop(request, response) : false
    await expect(bookings.reserve(handle, agreeing())).rejects.toMatchObject({kind: 'unreachable'})
    expect(await state.journal.list()).toMatchObject([{outcome: 'not_sent', attempts: 0}])
    charges.before = () => false
    expect(await bookings.reserve(handle, agreeing())).toMatchObject({outcome: 'confirmed', attempts: 1})
    expect(await state.journal.list()).toHaveLength(1)
  }, 30_000)

  test('what the service could not say is found out by the next call', async () => {
    const handle = await prepared()
    const bookings = await open({timeoutSeconds: 1})
    atReservation(refusing(503))
    await expect(bookings.reserve(handle, agreeing())).rejects.toMatchObject({kind: 'outcome_unknown'})
    atReservation(() => false)
    expect(await bookings.reserve(handle, agreeing())).toMatchObject({outcome: 'confirmed'})
    expect(service.reservations).toHaveLength(1)
  }, 30_000)

  test('what the service refused stays refused, and leaves no guest data', async () => {
    const handle = await prepared()
    const bookings = await open()
    atReservation(refusing(422, 'guest_invalid'))
    await expect(bookings.reserve(handle, agreeing())).rejects.toMatchObject({kind: 'refused'})
    atReservation(() => false)
    const again = {details: {code: 'refused_earlier', hint: expect.stringContaining('prepare it again')}}
    await expect(bookings.reserve(handle, agreeing())).rejects.toMatchObject(again)
    expect(sent()).toHaveLength(1)
    expect(await place.has('Canary')).toBe(false)
    const {limits} = await bookings.prepareReservation(wanted('off_2'), agreeing())
    expect(limits).toMatchObject({spent: '0'})
  })

  test.each([
    [429, 3600, 'try again in 3600 seconds, then prepare it again'],
    [401, undefined, 'then prepare it again'],
    [422, undefined, 'prepare it again'],
  ] as const)(
    'a refusal with %i says that nothing was booked and to prepare it again, also the second time',
    async (status, wait, hint) => {
      const handle = await prepared()
      const bookings = await open()
      atReservation((_, response) => {
        if (wait !== undefined) response.setHeader('retry-after', wait)
        return answer(response, status, {error: {code: 'not_now'}})
      })
      const gone = 'nothing was booked, and the handle cannot be used again'
      const first = await bookings.reserve(handle, agreeing()).catch(error => error)
      expect(first.details.hint).toContain(gone)
      expect(first.details.hint).toContain(hint)
      const second = await bookings.reserve(handle, agreeing()).catch(error => error)
      expect(second.details).toMatchObject({code: 'refused_earlier', hint: expect.stringContaining(gone)})
      atReservation(() => false)
      const booked = await bookings.reserve(await prepared(), agreeing())
      expect(booked).toMatchObject({outcome: 'confirmed'})
    },
  )

  test('handles that are made up, altered, expired or of another client are refused alike', async () => {
    const handle = await prepared()
    const bookings = await open()
    const last = handle.endsWith('0') ? '1' : '0'
    const wrong = ['', 'off_1', mintHandle(), handle.slice(0, -1) + last, handle.toUpperCase(), `${handle} `]
    const expired = mintHandle()
    const handles = await state.agentHandles(targetAt(service.baseUrl))
    const now = Date.now() / 1000
    const found = await handles.find(handle, now)
    if (!found?.prepared) throw new Error('not prepared')
    await handles.create({handle: expired, prepared: found.prepared, program: 'p', expiresAt: now - 1}, now)
    const messages = new Set<string>()
    for (const each of [...wrong, expired]) {
      const error = await bookings.reserve(each, agreeing()).catch(thrown => thrown)
      expect(error, each).toMatchObject(failing('handle_not_valid'))
      messages.add(error.message + error.details.hint)
    }
    const another = await open({target: {clientId: 'cid_9'}})
    await expect(another.reserve(handle, agreeing())).rejects.toMatchObject(failing('handle_not_valid'))
    await expect(bookings.cancel(handle, agreeing())).rejects.toMatchObject(failing('handle_not_valid'))
    expect(messages.size).toBe(1)
    expect(sent()).toEqual([])
  })

  test('one offer is booked once, whatever is prepared for it', async () => {
    const [first, second] = [await prepared('off_1'), await prepared('off_1')]
    const bookings = await open()
    await bookings.reserve(first, agreeing())
    await expect(bookings.reserve(second, agreeing())).rejects.toMatchObject(failing('offer_in_use'))
    const used = bookings.prepareReservation(wanted('off_1'), agreeing())
    await expect(used).rejects.toMatchObject(failing('offer_already_used'))
    expect(sent()).toHaveLength(1)
  })

  test('a person is told that the same guests are booked for the same dates', async () => {
    const bookings = await open({consent: 'ask'})
    await bookings.reserve(await prepared('off_1'), agreeing())
    const plan = await bookings.prepareReservation(wanted('off_2'), agreeing())
    expect(plan.warnings).toEqual([expect.stringContaining('the same guests are booked already')])
    const caller = callerThat('declined')
    await expect(bookings.reserve(plan.handle, caller)).rejects.toMatchObject(failing('declined'))
    expect(caller.asked[0]?.lines.at(-1)).toContain('Warning: the same guests are booked already')
    const others = {
      guests: wanted('off_3').guests.map(({birth_date: _, ...guest}) => ({...guest, surname: 'Can'})),
    }
    const other = await bookings.prepareReservation(wanted('off_3', others), agreeing())
    expect(other.warnings.filter(text => text.includes('booked already'))).toEqual([])
  })

  test('a cancellation is agreed to with its fee, done once, and frees the rest of the limit', async () => {
    const bookings = await open({consent: 'ask'})
    await bookings.reserve(await prepared('off_1'), agreeing())
    const plan = await bookings.prepareCancellation('R-1', agreeing())
    expect(plan).toMatchObject({
      fee: {amount: '20.00', currency: 'EUR'},
      reservation: {reservation_ref: 'R-1'},
    })
    expect(charges.cancelled).toEqual([])
    const caller = agreeing()
    const done = await bookings.cancel(plan.handle, caller)
    expect(done).toMatchObject({
      outcome: 'cancelled',
      reservation_ref: 'R-1',
      fee: {amount: '20.00'},
      quoted_fee: {amount: '20.00'},
    })
    expect(caller.asked[0]?.title).toBe('Cancel R-1 for a fee of 20.00 EUR (TEST)?')
    const another = await openAnother({consent: 'ask'})
    expect(await another.cancel(plan.handle, callerThat('declined'))).toEqual(done)
    expect(charges.cancelled).toEqual(['R-1'])
    expect(await place.has('Canary')).toBe(false)
    const {limits} = await bookings.prepareReservation(wanted('off_2'), agreeing())
    expect(limits).toMatchObject({spent: '20.00', left: '980.00', reservations: 1})
  })

  test('a cancellation fifty times at a time on two servers is sent once', async () => {
    const bookings = await open()
    await bookings.reserve(await prepared('off_1'), agreeing())
    const {handle} = await bookings.prepareCancellation('R-1', agreeing())
    const servers = [bookings, await openAnother()]
    const calls = Array.from({length: 50}, (_, n) => servers[n % 2]?.cancel(handle, agreeing()))
    const results = await Promise.all(calls)
    expect(new Set(results.map(result => result?.outcome))).toEqual(new Set(['cancelled']))
    expect(charges.cancelled).toEqual(['R-1'])
  }, 60_000)

  test('a fee that rose is refused, and a declined cancellation cancels nothing', async () => {
    const bookings = await open({consent: 'ask'})
    await bookings.reserve(await prepared('off_1'), agreeing())
    const first = await bookings.prepareCancellation('R-1', agreeing())
    const second = await bookings.prepareCancellation('R-1', agreeing())
    await expect(bookings.cancel(first.handle, callerThat('declined'))).rejects.toMatchObject(
      failing('declined'),
    )
    charges.fee = {amount: '20.01', currency: 'EUR'}
    await expect(bookings.cancel(second.handle, agreeing())).rejects.toMatchObject(failing('price_rose'))
    charges.fee = {amount: '20.00', currency: 'EUR'}
    await expect(bookings.cancel(second.handle, agreeing())).rejects.toMatchObject(failing('price_rose'))
    await expect(bookings.reserve(second.handle, agreeing())).rejects.toMatchObject(
      failing('handle_not_valid'),
    )
    expect(charges.cancelled).toEqual([])
  })

  test('after a lost answer of a cancellation the next call looks, and does not cancel again', async () => {
    const bookings = await open()
    await bookings.reserve(await prepared('off_1'), agreeing())
    const {handle} = await bookings.prepareCancellation('R-1', agreeing())
    charges.before = (request, response) => {
      if (!request.path.endsWith('/cancel')) return false
      charges.cancelled.push('R-1')
      return drop(request, response)
    }
    await expect(bookings.cancel(handle, agreeing())).rejects.toMatchObject({kind: 'outcome_unknown'})
    charges.before = () => false
    const done = await (await openAnother({consent: 'ask'})).cancel(handle, callerThat('declined'))
    expect(done).toMatchObject({outcome: 'cancelled', fee: {amount: '20.00'}})
    expect(charges.cancelled).toEqual(['R-1'])
    expect(await state.journal.list()).toMatchObject([{outcome: 'cancelled'}])
  })
})

describe('what is refused at once', () => {
  test('live credentials without consent, and a server that may not reserve', async () => {
    const state = closing(openState(ownDirectory()))
    const live = serverAt(state, service.baseUrl, {target: {mode: 'live'}})
    await expect(live).rejects.toMatchObject(failing('consent_required'))
    const {connection} = await serverAt(state, service.baseUrl)
    const bookings = await openBookings({connection, limits: undefined, consent: 'ask'})
    const refused = failing('not_allowed')
    await expect(bookings.prepareReservation(wanted('off_1'), agreeing())).rejects.toMatchObject(refused)
    await expect(bookings.reserve(mintHandle(), agreeing())).rejects.toMatchObject(refused)
  })

  test.each<[request: unknown, text: string]>([
    ['off_1', 'must be an object'],
    [{offer_id: 'off_1'}, 'missing: contact, guests, payment.mode'],
    [wanted('off_9'), 'was not found by a search'],
    [wanted('off_1', {client_reference_id: 'mine'}), 'made by the server'],
    [wanted('off_1', {payment: {mode: 'card'}}), 'payment.mode'],
    [wanted('off_1', {guests: [{name: 'Ayşe', surname: ''}]}), 'surname'],
    [wanted('off_1', {client_nationality: 'DE'}), 'searched for TR'],
    [wanted('off_1', {guests: [{name: 'Ali', surname: 'Can'}]}), 'searched for 2 adults and 1 child'],
    [wanted('off_1', {guests: [{name: 'Ali', surname: 'Can', is_lead: false}]}), 'is_lead, not 0'],
  ])('%j: %s', async (request, text) => {
    const state = closing(openState(ownDirectory()))
    await offersSeen(state, service.baseUrl, ['off_1'])
    const {bookings} = await serverAt(state, service.baseUrl)
    await expect(bookings.prepareReservation(request, agreeing())).rejects.toThrow(text)
  })
})
