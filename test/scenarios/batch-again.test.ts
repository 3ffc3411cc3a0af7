/** `reserve batch` once more, after a run that ended badly: each trip is booked once, whatever the journal has of it. */
import {join} from 'node:path'
import {beforeEach, describe, expect, test} from 'vitest'
import {intentOf} from '../../src/api/reserve/reserve.js'
import type {JournalEntry} from '../../src/contract/journal.js'
import type {ReservationRequest} from '../../src/contract/reservations.js'
import {openState} from '../../src/state/state.js'
import type {Home} from '../support/bookctl.js'
import {ownHome} from '../support/own.js'
import {connectTo} from '../support/sandbox.js'
import {ownSandbox, sandboxOfFile} from '../support/served-sandbox.js'
import {CONTACT} from '../support/stay.js'
import {
  type BatchDocument,
  batch,
  errorsOf,
  guestsNamed,
  outcomesOf,
  SEARCH,
  tripFile,
  tripNamed,
} from './batch-files.js'

const sandbox = await sandboxOfFile()
let home: Home
let group = ''
let groups = 0
beforeEach(() => {
  home = ownHome(sandbox.env)
  group = `A${++groups}`
})

const POSTS = 'reservations.create'

interface Sent {
  readonly key: string
  readonly body: ReservationRequest
}

/** What `run` returns, and the reservation requests that it causes. */
async function recorded<T>(run: () => Promise<T>): Promise<T & {sent: Sent[]; others: string[]}> {
  const {result, log} = await sandbox.during(run)
  const sent = log
    .filter(({operation}) => operation === POSTS)
    .map(({headers, body}) => ({key: headers['idempotency-key'], body}))
  const others = log.filter(({operation}) => operation !== POSTS).map(({operation}) => operation)
  return {...result, sent, others}
}

/** Works with the journal of that home, as the commands' client. */
async function inJournal<T>(
  work: (journal: ReturnType<ReturnType<typeof openState>['journal']['forClient']>) => Promise<T>,
) {
  const state = openState(home.configDirectory)
  const {BOOKCTL_CLIENT_ID: clientId, BOOKCTL_CLIENT_SECRET: clientSecret} = sandbox.env
  try {
    return await work(state.journal.forClient({baseUrl: sandbox.baseUrl, clientId, clientSecret}))
  } finally {
    await state.close()
  }
}

const entryOf = (reference: string): Promise<JournalEntry | undefined> =>
  inJournal(journal => journal.find(reference))

/** Commits the intent to book a trip with `offer`, as a run that was then killed. Returns its key. */
async function committed(reference: string, offer_id: string): Promise<string> {
  const idempotencyKey = crypto.randomUUID()
  const request = {
    offer_id,
    client_reference_id: reference,
    client_nationality: 'TR',
    contact: CONTACT,
    guests: guestsNamed('Öğüt'),
    payment: {mode: 'account' as const},
  }
  const stay = {check_in: SEARCH.check_in, check_out: SEARCH.check_out, rooms: SEARCH.rooms, city: 101}
  const given = {referenceGiven: true, keyGiven: false, idempotencyKey, agreed: null, stay}
  await inJournal(journal => journal.begin(intentOf(request, given), Date.now() / 1000))
  return idempotencyKey
}

async function countOf(reference: string): Promise<number> {
  const argv = ['reservations', 'list', '--client-reference', reference]
  const {result} = await home.json<{reservations: unknown[]}>(argv)
  return result.reservations.length
}

/** The id of an offer that the trips of this file would not choose: the dearest. */
async function dearestOffer(): Promise<string> {
  const argv = [
    'hotels',
    'search',
    '--city',
    '101',
    '--check-in',
    SEARCH.check_in,
    '--check-out',
    SEARCH.check_out,
  ]
  const more = [
    '--nationality',
    'TR',
    '--currency',
    'EUR',
    '--room',
    '2',
    '--sort',
    'price',
    '--limit',
    '200',
  ]
  const {result} = await home.json<{offers: {offer_id: string}[]}>([...argv, ...more])
  return result.offers.at(-1)?.offer_id ?? ''
}

