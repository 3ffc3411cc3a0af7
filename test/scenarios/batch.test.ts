/** `reserve batch` against the local sandbox: what a file books, the same command again, and what is printed. */
import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, describe, expect, test} from 'vitest'
import type {Home} from '../support/bookctl.js'
import {ownHome} from '../support/own.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {
  type BatchDocument,
  batch,
  errorsOf,
  guestsNamed,
  outcomesOf,
  SEARCH,
  sheetOf,
  tripFile,
  tripNamed,
  tripsNamed,
} from './batch-files.js'

const sandbox = await sandboxOfFile()
let home: Home
/** Makes the references of each test its own: the sandbox accepts each once. */
let group = ''
let groups = 0
beforeEach(() => {
  home = ownHome(sandbox.env)
  group = `G${++groups}`
})

const POST = 'POST /partner-api/v1/reservations/hotel'
const SEARCHED = 'POST /partner-api/v1/hotels/search'

/** What `run` returns, and the requests that it causes, as `METHOD path`, without those for tokens. */
async function recorded<T>(run: () => Promise<T>): Promise<T & {sent: string[]}> {
  const {result, log} = await sandbox.during(run)
  const sent = log.map(({method, path}) => `${method} ${path}`)
  return {...result, sent: sent.filter(each => !each.includes('/oauth/'))}
}

const count = (requests: readonly string[], request: string) =>
  requests.filter(each => each === request).length

/** The offers that the service has for the trips of this file, the cheapest first. */
async function offersFor(change: object = {}) {
  const {city, ...criteria} = {...SEARCH, ...change}
  const argv = ['hotels', 'search', '--city', `${city}`, '--check-in', criteria.check_in]
  const more = ['--check-out', criteria.check_out, '--nationality', 'TR', '--currency', criteria.currency]
  const {result} = await home.json<{
    offers: {
      offer_id: string
      hotel_id: string
      hotel_name: string
      board: string
      refundable: boolean
      price: {total: string}
      raw: {account_charge: {amount: string; rate: string}}
    }[]
  }>([...argv, ...more, '--room', '2', '--sort', 'price', '--limit', '200'])
  return result.offers
}

describe('a file', () => {
  test.each([
    ['trips.csv', () => sheetOf([`${group}-1`, `${group}-2`, `${group}-3`])],
    ['trips.ndjson', () => tripsNamed(group, 3)],
    ['trips.json', () => tripsNamed(group, 3)],
  ] as const)('%s is booked whole, and the same command again sends nothing', async (name, trips) => {
    const path = tripFile(home, trips(), name)
    const first = await recorded(() => batch(home, path))
    expect(first.exit).toBe(0)
    expect(first.result.batch).toMatchObject({trips: 3, confirmed: 3, repeated: 0, refused: 0, not_sent: 0})
    expect(count(first.sent, POST)).toBe(3)
    expect(new Set(first.result.trips.map(trip => trip.reservation_ref)).size).toBe(3)

    const again = await recorded(() => batch(home, path))
    expect(again.sent).toEqual([])
    expect(again.exit).toBe(0)
    expect(again.result.batch).toEqual({...first.result.batch, repeated: 3})
    expect(again.result.trips).toEqual(first.result.trips.map(trip => ({...trip, repeated: true})))
  })

  test('from standard input needs its format, and is booked', async () => {
    const stdin = tripsNamed(group, 2)
      .map(trip => JSON.stringify(trip))
      .join('\n')
    const unknown = await home.refusal(['reserve', 'batch', '-'], {stdin})
    expect(unknown).toMatchObject({exit: 2, message: expect.stringContaining('standard input')})
    const argv = ['reserve', 'batch', '-', '--input-format', 'ndjson']
    const {exit, result} = await home.json<BatchDocument>(argv, {stdin})
    expect(exit).toBe(0)
    expect(outcomesOf(result)).toEqual(['confirmed', 'confirmed'])
  })

  test.each(['csv', 'ndjson'])('that --template %s prints is booked', async format => {
    const {stdout} = await home.run(['reserve', 'batch', '--template', format])
    const path = tripFile(home, stdout.replaceAll('GROUP-1', `${group}-1`), `trips.${format}`)
    const {exit, result} = await batch(home, path)
    expect(result.trips).toMatchObject([{outcome: 'confirmed', error: null}])
    expect(exit).toBe(0)
  })

  test('with a mistake in any row is refused before any request, and a new row is all that a later run books', async () => {
    const bad = tripNamed(`${group}-2`, {guests: [{...guestsNamed('X')[0], birth_date: '1990-13-01'}]})
    const path = tripFile(home, [tripNamed(`${group}-1`), bad, {...bad, client_reference_id: undefined}])
    const refused = await recorded(() => home.refusal(['reserve', 'batch', path]))
    expect(refused).toMatchObject({exit: 2, sent: []})
    expect(refused.message).toMatch(
      /line 2, guests\[0\]\.birth_date.*line 3, client_reference_id: is missing/,
    )

    tripFile(home, [tripNamed(`${group}-1`)])
    expect(await batch(home, path)).toMatchObject({exit: 0})
    tripFile(home, tripsNamed(group, 3))
    const more = await recorded(() => batch(home, path))
    expect(more.result.batch).toMatchObject({trips: 3, confirmed: 3, repeated: 1})
    expect(count(more.sent, POST)).toBe(2)
  })
})

