import {expect, test} from 'vitest'
import {type CheckResult, check} from '../../../src/webhooks/diagnose/check.js'
import {checkTerms, eventText, headerFor, seeded} from '../signed-events.js'
import {BREAKS, type BrokenCapture} from './broken-captures.js'

async function explain({header, body, secret, others = []}: BrokenCapture): Promise<CheckResult> {
  const request = {headers: {'x-service-signature': header}, body}
  const terms = checkTerms({secrets: [{name: 'file', secret}], otherSecrets: () => others})
  return check(request, terms)
}

const codesOf = ({findings}: CheckResult) => findings.map(({code}) => code).sort()

test.each(BREAKS)('finds: %s', async (_, broken) => {
  const capture = broken(seeded(7919))
  const result = await explain(capture)
  expect(result.valid).toBe(false)
  expect(codesOf(result), `${capture.body.subarray(0, 2000)}`).toEqual(capture.codes.toSorted())
})

test('a removed secret is named only where no other cause is found', async () => {
  const KNOWN = `whsec_${'k'.repeat(32)}`
  const removed = {subscription_id: 'whsub_1', removed_at: 1_700_000_000, removed_by: 'logout'}
  const body = Buffer.from('{"id":"evt_1","total":1.50}')
  const explained = async (secret: string, received: Buffer, original?: Buffer) => {
    const terms = checkTerms({
      secrets: [{name: 'file', secret: KNOWN}],
      removedSecrets: () => [removed],
      findOriginal: async () => original,
    })
    const headers = {'x-service-signature': headerFor(secret, body)}
    return check({headers, body: received}, terms)
  }
  const gone = await explained(`${KNOWN}_gone`, body)
  expect(codesOf(gone)).toEqual(['secret_removed'])
  expect(gone.findings[0]?.explanation).toContain(
    'whsub_1 was removed at 2023-11-14T22:13:20.000Z by bookctl logout',
  )
  expect(codesOf(await explained(KNOWN, Buffer.from('{"id":"evt_1","total":1.5}')))).toEqual([
    'body_reserialized',
  ])
  const changed = Buffer.from('{"id":"evt_1","total":9.99,"x":1}')
  expect(codesOf(await explained(KNOWN, changed, body))).toEqual(['unexplained'])
})

test.each([
  ['line breaks', `x${'\n'.repeat(100_000)}y\n`],
  ['zeros of a fraction', `{"amount":0.${'0'.repeat(100_000)}1}`],
  ['zeros of a whole number', `{"amount":1${'0'.repeat(100_000)}1}`],
  ['brackets', '['.repeat(100_000)],
])('the search ends on a long run of %s', async (_, text) => {
  const header = headerFor('whsec_a', Buffer.from('{}'))
  const capture = {body: Buffer.from(text), header, secret: 'whsec_a', codes: []}
  expect((await explain(capture)).valid).toBe(false)
})

test('the search ends on an odd secret', async () => {
  const secret = `whsec_a${'\ufeff'.repeat(200)}b`
  const header = headerFor('whsec_a', Buffer.from('{"a":1}'))
  expect((await explain({body: Buffer.from('{}'), header, secret, codes: []})).valid).toBe(false)
})

const longEvents = (bytes: number) => {
  const one = JSON.parse(eventText(seeded(5)).replace(/,"total":[\d.]+/, ''))
  return {id: 'evt_1', items: Array(Math.ceil(bytes / JSON.stringify(one).length)).fill(one)}
}

test.each([
  ['2 spaces', 2, ''],
  ['4 spaces and a line break', 4, '\n'],
  ['tabs', '\t', ''],
])('finds the spacing alone of a long body: %s', async (_, indent, end) => {
  for (const bytes of [30_000, 400_000]) {
    const [printed, compact] = [indent, 0].map(one => JSON.stringify(longEvents(bytes), null, one))
    const [pretty, plain] = [Buffer.from(`${printed}${end}`), Buffer.from(compact as string)]
    const given = {secret: 'whsec_a', codes: [], body: pretty, header: headerFor('whsec_a', plain)}
    const codes = ['body_reserialized', ...(end === '' ? [] : ['body_trailing_newline'])]
    expect(codesOf(await explain(given))).toEqual(codes)
    const back = {...given, body: plain, header: headerFor('whsec_a', Buffer.from(printed as string))}
    expect(codesOf(await explain(back))).toEqual(['body_reserialized'])
  }
})

test('line breaks of a long body that were turned into CRLF have a code of their own', async () => {
  const lf = JSON.stringify(longEvents(30_000), null, 2)
  const body = Buffer.from(lf.replaceAll('\n', '\r\n'))
  const given = {secret: 'whsec_a', codes: [], body, header: headerFor('whsec_a', Buffer.from(lf))}
  expect(codesOf(await explain(given))).toEqual(['body_crlf'])
})
