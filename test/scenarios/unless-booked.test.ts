/** `reserve --unless-booked`: a job that runs again gets what it booked before, whatever it asks for now. */
import {beforeEach, expect, test} from 'vitest'
import {openState} from '../../src/state/state.js'
import {ownHome} from '../support/own.js'
import {answer, drop, refusing} from '../support/scripted-service.js'
import {ownSandbox} from '../support/served-sandbox.js'
import {offerIn, reserving, searchWith} from '../support/stay.js'
import {scriptedHome} from './scripted-home.js'

const {service} = await scriptedHome()
service.tokenMilliseconds = 0
beforeEach(() => {
  service.reservations.length = 0
})

const POSTS = '/reservations/hotel'
const named = (reference: string) => ['--client-reference', reference]
/** Returns a job that books `offer` under a reference unless that is booked. */
const job = (reference: string, offer: string, ...more: string[]) =>
  reserving(offer, ...named(reference), '--unless-booked', ...more)
const withOtherGuests = (argv: readonly string[]) => argv.map(word => word.replace('name=Can', 'name=Cem'))

/** Returns what is the same in the first answer and in the journal, which keeps no guests. */
const factsOf = ({outcome, reservation_ref, idempotency_key}: Result) => ({
  outcome,
  reservation_ref,
  idempotency_key,
})

interface Result {
  readonly outcome: string
  readonly reservation_ref: string | null
  readonly idempotency_key: string
  readonly error?: {readonly code: string; readonly hint: string}
}

test('books once, and prints the booking again without another request', async () => {
  const home = ownHome(service.env)
  const made = await home.json<Result>(job('U-1', 'off_1'))
  expect(made).toMatchObject({exit: 0, result: {outcome: 'confirmed'}, stderr: ''})
  expect(await home.json(job('U-1', 'off_1'))).toMatchObject({
    exit: 0,
    result: factsOf(made.result),
    stderr: '',
  })
  expect(service.seen(POSTS)).toHaveLength(1)
})

test('another offer, other guests, another price and another key print the booking, with a warning that names them', async () => {
  const home = ownHome(service.env)
  const offers = [
    {offer_id: 'off_5', price: {total: '240.00', currency: 'EUR'}},
    {offer_id: 'off_6', price: {total: '310.50', currency: 'EUR'}},
  ]
  const search = async (checkIn: string, offer: object) => {
    service.at('/hotels/search', (_, response) => answer(response, 200, {offers: [offer]}))
    expect(await home.run(searchWith({'--check-in': checkIn}))).toMatchObject({exit: 0})
    service.script = () => false
  }
  await search('2030-06-01', offers[0] as object)
  await search('2030-07-01', offers[1] as object)
  service.forget()
  const {result} = await home.json<Result>(job('U-2', 'off_5'))
  const booked = `the client reference U-2 is used already: the reservation ${result.reservation_ref} (confirmed), Otel`
  const key = ['--idempotency-key', '5d1c8a52-8d0e-4f4c-9a55-5f5d6f1d9c11']
  const offer = 'offer off_6 instead of off_5'
  const dates = 'check-in 2030-07-01 instead of 2030-06-01, check-out 2030-07-04 instead of 2030-06-04'
  const price = 'price 310.50 EUR instead of 240.00 EUR'
  for (const [argv, differences] of [
    [withOtherGuests(job('U-2', 'off_5')), 'other guests'],
    [job('U-2', 'off_6'), `${offer}, ${dates}, ${price}`],
    [job('U-2', 'off_5').map(word => (word === 'TR' ? 'DE' : word)), 'other guests'],
    [
      job('U-2', 'off_5').map(word => (word === 'account' ? 'instant' : word)),
      'another contact, nationality or payment than was booked',
    ],
    [job('U-2', 'off_5', ...key), 'another Idempotency-Key'],
    [job('U-2', 'off_6', '--max-price', '1'), `${offer}, ${dates}, ${price}`],
    [job('U-2', 'off_99'), 'offer off_99 instead of off_5'],
  ] as const) {
    const again = await home.json<Result>(argv)
    expect(again).toMatchObject({exit: 0, result: factsOf(result)})
    expect(again.stderr).toBe(`Warning: ${booked}; this request is not sent, and differs: ${differences}\n`)
  }
  expect(service.seen(POSTS)).toHaveLength(1)
  // The offer that was not booked is still free.
  expect(await home.json(reserving('off_6', ...named('U-3')))).toMatchObject({exit: 0})
})

