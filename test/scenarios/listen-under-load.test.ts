/**
 * `listen` under load: flooded with duplicates, with an address that hangs or is down, and ended.
 * BOOKCTL_TEST_DUPLICATES sets how many; the short form runs with every `npm test`.
 */

import {expect, test} from 'vitest'
import {openState} from '../../src/state/state.js'
import type {Home} from '../support/bookctl.js'
import {eventually} from '../support/eventually.js'
import {ownListening, ownReceiverHome, ownTarget} from '../support/own.js'
import {load, signedEvent} from '../support/webhook-load.js'

const DUPLICATES = Number(process.env.BOOKCTL_TEST_DUPLICATES ?? 2000)

const listening = (home: Home, ...argv: string[]) => ownListening(home, argv)

/** Ids in events.db, in the order received. */
async function keptIds(home: Home): Promise<string[]> {
  const state = openState(home.configDirectory)
  try {
    return (await state.events.page({}, {after: 0}, 10_000_000)).map(({eventId}) => eventId)
  } finally {
    state.close()
  }
}

test(`${DUPLICATES} duplicates over 8 connections are handed on once each`, async () => {
  const home = ownReceiverHome()
  const handed = await ownTarget(200)
  const receiver = await listening(home, '--forward-to', handed.url)
  let n = 0
  const ids = 10
  const next = () => (n < DUPLICATES ? signedEvent(`evt_${n++ % ids}`, {pad: 20}) : undefined)
  const {answers} = await load({port: receiver.port, connections: 8, next})
  expect(answers.filter(({status}) => status === 200).length).toBe(DUPLICATES)
  await eventually(() => expect(new Set(handed.got).size).toBe(ids))
  const {stdout, exit} = await receiver.stop()
  expect(exit).toBe(143)
  expect(handed.got.length).toBe(ids)
  const lines = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(lines.filter(line => line.type === 'event' && !line.duplicate).length).toBe(ids)
  expect(lines.filter(line => line.type === 'event').length).toBe(DUPLICATES)
  expect(lines.filter(line => line.type === 'forward')).toMatchObject(
    Array(ids).fill({status: 200, attempt: 1, state: 'done', late: false}),
  )
})

test('an address that hangs does not delay one answer', async () => {
  const home = ownReceiverHome()
  const hanging = await ownTarget('hang')
  const down = await ownTarget(200)
  await down.close()
  const receiver = await listening(home, '--forward-to', hanging.url, '--forward-to', down.url)
  let n = 0
  const {answers} = await load({
    port: receiver.port,
    connections: 20,
    next: () => (n < 500 ? signedEvent(`evt_${n++}`, {pad: 50}) : undefined),
    perSecond: 300,
  })
  expect(answers.filter(({status}) => status === 200).length).toBe(500)
  expect(hanging.got.length).toBeLessThanOrEqual(8)
  // An answer, or an end, that waited for the address would take 30 s: longer than this test may.
  expect((await receiver.stop()).exit).toBe(143)
}, 28_000)

test('SIGTERM under load: everyone who was read is answered', async () => {
  const home = ownReceiverHome()
  const receiver = await listening(home)
  let n = 0
  const running = load({
    port: receiver.port,
    connections: 20,
    next: () => signedEvent(`evt_${n++}`, {pad: 50}),
  })
  await eventually(() => expect(n).toBeGreaterThan(300))
  expect((await receiver.stop()).exit).toBe(143)
  const {answers} = await running
  const kept = await keptIds(home)
  expect(answers.every(({status}) => status === 200)).toBe(true)
  expect(answers.map(({id}) => id).sort()).toEqual([...kept].sort())
  // Each connection had one request on its way; none of them was lost.
  expect(answers.length).toBe(n)
})
