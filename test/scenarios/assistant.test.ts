/** An assistant books a trip for a person, from one sentence to the voucher, with nothing but what the tools say of themselves. */
import {readFileSync} from 'node:fs'
import {describe, expect, test} from 'vitest'
import {ERAS, startAgent} from '../support/agent.js'
import {Assistant, type Facts} from '../support/assistant.js'
import {ownDirectory} from '../support/own.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {CONTACT} from '../support/stay.js'
import {atTerminal} from '../support/terminal.js'
import {waitUntil} from '../support/wait.js'

const sandbox = await sandboxOfFile()
const {home} = sandbox

/** "Four nights in Antalya in June for two adults and a child of four, under 900 EUR." */
const WISH: Facts = {
  city: 'Antalya',
  check_in: '2030-06-10',
  check_out: '2030-06-14',
  rooms: [{adults: 2, children_ages: [4]}],
  currency: 'EUR',
  max_price: '900 EUR',
}
/** What the person says when asked. */
const PERSON: Facts = {
  client_nationality: 'TR',
  contact: CONTACT,
  guests: [
    {
      type: 'ADULT',
      name: 'Ayşe',
      surname: 'Öğüt',
      birth_date: '1990-02-03',
      gender: 'FEMALE',
      nationality: 'TR',
      identity: {type: 'TC', number: '10000000146'},
    },
    {
      type: 'ADULT',
      name: 'Can',
      surname: 'Öğüt',
      birth_date: '1988-07-12',
      gender: 'MALE',
      nationality: 'TR',
      identity: {type: 'PASSPORT', number: 'U1234567'},
    },
    {
      type: 'CHILD',
      name: 'Ece',
      surname: 'Öğüt',
      birth_date: '2026-03-01',
      gender: 'FEMALE',
      nationality: 'TR',
      identity: {type: 'PASSPORT', number: 'U7654321'},
    },
  ],
  payment: {mode: 'account'},
}
const LIMITS = ['--allow', 'reserve,cancel', '--max-total', '1500 EUR', '--max-each', '900 EUR']

const SEARCH = /searches hotel offers/i
const SHOW = /shows what an offer costs now/i
const PREPARE = /checks guests.*returns a handle/is
const RESERVE = /books what .* fixed under the handle/is
const QUOTE = /asks what cancelling .* costs/is
const CANCEL = /cancels what .* fixed under the handle/is
const VOUCHER = /voucher of a .*reservation/is

/** Finds, compares and prepares what the person wants, and returns the plan. */
async function plan(assistant: Assistant) {
  const found = await assistant.must(SEARCH, WISH, PERSON)
  expect(found.offers.length).toBeGreaterThan(0)
  // The person wants to be able to cancel; else the cheapest is right.
  const chosen = found.offers.find(({refundable}: {refundable: boolean}) => refundable) ?? found.offers[0]
  const {offer} = await assistant.must(SHOW, chosen)
  expect(Number(offer.price.total)).toBeLessThanOrEqual(900)
  const prepared = await assistant.must(PREPARE, chosen, PERSON)
  expect(prepared.price).toMatchObject({amount: offer.price.total, currency: 'EUR'})
  return prepared
}

describe.each(ERAS)('in the protocol of %s', era => {
  test('a trip for three is found, approved, booked and has its voucher', async () => {
    const directory = ownDirectory()
    const agent = await startAgent(home, [...LIMITS, '--voucher-dir', directory], {
      era,
      capabilities: {elicitation: {}},
    })
    const questions: string[] = []
    agent.client.setRequestHandler('elicitation/create', async ({params}) => {
      questions.push(params.message)
      return {action: 'accept' as const, content: {}}
    })
    const assistant = await Assistant.of(agent)
    const prepared = await plan(assistant)
    const booked = await assistant.must(RESERVE, prepared)
    expect(booked).toMatchObject({outcome: 'confirmed', client_reference_id: prepared.client_reference_id})
    expect(questions).toHaveLength(1)
    for (const fact of [prepared.price.amount, prepared.offer.hotel_name, 'Ece', 'TEST'])
      expect(questions[0]).toContain(fact)
    const voucher = await assistant.must(VOUCHER, booked)
    expect(readFileSync(voucher.path, 'latin1')).toMatch(/^%PDF-/)
    // Asked again, it is the same reservation.
    expect(await assistant.must(RESERVE, prepared)).toMatchObject({reservation_ref: booked.reservation_ref})
    const quoted = await assistant.must(QUOTE, booked)
    const cancelled = await assistant.must(CANCEL, quoted)
    expect(cancelled).toMatchObject({outcome: 'cancelled', fee: quoted.fee})
    expect(questions).toHaveLength(2)
    // What became of it is said in the error, with no more of it than a result has.
    const {document, isError} = await assistant.do(RESERVE, prepared)
    expect({isError, ...document}).toMatchObject({
      isError: true,
      outcome: 'cancelled',
      error: {code: 'not_confirmed'},
    })
    expect(Object.keys(document.reservation)).toEqual(Object.keys(booked.reservation))
    expect(document).not.toHaveProperty('idempotency_key')
  })

  test('where the client cannot ask, the result says how a person approves it, and the same call goes on', async () => {
    const assistant = await Assistant.of(await startAgent(home, LIMITS, {era}))
    const prepared = await plan(assistant)
    const {document, isError} = await assistant.do(RESERVE, prepared)
    expect({isError, code: document.error.code}).toEqual({isError: true, code: 'approval_needed'})
    const [, words = ''] = /bookctl ([^;`]+)/.exec(document.error.hint) ?? []
    const terminal = atTerminal(home, words.trim().split(' '), {columns: 120, rows: 40})
    await waitUntil(() => /\(y\/N\)/i.test(terminal.screen()), 'the question')
    expect(terminal.screen()).toContain(prepared.price.amount)
    terminal.type('y\r')
    expect(await terminal.exit).toBe(0)
    expect(await assistant.must(RESERVE, prepared)).toMatchObject({outcome: 'confirmed'})
  })
})

test('a server that may only read lists nothing that books or cancels', async () => {
  const assistant = await Assistant.of(await startAgent(home))
  for (const words of [PREPARE, RESERVE, QUOTE, CANCEL])
    await expect(assistant.do(words, PERSON)).rejects.toThrow('fits no tool')
})
