/** A process of its own that does the jobs it gets over IPC. */
import {reserve} from '../../src/api/reserve/reserve.js'
import {openState} from '../../src/state/state.js'
import {openDatabase} from '../../src/storage/database.js'
import {withLock} from '../../src/storage/lock.js'
import {connect, intentFor, type PartsOptions} from './booking.js'

export type Job =
  | ({readonly do: 'account'} & PartsOptions)
  | ({
      readonly do: 'reserve'
      readonly offer: string
      readonly reference?: string
    } & PartsOptions)
  | {readonly do: 'lock'; readonly directory: string; readonly hold?: boolean}
  | {readonly do: 'erase'; readonly path: string; readonly times: number}
  | {readonly do: 'setting'; readonly directory: string; readonly name: string}

process.on('message', (job: Job) => {
  perform(job).then(
    value => process.send?.({value}),
    error =>
      process.send?.({
        failure: {name: error.name, kind: error.kind, message: error.message, ...error.details},
      }),
  )
})
process.on('disconnect', () => process.exit())
process.send?.('ready')

async function perform(job: Job): Promise<unknown> {
  switch (job.do) {
    case 'account':
      return withParts(job, async ({api}) => (await api.call('account.show')).attempts)
    case 'reserve':
      return withParts(job, ({reserveParts}) => reserve(reserveParts, intentFor(job.offer, job.reference)))
    case 'lock':
      return countAlone(job.directory, job.hold ?? false)
    case 'erase':
      return eraseOften(job.path, job.times)
    case 'setting':
      return openState(job.directory).settings.update(file =>
        file.set(['profiles', job.name], {base_url: 'https://example.com/v1', client_id: job.name}),
      )
  }
}

/** Writes a little and leaves no byte of it, again and again. */
function eraseOften(path: string, times: number): void {
  const database = openDatabase(path, {migrations: ['CREATE TABLE word (text TEXT)']})
  for (let n = 0; n < times; n++) {
    database.run('INSERT INTO word VALUES (?)', 'x'.repeat(1000))
    database.erase(() => database.run('DELETE FROM word'))
  }
  database.close()
}

async function withParts<T>(
  job: PartsOptions,
  work: (parts: ReturnType<typeof connect>) => Promise<T>,
): Promise<T> {
  const parts = connect(job)
  try {
    return await work(parts)
  } finally {
    await parts.close()
  }
}

/** Reads a number, waits, and writes one more: only right when no other process is in the lock. */
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
