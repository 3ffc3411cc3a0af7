/** Three sample partners, as a developer would write them with fetch, and the sheet of each, rule by rule. */
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {drillAll, startPartnerProgram} from '../support/partner-program.js'
import {waitUntil} from '../support/wait.js'

const start = (name: string) => {
  const path = fileURLToPath(new URL(`../support/partners/${name}.mjs`, import.meta.url))
  return startPartnerProgram(process.execPath, [path])
}

/** Returns the rules with each verdict. */
function sheetOf({verdicts}: Awaited<ReturnType<typeof start>>) {
  const all = Object.entries(verdicts())
  const rules = (wanted: string) => all.filter(([, verdict]) => verdict === wanted).map(([rule]) => rule)
  return {failed: rules('failed'), passed: rules('passed'), not_shown: rules('not_shown')}
}

test('a correct partner passes every rule under every drill', async () => {
  const partner = await start('right')
  expect(await partner.errand('trip')).toBe('done')
  await drillAll(partner)
  // The minute of `slow` is not waited for.
  expect(sheetOf(partner)).toMatchObject({failed: [], not_shown: ['reserve.patience']})
})

test('a careless partner breaks only the rules that it is written to break', async () => {
  const partner = await start('careless')
  for (const drill of ['lost-answer', 'failing']) {
    await partner.drill(drill)
    await partner.errand('trip')
  }
  await partner.errand('trip')
  await partner.errand('trip')
  await partner.errand('trip')
  await waitUntil(() => partner.verdicts()['webhook.answer'] !== 'not_shown', 'an event to be too late')
  expect(sheetOf(partner)).toEqual({
    failed: ['token.cached', 'reserve.lost_answer', 'webhook.answer'],
    passed: [
      'secret.place',
      'offer.fresh',
      'reserve.key',
      'reserve.key_uuid',
      'reserve.reference',
      'voucher.link',
      'errors.refusal',
      'errors.busy',
    ],
    not_shown: [
      'token.renewed',
      'token.scopes',
      'reserve.patience',
      'payment.waits',
      'cancel.fee',
      'webhook.signature',
      'webhook.signature_status',
      'webhook.duplicate',
      'webhook.disorder',
    ],
  })
})

test('a partner that checks no signature breaks that rule, and nothing else', async () => {
  const partner = await start('trusting')
  await partner.errand('trip')
  await partner.errand('trip')
  await partner.drill('duplicate-event', 'disorder', 'forged-event', 'old-event')
  expect(sheetOf(partner)).toEqual({
    failed: ['webhook.signature'],
    passed: [
      'token.cached',
      'secret.place',
      'offer.fresh',
      'reserve.key',
      'reserve.key_uuid',
      'reserve.reference',
      'webhook.answer',
      'webhook.duplicate',
      'webhook.disorder',
    ],
    not_shown: [
      'token.renewed',
      'token.scopes',
      'reserve.lost_answer',
      'reserve.patience',
      'payment.waits',
      'voucher.link',
      'cancel.fee',
      'errors.refusal',
      'errors.busy',
      'webhook.signature_status',
    ],
  })
})
