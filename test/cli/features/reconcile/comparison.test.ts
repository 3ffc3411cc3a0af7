/** Random books and lists: every planted difference is found, in any order of the rows, and nothing else is. */
import {createHash} from 'node:crypto'
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {Books, type Entry, type Row} from '../../../../src/cli/features/reconcile/books.js'
import {Comparison} from '../../../../src/cli/features/reconcile/comparison.js'
import {standingOfState} from '../../../../src/cli/features/reconcile/standing.js'

interface Listed {
  readonly row: Row
  readonly trip: string
}

/** What one reservation adds to the books and to the list, and the differences that must be found. */
interface Case {
  readonly entries: readonly Entry[]
  readonly listed: readonly Listed[]
  readonly found: readonly string[]
}

const CASES = [
  'fine',
  'paid since',
  'cancelled on both sides',
  'cancelled and booked again',
  'cancelled and booked again under the same reference',
  'expired elsewhere',
  'cancelled there',
  'another price',
  'another currency',
  'missing there',
  'missing here',
  'one reference twice',
  'one trip twice',
  'refused, and booked at the second attempt',
  'refused, booked at the second attempt, and twice',
  'refused, and booked all the same',
  'unresolved',
] as const
/** A ledger does not know what was refused or not resolved, and says itself what is paid. */
const isOfJournals = (name: string) => /^(paid|refused|unresolved)/.test(name)

function makeCase(name: (typeof CASES)[number], n: number, isJournal: boolean): Case {
  const ref = `R-${n}`
  const entry = (status: string, more: Partial<Entry> = {}): Entry => ({
    reference: `trip-${n}`,
    reservationRef: isJournal ? ref : null,
    standing: standingOfState(status),
    status,
    amount: '100.50',
    currency: 'EUR',
    isExpected: true,
    found: undefined,
    isFoundLive: false,
    ...more,
  })
  const listed = (status: string, more: Partial<Row> = {}, trip = `key-${n}`): Listed => {
    const row = {
      reservationRef: ref,
      reference: `trip-${n}`,
      standing: standingOfState(status),
      status,
      amount: '100.5',
      currency: 'EUR',
      charged: null,
      createdAt: `2030-01-01T00:00:${String(n % 60).padStart(2, '0')}Z`,
      hasFee: false,
      ...more,
    }
    return {row, trip}
  }
  const refused = entry('refused', {standing: 'none', reservationRef: null})
  const second = {reservationRef: `${ref}-b`, createdAt: '2030-02-01T00:00:00Z'}
  const own = {reference: `trip-${n}b`}
  const ofSecond = {...own, ...(isJournal && {reservationRef: second.reservationRef})}
  const made = (entries: Entry[], rows: Listed[], ...found: string[]): Case => ({
    entries,
    listed: rows,
    found,
  })
  switch (name) {
    case 'fine':
      return made([entry('confirmed')], [listed('CONFIRMED')])
    case 'paid since':
      return made([entry('pending_payment')], [listed('CONFIRMED')])
    case 'cancelled on both sides':
      return made([entry('cancelled', {amount: '1.00'})], [listed('CANCELLED', {hasFee: true})])
    case 'cancelled and booked again':
      return made(
        [entry('cancelled'), entry('confirmed', ofSecond)],
        [listed('CANCELLED'), listed('CONFIRMED', {...second, ...own})],
      )
    case 'cancelled and booked again under the same reference': {
      const again = isJournal ? {reservationRef: second.reservationRef} : {}
      return made(
        [entry('cancelled'), entry('confirmed', again)],
        [listed('CANCELLED'), listed('CONFIRMED', second)],
      )
    }
    case 'expired elsewhere':
      return made([], [listed('EXPIRED')])
    case 'cancelled there':
      return made([entry('confirmed')], [listed('CANCELLED')], `status ${ref}`)
    case 'another price':
      return made([entry('confirmed')], [listed('CONFIRMED', {amount: '100.51'})], `price ${ref}`)
    case 'another currency':
      return made([entry('confirmed')], [listed('CONFIRMED', {currency: 'USD'})], `currency ${ref}`)
    case 'missing there':
      return made([entry('confirmed')], [], `missing_there trip-${n}`)
    case 'missing here':
      return made([], [listed('CONFIRMED')], `missing_here ${ref}`)
    case 'one reference twice':
      return made(
        [entry('confirmed')],
        [listed('CONFIRMED'), listed('CONFIRMED', second, `other-${n}`)],
        'twice',
      )
    case 'one trip twice':
      return made(
        [entry('confirmed'), entry('confirmed', ofSecond)],
        [listed('CONFIRMED'), listed('CONFIRMED', {...second, ...own})],
        'twice',
      )
    case 'refused, and booked at the second attempt':
      return made([refused, entry('confirmed')], [listed('CONFIRMED')])
    case 'refused, booked at the second attempt, and twice': {
      const rows = [listed('CONFIRMED'), listed('CONFIRMED', second, `other-${n}`)]
      return made([refused, entry('confirmed')], rows, 'twice')
    }
    case 'refused, and booked all the same':
      return made([refused], [listed('CONFIRMED')], `status ${ref}`)
    case 'unresolved':
      return made(
        [entry('unknown', {standing: 'open', reservationRef: null})],
        [listed('CONFIRMED')],
        `unresolved ${ref}`,
      )
  }
}

/** Compares as the command does, where a lookup finds no more than the list has. */
function compare(isJournal: boolean, cases: readonly Case[], listed: readonly Listed[]): Comparison {
  const books = new Books(isJournal)
  for (const entry of cases.flatMap(({entries}) => entries)) books.add(entry)
  const comparison = new Comparison(books, {since: undefined, until: undefined})
  for (const {row, trip} of listed) comparison.take(row, createHash('sha256').update(trip).digest('hex'))
  comparison.pairLoose()
  comparison.settleSecondEntries()
  const strangers = comparison.takeStrangers()
  books.indexReferences(new Set(strangers.map(({reference}) => reference ?? '')))
  for (const {entry, row} of comparison.open) comparison.judge(entry, row)
  for (const entry of comparison.missing()) comparison.addMissing(entry)
  comparison.addStrangers(strangers)
  for (const {row, other} of comparison.doubles) comparison.addDouble(row, other)
  return comparison
}

test.each([
  ['a journal', true],
  ['a ledger', false],
])('%s', (_, isJournal) => {
  const names = CASES.filter(name => isJournal || !isOfJournals(name))
  const course = fc.tuple(fc.array(fc.constantFrom(...names), {maxLength: 40}), fc.infiniteStream(fc.nat()))
  fc.assert(
    fc.property(course, ([chosen, numbers]) => {
      const cases = chosen.map((name, n) => makeCase(name, n, isJournal))
      const order = new Map(
        cases.flatMap(({listed}) => listed).map(each => [each, numbers.next().value as number]),
      )
      const shuffled = [...order.keys()].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
      const comparison = compare(isJournal, cases, shuffled)
      const found = comparison.differences.map(({kind, entry, row}) =>
        kind === 'twice' ? kind : `${kind} ${row?.reservationRef ?? entry?.reference}`,
      )
      expect(found.sort()).toEqual(cases.flatMap(each => each.found).sort())
      const isDifferent = cases.filter(each => each.found.length > 0).length
      expect(comparison.checked - comparison.agreed).toBe(isDifferent)
    }),
    {numRuns: 500},
  )
})
