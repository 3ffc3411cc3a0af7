/** An assistant reserves and cancels through `bookctl mcp`: what a person approves is made once, in both eras of the protocol. */
import {spawn} from 'node:child_process'
import {createInterface} from 'node:readline'
import {describe, expect, onTestFinished, test} from 'vitest'
import {openState} from '../../src/state/state.js'
import {ERAS, type Era, startAgent} from '../support/agent.js'
import {ENTRY, type Home} from '../support/bookctl.js'
import {eventually} from '../support/eventually.js'
import {closing, ownHome} from '../support/own.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {CONTACT, FOUR_NIGHTS} from '../support/stay.js'

const sandbox = await sandboxOfFile()
const WRITES = ['--allow', 'reserve,cancel', '--max-total', '5000 EUR', '--max-each', '900 EUR']

const TRIP = {...FOUR_NIGHTS, max_price: '900 EUR'}
const passport = (number: string) => ({type: 'PASSPORT', number})
const GUESTS = [
  {
    type: 'ADULT',
    name: 'Ayşe',
    surname: 'Öğüt',
    birth_date: '1990-02-03',
    gender: 'FEMALE',
    identity: passport('U1234567'),
  },
  {
    type: 'ADULT',
    name: 'Can',
    surname: 'Öğüt',
    birth_date: '1988-07-12',
    gender: 'MALE',
    identity: passport('U1234568'),
  },
  {
    type: 'CHILD',
    name: 'Ece',
    surname: 'Öğüt',
    birth_date: '2026-01-02',
    gender: 'FEMALE',
    identity: passport('U1234569'),
  },
]

type Agent = Awaited<ReturnType<typeof startAgent>>
type Action = 'accept' | 'decline' | 'cancel'

const own = () => ownHome(sandbox.env)

/** Starts a client that answers questions of the server with `actions`, in turn, the last one again and again. */
async function startAsking(home: Home, era: Era, actions: readonly Action[], flags: readonly string[] = []) {
  const questions: string[] = []
  const agent = await startAgent(home, [...WRITES, ...flags], {era, capabilities: {elicitation: {}}})
  agent.client.setRequestHandler('elicitation/create', ({params}) => {
    const action = actions[Math.min(questions.length, actions.length - 1)] ?? 'cancel'
    questions.push(params.message)
    return {action, content: {}}
  })
  return {...agent, questions}
}

async function prepared({call}: Pick<Agent, 'call'>, mode: 'account' | 'instant' = 'account') {
  const {document: found} = await call('search_hotels', {...TRIP, refundable: true})
  const {document} = await call('prepare_reservation', {
    offer_id: found.offers[0].offer_id,
    contact: CONTACT,
    guests: GUESTS,
    payment: {mode},
  })
  expect(document).toMatchObject({handle: expect.stringMatching(/^hdl_/), warnings: []})
  return document
}

const reservationsOf = async (reference: string) =>
  (await sandbox.listed('requests')).length === 0
    ? []
    : (await own().json<{reservations: object[]}>(['reservations', 'list', '--client-reference', reference]))
        .result.reservations

