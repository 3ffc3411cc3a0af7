/** A signed request keeps its verdict in every form that partners send, and no form reads another body. */
import {expect, test} from 'vitest'
import {readCaptures} from '../../../src/webhooks/captures/captures.js'
import {type CheckResult, check} from '../../../src/webhooks/diagnose/check.js'
import type {CheckTerms} from '../../../src/webhooks/diagnose/finding.js'
import {HEADER_NAMES} from '../../support/webhook-files.js'
import {checkTerms, headerFor, seeded} from '../signed-events.js'
import {FORMS, NOT_WHOLE, randomBody, type Written} from './forms.js'

const SECRET = 'whsec_test'
const EVENT_ID = /"evt_\d+"/

function written(body: Buffer): Written {
  const eventId = JSON.parse(EVENT_ID.exec(body.toString())?.[0] ?? '""')
  return {signature: headerFor(SECRET, body), eventId, body}
}

async function verdicts(text: string | Buffer, more: Partial<CheckTerms> = {}): Promise<CheckResult[]> {
  async function* bytes() {
    yield Buffer.from(text as string)
  }
  const options = {signatureGiven: false, names: HEADER_NAMES, leftOut: {count: 0}}
  const results: CheckResult[] = []
  for await (const requests of readCaptures(bytes(), options))
    for (const request of requests) results.push(await check(request, checkTerms(more)))
  return results
}

test.each(Object.entries(FORMS))('%s: a signed request is valid', async (_, write) => {
  const pick = seeded(31)
  let tried = 0
  for (let n = 0; n < 60; n += 1) {
    const request = written(randomBody(pick))
    const text = write(request)
    if (text === undefined) continue
    tried += 1
    const results = await verdicts(text)
    expect(
      results.map(({valid, event_id}) => ({valid, event_id})),
      String(text),
    ).toEqual([{valid: true, event_id: request.eventId}])
  }
  expect(tried).toBeGreaterThan(5)
})

test.each(Object.entries(FORMS))(
  '%s: another body, a wrong signature and another secret are not valid',
  async (_, write) => {
    const pick = seeded(32)
    for (let n = 0; n < 8; n += 1) {
      const request = written(randomBody(pick))
      const body = Buffer.from(request.body.toString().replace('voucher.ready', 'voucher.READY'))
      const header = headerFor('whsec_other', request.body)
      for (const broken of [
        {...request, body},
        {...request, signature: header},
      ]) {
        const text = write(broken)
        if (text === undefined) continue
        const results = await verdicts(text, {inVain: {count: 400}})
        expect(
          results.map(({valid, checked, reason}) => ({valid, checked, reason})),
          String(text),
        ).toEqual([{valid: false, checked: undefined, reason: 'signature_mismatch'}])
      }
      const unsigned = write({...request, signature: 'x'})
      if (unsigned === undefined) continue
      expect(
        (await verdicts(unsigned, {inVain: {count: 400}})).map(({reason}) => reason),
        String(unsigned),
      ).toEqual(['malformed_header'])
    }
  },
)

test.each(Object.entries(NOT_WHOLE))('%s is not checked', async (_, write) => {
  const text = write(written(randomBody(seeded(33))))
  const [result] = await verdicts(text)
  expect(result, text).toMatchObject({valid: false, checked: false, reason: 'not_checked'})
  expect(result?.findings[0]?.fix).toMatch(/^Ask for/)
})

test.each<[string, (text: string) => string]>([
  ['a line break between members', text => text.replace(',', ',\n')],
  ['a line break within a text', text => text.replace('voucher', 'vou\ncher')],
  ['every backslash twice', text => text.replaceAll('\\', '\\\\')],
  ['half of the backslashes', text => text.replaceAll('\\\\', '\\')],
  ['every percent sign twice', text => text.replaceAll('%', '%%')],
  ['no variables', text => text.replace(/\$\w+/g, '')],
  ['no carets', text => text.replaceAll('^', '')],
  ['no exclamation marks', text => text.replaceAll('!', '')],
  ['CRLF for LF', text => text.replace(/\r?\n/g, '\r\n')],
  ['LF for CRLF', text => text.replaceAll('\r\n', '\n')],
  ['other quotes', text => text.replaceAll("'", '\u2019')],
])('a body with %s is another body in every form', async (_, change) => {
  const pick = seeded(34)
  let tried = 0
  for (const [name, write] of Object.entries(FORMS)) {
    for (let n = 0; n < 12; n += 1) {
      const request = written(randomBody(pick))
      const body = Buffer.from(change(request.body.toString()))
      const text = body.equals(request.body) ? undefined : write({...request, body})
      if (text === undefined) continue
      tried += 1
      const valid = (await verdicts(text, {inVain: {count: 400}})).map(result => result.valid)
      expect(valid, `${name}: ${text}`).not.toContain(true)
    }
  }
  expect(tried).toBeGreaterThan(20)
})