test('without it the refusal names the booking and how to print it', async () => {
  const home = ownHome(service.env)
  const {result} = await home.json<Result>(job('U-4', 'off_1'))
  const refused = await home.json<Result>(reserving('off_2', ...named('U-4')))
  const {reservation_ref} = result
  expect(refused).toMatchObject({
    exit: 2,
    result: {error: {code: 'reference_in_use'}, reservation_ref, status: 'CONFIRMED'},
  })
  const {hint = ''} = refused.result.error ?? {}
  for (const words of [
    '--resume U-4',
    `show ${reservation_ref}`,
    '--unless-booked',
    'makes a second booking',
  ])
    expect(hint).toContain(words)
  const offer = await home.json<Result>(job('U-5', 'off_1'))
  expect(offer).toMatchObject({exit: 2, result: {error: {code: 'offer_in_use'}, reservation_ref}})
})

test('an attempt whose answer was lost is resumed with its own key and body', async () => {
  const home = ownHome(service.env)
  service.at(POSTS, drop)
  const lost = await home.json<Result>(job('U-6', 'off_1', '--timeout', '1'))
  expect(lost).toMatchObject({exit: 10, result: {outcome: 'unknown'}})
  const [sent] = service.seen(POSTS)
  expect(await home.json(job('U-6', 'off_2', '--timeout', '1'))).toMatchObject({exit: 10})
  service.script = () => false
  const argv = withOtherGuests(job('U-6', 'off_2'))
  const before = service.seen(POSTS).length
  const dry = await home.json([...argv, '--dry-run'])
  const key = sent?.headers['idempotency-key']
  expect(dry).toMatchObject({
    exit: 0,
    result: {headers: {'idempotency-key': key}, body: JSON.parse(sent?.body ?? '')},
  })
  expect(service.seen(POSTS)).toHaveLength(before)
  const resumed = await home.json<Result>(argv)
  expect(resumed).toMatchObject({exit: 0, result: {outcome: 'confirmed', idempotency_key: key}})
  expect(resumed.stderr).toMatch(
    /U-6 is used already: its outcome is not known \(unknown\).*differs: offer off_2 instead of off_1, other guests\n/,
  )
  expect(new Set(service.seen(POSTS).map(({body}) => body))).toEqual(new Set([sent?.body]))
  expect(service.reservations).toHaveLength(1)
})

test('a dry run prints the booking or, without one, the request, and sends nothing', async () => {
  const home = ownHome(service.env)
  const made = await home.json<Result>(job('U-7', 'off_1'))
  service.forget()
  const booked = await home.json<Result>(job('U-7', 'off_2', '--dry-run'))
  expect(booked).toMatchObject({exit: 0, result: factsOf(made.result)})
  expect(booked.stderr).toContain('offer off_2 instead of off_1')
  const free = await home.json(job('U-8', 'off_3', '--dry-run'))
  expect(free).toMatchObject({exit: 0, result: {method: 'POST', body: {client_reference_id: 'U-8'}}})
  expect(service.received).toEqual([])
})

test.each(['FAILED', 'REJECTED', 'CANCELLED'])(
  'a reservation that is %s ends with 5, and is not booked again',
  async status => {
    const home = ownHome(service.env)
    const reference = `U-${status}`
    service.status = status
    expect(await home.json(job(reference, `off_${status}`))).toMatchObject({exit: 5})
    service.status = 'CONFIRMED'
    for (const argv of [
      job(reference, 'off_8'),
      job(reference, 'off_8', '--dry-run'),
      job(reference, `off_${status}`),
    ])
      expect(await home.json(argv)).toMatchObject({exit: 5, result: {status, error: {code: 'not_confirmed'}}})
    expect(service.reservations).toHaveLength(1)
  },
)

test('what was refused, or planned and never sent, is booked', async () => {
  const home = ownHome(service.env)
  service.at(POSTS, refusing(422, 'offer_sold_out'))
  expect(await home.json(job('U-9', 'off_1'))).toMatchObject({exit: 5})
  service.script = () => false
  expect(await home.json(job('U-9', 'off_2'))).toMatchObject({exit: 0, result: {outcome: 'confirmed'}})
  // A home without a stored token.
  const fresh = ownHome(service.env)
  const stopped = await fresh.run(job('U-10', 'off_3'), {
    onStart: child => {
      service.script = ({path}) => path === '/oauth/token' && child.kill('SIGKILL')
    },
  })
  expect(stopped.exit).toBe('SIGKILL')
  service.script = () => false
  const made = await fresh.json(job('U-10', 'off_4'))
  expect(made).toMatchObject({exit: 0, result: {outcome: 'confirmed'}, stderr: ''})
})