describe.each(ERAS)('in the protocol of %s', era => {
  test('a reservation is prepared, approved in the client, made once, and cancelled for the fee that was shown', async () => {
    const home = own()
    const agent = await startAsking(home, era, ['accept'])
    const plan = await prepared(agent)
    expect(plan).toMatchObject({
      limits: {left: '5000', currency: 'EUR'},
      next_step: expect.stringContaining('reserve'),
    })
    const {document: booked} = await agent.call('reserve', {handle: plan.handle})
    expect(booked).toMatchObject({
      outcome: 'confirmed',
      client_reference_id: plan.client_reference_id,
      agreed: {price: plan.price.amount, currency: 'EUR'},
      price_changed: false,
    })
    expect(agent.questions).toHaveLength(1)
    for (const word of [plan.price.amount, 'Ayşe Öğüt', '2030-06-10', 'TEST', 'test-client 1.2.3'])
      expect(agent.questions[0]).toContain(word)
    const {document: again} = await agent.call('reserve', {handle: plan.handle})
    expect(again.reservation_ref).toBe(booked.reservation_ref)
    expect(booked).toMatchObject({
      reservation: {guest_count: 3},
      next_step: expect.not.stringContaining('stored'),
    })
    expect(again).toMatchObject({
      reservation: {status: 'CONFIRMED', hotel_name: booked.reservation.hotel_name, guest_count: null},
      next_step: expect.stringContaining('show_reservation shows rooms and guests, which are not stored'),
    })
    expect(await reservationsOf(plan.client_reference_id)).toHaveLength(1)

    const {document: ahead} = await agent.call('prepare_cancellation', {
      reservation_ref: booked.reservation_ref,
    })
    expect(ahead).toMatchObject({fee: {amount: '0.00', currency: 'EUR'}, reservation: {status: 'CONFIRMED'}})
    const {document: cancelled} = await agent.call('cancel_reservation', {handle: ahead.handle})
    expect(cancelled).toMatchObject({outcome: 'cancelled', fee: {amount: '0.00'}})
    expect(agent.questions).toHaveLength(2)
    const {result} = await home.json<{entries: object[]}>(['journal', '--by', 'mcp'])
    expect(JSON.stringify(result)).toContain(plan.handle)
  })

  test('a declined handle is dead, and one whose question was closed is asked again', async () => {
    const agent = await startAsking(own(), era, ['decline', 'cancel', 'accept'])
    const declined = await prepared(agent)
    for (const _ of [1, 2])
      expect((await agent.call('reserve', {handle: declined.handle})).document.error.code).toBe('declined')
    expect(agent.questions).toHaveLength(1)
    const closed = await prepared(agent)
    expect((await agent.call('reserve', {handle: closed.handle})).document.error.code).toBe('approval_closed')
    expect((await agent.call('reserve', {handle: closed.handle})).document.outcome).toBe('confirmed')
    expect(await reservationsOf(declined.client_reference_id)).toEqual([])
  })

  test('a client that cannot ask is told how a person approves, and the same call then goes on', async () => {
    const home = own()
    const agent = await startAgent(home, WRITES, {era})
    const plan = await prepared(agent, 'instant')
    const {document: waiting, isError} = await agent.call('reserve', {handle: plan.handle})
    expect(isError).toBe(true)
    expect(waiting).toMatchObject({
      error: {code: 'approval_needed', hint: expect.stringContaining(`bookctl mcp approve ${plan.handle}`)},
      handle: plan.handle,
      untrusted_fields: [],
    })
    await approve(home, plan.handle)
    const {document: booked} = await agent.call('reserve', {handle: plan.handle})
    expect(booked).toMatchObject({
      outcome: 'pending_payment',
      payment_url: expect.stringContaining('/pay/'),
      next_step: expect.stringContaining('payment_url'),
    })
  })

  test('fifty calls of one handle at once ask a person once, and make one reservation', async () => {
    const agent = await startAsking(own(), era, ['accept'])
    const plan = await prepared(agent)
    const calls = Array.from({length: 50}, () => agent.call('reserve', {handle: plan.handle}))
    const documents = (await Promise.all(calls)).map(({document}) => document)
    expect(agent.questions).toHaveLength(1)
    const booked = documents.filter(({error}) => error === undefined)
    const references = new Set(booked.map(({reservation_ref}) => reservation_ref))
    expect([...references]).toEqual([expect.stringMatching(/^RSV-/)])
    // The others came while the person was asked.
    for (const waiting of documents.filter(({error}) => error !== undefined))
      expect(waiting).toMatchObject({
        error: {code: 'approval_needed', hint: expect.stringContaining('once the person has answered')},
        handle: plan.handle,
      })
    const {document: again} = await agent.call('reserve', {handle: plan.handle})
    expect(references).toContain(again.reservation_ref)
    expect(await reservationsOf(plan.client_reference_id)).toHaveLength(1)
  })
})