describe('the document', () => {
  const COUNTS = ['trips', 'confirmed', 'pending', 'refused', 'unknown', 'not_sent', 'repeated', 'totals']
  const KEYS = [
    'line',
    'client_reference_id',
    'outcome',
    'repeated',
    'reservation_ref',
    'status',
    'hotel_name',
    'check_in',
    'check_out',
    'price',
    'currency',
    'payment_url',
    'voucher',
    'error',
  ]

  test('has the same keys for a trip that is booked, refused and waits for its payment', async () => {
    const trips = [
      tripNamed(`${group}-1`),
      tripNamed(`${group}-2-sold_out`),
      tripNamed(`${group}-3`, {payment: {mode: 'instant'}}),
    ]
    const {exit, result} = await batch(home, tripFile(home, trips))
    expect(exit).toBe(3)
    expect(Object.keys(result)).toEqual(['batch', 'trips'])
    expect(Object.keys(result.batch)).toEqual(COUNTS)
    for (const trip of result.trips) expect(Object.keys(trip)).toEqual(KEYS)
    const [booked, refused, waiting] = result.trips
    expect(booked).toMatchObject({
      line: 1,
      outcome: 'confirmed',
      status: 'CONFIRMED',
      check_in: SEARCH.check_in,
      check_out: SEARCH.check_out,
      currency: 'EUR',
      payment_url: null,
      voucher: null,
      error: null,
    })
    expect(refused).toMatchObject({line: 2, outcome: 'refused', reservation_ref: null, price: null})
    expect(refused?.error).toMatchObject({code: 'rooms_unavailable', message: expect.any(String)})
    expect(waiting).toMatchObject({line: 3, outcome: 'pending', status: 'PENDING_PAYMENT'})
    expect(waiting?.payment_url).toMatch(/^http/)
    const amount = (Number(booked?.price) + Number(waiting?.price)).toFixed(2)
    expect(result.batch.totals).toEqual([{currency: 'EUR', amount}])
  })

  test('of --dry-run has the plan and the balance, and nothing is booked', async () => {
    const trips = [...tripsNamed(group, 3), tripNamed(`${group}-x`, {choose: {max_price: '1'}})]
    const path = tripFile(home, trips)
    const {exit, result, sent} = await recorded(() => batch(home, path, '--dry-run'))
    expect(exit).toBe(3)
    expect(count(sent, POST)).toBe(0)
    expect(Object.keys(result.batch)).toEqual(['trips', 'planned', ...COUNTS.slice(1), 'balance'])
    for (const trip of result.trips)
      expect(Object.keys(trip)).toEqual([
        ...KEYS,
        'room_name',
        'board',
        'refundable',
        'free_cancellation_until',
      ])
    const [cheapest] = await offersFor()
    const price = cheapest?.price.total
    expect(result.trips[0]).toMatchObject({outcome: 'planned', price, hotel_name: cheapest?.hotel_name})
    expect(result.batch).toMatchObject({
      planned: 3,
      confirmed: 0,
      refused: 1,
      totals: [{currency: 'EUR', amount: (3 * Number(price)).toFixed(2)}],
      balance: {amount: expect.stringMatching(/^\d+\.\d\d$/), currency: 'EUR'},
    })
    expect((await batch(home, path)).result.batch).toMatchObject({confirmed: 3, repeated: 0, refused: 1})
    // What is booked is in the next plan, too.
    const after = await batch(home, path, '--dry-run')
    expect(outcomesOf(after.result)).toEqual(['confirmed', 'confirmed', 'confirmed', 'refused'])
    expect(after.result.batch.totals).toEqual(result.batch.totals)
  })

  test('of --dry-run says what the account would be charged in another currency than the prices', async () => {
    const dollars = {search: {...SEARCH, currency: 'USD'}}
    const trips = [
      tripNamed(`${group}-1`, dollars),
      tripNamed(`${group}-2`, dollars),
      tripNamed(`${group}-3`, {...dollars, payment: {mode: 'instant'}}),
      tripNamed(`${group}-4`),
    ]
    const path = tripFile(home, trips)
    const {result} = await batch(home, path, '--dry-run')
    const [cheapest] = await offersFor({currency: 'USD'})
    const charge = cheapest?.raw.account_charge
    const {amount = '', rate = ''} = charge ?? {}
    const charged = [{currency: 'EUR', amount: (2 * Number(amount)).toFixed(2)}]
    expect(result.batch).toMatchObject({planned: 4, charged})
    expect(result.trips.map(trip => trip.charged)).toEqual([charge, charge, undefined, undefined])
    const {stderr: told} = await home.run(['reserve', 'batch', path, '--dry-run'])
    expect(told).toContain(
      `Charged to the account for prices in USD: ${charged[0]?.amount} EUR, at the rate ${rate} for USD\n`,
    )
  })

  test('as ndjson is a line for each trip, and stderr has the summary', async () => {
    const path = tripFile(home, [...tripsNamed(group, 2), tripNamed(`${group}-3-sold_out`)])
    const {exit, stdout, stderr} = await home.run(['reserve', 'batch', path, '--format', 'ndjson'])
    expect(exit).toBe(3)
    const lines = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    for (const line of lines) expect(Object.keys(line)).toEqual(KEYS)
    expect(lines.map(line => line.line).sort()).toEqual([1, 2, 3])
    expect(stderr).toMatch(/3 trips: 2 confirmed, 1 refused/)
  })

  test('in other formats has a row for each trip', async () => {
    const path = tripFile(home, [tripNamed(`${group}-1`), tripNamed(`${group}-2-sold_out`)])
    const csv = await home.run(['reserve', 'batch', path, '--format', 'csv', '--columns', 'line,outcome'])
    expect(csv).toMatchObject({exit: 3, stdout: 'line,outcome\n1,confirmed\n2,refused\n'})
    const quiet = await home.run(['reserve', 'batch', path, '--quiet'])
    expect(quiet.exit).toBe(3)
    expect(quiet.stdout).toMatch(/^RSV-\w+\n$/)
    expect(quiet.stderr).toBe('')
    const query = await home.run(['reserve', 'batch', path, '--query', 'batch.refused'])
    expect(query).toMatchObject({exit: 3, stdout: '1\n'})
  })
})

