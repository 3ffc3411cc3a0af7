/** What `webhooks tap` says of a request and of its answer. */
import {expect, test} from 'vitest'
import {judgeExchange} from '../../../../src/cli/features/webhooks/tap-judgement.js'
import type {Relayed} from '../../../../src/webhooks/forward/relay.js'
import {verify} from '../../../../src/webhooks/signature/signature.js'
import {HEADER_NAMES, signatureOf} from '../../../support/webhook-files.js'
import {SECRET} from '../../../support/webhook-load.js'

const NOW = 1_900_000_000
const BODY = Buffer.from('{"id":"evt_1","type":"voucher.ready"}')
const SECRETS = [{name: 'whsub_1', secret: SECRET}]

/** An exchange of a valid event that was answered with 200 at once, changed by `change`; its signature is made `age` s ago. */
function exchange(change: Partial<Relayed> = {}, {age = 0, secret = SECRET} = {}): Relayed {
  const header = signatureOf(BODY, NOW - age, secret)
  return {
    method: 'POST',
    path: '/',
    rawHeaders: ['X-Service-Signature', header, 'X-Service-Event-Id', 'evt_1'],
    receivedAt: NOW,
    verdict: verify({secrets: SECRETS, header, now: NOW, rawBody: BODY}),
    body: BODY,
    bodyBytes: BODY.length,
    status: 200,
    answerHeaders: {},
    milliseconds: 5,
    error: null,
    ...change,
  }
}

const judge = (relayed: Relayed, searches = true) =>
  judgeExchange(relayed, {
    names: HEADER_NAMES,
    secrets: SECRETS,
    otherSecrets: () => [],
    searches,
    to: 'http://127.0.0.1:3000/',
  })

const wrong = {secret: 'whsec_other'}

test.each<[string, Relayed, object, string[]]>([
  ['is right', exchange(), {valid: true, reason: 'ok', event_id: 'evt_1', age_seconds: 0, late: false}, []],
  ['is right and old', exchange({}, {age: 299}), {valid: true, age_seconds: 299, secret: 'whsub_1'}, []],
  [
    'is too old and refused',
    exchange({status: 401}, {age: 301}),
    {valid: false, reason: 'timestamp_outside_tolerance', age_seconds: 301},
    ['stale_retry'],
  ],
  [
    'is signed with another secret and refused',
    exchange({status: 401}, wrong),
    {valid: false},
    ['unexplained', 'secret_doubtful'],
  ],
  [
    'is wrong and accepted',
    exchange({}, wrong),
    {valid: false},
    ['unexplained', 'secret_doubtful', 'not_refused'],
  ],
  [
    'is wrong and answered 500',
    exchange({status: 500}, wrong),
    {valid: false},
    ['unexplained', 'secret_doubtful', 'not_refused'],
  ],
  ['is right and refused', exchange({status: 401}), {valid: true, late: false}, ['refused_valid']],
  ['is right and redirected', exchange({status: 302}), {valid: true}, ['refused_valid']],
  ['is answered late', exchange({milliseconds: 3001}), {valid: true, late: true}, ['late']],
  ['is answered by nobody', exchange({status: 502, error: 'ECONNREFUSED'}), {valid: true}, ['no_answer']],
  ['is left by its sender', exchange({status: null, error: 'sender_gone'}), {valid: true}, ['sender_gone']],
  ['is answered in part', exchange({error: 'answer_cut'}), {valid: true}, ['answer_cut']],
  [
    'names another event in its header',
    exchange({status: 401, rawHeaders: [...exchange().rawHeaders.slice(0, 3), 'evt_2']}),
    {valid: false, reason: 'event_id_mismatch'},
    ['event_id_header_changed'],
  ],
  [
    'has a long body',
    exchange({body: undefined, bodyBytes: 2_000_000}),
    {valid: true, reason: 'ok', event_id: null, age_seconds: 0},
    ['body_not_kept'],
  ],
  [
    'is incomplete',
    exchange({verdict: undefined, body: undefined, status: null, error: 'sender_gone'}),
    {valid: false, reason: 'not_checked', event_id: null},
    ['incomplete', 'sender_gone'],
  ],
  [
    'is no event',
    exchange({method: 'GET', verdict: {valid: false, reason: 'missing_header'}, rawHeaders: []}),
    {valid: false, reason: 'missing_header'},
    ['no_event'],
  ],
])('a request that %s', async (_, relayed, judgement, codes) => {
  const {findings, ...judged} = await judge(relayed)
  expect(judged).toMatchObject(judgement)
  expect(findings.map(({code}) => code)).toEqual(codes)
  for (const {explanation, fix} of findings) {
    expect(explanation).toMatch(/^[A-Z].*\.$/)
    expect(fix).toMatch(/\S/)
    expect(`${explanation}${fix}`).not.toMatch(/whsec_(load|other)|null|undefined|§/)
  }
})

test('when too many requests fail at once, the verdict is the same but no cause is searched for', async () => {
  const failed = await judge(exchange({status: 401}, wrong), false)
  expect(failed).toMatchObject({
    valid: false,
    reason: 'signature_mismatch',
    findings: [{code: 'not_searched'}],
  })
  expect(await judge(exchange(), false)).toMatchObject({valid: true, event_id: 'evt_1', findings: []})
})

test('the advice for a refused event depends on the answer', async () => {
  const fixOf = async (status: number) => (await judge(exchange({status}))).findings[0]?.fix
  expect(await fixOf(404)).toContain('compare it with the route')
  expect(await fixOf(401)).toContain('the same signing secret')
  expect(await fixOf(302)).toContain('follows no redirect')
  expect(await fixOf(500)).toContain('raw bytes')
})
