/** The verdict as a mail to the partner: each cause has words, and none of them are about this program. */
import {expect, test} from 'vitest'
import {replyText} from '../../../../src/cli/features/webhooks/verify-reply.js'
import advice from '../../../../src/cli/features/webhooks/verify-reply.json' with {type: 'json'}
import type {CheckResult} from '../../../../src/webhooks/diagnose/check.js'
import {BREAKS} from '../../../webhooks/diagnose/broken-captures.js'
import {seeded} from '../../../webhooks/signed-events.js'

const RESULT: CheckResult = {
  valid: false,
  reason: 'signature_mismatch',
  event_id: 'evt_1',
  type: 'voucher.ready',
  timestamp: 1_700_000_000,
  age_seconds: 10,
  secret: null,
  findings: [],
}
const found = (...codes: string[]) =>
  codes.map(code => ({code, explanation: 'secret words', fix: 'run bookctl'}))

test('each cause that is found has words for the partner', () => {
  const codes = new Set(BREAKS.flatMap(([, broken]) => broken(seeded(1)).codes))
  expect(codes.size).toBeGreaterThan(25)
  for (const code of codes) expect(Object.keys(advice), code).toContain(code)
})

test('no words of this program or its interface are in them', () => {
  const program =
    /bookctl|webhooks? (?:verify|listen)|--\w|§|\bfinding|\bcapture|\bflag\b|HMAC.{0,20}§|\bprofile\b|stdin/i
  for (const [code, {means, change}] of Object.entries(advice)) {
    expect(`${means} ${change}`, code).not.toMatch(program)
    expect(means, code).toMatch(/^[A-Z].*\.$/)
    expect(change, code).toMatch(/^(?:[A-Z]|please).*\.$/)
  }
})

test('several causes are all named, and nothing of their explanations', () => {
  const text = replyText({...RESULT, findings: found('secret_quoted', 'body_crlf')})
  expect(text).toContain('quotes or other text around it')
  expect(text).toContain('line ends')
  expect(text).not.toMatch(/secret words|bookctl/)
})

test('an id or a type that may hold anything is left out', () => {
  const text = replyText({...RESULT, event_id: 'Ada Lovelace 10000000146', type: 'passport U1234567'})
  expect(text).not.toMatch(/Ada|1000|U123/)
  expect(text).toContain('(signed on 14 November 2023, 22:13 UTC)')
})

test('a secret that is wrong does not make the request wrong', () => {
  const text = replyText({...RESULT, findings: found('secret_whitespace')})
  expect(text).toContain('in order; only the secret that it was checked with is not right')
  const doubtful = replyText({...RESULT, findings: found('secret_doubtful')})
  expect(doubtful).toContain('does not fit the secret that it was checked with')
  expect(doubtful).not.toContain('is from us')
  const both = replyText({...RESULT, findings: found('secret_whitespace', 'body_bom')})
  expect(both).toContain('The notification is from us, but it was changed after we signed it')
})

test('a signature that is missing or malformed is called that, and not a change of the body', () => {
  for (const [reason, words] of [
    ['missing_header', 'The header with the signature is missing'],
    ['malformed_header', 'was changed or cut off'],
  ] as const) {
    const text = replyText({...RESULT, reason, findings: found('unexplained')})
    expect(text).toContain(words)
    expect(text).not.toContain('the body was changed')
  }
  const renamed = replyText({...RESULT, reason: 'missing_header', findings: found('header_renamed')})
  expect(renamed).toContain('a header of another name')
})

test('only a change that the signature proves is called one', () => {
  const proven = 'is from us, but it was changed'
  const says = (...codes: string[]) => replyText({...RESULT, findings: found(...codes)}).includes(proven)
  for (const codes of [['body_crlf'], ['body_reserialized', 'body_trailing_newline'], ['header_renamed']])
    expect(says(...codes), codes.join()).toBe(true)
  for (const code of ['unexplained', 'body_cut', 'timestamp_not_signed', 'signed_without_hmac_key'])
    expect(says('body_bom', code), code).toBe(false)
})

test('what was written again differently is named, and one remedy is said once', () => {
  const explanation = 'The body was parsed and printed again: spacing (…); key order.'
  const [again, end] = found('body_reserialized', 'body_trailing_newline')
  const findings = [again, end].flatMap(each => each ?? []).map(each => ({...each, explanation}))
  const text = replyText({...RESULT, findings})
  expect(text).toContain('which changed its spacing and the order of its fields.')
  expect(text.match(/Check the signature over/g)).toHaveLength(1)
})

test('a notification without its body is named by the id in its headers', () => {
  const without: CheckResult = {...RESULT, reason: 'not_checked', checked: false, event_id: null, type: null}
  expect(replyText({...without, findings: found('body_missing')}, 'evt_7')).toContain(
    '(event evt_7, signed on',
  )
})

test('an unknown cause is answered with what to check', () => {
  expect(replyText({...RESULT, findings: found('cause_of_another_version')})).toContain(
    'Please check two things.',
  )
})
