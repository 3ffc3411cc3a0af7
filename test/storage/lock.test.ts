/** The lock between processes: one at a time, and free at once when its holder dies. */
import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import {openDatabase} from '../../src/storage/database.js'
import {withLock} from '../../src/storage/lock.js'
import {ownDirectory} from '../support/own.js'
import {Worker} from '../support/workers.js'

const PROCESSES = Number(process.env.BOOKCTL_TEST_PROCESSES ?? 8)
let directory: string

beforeEach(() => {
  directory = ownDirectory()
})

const lock = (waitMilliseconds: number, kind = 'test', key = 'count') => ({
  directory,
  kind,
  key,
  waitMilliseconds,
})

test(`${PROCESSES} processes are in it one at a time`, async () => {
  const workers = await Worker.startMany(PROCESSES)
  for (let round = 0; round < 3; round++) {
    const results = await Promise.all(workers.map(worker => worker.run({do: 'lock', directory})))
    expect(results).toEqual(results.map(() => ({value: {gaveUp: false, value: true}})))
  }
  for (const worker of workers) worker.stop()
  const database = openDatabase(join(directory, 'count.db'), {migrations: ['CREATE TABLE count (n INTEGER)']})
  const numbers = database.all<{n: number}>('SELECT n FROM count ORDER BY rowid').map(row => row.n)
  expect(numbers).toEqual(Array.from({length: PROCESSES * 3}, (_, n) => n))
  database.close()
})

test('a killed holder frees it', async () => {
  const holder = await Worker.start()
  let done: Promise<unknown> | undefined
  await new Promise<void>(holding => {
    done = holder.run({do: 'lock', directory, hold: true}, () => holding())
  })
  expect(await withLock(lock(0), async () => 'in')).toEqual({gaveUp: true})
  holder.kill()
  await done
  expect(await withLock(lock(10_000), async () => 'in')).toEqual({gaveUp: false, value: 'in'})
})

test('a waiter leaves with what it was waiting for, without the lock', async () => {
  await withLock(lock(0), async () => {
    let looks = 0
    const peek = async () => (++looks > 2 ? 'seen' : undefined)
    expect(await withLock(lock(10_000), async () => 'in', peek)).toEqual({gaveUp: false, value: 'seen'})
  })
})

test('the files are in a directory of their own', async () => {
  await withLock(lock(0), async () => undefined)
  expect(readdirSync(directory)).toEqual(['locks'])
  expect(readdirSync(join(directory, 'locks'))).toEqual([expect.stringMatching(/^test-[0-9a-f]{2}\.lock$/)])
})

test('another kind does not wait, and a throw frees the lock', async () => {
  await withLock(lock(0), async () => {
    expect(await withLock(lock(0, 'other'), async () => 'in')).toEqual({gaveUp: false, value: 'in'})
  })
  const failing = withLock(lock(0), async () => {
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await withLock(lock(0), async () => 'in')).toEqual({gaveUp: false, value: 'in'})
})
