/** What is said when a scope is missing: which one, whether it was granted, and who can grant it. */
import {describe, expect, test} from 'vitest'
import {refusalOf} from '../../../src/api/answers/refusals.js'
import {missingScope, refusedScopes} from '../../../src/api/answers/scopes.js'
import type {Answer, Grant} from '../../../src/api/types.js'

const OPERATOR = /only the operator of the service can grant scopes/i

describe('the sentences', () => {
  const needed = ['hotels:read'] as const
  test.each<[string, Grant | undefined, RegExp]>([
    [
      'nothing is known',
      undefined,
      /hotels:read is missing, and whether this client was granted it is not known/,
    ],
    ['a bare token', {needed, asked: undefined, granted: []}, /is missing: BOOKCTL_TOKEN does not say/],
    [
      'not granted',
      {needed, asked: ['hotels:read', 'x'], granted: ['x']},
      /granted this client x\. Ask for it/,
    ],
    ['none granted', {needed, asked: ['hotels:read'], granted: []}, /granted this client none\. /],
    [
      'not requested',
      {needed, asked: ['x'], granted: ['x']},
      /requested with x, so .*login --scope hotels:read/,
    ],
    [
      'granted',
      {needed, asked: ['x'], granted: ['hotels:read']},
      /although it granted this client hotels:read/,
    ],
  ])('with %s', (_, grant, words) => {
    const text = missingScope('hotels:read', grant, true) ?? ''
    expect(text).toMatch(words)
    expect(text).toMatch(OPERATOR)
    expect(text.split('. ')).toHaveLength(2)
  })

  test('name several scopes, and at most ten of those granted', () => {
    expect(missingScope('a b', undefined, true)).toMatch(/^the scopes a, b are missing/)
    const granted = Array.from({length: 12}, (_, index) => `s${index}`)
    const grant = {needed, asked: ['a'], granted}
    expect(missingScope('a', grant, true)).toContain('s8, s9 and 2 more. ')
  })

  test('for a token endpoint name what was asked for', () => {
    expect(refusedScopes(['a'])).toMatch(
      /^the scope a is missing: the service did not grant it to this client\. /,
    )
    expect(refusedScopes(['a', 'b'])).toMatch(/not grant this client all of a, b\. /)
    expect(refusedScopes(['a'])).toMatch(OPERATOR)
  })
})

describe('the hint of a 403', () => {
  const hintOf = (more: Partial<Answer>, code?: string) => {
    const json = code === undefined ? {} : {error: {code, message: 'no'}}
    const answer = {status: 403, headers: {}, body: Buffer.from(JSON.stringify(json)), json, ...more}
    return refusalOf(answer as Answer, {now: 0}).details.hint
  }
  const grant: Grant = {needed: ['tours:read'], asked: ['tours:read'], granted: []}

  test('takes the scope from the header, else from the body, else the one that the operation needs', () => {
    const headers = {'www-authenticate': 'Bearer error="insufficient_scope", scope="account:read"'}
    expect(hintOf({headers, grant})).toMatch(/^the scope account:read is missing: /)
    const json = {error: {code: 'no', scope: 'content:read'}}
    expect(hintOf({json, grant})).toMatch(/^the scope content:read is missing: /)
    expect(hintOf({grant}, 'insufficient_scope')).toMatch(/^the scope tours:read is missing: /)
    expect(hintOf({grant})).toMatch(/^the scope tours:read may be missing: /)
  })

  test('names no scope if the token has the needed one and the answer names none', () => {
    expect(hintOf({grant: {...grant, granted: ['tours:read']}}, 'forbidden')).toMatch(/^bookctl whoami/)
  })

  test('repeats no secret of the request', () => {
    const secrets = ['tok_0123456789abcdef']
    const headers = {'www-authenticate': 'Bearer scope="tok_0123456789abcdef"'}
    expect(hintOf({headers, secrets})).not.toContain(secrets[0])
    expect(hintOf({grant: {...grant, granted: secrets}, secrets})).not.toContain(secrets[0])
  })
})
