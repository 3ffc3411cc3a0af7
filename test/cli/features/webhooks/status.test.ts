/** When `webhooks status` calls a receiver healthy. */
import {hostname} from 'node:os'
import {expect, test} from 'vitest'
import {statusOf, statusResult} from '../../../../src/cli/features/webhooks/status.js'
import type {StoredListener, StoreOverview} from '../../../../src/contract/stored-events.js'
import type {OwnerFate} from '../../../../src/storage/temporary.js'

const NOW = 1_800_000_000

const listener = (change: Partial<StoredListener> = {}): StoredListener => ({
  pid: process.pid,
  host: hostname(),
  since: NOW - 3600,
  url: 'http://127.0.0.1:4020/',
  adminUrl: null,
  targets: [],
  problems: [],
  warnings: [],
  owner: 'running',
  profile: 'default',
  silentSeconds: 1,
  ...change,
})

const judge = (change: Partial<StoreOverview>) =>
  statusOf(
    {
      listeners: [listener()],
      lastEventAt: NOW - 60,
      lastHour: {},
      refusedLastHour: {},
      pending: 0,
      oldestPendingSeconds: null,
      givenUpLastDay: 0,
      pendingTargets: [],
      storedBytes: 5_000_000,
      ...change,
    },
    {now: NOW, fateOf: owner => owner as OwnerFate, warnings: []},
  )

test.each<[healthy: boolean, what: string, change: Partial<StoreOverview>]>([
  [true, 'a listener that reports', {}],
  [false, 'none', {listeners: []}],
  [false, 'one that cannot acknowledge', {listeners: [listener({problems: ['store_failed']})]}],
  [false, 'one that runs but does not report', {listeners: [listener({silentSeconds: 25})]}],
  [true, 'one of another machine that reports', {listeners: [listener({owner: 'elsewhere'})]}],
  [
    false,
    'one of another machine that is silent',
    {listeners: [listener({owner: 'elsewhere', silentSeconds: 90})]},
  ],
  [true, 'one that was killed beside one that works', {listeners: [listener({owner: 'gone'}), listener()]}],
  [false, 'one that was killed', {listeners: [listener({owner: 'gone'})]}],
  [true, 'a forward of less than an hour', {pending: 1, oldestPendingSeconds: 3500}],
  [false, 'a forward of more than an hour', {pending: 1, oldestPendingSeconds: 3700}],
])('healthy is %s with %s', (healthy, _, change) => {
  expect(judge(change).healthy).toBe(healthy)
})

test('warns of what is near its limit, late or given up', () => {
  const {warnings} = judge({
    listeners: [listener({warnings: ['the certificate ends in 3 days']})],
    pending: 2,
    oldestPendingSeconds: 3 * 3600,
    givenUpLastDay: 1,
  })
  expect(warnings).toEqual([
    expect.stringMatching(/^the listener at http.*: the certificate ends in 3 days$/),
    '2 forwards are pending, the oldest for 3 hours',
    expect.stringMatching(/^1 forward was given up in the last day/),
  ])
})

test('warns of forwards to an address that no living listener has, without its query', () => {
  const here = 'http://127.0.0.1:3000/here'
  const gone = 'http://127.0.0.1:9/gone'
  const pendingTargets = [`${here}?key=1`, `${gone}?key=hidden`, `${gone}?key=other`].map(target => ({
    target,
    pending: 2,
  }))
  const killed = listener({owner: 'gone', targets: [gone]})
  const {warnings} = judge({pendingTargets, listeners: [killed, listener({targets: [here]})]})
  expect(warnings.slice(1)).toEqual([
    `4 forwards wait for ${gone}, an address that no listener has; start one with it, or give them up: bookctl webhooks events prune --forwards-to ${gone}`,
  ])
  expect(judge({pendingTargets, listeners: []}).warnings).toEqual([
    expect.stringMatching(/^no listener runs/),
  ])
})

test('the time of the last report is the same in each call', () => {
  const seen = (silentSeconds: number) =>
    judge({listeners: [listener({silentSeconds})]}).listeners[0]?.last_seen_at
  expect(seen(1.002)).toBe(seen(0.998))
})

test('warns of listeners of one profile with different targets', () => {
  const first = listener({targets: ['http://127.0.0.1:3000/a']})
  const second = listener({targets: ['http://127.0.0.1:3000/b']})
  expect(judge({listeners: [first, second]}).warnings).toEqual([
    'the listeners of profile default have different --forward-to addresses: an event goes only to those of the listener that received it',
  ])
  expect(judge({listeners: [first, {...second, profile: 'other'}]}).warnings).toEqual([])
  expect(judge({listeners: [first, first]}).warnings).toEqual([])
})

test('at a terminal it is a few lines', () => {
  const overview = {
    lastHour: {'voucher.ready': 2, 'reservation.confirmed': 1},
    refusedLastHour: {path: 1},
    pending: 1,
    oldestPendingSeconds: 90,
  }
  const lines = statusResult(judge(overview)).people?.((_, text) => text, 200) ?? []
  expect(lines.slice(1)).toEqual([
    `Listener     http://127.0.0.1:4020/ (pid ${process.pid} on ${hostname()}, since 2027-01-15T07:00:00.000Z)`,
    'Last event   2027-01-15T07:59:00.000Z',
    'Last hour    3 events: voucher.ready 2, reservation.confirmed 1',
    'Refused      1 request: path 1',
    'Forwards     1 pending, the oldest for 90 seconds; 0 given up in the last day',
    'Stored       5.0 MB',
  ])
})