describe('the exit code', () => {
  test('is 8 as long as a trip waits for its payment, and 0 once it is paid', async () => {
    const path = tripFile(home, [
      tripNamed(`${group}-1`),
      tripNamed(`${group}-2`, {payment: {mode: 'instant'}}),
    ])
    const first = await batch(home, path)
    expect(first.exit).toBe(8)
    const pending = first.result.trips[1]
    expect(await batch(home, path)).toMatchObject({
      exit: 8,
      result: {batch: {confirmed: 1, pending: 1, repeated: 2}},
    })
    await sandbox.control('POST', `/_sandbox/payments/${pending?.reservation_ref}`, {result: 'paid'})
    const {exit, result, sent} = await recorded(() => batch(home, path))
    expect(exit).toBe(0)
    expect(outcomesOf(result)).toEqual(['confirmed', 'confirmed'])
    expect(result.trips[1]?.reservation_ref).toBe(pending?.reservation_ref)
    expect(count(sent, POST)).toBe(0)
  })

  test('is 4 for a wrong secret, and if the service forbids it; the rest is not sent', async () => {
    const path = tripFile(home, tripsNamed(group, 6))
    const wrong = ownHome({...sandbox.env, BOOKCTL_CLIENT_SECRET: 'sk_test_wrong'})
    const unknown = await recorded(() => batch(wrong, path))
    expect(unknown.exit).toBe(4)
    expect(outcomesOf(unknown.result)).toEqual(Array(6).fill('not_sent'))
    expect(unknown.sent).toEqual([])

    await sandbox.fault({operation: 'reservations.create', kind: 'status', status: 403})
    const forbidden = await recorded(() => batch(home, path, '--parallel', '1'))
    expect(forbidden.exit).toBe(4)
    expect(outcomesOf(forbidden.result)).toEqual(Array(6).fill('not_sent'))
    expect(count(forbidden.sent, POST)).toBe(1)
    // It is not too late to book them.
    expect(await batch(home, path)).toMatchObject({exit: 0, result: {batch: {confirmed: 6, repeated: 0}}})
  })

  test('is that of the refused token for a client without the scope, as with reserve, and the rest is not sent', async () => {
    const [BOOKCTL_CLIENT_ID, BOOKCTL_CLIENT_SECRET] = ['cid_sandbox_readonly', 'sk_test_sandbox_readonly']
    const readOnly = ownHome({...sandbox.env, BOOKCTL_CLIENT_ID, BOOKCTL_CLIENT_SECRET})
    const path = tripFile(home, tripsNamed(group, 6))
    const {exit, result, sent} = await recorded(() => batch(readOnly, path, '--parallel', '1'))
    expect(exit).toBe(4)
    expect(outcomesOf(result)).toEqual(Array(6).fill('not_sent'))
    expect(errorsOf(result)[0]).toBe('invalid_scope')
    expect(count(sent, POST)).toBe(0)
  })

  test('is 5 for an account without money, and the rest is not sent', async () => {
    const poor = ownHome({
      ...sandbox.env,
      BOOKCTL_CLIENT_ID: 'cid_sandbox_poor',
      BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox_poor',
    })
    const path = tripFile(home, tripsNamed(group, 6))
    const plan = await home.run(['reserve', 'batch', path, '--dry-run'])
    expect(plan.stderr).toMatch(/Balance of the account: \S+ EUR$/m)
    const poorPlan = await poor.run(['reserve', 'batch', path, '--dry-run'])
    expect(poorPlan.stderr).toMatch(/Balance of the account: \S+ EUR, less than the trips to book cost$/m)

    const {exit, result, sent} = await recorded(() => batch(poor, path, '--parallel', '2'))
    expect(exit).toBe(5)
    expect(count(sent, POST)).toBeLessThanOrEqual(2)
    const {refused, not_sent} = result.batch
    expect(refused).toBe(count(sent, POST))
    expect(not_sent).toBe(6 - refused)
    expect(result.trips[0]?.error?.code).toBe('insufficient_balance')
  })

  test('is 7 where nothing listens, with a document', async () => {
    const away = ownHome({...sandbox.env, BOOKCTL_BASE_URL: 'http://127.0.0.1:1/partner-api/v1'})
    const {exit, result} = await batch(away, tripFile(home, tripsNamed(group, 3)))
    expect(exit).toBe(7)
    expect(outcomesOf(result)).toEqual(Array(3).fill('not_sent'))
  })

  test('is 6 if the searches fail', async () => {
    const path = tripFile(home, tripsNamed(group, 2))
    await sandbox.fault({operation: 'hotels.search', kind: 'status', status: 503, times: 8})
    const {exit, result} = await batch(home, path)
    await sandbox.control('DELETE', '/_sandbox/faults')
    expect(exit).toBe(6)
    expect(outcomesOf(result)).toEqual(['not_sent', 'not_sent'])
  })
})

