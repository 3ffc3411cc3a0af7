/** The exit code of a batch by what became of its trips, and their totals. */
import {expect, test} from 'vitest'
import {type BatchOutcome, BatchRow, exitCodeOf, totalsOf} from '../../../../src/cli/features/batch/rows.js'
import type {Trip} from '../../../../src/cli/features/batch/trips.js'
import {asFailure} from '../../../../src/cli/shell/exit-codes.js'
import {Failure, type FailureKind, usage} from '../../../../src/contract/failure.js'

const TRIP: Trip = {
  line: 2,
  reference: 'A-1',
  offerId: 'off_1',
  search: undefined,
  choose: {},
  request: '{}',
  guestsAreRows: true,
  past: undefined,
  source: {rows: []},
}

function rowWith(outcome: BatchOutcome, failure?: Failure): BatchRow {
  const row = new BatchRow(TRIP, {nationality: undefined, baseUrl: 'https://service.test/v1'})
  row.outcome = outcome
  row.failure = failure && asFailure(failure)
  return row
}

const failureOf = (kind: FailureKind, code: string = kind) => new Failure(kind, 'no', {code})
const confirmed = () => rowWith('confirmed')
const pending = () => rowWith('pending')
const refused = (code: string) => rowWith('refused', failureOf('refused', code))
const otherTrip = () => rowWith('refused', usage('reference_in_use', 'no'))
const unknown = () => rowWith('unknown', failureOf('outcome_unknown'))
const left = (kind: FailureKind) => rowWith('not_sent', failureOf(kind, 'not_tried'))
const first = (kind: FailureKind) => rowWith('not_sent', failureOf(kind))

test.each<[exit: number, what: string, rows: BatchRow[], halt?: FailureKind]>([
  [0, 'all are booked', [confirmed(), confirmed()]],
  [8, 'one waits for its payment', [confirmed(), pending()]],
  [3, 'one was refused and others are booked', [confirmed(), refused('no_offer')]],
  [3, 'one was refused and others wait', [pending(), refused('no_offer')]],
  [3, 'a booked one has a failure, such as its voucher', [rowWith('confirmed', failureOf('unreachable'))]],
  [5, 'all were refused for one reason', [refused('no_offer'), refused('no_offer')]],
  [3, 'all were refused for several reasons', [refused('no_offer'), refused('bad_guest')]],
  [3, 'all have another trip under their reference', [otherTrip(), otherTrip()]],
  [
    4,
    'nothing is booked, because it is not allowed',
    [first('not_allowed'), left('not_allowed')],
    'not_allowed',
  ],
  [5, 'nothing is booked, for lack of money', [refused('insufficient_balance'), left('refused')], 'refused'],
  [6, 'nothing is booked, because the service fails', [first('service_failed')], 'service_failed'],
  [
    7,
    'nothing is booked, because nothing listens',
    [first('unreachable'), left('unreachable')],
    'unreachable',
  ],
  [3, 'it ended on the way', [confirmed(), first('unreachable'), left('unreachable')], 'unreachable'],
  [3, 'the total would be too high', [first('not_as_agreed'), left('not_as_agreed')], 'not_as_agreed'],
  [10, 'one is unknown', [confirmed(), refused('no_offer'), pending(), unknown()], 'outcome_unknown'],
  [10, 'one is unknown and nothing else was sent', [unknown(), left('outcome_unknown')], 'outcome_unknown'],
])('it is %i where %s', (exit, _, rows, halt) => {
  expect(exitCodeOf(rows, halt && asFailure(failureOf(halt)))).toBe(exit)
})

test('totals are exact, and there is one for each currency, in the order of their codes', () => {
  const costs = [
    {amount: '0.10', currency: 'EUR'},
    {amount: '12345678901234567.89', currency: 'TRY'},
    {amount: '0.20', currency: 'EUR'},
    undefined,
    {amount: '0.02', currency: 'TRY'},
  ]
  expect(totalsOf(costs)).toEqual([
    {currency: 'EUR', amount: '0.30'},
    {currency: 'TRY', amount: '12345678901234567.91'},
  ])
  expect(totalsOf([])).toEqual([])
})
