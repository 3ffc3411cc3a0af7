/** The sum of the fees of several reservations, compared with one maximum. */
import {expect, test} from 'vitest'
import {
  type CancelPlan,
  checkFee,
  feesOf,
  feesText,
} from '../../../../src/cli/features/reservations/reservations.js'
import {thrownBy} from '../../../support/thrown.js'

const plan = (amount: string, currency: string | null): CancelPlan => ({
  reference: `RSV-${amount}`,
  quote: {fee: {amount, currency}, refund: null},
  reservation: null,
})
const max = (amount: string, currency: string | null = null) => ({amount, currency})

test('fees are added up for each currency', () => {
  const plans = [plan('10.50', 'EUR'), plan('5', 'USD'), plan('0.5', 'eur')]
  expect(feesText(feesOf(plans))).toBe('11.00 EUR and 5 USD')
})

test('allows a sum up to the maximum, and free cancellations in any currency', () => {
  const plans = [plan('10.10', 'EUR'), plan('0.20', 'EUR'), plan('0.00', 'USD'), plan('0', null)]
  expect(() => checkFee(plans, max('10.30'))).not.toThrow()
  expect(() => checkFee(plans, undefined)).not.toThrow()
  expect(thrownBy(() => checkFee(plans, max('10.29'))).details.code).toBe('fee_too_high')
})

test.each([
  [[plan('1', 'EUR'), plan('1', 'USD')], max('9'), 'in several currencies'],
  [[plan('1', 'EUR'), plan('1', 'EUR')], max('9', 'USD'), 'cannot be compared with 9 USD'],
  [[plan('1', 'EUR'), plan('1', null)], max('9'), 'does not say in which currency'],
])('fees %j are refused', (plans, maximum, problem) => {
  const {message, details} = thrownBy(() => checkFee(plans, maximum))
  expect(message).toContain(problem)
  expect(message).toContain('nothing was cancelled')
  expect(details).toMatchObject({code: 'fee_not_comparable', result: {cancellations: [{}, {}]}})
})