describe('the offer of a trip', () => {
  test('is the cheapest for each, although each offer is used once', async () => {
    const [cheapest] = await offersFor()
    const {exit, result} = await batch(home, tripFile(home, tripsNamed(group, 7)), '--parallel', '8')
    expect(exit).toBe(0)
    expect(new Set(result.trips.map(trip => trip.price))).toEqual(new Set([cheapest?.price.total]))
    expect(new Set(result.trips.map(trip => trip.hotel_name))).toEqual(new Set([cheapest?.hotel_name]))
  })

  test('fits the wishes of the trip, and is the first of equally cheap ones', async () => {
    const offers = await offersFor()
    const last = offers.at(-1)
    const first = (fits: (offer: (typeof offers)[number]) => boolean) => offers.find(fits)
    const middle = offers[Math.floor(offers.length / 2)]?.price.total ?? ''
    const wanted: [choose: object, offer: (typeof offers)[number] | undefined][] = [
      [{hotel_id: last?.hotel_id}, first(({hotel_id}) => hotel_id === last?.hotel_id)],
      [{board: 'HB'}, first(({board}) => board === 'HB')],
      [{refundable: true}, first(({refundable}) => refundable)],
      [{refundable: false}, offers[0]],
      [{max_price: middle}, offers[0]],
      [{max_price: offers[0]?.price.total}, offers[0]],
      [
        {refundable: true, board: 'BB', max_price: `${last?.price.total} EUR`},
        first(({refundable, board}) => refundable && board === 'BB'),
      ],
    ]
    const trips = wanted.map(([choose], index) => tripNamed(`${group}-${index}`, {choose}))
    const {result} = await batch(home, tripFile(home, trips), '--dry-run')
    expect(result.trips.map(({hotel_name, price}) => ({hotel_name, price}))).toEqual(
      wanted.map(([, offer]) => ({hotel_name: offer?.hotel_name, price: offer?.price.total})),
    )
  })

  test('is missing if none fits: that trip is refused, and the others are booked', async () => {
    const trips = [
      tripNamed(`${group}-1`, {choose: {hotel_id: 'htl_none'}}),
      tripNamed(`${group}-2`, {choose: {board: 'AI', max_price: '1'}}),
      tripNamed(`${group}-3`, {choose: {max_price: '100000 USD'}}),
      tripNamed(`${group}-4`),
    ]
    const {exit, result} = await batch(home, tripFile(home, trips))
    expect(exit).toBe(3)
    expect(errorsOf(result)).toEqual(['no_offer', 'no_offer', 'no_offer', null])
    expect(outcomesOf(result)).toEqual(['refused', 'refused', 'refused', 'confirmed'])
    const alone = await batch(home, tripFile(home, trips.slice(0, 2)))
    expect(alone.exit).toBe(5)
  })

  test('may be named, and is then booked without a search', async () => {
    const [, second] = await offersFor()
    const {search: _, ...trip} = tripNamed(`${group}-1`)
    const path = tripFile(home, [{...trip, offer_id: second?.offer_id}])
    const first = await recorded(() => batch(home, path))
    expect(first.result.trips).toMatchObject([{outcome: 'confirmed', price: second?.price.total}])
    expect(count(first.sent, SEARCHED)).toBe(0)
    expect(await recorded(() => batch(home, path))).toMatchObject({exit: 0, sent: []})
  })

  test('that two trips name is a mistake of the file', async () => {
    const {search: _, ...trip} = tripNamed(`${group}-1`)
    const trips = [trip, {...trip, client_reference_id: `${group}-2`}].map(each => ({
      ...each,
      offer_id: 'off_1',
    }))
    const path = tripFile(home, trips)
    const {exit, sent} = await recorded(() => batch(home, path))
    expect({exit, sent}).toEqual({exit: 2, sent: []})
  })
})

