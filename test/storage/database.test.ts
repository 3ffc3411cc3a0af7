/** Opening and keeping SQLite files: who may read them, what is erased, and that a full disk loses nothing. */
import {execFileSync} from 'node:child_process'
import * as fs from 'node:fs'
import {join} from 'node:path'
import {isMainThread} from 'node:worker_threads'
import {expect, test} from 'vitest'
import {type Database, openDatabase} from '../../src/storage/database.js'
import {openSqlite} from '../../src/storage/sqlite.js'
import {filesWith} from '../support/own.js'
import {Worker} from '../support/workers.js'
import {databasesForEachTest, faultOf, modeOf, ONE} from './databases.js'

const {at, open} = databasesForEachTest()

// A thread has no umask of its own to set.
test.runIf(isMainThread)('every file is 0600 in a 0700 directory, whatever the umask', () => {
  const before = process.umask(0)
  try {
    const home = at('a', 'b')
    const database = open(join(home, 'x.db'))
    database.run('INSERT INTO words VALUES (?)', 'one')
    expect([modeOf(at('a')), modeOf(home)]).toEqual(['700', '700'])
    const files = fs.readdirSync(home)
    expect(files).toContain('x.db-wal')
    expect(files.map(file => modeOf(join(home, file)))).toEqual(files.map(() => '600'))
    database.close()
  } finally {
    process.umask(before)
  }
})

test('wider permissions are tightened', () => {
  const path = at('x.db')
  open().close()
  fs.chmodSync(path, 0o644)
  fs.chmodSync(at(), 0o755)
  open(path).close()
  expect([modeOf(at()), modeOf(path)]).toEqual(['700', '600'])
})

test('the permissions of a file the user named, and of its directory, are left alone; a new file is private', () => {
  fs.chmodSync(at(), 0o755)
  open(at('new.db'), {owner: 'users'}).close()
  open(at('old.db'), {owner: 'users'}).close()
  fs.chmodSync(at('old.db'), 0o644)
  open(at('old.db'), {owner: 'users'}).close()
  expect([at(), at('new.db'), at('old.db')].map(modeOf)).toEqual(['755', '600', '644'])
})

test('a missing directory that the user named is not created', () => {
  expect(() => open(at('no', 'x.db'), {owner: 'users'})).toThrow(`there is no directory ${at('no')}`)
  expect(fs.readdirSync(at())).toEqual([])
})

test.each([
  ['shared, as /tmp is', 0, 0o1777],
  ['of another user', 65_534, 0o777],
])('the permissions of a directory %s are left alone', (_, owner, mode) => {
  if (owner !== 0 && process.getuid?.() !== 0) return
  fs.mkdirSync(at('theirs'))
  fs.chmodSync(at('theirs'), mode)
  if (owner !== 0) fs.chownSync(at('theirs'), owner, owner)
  open(at('theirs', 'x.db')).close()
  expect([modeOf(at('theirs')), modeOf(at('theirs', 'x.db'))]).toEqual(['777', '600'])
})

test('writes ahead, flushes every commit and overwrites what is deleted', () => {
  const database = open()
  expect(database.get('PRAGMA journal_mode')).toEqual({journal_mode: 'wal'})
  expect(database.get('PRAGMA synchronous')).toEqual({synchronous: 2})
  expect(database.get('PRAGMA secure_delete')).toEqual({secure_delete: 1})
  database.close()
})

test('an erased database holds no byte of what was deleted or replaced', () => {
  // With secure_delete alone, these three leave some in the slack of pages that were split and merged.
  for (const round of [7, 19, 38]) {
    const home = at(String(round))
    const database = openDatabase(join(home, 'x.db'), {migrations: [KEYED]})
    database.transaction(() => churn(database, numbers(round)))
    database.erase(() => database.run("DELETE FROM words WHERE kind = 'secret-kind'"))
    expect(filesWith(home, 'secret-'), `round ${round}`).toEqual([])
    database.close()
  }
})

const KEYED = 'CREATE TABLE words (name TEXT, kind TEXT, word TEXT, PRIMARY KEY (name, kind))'

