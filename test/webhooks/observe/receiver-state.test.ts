/** The live state of a receiver: its metrics, and when it is ready. */
import {expect, test} from 'vitest'
import {ReceiverState} from '../../../src/webhooks/observe/receiver-state.js'
import {samplesOf} from '../../support/prometheus.js'

const BACKLOG = {pending: 3, oldestPendingSeconds: 12, lastEventAt: 1000}
const RECEIPT = {
  rawHeaders: [],
  body: Buffer.from(''),
  receivedAt: 2000,
  status: 200,
  reason: 'ok',
  eventId: 'evt_1',
  type: 'voucher.ready',
  reservationRef: null,
  secretName: 'whsub_1',
  duplicate: false,
  ackMilliseconds: 4,
  commitMilliseconds: 3,
} as const

const open = (targets: readonly string[] = [], now = 5000) =>
  new ReceiverState({version: '1.2.3', targets, maxWaiting: 10, clock: () => now})

test('each request has one outcome, and what was refused a reason', () => {
  const state = open()
  state.receipt(RECEIPT)
  state.receipt({...RECEIPT, duplicate: true, receivedAt: 3000})
  state.receipt({...RECEIPT, status: 401, reason: 'signature_mismatch', commitMilliseconds: undefined})
  for (const status of [404, 405, 413, 503]) state.turnedAway(status, 1)
  expect(samplesOf(state.text(BACKLOG))).toMatchObject({
    'bookctl_webhook_requests_total{outcome="stored"}': 1,
    'bookctl_webhook_requests_total{outcome="duplicate"}': 1,
    'bookctl_webhook_requests_total{outcome="refused"}': 4,
    'bookctl_webhook_requests_total{outcome="busy"}': 1,
    'bookctl_webhook_refused_total{reason="signature_mismatch"}': 1,
    'bookctl_webhook_refused_total{reason="missing_header"}': 0,
    'bookctl_webhook_refused_total{reason="path"}': 1,
    'bookctl_webhook_refused_total{reason="method"}': 1,
    'bookctl_webhook_refused_total{reason="too_large"}': 1,
    bookctl_webhook_commit_seconds_count: 2,
    bookctl_webhook_ack_seconds_count: 7,
    bookctl_webhook_last_event_timestamp_seconds: 2000,
    bookctl_forward_pending: 3,
    bookctl_forward_oldest_pending_seconds: 12,
    bookctl_store_up: 1,
    [`bookctl_build_info{version="1.2.3",node="${process.version}"}`]: 1,
  })
  expect(state.count).toEqual({valid: 2, invalid: 1, duplicate: 1, refused: 4, forwarded: 0, givenUp: 0})
  const refused = {signature_mismatch: 1, path: 1, method: 1, too_large: 1}
  expect([state.takeRefused(), state.takeRefused()]).toEqual([refused, {}])
})

test('before the first event of this process, the newest of the store counts', () => {
  const state = open()
  expect(samplesOf(state.text(BACKLOG))).toMatchObject({bookctl_webhook_last_event_timestamp_seconds: 1000})
  state.receipt(RECEIPT)
  expect(samplesOf(state.text(BACKLOG))).toMatchObject({bookctl_webhook_last_event_timestamp_seconds: 2000})
})

test('targets are counted without their query, those after the twentieth as one, in at most 200 series', () => {
  const targets = Array.from({length: 30}, (_, n) => `https://hooks.example/${n}?key=secret${n}`)
  const state = open(targets)
  for (const target of targets) state.forwarded({target, state: 'done'})
  state.forwarded({target: targets[0] as string, state: 'pending'})
  state.forwarded({target: targets[29] as string, state: 'given_up'})
  const text = state.text(BACKLOG)
  const samples = samplesOf(text)
  const attempts = (target: string, result: string) =>
    samples[`bookctl_forward_attempts_total{target="${target}",result="${result}"}`]
  expect(attempts('https://hooks.example/0', 'done')).toBe(1)
  expect(attempts('https://hooks.example/0', 'failed')).toBe(1)
  expect(attempts('other', 'done')).toBe(10)
  expect(attempts('other', 'given_up')).toBe(1)
  expect(text).not.toContain('secret')
  expect(text.split('\n').filter(line => line && !line.startsWith('#')).length).toBeLessThanOrEqual(200)
  expect(state.count.forwarded).toBe(30)
})

test('is ready only while events can be acknowledged', () => {
  const state = open()
  const reasons = () => state.problems().map(({reason}) => reason)
  expect(reasons()).toEqual(['starting'])
  state.phase = 'serving'
  expect(reasons()).toEqual([])
  state.storeFailed('no space left for events.db')
  expect(state.problems()).toEqual([{reason: 'store_failed', message: 'no space left for events.db'}])
  expect(samplesOf(state.text(undefined))).toMatchObject({bookctl_store_up: 0})
  state.storeWorks()
  state.waiting = () => 10
  state.certificateEndsAt = 5000
  expect(reasons()).toEqual(['queue_full', 'certificate_expired'])
  state.waiting = () => 9
  state.certificateEndsAt = 5000 + 13.5 * 86_400
  state.phase = 'stopping'
  expect(reasons()).toEqual(['stopping'])
  const place = {pid: 1, host: 'h', since: 1, url: 'http://127.0.0.1:1/', adminUrl: null}
  expect(state.report(place)).toEqual({
    ...place,
    targets: [],
    problems: ['stopping'],
    warnings: ['the certificate ends in 14 days', '9 events wait for the disk, of at most 10'],
  })
})
