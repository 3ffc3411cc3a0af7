/** A ledger compared with lists of services that say less than the local sandbox, or change while they are read. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {answer, refuse} from '../support/scripted-service.js'
import {scriptedHome} from './scripted-home.js'

const {service, home} = await scriptedHome()
service.tokenMilliseconds = 0

type Listed = Readonly<Record<string, unknown>>

interface Foreign {
  /** The pages of the list; the query of the next one is its number. */
  readonly pages: readonly (readonly Listed[])[]
  /** What the service shows of single reservations. */
  readonly shown?: Readonly<Record<string, Listed | number>>
  /** Whether a list for one client reference has only that. */
  readonly narrows?: boolean | 'refuses'
}

function serve({pages, shown = {}, narrows = true}: Foreign): void {
  service.forget()
  service.script = ({path}, response) => {
    const {pathname, searchParams} = new URL(path, 'http://localhost')
    if (pathname === '/_sandbox/clock') {
      response.setHeader('x-local-sandbox', 'bookctl')
      answer(response, 200, {now: '2030-01-01T00:00:00Z'})
    } else if (pathname === '/reservations') {
      const reference = searchParams.get('client_reference_id')
      const all = [...pages.flat(), ...Object.values(shown).filter(each => typeof each === 'object')]
      const number = Number(searchParams.get('after') ?? 0)
      const named = all.filter(each => each.client_reference_id === reference)
      const after = number + 1 < pages.length ? String(number + 1) : null
      if (reference !== null && narrows === 'refuses') refuse(response, 400, 'unknown_parameter')
      else if (reference !== null && narrows) answer(response, 200, {data: named})
      else
        answer(response, 200, {data: pages[number] ?? [], meta: {after: reference === null ? after : null}})
    } else if (pathname.startsWith('/reservations/')) {
      const found = shown[pathname.slice('/reservations/'.length)] ?? 404
      if (typeof found === 'number') refuse(response, found, 'not_found')
      else answer(response, 200, {data: found})
    } else {
      return false
    }
    return true
  }
}

/** Compares a ledger of these lines. Returns the exit code, the differences in short, and what is said on stderr. */
async function compare(foreign: Foreign, lines: readonly string[], ...more: string[]) {
  serve(foreign)
  writeFileSync(join(home.directory, 'ledger.csv'), ['reference,price,currency,status', ...lines].join('\n'))
  const argv = ['reservations', 'reconcile', '--ledger', 'ledger.csv', ...more, '--timeout', '5']
  const done = await home.json<{
    checked: number
    differences: {kind: string; client_reference_id: string | null; reservation_ref: string | null}[]
  }>(argv)
  const {exit, result, stderr} = done
  const found = result.differences?.map(each => [each.kind, each.reservation_ref ?? each.client_reference_id])
  return {exit, found, checked: result.checked, stderr, result}
}

const A = {
  reservation_ref: 'R-1',
  client_reference_id: 'A',
  status: 'CONFIRMED',
  total: '10.00',
  currency: 'EUR',
}
const B = {
  reservation_ref: 'R-2',
  client_reference_id: 'B',
  status: 'CONFIRMED',
  total: '20.00',
  currency: 'EUR',
}
const without = (row: Listed, ...names: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))
const BOOKS = ['A,10.00,EUR,ok', 'B,20.00,EUR,ok']

test('a row without a price is looked up, and not compared if that says none either', async () => {
  const listed = [without(A, 'total', 'currency'), B]
  expect(await compare({pages: [listed], shown: {'R-1': A}}, BOOKS)).toMatchObject({
    exit: 0,
    checked: 2,
    stderr: '',
  })
  const other = await compare({pages: [listed], shown: {'R-1': {...A, total: '11.00'}}}, BOOKS)
  expect(other).toMatchObject({exit: 3, found: [['price', 'R-1']]})
  const none = await compare({pages: [listed], shown: {'R-1': listed[0] ?? A}}, BOOKS)
  expect(none).toMatchObject({exit: 0, found: [], checked: 2})
  expect(none.stderr).toBe('Warning: 1 reservation: the service states no price, so it was not compared\n')
  const halves = {pages: [[without(A, 'status'), B]], shown: {'R-1': without(A, 'total', 'currency')}}
  expect(await compare(halves, BOOKS)).toMatchObject({exit: 0, found: [], stderr: ''})
  const unclear = {...A, total: '10.00', amount: '12.00'}
  expect(await compare({pages: [[unclear, B]], shown: {'R-1': unclear}}, BOOKS)).toMatchObject({exit: 0})
})

