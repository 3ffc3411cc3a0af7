/** Many deliveries at once: what the clock passes is sent side by side, on time, and holds up nothing else. */
import {mkdtempSync, rmSync} from 'node:fs'
import type {ServerResponse} from 'node:http'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {startSandbox, TEST_START, type TestSandbox} from '../support/sandbox.js'
import {type Subscriber, startSubscriber} from '../support/subscriber.js'
import {writeWaiting} from './waiting-deliveries.js'

const MANY = 400
/** As many as one subscription gets side by side. */
const TOGETHER = 8

let folder: string
let sandbox: TestSandbox
let subscriber: Subscriber
let held: ServerResponse[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bookctl-many-'))
  held = []
  subscriber = await startSubscriber((answer, _, count) => {
    if (count <= TOGETHER) held.push(answer)
    // None of the first is answered before all of them have come.
    if (count === TOGETHER) for (const each of held) each.writeHead(200).end()
    // Later every fifth attempt is refused.
    if (count > TOGETHER) answer.writeHead(count % 5 === 0 ? 500 : 200).end()
  })
  const database = join(folder, 'sandbox.db')
  writeWaiting(database, `${subscriber.origin}/hook`, MANY, TEST_START + 60)
  sandbox = await startSandbox({database, allowHttpLoopback: true})
})
afterEach(async () => {
  await sandbox.close()
  await subscriber.close()
  rmSync(folder, {recursive: true})
})

interface Shown {
  readonly status: string
  readonly attempts: readonly {readonly at: string; readonly status: number}[]
}

test('each attempt is made, counts as made at its own moment, and others are answered meanwhile', async () => {
  let isMoving = true
  const moved = sandbox.advance(MANY / 10 + 12 * 3600).finally(() => {
    isMoving = false
  })
  let answered = 0
  while (isMoving) {
    const shown = await fetch(`${sandbox.origin}/_sandbox/clock`)
    expect(shown.status).toBe(200)
    if (isMoving) answered += 1
    await sleep(5)
  }
  await moved
  expect(answered).toBeGreaterThan(10)
  const shown = (await sandbox.listed('deliveries')) as Shown[]
  expect(shown).toHaveLength(MANY)
  expect(new Set(shown.map(({status}) => status))).toEqual(new Set(['DELIVERED']))
  expect(shown.flatMap(({attempts}) => attempts.filter(({status}) => status === null))).toEqual([])
  const moments = shown.map(({attempts}) => attempts.map(({at}) => Date.parse(at) / 1000 - TEST_START - 60))
  const expected = shown.map(({attempts}, index) =>
    [0, 60, 360, 2160, 9360, 38160].slice(0, attempts.length).map(d => index / 10 + d),
  )
  expect(moments.map(each => each.map(Math.round))).toEqual(expected.map(each => each.map(Math.round)))
  expect(subscriber.received).toHaveLength(moments.flat().length)
})