test('killed between the request and its answer, the next run sends the same again', async () => {
  const home = ownHome(service.env)
  const killed = await home.run(job('U-11', 'off_1'), {
    onStart: child =>
      service.at(POSTS, request => {
        service.commit(request)
        child.kill('SIGKILL')
      }),
  })
  expect(killed.exit).toBe('SIGKILL')
  service.script = () => false
  const again = await home.json(job('U-11', 'off_2'))
  expect(again).toMatchObject({exit: 0, result: {outcome: 'confirmed', client_reference_id: 'U-11'}})
  expect(again.stderr).toContain('(unresolved), a reservation may exist')
  expect(new Set(service.seen(POSTS).map(({body}) => body)).size).toBe(1)
  expect(service.reservations).toHaveLength(1)
})

test('of several runs at once with different offers one books, and all print it', async () => {
  const home = ownHome(service.env)
  const runs = await Promise.all(
    ['off_1', 'off_2', 'off_3', 'off_4', 'off_5'].map(offer => home.spawn(job('U-12', offer, '--json'))),
  )
  expect(runs.map(({exit}) => exit)).toEqual([0, 0, 0, 0, 0])
  const references = runs.map(({stdout}) => (JSON.parse(stdout) as Result).reservation_ref)
  expect(new Set(references).size).toBe(1)
  expect(service.reservations).toHaveLength(1)
})

test('an attempt of another credential keeps its refusal; its booking is printed', async () => {
  const home = ownHome(service.env)
  service.liveTokens.add('canary-token')
  const token = {BOOKCTL_CLIENT_ID: '', BOOKCTL_CLIENT_SECRET: '', BOOKCTL_TOKEN: 'canary-token'}
  service.at(POSTS, drop)
  expect(await home.json(job('U-13', 'off_1', '--timeout', '1'), {env: token})).toMatchObject({exit: 10})
  service.script = () => false
  for (const argv of [job('U-13', 'off_2'), job('U-13', 'off_2', '--dry-run')])
    expect(await home.refusal(argv)).toMatchObject({exit: 2, code: 'other_credential'})
  const made = await home.json<Result>(['reserve', '--resume', 'U-13'], {env: token})
  const {reservation_ref} = made.result
  expect(await home.json(job('U-13', 'off_2'))).toMatchObject({exit: 0, result: {reservation_ref}})
  expect(service.reservations).toHaveLength(1)
})

test('an attempt that was given up is not booked again', async () => {
  const home = ownHome(service.env)
  service.at(POSTS, drop)
  await home.json(job('U-14', 'off_1', '--timeout', '1'))
  service.script = () => false
  expect(await home.run(['journal', 'forget', 'U-14', '--yes'])).toMatchObject({exit: 0})
  service.forget()
  for (const argv of [job('U-14', 'off_1'), job('U-14', 'off_2'), job('U-14', 'off_2', '--dry-run')])
    expect(await home.refusal(argv)).toMatchObject({exit: 2, code: 'reservation_forgotten'})
  expect(service.seen(POSTS)).toEqual([])
})

test('it needs a client reference that was typed, and does not go with --resume', async () => {
  const home = ownHome(service.env)
  const missing = await home.refusal(reserving('off_1', '--unless-booked'))
  expect(missing).toMatchObject({exit: 2, message: expect.stringContaining('--client-reference')})
  const both = await home.refusal(['reserve', '--resume', 'U-1', '--unless-booked'])
  expect(both).toMatchObject({exit: 2, message: expect.stringContaining('--unless-booked')})
  const input = JSON.stringify({client_reference_id: 'U-15'})
  const ofFile = reserving('off_1', '--unless-booked', '--input', '-')
  expect(await home.json(ofFile, {stdin: input})).toMatchObject({
    exit: 0,
    result: {client_reference_id: 'U-15'},
  })
})

test('a booking of an earlier version is compared by what it has stored', async () => {
  const home = ownHome(service.env)
  const {result} = await home.json<Result>(job('U-16', 'off_1'))
  const state = openState(home.configDirectory)
  const [entry] = (await state.journal.list()).filter(each => each.clientReferenceId === 'U-16')
  await state.close()
  expect(entry).toMatchObject({reservationRef: result.reservation_ref, trip: {stay: null}})
  const again = await home.json<Result>(withOtherGuests(job('U-16', 'off_2')))
  expect(again.stderr).toContain('differs: offer off_2 instead of off_1, other guests\n')
})

test('a booking that was cancelled at the service ends with 5', async () => {
  const {home: own} = await ownSandbox()
  const made = await own.json<Result>(job('U-17', await offerIn(own)))
  const ref = made.result.reservation_ref ?? ''
  expect(await own.json(['reservations', 'cancel', ref, '--yes'])).toMatchObject({exit: 0})
  const again = await own.json(withOtherGuests(job('U-17', await offerIn(own))))
  expect(again).toMatchObject({exit: 5, result: {reservation_ref: ref, error: {code: 'not_confirmed'}}})
})
