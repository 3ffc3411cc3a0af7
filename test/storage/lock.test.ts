/**
 * The lock between processes: one process at a time has it, and it is free at once when that process dies. For the rest see
 * state/state.shared.test.ts.
 */
import {mkdirSync, readdirSync, symlinkSync} from 'node:fs'
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

const lock = (waitMilliseconds: number) => ({directory, kind: 'test', key: 'count', waitMilliseconds})

test(`lets ${PROCESSES} processes in one at a time`, async () => {
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
  holder.process.kill('SIGKILL')
  await done
  expect(await withLock(lock(10_000), async () => 'in')).toEqual({gaveUp: false, value: 'in'})
})

test('a symbolic link in place of its directory is refused, and nothing is written to its target', async () => {
  mkdirSync(join(directory, 'elsewhere'))
  symlinkSync('elsewhere', join(directory, 'locks'))
  await expect(withLock(lock(0), async () => 'in')).rejects.toMatchObject({fault: 'not_ours'})
  expect(readdirSync(join(directory, 'elsewhere'))).toEqual([])
})