test('--failed replaces no file but its own, and --vouchers needs a directory that can be made', async () => {
  const path = tripFile(home, [tripNamed(`${group}-1`)])
  const other = tripFile(home, [tripNamed('other')], 'other.ndjson')
  for (const [flags, code] of [
    [['--failed', other], 'file_exists'],
    [['--failed', '-'], 'invalid_input'],
    [['--vouchers', '/dev/null/x'], 'cannot_write'],
    [['--vouchers', path], 'invalid_input'],
  ] as const) {
    const {exit, result, sent} = await recorded(() => batch(home, path, ...flags))
    expect({exit, sent}).toEqual({exit: 2, sent: []})
    expect(result).toMatchObject({error: {code}})
  }
  const failed = join(home.directory, 'failed.ndjson')
  for (const _ of [1, 2]) expect((await batch(home, path, '--failed', failed)).exit).toBe(0)
})

describe('a city', () => {
  test('may be a name, and is looked up once', async () => {
    const search = {...SEARCH, city: 'Istanbul'}
    const {exit, result, sent} = await recorded(() =>
      batch(home, tripFile(home, tripsNamed(group, 3, {search}))),
    )
    expect(exit).toBe(0)
    expect(result.batch.confirmed).toBe(3)
    expect(sent.filter(each => each.includes('/content/cities')).length).toBeLessThanOrEqual(1)
  })

  test('that is unknown is a mistake with its line, for every one of them, before any search', async () => {
    const trips = ['Atlantis', 'Istanbul', 'Nowhere', 'Atlantis'].map((city, index) =>
      tripNamed(`${group}-${index}`, {search: {...SEARCH, city}}),
    )
    const {exit, message, sent} = await recorded(() =>
      home.refusal(['reserve', 'batch', tripFile(home, trips)]),
    )
    expect(exit).toBe(2)
    expect(message).toMatch(/line 1, search\.city.*line 3, search\.city.*line 4, search\.city/)
    expect(sent.filter(each => each.startsWith('POST'))).toEqual([])
    const sheet = sheetOf([`${group}-9`]).replace(';101;', ';Atlantis;')
    const inSheet = await home.refusal(['reserve', 'batch', tripFile(home, sheet, 'trips.csv')])
    expect(inSheet.message).toContain('line 2, column city')
  })
})