test('a row without a client reference is looked up; without one, neither side is called missing', async () => {
  const listed = [without(A, 'client_reference_id'), B]
  expect(await compare({pages: [listed], shown: {'R-1': A}}, BOOKS)).toMatchObject({
    exit: 0,
    checked: 2,
    stderr: '',
  })
  const mute = await compare(
    {pages: [listed], shown: {'R-1': listed[0] ?? A}, narrows: false},
    BOOKS,
    '--since',
    '2029-01-01',
  )
  expect(mute.found).toEqual([])
  const whole = await compare({pages: [listed], shown: {'R-1': listed[0] ?? A}, narrows: false}, BOOKS)
  expect(whole.stderr).toContain('states no client reference, so whether the ledger has it is not known')
  // With the reference of the reservation in the ledger there is nothing to look up.
  expect(await compare({pages: [listed]}, ['R-1,10.00,EUR,ok', 'B,20.00,EUR,ok'])).toMatchObject({
    exit: 0,
    checked: 2,
  })
  expect(service.seen('/reservations/R-1')).toEqual([])
})

test('what the list left out is looked up before it is called missing', async () => {
  const found = await compare({pages: [[B]], shown: {'R-1': A}}, BOOKS)
  expect(found).toMatchObject({exit: 0, found: [], checked: 2})
  const gone = await compare({pages: [[B]]}, BOOKS)
  expect(gone).toMatchObject({exit: 3, found: [['missing_there', 'A']], checked: 2})
  const since = await compare({pages: [[B]], narrows: 'refuses'}, BOOKS, '--since', '2029-01-01')
  expect(since).toMatchObject({exit: 0, found: []})
  const failing = await compare({pages: [[B]], shown: {A: 503}, narrows: true}, BOOKS)
  expect(failing.exit).toBe(6)
  const cancelled = await compare({pages: [[B]]}, ['A,10.00,EUR,cancelled', 'B,20.00,EUR,ok'])
  expect(cancelled).toMatchObject({exit: 0, found: []})
})

test('a reference that was cancelled and booked again is compared with the right one, in any order', async () => {
  const before = {...A, reservation_ref: 'R-0', status: 'CANCELLED', total: '9.00'}
  for (const page of [
    [before, A, B],
    [A, before, B],
  ]) {
    for (const lines of [BOOKS, ['A,9.00,EUR,cancelled', ...BOOKS], [...BOOKS, 'A,9.00,EUR,cancelled']])
      expect(await compare({pages: [page]}, lines)).toMatchObject({exit: 0, found: []})
  }
  expect(await compare({pages: [[before, B]]}, BOOKS)).toMatchObject({exit: 3, found: [['status', 'R-0']]})
  // A booking and its cancellation in two lines are one reservation.
  expect(
    await compare({pages: [[before, B]]}, ['A,9.00,EUR,ok', 'A,9.00,EUR,cancelled', 'B,,,']),
  ).toMatchObject({
    exit: 0,
    found: [],
  })
})

test('a reference with two bookings is reported as twice, and so is a repeated line', async () => {
  const again = {...A, reservation_ref: 'R-9', created_at: '2030-01-02T00:00:00Z'}
  const two = await compare({pages: [[again, A, B]]}, BOOKS)
  expect(two).toMatchObject({exit: 3, found: [['twice', expect.stringMatching(/^R-[19]$/)]], checked: 3})
  const lines = await compare({pages: [[A, B]]}, [...BOOKS, 'A,10.00,EUR,ok'])
  expect(lines.found).toEqual([['twice', 'R-1']])
  const names = await compare({pages: [[A, B]]}, [...BOOKS, 'R-1,10.00,EUR,ok'])
  expect(names.found).toEqual([['twice', 'R-1']])
})

