/** Every refusal has its own hint for the next step. */
import {expect, test} from 'vitest'
import {nextStep} from '../../../src/api/answers/hints.js'
import {refusalOf} from '../../../src/api/answers/refusals.js'
import {ERROR_CODES} from '../../../src/contract/error-codes.js'

const answerOf = (status: number, code?: string) => {
  const json = code === undefined ? {} : {error: {code, message: 'no'}}
  return {status, headers: {}, body: Buffer.from(JSON.stringify(json)), json, requestId: undefined}
}
const hintOf = (status: number, code?: string, scope?: string) =>
  refusalOf(answerOf(status, code) as never, {now: 0, scope}).details.hint

test.each(Object.entries(ERROR_CODES))('%s (%i)', async (code, status) => {
  expect(hintOf(status, code)).toBe(nextStep(code, status, undefined))
  expect(nextStep(code, status, undefined)).toMatch(/\S/)
})

test('the command in the hint names the reservation', () => {
  const hint = refusalOf(answerOf(409, 'not_updatable') as never, {now: 0, about: 'RSV-1'}).details.hint
  expect(hint).toMatch(/^bookctl reservations show RSV-1 shows/)
})

test.each([
  ['OfferNotFound', undefined, 'bookctl hotels search'],
  ['BOOKING_UNKNOWN', undefined, 'bookctl reservations list'],
  ['not_found', 'webhooks:write', 'bookctl webhooks list'],
  [undefined, 'tours:read', 'bookctl tours search'],
  [undefined, 'hotels:read', 'search again: bookctl hotels search'],
  [undefined, undefined, 'bookctl whoami'],
])('404 %s of another service, scope %s: %s', (code, scope, command) => {
  expect(hintOf(404, code, scope)).toContain(command)
})