test('a doubt about a guest names the line of its row in CSV, and the guest in JSON', async () => {
  const sheet = sheetOf([`${group}-1`]).replace(';Can;Öğüt;', ';محمد;الأحمد;')
  const inSheet = await home.run(['reserve', 'batch', tripFile(home, sheet, 'trips.csv'), '--dry-run'])
  expect(inSheet.stderr).toContain(
    `line 3, client reference ${group}-1: محمد الأحمد has letters that are not Latin`,
  )
  const [guest, ...others] = guestsNamed('Can')
  const trip = tripNamed(`${group}-2`, {guests: [{...guest, name: 'محمد', surname: 'الأحمد'}, ...others]})
  const inLines = await home.run(['reserve', 'batch', tripFile(home, [trip]), '--dry-run'])
  expect(inLines.stderr).toContain(`line 1, client reference ${group}-2: guests[0]: محمد الأحمد has letters`)
})

describe('--max-total', () => {
  const limited = (path: string, amount: string, ...more: string[]) =>
    recorded(() =>
      home.json<BatchDocument & {error?: {code: string; message: string}}>([
        ...['reserve', 'batch', path, '--max-total', amount],
        ...more,
      ]),
    )

  test('refuses a dearer plan before the first reservation, in either way of writing it', async () => {
    const [cheapest] = await offersFor()
    const price = Number(cheapest?.price.total)
    const path = tripFile(home, tripsNamed(group, 3))
    for (const amount of [(3 * price - 0.01).toFixed(2), `${(3 * price - 0.01).toFixed(2)} EUR`]) {
      const {exit, result, sent} = await limited(path, amount)
      expect(exit).toBe(2)
      expect(result.error?.code).toBe('max_total_exceeded')
      expect(count(sent, POST)).toBe(0)
    }
    const other = await limited(path, `${3 * price} USD`)
    expect(other).toMatchObject({exit: 2, result: {error: {code: 'price_not_comparable'}}})
    expect(count(other.sent, POST)).toBe(0)
    const enough = await limited(path, (3 * price).toFixed(2))
    expect(enough).toMatchObject({exit: 0, result: {batch: {confirmed: 3}}})
  })

  test('counts what the file booked before', async () => {
    const [cheapest] = await offersFor()
    const price = Number(cheapest?.price.total)
    const path = tripFile(home, tripsNamed(group, 2))
    expect(await batch(home, path)).toMatchObject({exit: 0})
    tripFile(home, tripsNamed(group, 3))
    const dearer = await limited(path, (2.5 * price).toFixed(2))
    expect(dearer).toMatchObject({exit: 2, result: {error: {code: 'max_total_exceeded'}}})
    expect(count(dearer.sent, POST)).toBe(0)
    expect(await limited(path, (3 * price).toFixed(2))).toMatchObject({
      exit: 0,
      result: {batch: {repeated: 2}},
    })
  })

  test('lets a trip be tried again without counting it twice', async () => {
    const [cheapest] = await offersFor()
    const price = Number(cheapest?.price.total)
    const path = tripFile(home, tripsNamed(group, 2))
    await sandbox.fault({operation: 'reservations.create', kind: 'status', status: 429, times: 6})
    const {exit, result} = await limited(path, (2 * price).toFixed(2), '--parallel', '1')
    expect(errorsOf(result)).toEqual([null, null])
    expect(exit).toBe(0)
  })
})