/** Numbers from 0 up to 1, the same each time for a seed. */
function numbers(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

function churn(database: Database, random: () => number): void {
  const name = () => `name-${Math.floor(random() * 40)}`
  const put = (...row: string[]) => database.run('INSERT OR REPLACE INTO words VALUES (?, ?, ?)', ...row)
  for (let n = 0; n < 800; n++) {
    put(name(), 'secret-kind', `secret-${'q'.repeat(Math.floor(random() ** 3 * 3000))}`)
    if (random() < 0.2) database.run('DELETE FROM words WHERE name = ?', name())
    if (random() < 0.02) put(`kept-${n}`, 'kept', 'k'.repeat(random() * 500))
  }
}

test('erasing while another process writes is refused as busy', () => {
  const path = at('x.db')
  const database = openDatabase(path, {migrations: ONE, busyTimeoutMilliseconds: 20})
  const other = open(path)
  other.transaction(() => {
    other.run('INSERT INTO words VALUES (?)', 'one')
    expect(faultOf(() => database.erase(() => 1))).toBe('busy')
  })
  const reader = openSqlite(path, {timeout: 0})
  reader.exec('BEGIN')
  reader.prepare('SELECT * FROM words').get()
  // The error says that the rows are deleted, and where their bytes can still be read.
  expect(() => database.erase(() => database.run('DELETE FROM words'))).toThrow(
    expect.objectContaining({
      fault: 'busy',
      message: expect.stringContaining(`deleted, but not yet erased from ${path}`),
      hint: expect.stringContaining('a later command erases them once no other process uses the file'),
    }),
  )
  expect(database.all('SELECT * FROM words')).toEqual([])
  reader.exec('COMMIT')
  reader.close()
  expect(faultOf(() => database.erase(() => 1))).toBe('none')
  database.close()
  other.close()
})

test('data that other processes kept from being erased is erased at the next open', () => {
  const path = at('x.db')
  const holds = () => filesWith(at(), 'secret-')
  const database = open(path)
  database.run('INSERT INTO words VALUES (?)', 'secret-word')
  const reader = openSqlite(path, {timeout: 0})
  reader.exec('BEGIN')
  reader.prepare('SELECT * FROM words').get()
  // Not waited for: the patience of a database is longer than that of a test.
  const deleted = database.erase(() => database.run('DELETE FROM words'), {orLater: true})
  expect([deleted, database.all('SELECT * FROM words')]).toEqual([1, []])
  open(path).close()
  expect(holds()).not.toEqual([])
  reader.exec('COMMIT')
  reader.close()
  database.close()
  open(path).close()
  expect(holds()).toEqual([])
})

test('several processes make a new file at the same moment, and their erasings wait for each other', async () => {
  const workers = await Worker.startMany(4)
  for (const [n, times] of [0, 0, 0, 0, 15].entries()) {
    const path = at(`new-${n}.db`)
    const ends = await Promise.all(workers.map(worker => worker.run({do: 'erase', path, times})))
    expect(ends.flatMap(({failure}) => failure ?? [])).toEqual([])
  }
  for (const worker of workers) worker.stop()
  expect(filesWith(at(), 'x'.repeat(50))).toEqual([])
})

test('closing empties a long log, also where another has the file open', () => {
  const path = at('long.db')
  const open = () => openDatabase(path, {migrations: ['CREATE TABLE t (text TEXT)']})
  const fill = (database: Database) =>
    database.transaction(() => {
      for (let n = 0; n < 100; n++) database.run('INSERT INTO t VALUES (?)', 'x'.repeat(60_000))
    })
  const first = open()
  fill(first)
  const reader = open()
  reader.all('SELECT count(*) FROM t')
  first.close()
  fill(reader)
  expect(fs.statSync(`${path}-wal`).size).toBeGreaterThan(4 * 1024 * 1024)
  reader.close()
  expect(fs.statSync(`${path}-wal`, {throwIfNoEntry: false})?.size ?? 0).toBe(0)
})

test('migrations are applied once and in order, and a newer file is refused', () => {
  const path = at('x.db')
  open().close()
  const two = [...ONE, 'ALTER TABLE words ADD COLUMN language TEXT']
  const database = openDatabase(path, {migrations: two})
  database.run('INSERT INTO words VALUES (?, ?)', 'bir', 'tr')
  database.close()
  const before = fs.readFileSync(path)
  expect(faultOf(() => open(path))).toBe('too_new')
  expect(fs.readFileSync(path).equals(before)).toBe(true)
})

test('tables that were dropped or renamed since are not missed', () => {
  const path = at('x.db')
  const migrations = [
    'CREATE TABLE a (x);\nCREATE TABLE b (x)',
    'CREATE TABLE new_a (x);\nDROP TABLE a;\nALTER TABLE new_a RENAME TO a;\nDROP TABLE b',
  ]
  openDatabase(path, {migrations}).close()
  expect(faultOf(() => openDatabase(path, {migrations}))).toBe('none')
})

test('a failed migration changes nothing', () => {
  const path = at('x.db')
  open().close()
  const broken = [...ONE, 'CREATE TABLE more (a); CREATE TABLE words (again)']
  expect(faultOf(() => openDatabase(path, {migrations: broken}))).toBe('failed')
  const database = open(path)
  expect(database.get("SELECT name FROM sqlite_master WHERE name = 'more'")).toBeUndefined()
  database.close()
})

test('a throw undoes the transaction', () => {
  const database = open(':memory:')
  expect(() =>
    database.transaction(() => {
      database.run('INSERT INTO words VALUES (?)', 'one')
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(database.all('SELECT * FROM words')).toEqual([])
})

test('opened a second time, it keeps the locks of the first: another process leaves its log in place', () => {
  const path = at('a.db')
  const first = open(path)
  const second = open(path)
  first.run("INSERT INTO words VALUES ('kept')")
  // The last process to close a database removes its log; the locks of this one show that it is still open.
  const read = `const d = new (require('libsql'))(${JSON.stringify(path)}); d.prepare('SELECT * FROM words').all(); d.close()`
  execFileSync(process.execPath, ['-e', read])
  expect(fs.existsSync(`${path}-wal`)).toBe(true)
  second.run("INSERT INTO words VALUES ('too')")
  expect(first.all('SELECT word FROM words')).toHaveLength(2)
  first.close()
  second.close()
})
