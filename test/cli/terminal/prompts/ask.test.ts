/** The confirmation of a change, which is the same for every command. */
import {expect, test} from 'vitest'
import {requireConsent} from '../../../../src/cli/terminal/prompts/ask.js'
import {thrownBy} from '../../../support/thrown.js'

const CHANGE = {what: 'a live reservation', undone: 'nothing was sent', result: {fee: '1.00'}}

test('consent does not throw', () => expect(requireConsent(true, CHANGE)).toBeUndefined())

test.each([
  [
    'not_confirmed: not confirmed; nothing was sent',
    'to do it, run the command again and answer y, or add --yes',
    false,
  ],
  ['confirmation_needed: a live reservation needs confirmation; nothing was sent', 'add --yes', undefined],
])('refuses as usage, and says what did not happen: %s', (problem, hint, agreed) => {
  const {kind, message, details} = thrownBy(() => requireConsent(agreed, CHANGE))
  expect([kind, `${details.code}: ${message}`, details.hint]).toEqual(['usage', problem, hint])
  expect(details.result).toEqual(agreed === undefined ? CHANGE.result : undefined)
})