describe('after a run that was killed', () => {
  test('before anything was sent, the next run searches and books the trip', async () => {
    const [one, two] = [`${group}-1`, `${group}-2`]
    const key = await committed(one, 'off_goneforever')
    const {exit, result, sent} = await recorded(() =>
      batch(home, tripFile(home, [tripNamed(one), tripNamed(two)])),
    )
    expect(exit).toBe(0)
    expect(outcomesOf(result)).toEqual(['confirmed', 'confirmed'])
    expect(result.trips.map(({repeated}) => repeated)).toEqual([false, false])
    expect(sent).toHaveLength(2)
    for (const {key: other, body} of sent) {
      expect(other).not.toBe(key)
      expect(body.offer_id).not.toBe('off_goneforever')
    }
    expect(await countOf(one)).toBe(1)
  })

  test.each(['arrived', 'was lost'])(
    'while a request was under way that %s: its own key and bytes are sent again, and no search is made',
    async fate => {
      const [one, two] = [`${group}-1`, `${group}-2`]
      const offer = await dearestOffer()
      const key = await committed(one, offer)
      await inJournal(async journal => {
        const entry = await journal.find(one)
        await journal.attempt(entry?.id ?? 0, Date.now() / 1000)
        if (fate === 'was lost' || entry?.body == null) return
        const client = await connectTo(sandbox.origin)
        expect((await client.reserve(entry.body, key)).status).toBe(201)
      })
      // With a new search, another offer would be found.
      const {exit, result, sent} = await recorded(() =>
        batch(home, tripFile(home, [tripNamed(one), tripNamed(two)])),
      )
      expect(exit).toBe(0)
      expect(outcomesOf(result)).toEqual(['confirmed', 'confirmed'])
      expect(result.trips[0]).toMatchObject({repeated: true, error: null})
      const own = sent.filter(({body}) => body.client_reference_id === one)
      expect(own).toMatchObject([{key, body: {offer_id: offer}}])
      expect(await countOf(one)).toBe(1)
      expect(await recorded(() => batch(home, tripFile(home, [tripNamed(one)])))).toMatchObject({
        exit: 0,
        sent: [],
      })
    },
  )
})

test('an unknown outcome ends the run with 10 and what is new is not sent, and the next run settles both', async () => {
  const trips = [tripNamed(`${group}-1`), tripNamed(`${group}-2`), tripNamed(`${group}-3`)]
  const path = tripFile(home, trips)
  await sandbox.fault({operation: POSTS, kind: 'commit-then-drop', times: 4})
  const first = await recorded(() => batch(home, path, '--parallel', '1'))
  expect(first.exit).toBe(10)
  expect(outcomesOf(first.result)).toEqual(['unknown', 'not_sent', 'not_sent'])
  expect(new Set(first.sent.map(({key}) => key)).size).toBe(1)
  expect(first.result.trips[0]?.error?.hint).not.toMatch(/search again|client-reference/)

  const next = await recorded(() => batch(home, path))
  expect(next.exit).toBe(0)
  expect(next.result.batch).toMatchObject({confirmed: 3, repeated: 1})
  const own = next.sent.filter(({body}) => body.client_reference_id === `${group}-1`)
  expect(own).toEqual(first.sent.slice(0, 1))
  for (const {client_reference_id} of trips) expect(await countOf(client_reference_id)).toBe(1)
})

test('with --continue the other trips are booked after an unknown outcome', async () => {
  const path = tripFile(home, [tripNamed(`${group}-1`), tripNamed(`${group}-2`)])
  await sandbox.fault({operation: POSTS, kind: 'commit-then-drop', times: 4})
  const {exit, result} = await batch(home, path, '--parallel', '1', '--continue')
  expect(exit).toBe(10)
  expect(outcomesOf(result)).toEqual(['unknown', 'confirmed'])
  expect(await batch(home, path)).toMatchObject({exit: 0, result: {batch: {confirmed: 2, repeated: 2}}})
})

test('an answer that is lost once is found out at once: the reference of a scenario is confirmed', async () => {
  const reference = `${group}-unknown_success`
  const {exit, result} = await batch(home, tripFile(home, [tripNamed(reference)]))
  expect(exit).toBe(0)
  expect(outcomesOf(result)).toEqual(['confirmed'])
  expect(await countOf(reference)).toBe(1)
})

test('a trip that was refused is searched and sent again with a new key', async () => {
  const path = tripFile(home, [tripNamed(`${group}-1`)])
  await sandbox.fault({operation: POSTS, kind: 'status', status: 400})
  const first = await recorded(() => batch(home, path))
  expect(first).toMatchObject({exit: 5, result: {batch: {refused: 1}}})
  const next = await recorded(() => batch(home, path))
  expect(next).toMatchObject({exit: 0, result: {batch: {confirmed: 1, repeated: 0}}})
  expect(next.sent).toHaveLength(1)
  expect(next.sent[0]?.key).not.toBe(first.sent[0]?.key)
})

