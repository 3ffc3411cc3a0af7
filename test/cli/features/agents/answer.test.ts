/** What a client gets of a call that failed. */
import {expect, test} from 'vitest'
import {createRedactor} from '../../../../src/api/redact/redact.js'
import {conflictFailure} from '../../../../src/api/reserve/failures.js'
import {errorResult} from '../../../../src/cli/features/agents/answer.js'
import {combined} from '../../../../src/cli/input/usage-errors.js'
import {Failure, usage} from '../../../../src/contract/failure.js'
import {entry} from '../explain/made-up-facts.js'

const redactor = createRedactor()
const documentOf = (thrown: unknown) =>
  errorResult(thrown, redactor).structuredContent as Record<string, unknown> | undefined

test('the reservation of another call does not look like the outcome of this one', () => {
  const booked = entry({outcome: 'confirmed', reservationRef: 'RSV-1'})
  for (const conflict of ['offer_in_use', 'reference_in_use', 'key_in_use'] as const) {
    const document = documentOf(conflictFailure({kind: 'conflict', entry: booked, conflict}))
    expect(document).toMatchObject({
      other_reservation: {outcome: 'confirmed', reservation_ref: 'RSV-1'},
      untrusted_fields: ['/other_reservation/reservation/hotel_name'],
    })
    expect(Object.keys(document ?? {})).toEqual(['error', 'other_reservation', 'untrusted_fields'])
  }
})

test('our own words are not listed as those of others', () => {
  const result = {outcome: 'unknown', client_reference_id: 'agent-0123456789abcdef0123'}
  const lost = new Failure('outcome_unknown', 'the service answered with …', {
    code: 'outcome_unknown',
    status: 502,
    result,
  })
  expect(documentOf(lost)?.untrusted_fields).toEqual(['/error/message'])
  const odd = new Failure('service_failed', 'it said …', {code: 'call_reserve_now', status: 502})
  expect(documentOf(odd)?.untrusted_fields).toEqual(['/error/code', '/error/message'])
})

test('hints name arguments of tools, and not flags or the help of a command', () => {
  const errorOf = (thrown: unknown) => documentOf(thrown)?.error
  const changed = usage('nationality_changed', 'it is DE', 'search again with --nationality DE')
  expect(errorOf(changed)).toMatchObject({hint: 'search again with client_nationality DE'})
  expect(errorOf(usage('price_unknown', '--max-price: the price is not known here'))).toMatchObject({
    message: 'max_price: the price is not known here',
    hint: 'correct the arguments and call it again',
  })
  const several = combined([
    usage('invalid_input', 'one', 'did you mean city?'),
    usage('invalid_input', 'two', 'did you mean board?'),
  ])
  for (const thrown of [several, ...KINDS.map(kind => new Failure(kind, 'it failed', {code: 'it_failed'}))])
    expect(JSON.stringify(errorOf(thrown))).not.toMatch(/--help|--verbose|run the command/)
  const command = 'a person runs, at a terminal: bookctl mcp approve hdl_1 --city x'
  expect(errorOf(usage('approval_needed', 'it waits', command))).toMatchObject({hint: command})
})

const KINDS = ['usage', 'refused', 'service_failed', 'unreachable', 'pending'] as const
