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
        const results = await verdicts(text)
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