test('a trip whose reservation was cancelled is refused, and not booked again', async () => {
  const path = tripFile(home, [
    tripNamed(`${group}-1`, {choose: {refundable: true}}),
    tripNamed(`${group}-2`),
  ])
  const {result} = await batch(home, path)
  const reference = result.trips[0]?.reservation_ref ?? ''
  expect(await home.run(['reservations', 'cancel', reference, '--yes'])).toMatchObject({exit: 0})
  const again = await recorded(() => batch(home, path))
  expect(again.exit).toBe(3)
  expect(outcomesOf(again.result)).toEqual(['refused', 'confirmed'])
  expect(again.result.trips[0]).toMatchObject({
    reservation_ref: reference,
    error: {code: 'reservation_ended'},
  })
  expect(again.result.trips[0]?.error?.message).toContain(reference)
  expect(again.sent).toEqual([])
  expect(again.result.batch.totals).toEqual([{currency: 'EUR', amount: again.result.trips[1]?.price}])
})

test('a trip that was not paid in time is refused with its reservation, and not booked again', async () => {
  const own = await ownSandbox()
  const path = tripFile(own.home, [tripNamed('E-1', {payment: {mode: 'instant'}}), tripNamed('E-2')])
  const {exit, result} = await batch(own.home, path)
  expect(exit).toBe(8)
  const reservation_ref = result.trips[0]?.reservation_ref
  await own.control('POST', '/_sandbox/clock', {advance_seconds: 3600})
  for (const code of ['not_confirmed', 'reservation_ended']) {
    const again = await batch(own.home, path)
    expect(again).toMatchObject({exit: 3, result: {batch: {confirmed: 1, refused: 1, repeated: 1}}})
    expect(again.result.trips[0]).toMatchObject({reservation_ref, repeated: false, error: {code}})
  }
  const posts = (await own.requests()).filter(each => each.endsWith('/reservations/hotel'))
  expect(posts).toHaveLength(2)
})

test('the trips that --failed writes are resumed and booked with it', async () => {
  const trips = [tripNamed(`${group}-1`), tripNamed(`${group}-2`)]
  const path = tripFile(home, trips)
  const failed = join(home.directory, 'failed.ndjson')
  await sandbox.fault({operation: POSTS, kind: 'commit-then-drop', times: 4})
  expect(await batch(home, path, '--failed', failed, '--parallel', '1')).toMatchObject({exit: 10})
  const next = await recorded(() => batch(home, failed))
  expect(next).toMatchObject({exit: 0, result: {batch: {trips: 2, confirmed: 2, repeated: 1}}})
  expect(next.sent).toHaveLength(2)
  for (const {client_reference_id} of trips) expect(await countOf(client_reference_id)).toBe(1)
})

