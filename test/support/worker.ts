/** A process of its own that does the jobs it receives over IPC. */
import {openDatabase} from '../../src/storage/database.js'
import {openSqlite} from '../../src/storage/database-file.js'
import {withLock} from '../../src/storage/lock.js'

export type Job =
  | {readonly do: 'lock'; readonly directory: string; readonly hold?: boolean}
  | {readonly do: 'erase'; readonly path: string; readonly times: number}
  | {readonly do: 'run and die'; readonly path: string; readonly sql: string}

process.on('message', (job: Job) => {
  perform(job).then(
    value => process.send?.({value}),
    error => process.send?.({failure: error.message}),
  )
})
process.on('disconnect', () => process.exit())
process.send?.('ready')

async function perform(job: Job): Promise<unknown> {
  if (job.do === 'lock') return countAlone(job.directory, job.hold ?? false)
  if (job.do === 'erase') return eraseOften(job.path, job.times)
  openSqlite(job.path, {timeout: 0}).exec(job.sql)
  return process.kill(process.pid, 'SIGKILL')
}

/** Writes a row and erases it, `times` times. */
function eraseOften(path: string, times: number): void {
  const database = openDatabase(path, {migrations: ['CREATE TABLE word (text TEXT)']})
  for (let n = 0; n < times; n++) {
    database.run('INSERT INTO word VALUES (?)', 'x'.repeat(1000))
    database.erase(() => database.run('DELETE FROM word'))
  }
  database.close()
}

/** Counts the rows twice with a pause. The counts are equal only if no other process has the lock meanwhile. */
async function countAlone(directory: string, hold: boolean): Promise<unknown> {
  return withLock({directory, kind: 'test', key: 'count', waitMilliseconds: 20_000}, async () => {
    if (hold) {
      process.send?.('holding')
      await new Promise(resolve => setTimeout(resolve, 60_000))
    }
    const database = openDatabase(`${directory}/count.db`, {migrations: ['CREATE TABLE count (n INTEGER)']})
    const before = database.get<{n: number}>('SELECT count(*) AS n FROM count')?.n ?? 0
    await new Promise(resolve => setTimeout(resolve, 2))
    const after = database.get<{n: number}>('SELECT count(*) AS n FROM count')?.n ?? 0
    database.run('INSERT INTO count VALUES (?)', before)
    database.close()
    return before === after
  })
}