describe('--failed', () => {
  test.each(['csv', 'ndjson', 'json'] as const)(
    'writes the trips that are not booked as %s, and that file books them',
    async format => {
      const [wrong, right] = [`${group}-2-sold_out`, `${group}-2-later`]
      const references = [`${group}-1`, wrong, `${group}-3`]
      const trips = format === 'csv' ? sheetOf(references) : references.map(each => tripNamed(each))
      const path = tripFile(home, trips, `trips.${format}`)
      const failed = join(home.directory, `failed.${format}`)
      expect(await batch(home, path, '--failed', failed)).toMatchObject({exit: 3})
      const text = readFileSync(failed, 'utf8')
      expect(text).toContain('rooms_unavailable')
      expect(text).toContain(wrong)
      expect(text).not.toContain(`${group}-1`)
      // It is refused again, and for the same reason.
      const again = join(home.directory, `again.${format}`)
      expect(await batch(home, failed, '--failed', again)).toMatchObject({
        exit: 5,
        result: {trips: [{line: format === 'csv' ? 2 : 1}]},
      })
      expect(readFileSync(again, 'utf8')).toBe(text)
      tripFile(home, text.replaceAll(wrong, right), `failed.${format}`)
      const {exit, result} = await batch(home, failed, '--failed', again)
      expect(result.trips).toMatchObject([{client_reference_id: right, outcome: 'confirmed'}])
      expect(exit).toBe(0)
      // Nothing is left to do.
      const left = readFileSync(again, 'utf8')
      expect(left).not.toContain(group)
    },
  )

  test('is refused before anything is sent if it cannot be written or is the file itself', async () => {
    const path = tripFile(home, tripsNamed(group, 1))
    for (const failed of [path, join(home.directory, 'none', 'failed.ndjson')]) {
      const refused = await recorded(() => home.refusal(['reserve', 'batch', path, '--failed', failed]))
      expect(refused).toMatchObject({exit: 2, sent: []})
    }
  })
})