async function approve(home: Home, handle: string): Promise<void> {
  const state = closing(openState(home.configDirectory))
  const client = {baseUrl: sandbox.baseUrl, clientId: 'cid_sandbox', clientSecret: 'sk_test_sandbox'}
  const handles = await state.agentHandles(client)
  await handles.decide(handle, 'approved', 'terminal', Date.now() / 1000)
}

test('a reservation over a limit is refused with what is left, also for another server', async () => {
  const home = own()
  const limits = ['--allow', 'reserve', '--max-each', '900 EUR', '--consent', 'none', '--max-total']
  const first = await startAgent(home, [...limits, '1000 EUR'])
  const plan = await prepared(first)
  expect(plan.next_step).toMatch(/^call reserve .*nobody is asked/)
  await first.call('reserve', {handle: plan.handle})
  const second = await startAgent(home, [...limits, `${plan.price.amount} EUR`])
  const {document: found} = await second.call('search_hotels', TRIP)
  const {document} = await second.call('prepare_reservation', {
    offer_id: found.offers[1].offer_id,
    contact: CONTACT,
    guests: GUESTS,
    payment: {mode: 'account'},
  })
  expect(document).toMatchObject({
    error: {code: 'over_limit', message: expect.stringContaining('0 EUR are left')},
    limit: 'max_total',
    left: '0',
    untrusted_fields: [],
  })
})

test('what an agent says of a guest, a handle or a key is checked before anything is sent', async () => {
  const agent = await startAgent(own(), [...WRITES, '--consent', 'none'])
  const {document: found} = await agent.call('search_hotels', TRIP)
  const {result} = await sandbox.during(async () => {
    const {document} = await agent.call('prepare_reservation', {
      offer_id: found.offers[0].offer_id,
      contact: {...CONTACT, email: ''},
      guests: [{name: 'Ayşe', surname: 'Öğüt', idempotency_key: 'mine'}],
      client_reference_id: 'mine',
      payment: {mode: 'cash'},
    })
    return document
  })
  for (const word of [
    'contact.email',
    'guests[0].type',
    'idempotency_key',
    'client_reference_id',
    'account or instant',
  ])
    expect(result.error.message).toContain(word)
  for (const handle of ['hdl_0123456789abcdefghjkmnpqrs', 'hdl_', '../../state.db', `${'h'.repeat(99)}`])
    expect((await agent.call('reserve', {handle})).document.error.code).toBe('handle_not_valid')
  const surplus = await agent.call('reserve', {handle: 'hdl_0', confirm: true})
  expect(surplus.document.error.message).toContain('there is no argument confirm')
})

test('a reply that was not asked for, or whose seal was changed, approves nothing', async () => {
  const home = own()
  const plan = await prepared(await startAgent(home, WRITES))
  const {request} = rawServer(home)
  const reply = (requestState?: string) => ({
    name: 'reserve',
    arguments: {handle: plan.handle},
    inputResponses: {approval: {action: 'accept', content: {}}},
    ...(requestState === undefined ? {} : {requestState}),
  })
  const asked = await request(reply())
  expect(asked.result).toMatchObject({resultType: 'input_required', requestState: expect.any(String)})
  const sealed: string = asked.result.requestState
  const middle = sealed.length >> 1
  const changed = `${sealed.slice(0, middle)}${sealed[middle] === 'A' ? 'B' : 'A'}${sealed.slice(middle + 1)}`
  expect((await request(reply(changed))).error).toMatchObject({code: -32602})
  expect((await request(reply('e30.e30'))).error).toMatchObject({code: -32602})
  expect(await reservationsOf(plan.client_reference_id)).toEqual([])
  const {result} = await request(reply(sealed))
  expect(result.structuredContent).toMatchObject({outcome: 'confirmed'})
})