describe('the same reference', () => {
  const CHANGES: [what: string, change: object, said: RegExp][] = [
    ['guests', {guests: guestsNamed('Yılmaz')}, /other guests/],
    [
      'a later day',
      {search: {...SEARCH, check_in: '2030-06-02'}},
      /check-in 2030-06-02 instead of 2030-06-01/,
    ],
    ['a longer stay', {search: {...SEARCH, check_out: '2030-06-05'}}, /check-out 2030-06-05 instead of/],
    [
      'rooms',
      {
        search: {
          ...SEARCH,
          rooms: [
            {adults: 1, children_ages: []},
            {adults: 1, children_ages: []},
          ],
        },
      },
      /rooms 1 1 instead of 2/,
    ],
    ['a city', {search: {...SEARCH, city: 102}}, /city 102 instead of 101/],
  ]

  test.each(CHANGES)(
    'with another trip (%s) is refused, naming the reservation, and the others go on',
    async (_, change, said) => {
      const [one, two, three] = [`${group}-1`, `${group}-2`, `${group}-3`]
      const first = await batch(home, tripFile(home, [tripNamed(one), tripNamed(two)]))
      expect(first.exit).toBe(0)
      const booked = first.result.trips[0]?.reservation_ref ?? ''
      const path = tripFile(home, [tripNamed(one, change), tripNamed(two), tripNamed(three)])
      const {exit, result, sent} = await recorded(() => batch(home, path))
      expect(exit).toBe(3)
      expect(outcomesOf(result)).toEqual(['refused', 'confirmed', 'confirmed'])
      expect(sent.map(({body}) => body.client_reference_id)).toEqual([three])
      const [refused] = result.trips
      expect(refused).toMatchObject({reservation_ref: booked, error: {code: 'reference_in_use'}})
      expect(refused?.error?.message).toContain(booked)
      expect(refused?.error?.message).toMatch(said)
    },
  )

  test('of a trip that named its city is refused with another one', async () => {
    const inCity = (city: string | number) => [tripNamed(`${group}-1`, {search: {...SEARCH, city}})]
    expect(await batch(home, tripFile(home, inCity('Istanbul')))).toMatchObject({exit: 0})
    expect(await batch(home, tripFile(home, inCity(101)))).toMatchObject({exit: 0})
    const {result, sent} = await recorded(() => batch(home, tripFile(home, inCity(102))))
    expect(errorsOf(result)).toEqual(['reference_in_use'])
    expect(sent).toEqual([])
  })

  test('with another contact is a warning', async () => {
    const one = `${group}-1`
    await batch(home, tripFile(home, [tripNamed(one)]))
    const path = tripFile(home, [tripNamed(one, {contact: {...CONTACT, phone_number: '5329999999'}})])
    const {exit, result, sent, stderr} = await recorded(() => batch(home, path))
    expect({exit, sent}).toEqual({exit: 0, sent: []})
    expect(result.trips).toMatchObject([{outcome: 'confirmed', repeated: true, error: null}])
    expect(stderr).toMatch(new RegExp(`Warning: line 1, client reference ${one}: another contact`))
  })

  test('and another offer is the same trip', async () => {
    const one = `${group}-1`
    const first = await batch(home, tripFile(home, [tripNamed(one)]))
    const {search: _, ...trip} = tripNamed(one)
    const path = tripFile(home, [{...trip, offer_id: await dearestOffer()}])
    const {exit, result, sent} = await recorded(() => batch(home, path))
    expect({exit, sent}).toEqual({exit: 0, sent: []})
    expect(result.trips[0]?.reservation_ref).toBe(first.result.trips[0]?.reservation_ref)
  })

  test('whose outcome is unknown, with other guests, stays unknown and is not resumed', async () => {
    const one = `${group}-1`
    await sandbox.fault({operation: POSTS, kind: 'commit-then-drop', times: 4})
    expect(await batch(home, tripFile(home, [tripNamed(one)]))).toMatchObject({exit: 10})
    const path = tripFile(home, [tripNamed(one, {guests: guestsNamed('Yılmaz')}), tripNamed(`${group}-2`)])
    const {exit, result, sent} = await recorded(() => batch(home, path))
    expect(exit).toBe(10)
    expect(outcomesOf(result)).toEqual(['unknown', 'not_sent'])
    expect(sent).toEqual([])
    expect((await entryOf(one))?.outcome).toBe('unknown')
    expect(result.trips[0]?.error?.hint).toContain(`bookctl reserve --resume ${one}`)
  })
})

test('what another command booked under the reference is not booked again', async () => {
  const one = `${group}-1`
  const {result} = await home.json<{reservation_ref: string}>([
    ...['reserve', await dearestOffer(), '--yes', '--client-reference', one],
    ...[
      '--input',
      tripFile(
        home,
        JSON.stringify({contact: CONTACT, guests: guestsNamed('Öğüt'), payment: {mode: 'account'}}),
        'request.json',
      ),
    ],
  ])
  const again = await recorded(() => batch(home, tripFile(home, [tripNamed(one)])))
  expect(again).toMatchObject({exit: 0, sent: []})
  expect(again.result.trips).toMatchObject([{repeated: true, reservation_ref: result.reservation_ref}])
})

test('a row without its journal is refused by the service, and the reservation is named', async () => {
  const one = `${group}-1`
  const path = tripFile(home, [tripNamed(one)])
  const first = await batch(home, path)
  const other = ownHome(sandbox.env)
  const {exit, result} = await other.json<BatchDocument>(['reserve', 'batch', path])
  expect(exit).toBe(5)
  expect(outcomesOf(result)).toEqual(['refused'])
  expect(result.trips[0]?.reservation_ref).toBe(first.result.trips[0]?.reservation_ref)
  expect(await countOf(one)).toBe(1)
})
