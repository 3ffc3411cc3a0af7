/** Many deliveries at once: what the clock passes is sent side by side, on time, and holds up nothing else. */
import type {ServerResponse} from 'node:http'
import {join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {expect, test} from 'vitest'
import {closing, ownDirectory} from '../support/own.js'
import {startSandbox, TEST_START} from '../support/sandbox.js'
import {type Answering, startSubscriber} from '../support/subscriber.js'
import {writeWaiting} from './waiting-deliveries.js'

const MANY = 400
/** As many as one subscription gets side by side. */
const TOGETHER = 8

interface Shown {
  readonly status: string
  readonly attempts: readonly {readonly at: string; readonly status: number}[]
}

test('each attempt is made, counts as made at its own moment, and others are answered meanwhile', async () => {
  const held: ServerResponse[] = []
  const answering: Answering = (answer, _, count) => {
    if (count <= TOGETHER) held.push(answer)
    // None of the first is answered before all of them have come.
    if (count === TOGETHER) for (const each of held) each.writeHead(200).end()
    // Later every fifth attempt is refused.
    if (count > TOGETHER) answer.writeHead(count % 5 === 0 ? 500 : 200).end()
  }
  const database = join(ownDirectory(), 'sandbox.db')
  const subscriber = closing(await startSubscriber(answering))
  writeWaiting(database, `${subscriber.origin}/hook`, MANY, TEST_START + 60)
  const sandbox = closing(await startSandbox({database, allowHttpLoopback: true}))
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