test.each([
  ['fails', () => Promise.reject(new Error('no window'))],
  ['gives no answer that is one', () => Promise.resolve({action: 'perhaps'} as never)],
])('where a client of the older protocol %s, the result says how a person approves', async (_, answer) => {
  const home = own()
  const agent = await startAgent(home, WRITES, {era: '2025-11-25', capabilities: {elicitation: {}}})
  agent.client.setRequestHandler('elicitation/create', answer)
  const plan = await prepared(agent)
  const {document, isError} = await agent.call('reserve', {handle: plan.handle})
  expect(isError).toBe(true)
  expect(document).toMatchObject({
    error: {code: 'approval_needed', hint: expect.stringContaining(`bookctl mcp approve ${plan.handle}`)},
  })
  await approve(home, plan.handle)
  expect((await agent.call('reserve', {handle: plan.handle})).document.outcome).toBe('confirmed')
})

test('a reservation whose answer was lost is found by the same call, and no error shows a key or people', async () => {
  const agent = await startAgent(own(), [...WRITES, '--consent', 'none', '--timeout', '2'])
  const plan = await prepared(agent)
  await sandbox.fault({operation: 'reservations.create', kind: 'commit-then-drop', times: 20})
  const {document: lost} = await agent.call('reserve', {handle: plan.handle})
  expect(lost.error).toMatchObject({
    code: 'outcome_unknown',
    hint: expect.stringContaining('call reserve again with the same handle'),
  })
  expect(JSON.stringify(lost)).not.toMatch(/idempotency|Öğüt|U1234567/i)
  await sandbox.control('DELETE', '/_sandbox/faults')
  const {document: found} = await agent.call('reserve', {handle: plan.handle})
  expect(found).toMatchObject({outcome: 'confirmed', client_reference_id: plan.client_reference_id})
  expect(JSON.stringify(found)).not.toMatch(/idempotency/i)
  expect(await reservationsOf(plan.client_reference_id)).toHaveLength(1)
})

test('the end of the input while a reservation is sent does not break it off', async () => {
  const home = own()
  const plan = await prepared(await startAgent(home, WRITES))
  await approve(home, plan.handle)
  await sandbox.fault({operation: 'reservations.create', kind: 'latency', latency_ms: 1500, times: 1})
  const {send, child, ended} = rawServer(home)
  send({name: 'reserve', arguments: {handle: plan.handle}})
  const {journal} = closing(openState(home.configDirectory))
  await eventually(async () => expect(await journal.list({byAgents: true})).toMatchObject([{attempts: 1}]))
  child.stdin.end()
  expect(await ended).toBe(0)
  expect(await reservationsOf(plan.client_reference_id)).toHaveLength(1)
  const {result} = await home.json(['journal', '--unresolved'])
  expect(JSON.stringify(result)).not.toContain(plan.handle)
})

/** Starts a server that writing tools may use, and speaks the newer protocol to it message by message. */
function rawServer(home: Home) {
  const env = {...home.surroundings(), ...home.env}
  const child = spawn(process.execPath, [ENTRY, 'mcp', ...WRITES], {cwd: home.directory, env})
  onTestFinished(() => void child.kill('SIGKILL'))
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of an answer
  const waiting = new Map<number, (answer: any) => void>()
  createInterface({input: child.stdout}).on('line', line => {
    const answer = JSON.parse(line)
    waiting.get(answer.id)?.(answer)
  })
  let count = 0
  const send = (params: object) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': {name: 'raw', version: '1'},
      'io.modelcontextprotocol/clientCapabilities': {elicitation: {}},
    }
    const message = {jsonrpc: '2.0', id: ++count, method: 'tools/call', params: {...params, _meta}}
    child.stdin.write(`${JSON.stringify(message)}\n`)
    return count
  }
  const ended = new Promise(resolve => child.once('close', resolve))
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const request = (params: object): Promise<any> => new Promise(resolve => waiting.set(send(params), resolve))
  return {child, send, request, ended}
}