describe('--vouchers', () => {
  test('has each voucher as REF.pdf, and the next run only those that are missing', async () => {
    const path = tripFile(home, [...tripsNamed(group, 2), tripNamed(`${group}-3-sold_out`)])
    const dir = join(home.directory, 'vouchers')
    const first = await batch(home, path, '--vouchers', dir)
    expect(first.exit).toBe(3)
    const [one, two, refused] = first.result.trips
    expect(refused?.voucher).toBeNull()
    for (const trip of [one, two]) {
      expect(trip?.voucher).toBe(join(dir, `${trip?.reservation_ref}.pdf`))
      expect(
        readFileSync(trip?.voucher ?? '')
          .subarray(0, 5)
          .toString(),
      ).toBe('%PDF-')
    }
    expect(readdirSync(dir)).toHaveLength(2)
    tripFile(home, tripsNamed(group, 2))
    const again = await recorded(() => batch(home, path, '--vouchers', dir))
    expect(again).toMatchObject({exit: 0, sent: []})
    expect(again.result.trips.map(trip => trip.voucher)).toEqual([one?.voucher, two?.voucher])
  })

  test('a trip whose voucher fails stays confirmed, with the error', async () => {
    const path = tripFile(home, tripsNamed(group, 2))
    const dir = join(home.directory, 'vouchers')
    await sandbox.fault({operation: 'voucher.show', kind: 'status', status: 400, times: 1})
    const {exit, result} = await batch(home, path, '--vouchers', dir, '--parallel', '1')
    expect(exit).toBe(3)
    expect(outcomesOf(result)).toEqual(['confirmed', 'confirmed'])
    const failed = result.trips.filter(trip => trip.voucher === null)
    expect(failed).toHaveLength(1)
    expect(failed[0]?.error).not.toBeNull()
    const again = await batch(home, path, '--vouchers', dir)
    expect(again.exit).toBe(0)
    for (const {voucher} of again.result.trips) expect(existsSync(voucher ?? '')).toBe(true)
  })
})

test.each(['0', '17', 'x'])('--parallel %s is refused', async parallel => {
  const path = tripFile(home, tripsNamed(group, 1))
  expect(await home.refusal(['reserve', 'batch', path, '--parallel', parallel])).toMatchObject({exit: 2})
})

test('any number at a time books each once', async () => {
  for (const parallel of ['1', '3', '16']) {
    const path = tripFile(home, tripsNamed(`${group}-p${parallel}`, 5))
    const {exit, result, sent} = await recorded(() => batch(home, path, '--parallel', parallel))
    expect(exit).toBe(0)
    expect(result.batch.confirmed).toBe(5)
    expect(count(sent, POST)).toBe(5)
  }
})

test('--rate limits the reservations a second', async () => {
  const path = tripFile(home, tripsNamed(group, 4))
  const begun = performance.now()
  expect(await batch(home, path, '--rate', '10')).toMatchObject({exit: 0})
  expect(performance.now() - begun).toBeGreaterThanOrEqual(290)
})