test('a page that comes twice counts once, and one that comes again and again is an error', async () => {
  expect(await compare({pages: [[A], [A, B]]}, BOOKS)).toMatchObject({exit: 0, checked: 2})
  const endless = await compare({pages: [[A], [A], [A]]}, BOOKS)
  expect(endless).toMatchObject({exit: 6, result: {error: {code: 'list_incomplete'}}})
})

test('only reservations of the requested time are compared, even if the service does not filter its list', async () => {
  const early = {...A, created_at: '2029-12-31T23:59:00+00:00'}
  const late = {...B, created_at: '2030-01-01T00:00:00Z'}
  const mute = {...A, reservation_ref: 'R-3', client_reference_id: 'C'}
  const pages = [[early, late, mute]]
  const found = await compare(
    {pages, shown: {'R-3': mute}},
    ['B,20.00,EUR,ok'],
    '--since',
    '2030-01-01T00:00:00Z',
  )
  expect(found).toMatchObject({exit: 0, found: [], checked: 1})
  expect(found.stderr).toContain('does not say when it was made')
  const to = await compare({pages: [[early, late]]}, ['A,10.00,EUR,ok'], '--until', '2029-12-31')
  expect(to).toMatchObject({exit: 0, found: [], checked: 1})
  expect(service.received.map(({path}) => path).find(path => path.includes('created_to'))).toContain(
    'created_to=2030-01-01T00%3A15%3A00.000Z',
  )
})

test('an amount is that of the price, or what the account was charged for it', async () => {
  const charged = {
    ...A,
    total: '10.80',
    currency: 'USD',
    payment: {charged: {amount: '10.00', currency: 'EUR', rate: '0.9259'}},
  }
  expect(await compare({pages: [[charged, B]]}, BOOKS)).toMatchObject({exit: 0})
  expect(await compare({pages: [[charged, B]]}, ['A,10.80,USD,', 'B,,,'])).toMatchObject({exit: 0})
  expect((await compare({pages: [[charged, B]]}, ['A,10.01,EUR,', 'B,,,'])).found).toEqual([['price', 'R-1']])
  expect((await compare({pages: [[charged, B]]}, ['A,10.00,GBP,', 'B,,,'])).found).toEqual([
    ['currency', 'R-1'],
  ])
  expect((await compare({pages: [[{...A, total: 10}, B]]}, BOOKS)).found).toEqual([])
})

test('of three reservations for the same guests, hotel and dates, those after the first are doubles', async () => {
  const trip = {
    hotel: {name: 'Pera'},
    check_in: '2030-06-01',
    check_out: '2030-06-04',
    guests: [{name: 'Ada', surname: 'Öz'}],
  }
  const made = (n: number, client_reference_id: string) => ({
    ...A,
    ...trip,
    reservation_ref: `R-${n}`,
    client_reference_id,
    created_at: `2030-01-0${n}T00:00:00Z`,
  })
  const [one, two, three] = [made(1, 'A'), made(2, 'B'), made(3, 'C')]
  const lines = ['A,10.00,EUR,ok', 'B,10.00,EUR,ok', 'C,10.00,EUR,ok']
  for (const page of [
    [three, two, one],
    [two, one, three],
  ]) {
    const shown = {'R-1': one, 'R-2': two, 'R-3': three}
    const found = await compare({pages: [page], shown}, lines)
    expect(found.found?.sort()).toEqual([
      ['twice', 'R-2'],
      ['twice', 'R-3'],
    ])
  }
  expect((await compare({pages: [[three, two, one]]}, lines)).found).toHaveLength(2)
})
