/** What every client is told of the server: only what this server may do. */
import {expect, test} from 'vitest'
import {instructionsFor} from '../../../../src/cli/features/agents/instructions.js'

const limits = {currency: 'EUR', maxTotal: '500', maxEach: '200', perDay: undefined}
const told = (...[permissions]: [Parameters<typeof instructionsFor>[0]]) =>
  instructionsFor(permissions, {mode: 'test'})

test('a server that only cancels, or only reserves, speaks of nothing else', () => {
  const cancels = told({allowed: ['cancel'], limits: undefined, consent: 'ask'})
  expect(cancels).toContain('A person approves each cancellation:')
  expect(cancels).not.toMatch(/each reservation|books twice|prepare_reservation/)
  const reserves = told({allowed: ['reserve'], limits, consent: 'ask'})
  expect(reserves).toContain('A person approves each reservation:')
  expect(reserves).not.toMatch(/cancellation:|prepare_cancellation/)
})

test('where nobody is asked, no approval is promised', () => {
  const text = told({allowed: ['reserve', 'cancel'], limits, consent: 'none'})
  expect(text).toContain('Nobody is asked before each reservation and each cancellation is made')
  expect(text).not.toContain('A person approves')
})
