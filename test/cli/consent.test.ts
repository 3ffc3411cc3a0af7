/** Consent to a change, the same for every command. */
import {describe, expect, test} from 'vitest'
import {requireConsent} from '../../src/cli/terminal/prompts/ask.js'
import {thrownBy} from '../support/thrown.js'

const CHANGE = {what: 'a live reservation', undone: 'nothing was sent', result: {fee: '1.00'}}

test('yes passes', () => expect(requireConsent(true, CHANGE)).toBeUndefined())

describe.each([
  [
    'no',
    false,
    'not_confirmed',
    'not confirmed; nothing was sent',
    'to do it, run the command again and answer y, or add --yes',
  ],
  [
    'no terminal',
    undefined,
    'confirmation_needed',
    'a live reservation needs confirmation; nothing was sent',
    'add --yes',
  ],
] as const)('%s', (_, agreed, code, message, hint) => {
  test('refuses as usage, and says what did not happen', () => {
    const failure = thrownBy(() => requireConsent(agreed, CHANGE))
    expect(failure).toMatchObject({kind: 'usage', message, details: {code}})
    expect(failure.details.hint).toBe(hint)
    expect(failure.details.result).toEqual(agreed === undefined ? CHANGE.result : undefined)
  })
})
