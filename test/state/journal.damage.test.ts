/** A damaged state.db: the journal never lets a reservation be made twice, and never crashes the process. */
import {createHash} from 'node:crypto'
import {cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import {STATE} from '../../src/state/databases.js'
import {openState} from '../../src/state/state.js'
import {openDatabase} from '../../src/storage/database.js'
import {openSqlite} from '../../src/storage/database-file.js'
import {StorageError} from '../../src/storage/errors.js'
import {CLIENT, intent, offer} from '../support/client.js'
import {ownDirectory} from '../support/own.js'

const PAGE = 4096
const ENTRIES = 12

let before: Buffer
let whole: Buffer

/** Creates a directory with `bytes` as its state.db, and the lock file of an earlier reservation. */
function directoryWith(bytes: Buffer): string {
  const directory = ownDirectory()
  writeFileSync(join(directory, 'state.db'), bytes, {mode: 0o600})
  return directory
}

const unknown = {outcome: 'unknown'}
const again = (n: number) => ({...intent(n), idempotencyKey: `second-${n}`})
const nothing = async () => undefined

beforeEach(async () => {
  if (whole) return
  const directory = ownDirectory()
  const fill = async (from: number) => {
    const state = openState(directory)
    const journal = state.journal.forClient(CLIENT)
    await state.offers.remember(CLIENT, [offer(`off_${from}`)], 1000)
    for (let n = from; n < from + ENTRIES / 2; n++) {
      const madeBy = n % 2 ? {program: `program-${n}`, handle: `hdl_${n}`} : null
      const {entry} = await journal.begin(intent(n, {madeBy}), n)
      await journal.attempt(entry.id, n)
      await journal.settle(entry.id, unknown, n)
    }
    await state.close()
    return readFileSync(join(directory, 'state.db'))
  }
  before = await fill(0)
  whole = await fill(ENTRIES / 2)
})

/** Plans the same reservations again. Returns those that would get another key, or the reported fault. */
async function repeat(directory: string): Promise<number[] | string> {
  const state = openState(directory)
  const journal = state.journal.forClient(CLIENT)
  const lost: number[] = []
  try {
    for (let n = 0; n < ENTRIES; n++) {
      const verdict = await journal.begin(again(n), 100)
      if (verdict.kind !== 'repeat' || verdict.entry.idempotencyKey !== intent(n).idempotencyKey) lost.push(n)
    }
    return lost
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return error.fault
  } finally {
    await state.close()
  }
}

/** Repeats with a copy of the file after `change`, or with the bytes that `change` returns. */
function repeatWith(change: (bytes: Buffer) => unknown): Promise<number[] | string> {
  const copy = Buffer.from(whole)
  const result = change(copy)
  return repeat(directoryWith(result instanceof Buffer ? result : copy))
}

function flip(bytes: Buffer, at: number, bits: number): void {
  bytes[at] = (bytes[at] as number) ^ bits
}

test('an undamaged journal repeats each with its own key', async () => {
  expect(await repeatWith(() => undefined)).toEqual([])
})

test('a changed byte anywhere is reported, or makes no difference', async () => {
  const outcomes = new Set<string>()
  for (let at = 0; at < whole.length; at += 389) {
    const found = await repeatWith(bytes => flip(bytes, at, 1 << (at % 8)))
    outcomes.add(typeof found === 'string' ? found : found.join())
  }
  expect([...outcomes].sort()).toEqual(['', 'corrupt'])
})

const WORDS = ['off_3', 'ref-3', 'key-3', 'canary-3', 'body-3', 'unknown', 'program-3', 'hdl_3'] as const

test.each([...WORDS, CLIENT.clientId, CLIENT.baseUrl])(
  'a changed character of %s in a row is reported, also when it is no longer text',
  async word => {
    for (const flip of [1, 0x80])
      expect(
        await repeatWith(bytes => {
          const at = bytes.lastIndexOf(word)
          bytes[at + 2] = (bytes[at + 2] as number) ^ flip
        }),
      ).toBe('corrupt')
  },
)

test('a removed row is reported also where all rows are passed one by one', async () => {
  const directory = directoryWith(whole)
  const database = openSqlite(join(directory, 'state.db'), {timeout: 0})
  database.exec('DELETE FROM reservations WHERE id = 3')
  database.close()
  const state = openState(directory)
  await expect(state.journal.each(() => {}, 5)).rejects.toMatchObject({fault: 'corrupt'})
  await state.close()
})

test('a file that is cut or empty is reported', async () => {
  for (const length of [0, 1, 511, 512, PAGE, whole.length - PAGE, whole.length - 1])
    expect(await repeatWith(bytes => bytes.subarray(0, length)), String(length)).toBe('corrupt')
})

test('a row that was removed, added or put in the place of another is reported', async () => {
  for (const sql of [
    'DELETE FROM reservations WHERE id = 3',
    'DELETE FROM reservations',
    "UPDATE reservations SET idempotency_key = 'other' WHERE id = 3",
    'DELETE FROM journal_digest',
    'UPDATE reservations SET made_by = NULL WHERE id = 4',
    "UPDATE reservations SET made_by = '{}' WHERE id = 3",
    "UPDATE journal_digest SET digest = 'x'",
    'DROP INDEX live_reference; UPDATE reservations SET offer_id = client_reference_id',
  ]) {
    const directory = directoryWith(whole)
    const connection = openSqlite(join(directory, 'state.db'), {timeout: 0})
    connection.exec(sql)
    connection.close()
    expect(await repeat(directory), sql).toBe('corrupt')
    const state = openState(directory)
    await expect(state.journal.list(), sql).rejects.toThrow('is damaged')
    await state.close()
  }
})

test('a log next to it that belongs to another file is reported', async () => {
  const directory = directoryWith(whole)
  const other = directoryWith(before)
  const connection = openSqlite(join(other, 'state.db'), {timeout: 0})
  connection.exec('PRAGMA journal_mode = WAL; DELETE FROM reservations; UPDATE journal_digest SET digest = 0')
  cpSync(join(other, 'state.db-wal'), join(directory, 'state.db-wal'))
  connection.close()
  expect(await repeat(directory)).toBe('corrupt')
})

test('warns once of a missing journal, if this machine has tried reservations', async () => {
  const directory = ownDirectory()
  const warnings: string[] = []
  const warn = (text: string) => void warnings.push(text)
  const tryOne = async () => {
    const state = openState(directory, {warn})
    const journal = state.journal.forClient(CLIENT)
    await journal.peek(intent(1))
    const value = await journal.alone('off_1', 0, () => journal.begin(intent(1), 1), nothing)
    await state.close()
    return value
  }
  await tryOne()
  await tryOne()
  expect(warnings).toEqual([])
  const path = join(directory, 'state.db')
  rmSync(path)
  expect(await tryOne()).toMatchObject({value: {kind: 'new'}})
  expect(warnings).toEqual([expect.stringContaining(`${path} is gone`)])
  await tryOne()
  expect(warnings).toHaveLength(1)
})

test('a database is made before the lock file that shows that there was one', async () => {
  const directory = ownDirectory()
  writeFileSync(join(directory, 'state.db'), 'no database'.repeat(100))
  const state = openState(directory)
  const journal = state.journal.forClient(CLIENT)
  await expect(journal.alone('off_1', 0, async () => 1, nothing)).rejects.toThrow(StorageError)
  expect(existsSync(join(directory, 'locks'))).toBe(false)
  await state.close()
})

test('the journal of an earlier version, with its log, has a digest from its first opening on', async () => {
  const directory = ownDirectory()
  const path = join(directory, 'state.db')
  const old = openDatabase(path, {migrations: STATE.migrations.slice(0, 6), hasLog: true})
  const sql = `INSERT INTO reservations VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, 'unknown', NULL, 1, 1, NULL, 1, 1)`
  for (let n = 0; n < ENTRIES; n++) {
    const {clientReferenceId, offerId, idempotencyKey, body, bodySha256, intentSha256} = intent(n)
    const values = [clientReferenceId, offerId, idempotencyKey, body, bodySha256, intentSha256]
    old.run(sql, CLIENT.baseUrl, CLIENT.clientId, ...values)
  }
  // The state that a killed process leaves.
  const copy = ownDirectory()
  for (const name of ['state.db', 'state.db-wal']) cpSync(join(directory, name), join(copy, name))
  old.close()
  expect(await repeat(copy)).toEqual([])
  expect(readdirSync(copy)).toEqual(['state.db'])
  const bytes = readFileSync(join(copy, 'state.db'))
  flip(bytes, bytes.lastIndexOf('key-3'), 1)
  expect(await repeat(directoryWith(bytes))).toBe('corrupt')
})

test('the digest of a journal from before agents stays as it is, and tells of damage from before', async () => {
  const directory = ownDirectory()
  const path = join(directory, 'state.db')
  const before = STATE.migrations.findIndex(sql => sql.includes('made_by'))
  // The values of a row as the earlier version read them for the digest, which it wrote at its first opening.
  const columns = `id, base_url, client_id, client_reference_id, offer_id, idempotency_key, body, body_sha256, intent_sha256,
    outcome, reservation_ref, attempts, lost, agreed, booked, trip, result, created_at, updated_at`
  const values = [
    1,
    CLIENT.baseUrl,
    CLIENT.clientId,
    'ref-0',
    'off_0',
    'key-0',
    intent(0).body,
    'body-0',
    'intent-0',
  ]
  const row = [...values, 'unknown', null, 1, 1, null, null, null, null, 1.5, 1.5]
  const digest = createHash('sha256').update(JSON.stringify(row)).digest('hex')
  const old = openDatabase(path, {migrations: STATE.migrations.slice(0, before)})
  old.run(`INSERT INTO reservations (${columns}) VALUES (${row.map(() => '?').join()})`, ...row)
  old.run('INSERT INTO journal_digest VALUES (1, ?)', digest)
  old.close()
  const bytes = readFileSync(path)
  const opened = openDatabase(path, STATE)
  expect(opened.get('SELECT digest FROM journal_digest')).toEqual({digest})
  opened.close()
  const state = openState(directory)
  const journal = state.journal.forClient(CLIENT)
  expect(await journal.begin(again(0), 2)).toMatchObject({kind: 'repeat', entry: {madeBy: null}})
  await state.close()
  flip(bytes, bytes.lastIndexOf('key-0') + 2, 1)
  expect(await repeat(directoryWith(bytes))).toBe('corrupt')
})
