/** Opening and keeping SQLite files: who may read them, what is erased, and that a full disk loses nothing. */
import {execFileSync, spawnSync} from 'node:child_process'
import * as fs from 'node:fs'
import {join} from 'node:path'
import {isMainThread} from 'node:worker_threads'
import {expect, test} from 'vitest'
import {type Database, openDatabase} from '../../src/storage/database.js'
import {openSqlite} from '../../src/storage/database-file.js'
import {filesWith} from '../support/own.js'
import {Worker} from '../support/workers.js'
import {databasesForEachTest, faultOf, modeOf, ONE} from './databases.js'

const {at, open} = databasesForEachTest()

// A worker thread has no umask of its own.
test.runIf(isMainThread)('every file is 0600 in a 0700 directory, whatever the umask', () => {
  const before = process.umask(0)
  try {
    const home = at('a', 'b')
    const database = open(join(home, 'x.db'))
    database.run('INSERT INTO words VALUES (?)', 'one')
    expect([modeOf(at('a')), modeOf(home)]).toEqual(['700', '700'])
    const files = fs.readdirSync(home)
    expect(files).toEqual(['x.db'])
    database.transaction(() => {
      database.run('INSERT INTO words VALUES (?)', 'two')
      files.push(...fs.readdirSync(home).filter(file => file !== 'x.db'))
      expect(files).toContain('x.db-journal')
    })
    open(join(home, 'log.db'), {hasLog: true}).run('INSERT INTO words VALUES (?)', 'one')
    files.push('log.db', 'log.db-wal', 'log.db-shm')
    const there = files.filter(file => fs.existsSync(join(home, file)))
    expect(there.map(file => modeOf(join(home, file)))).toEqual(there.map(() => '600'))
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

test('flushes every commit and overwrites deleted data', () => {
  const pragmas = (database: Database) =>
    ['journal_mode', 'synchronous', 'secure_delete'].map(
      name => database.get<Record<string, unknown>>(`PRAGMA ${name}`)?.[name],
    )
  const database = open()
  expect(pragmas(database)).toEqual(['delete', 3, 1])
  const logged = open(at('log.db'), {hasLog: true})
  expect(pragmas(logged)).toEqual(['wal', 3, 1])
  database.close()
  logged.close()
})

test('a copy of the one file has all that was committed, while it is open and at rest', () => {
  const database = open()
  const words = (name: string) => {
    fs.copyFileSync(at('x.db'), at(name))
    const copy = open(at(name))
    const rows = copy.all('SELECT word FROM words')
    copy.close()
    return rows
  }
  database.run('INSERT INTO words VALUES (?)', 'one')
  expect(words('open.db')).toEqual([{word: 'one'}])
  database.run('INSERT INTO words VALUES (?)', 'two')
  database.close()
  expect(words('rest.db')).toEqual([{word: 'one'}, {word: 'two'}])
  expect(fs.readdirSync(at()).sort()).toEqual(['open.db', 'rest.db', 'x.db'])
})

test('a file that an earlier version left with a log is converted and loses nothing', async () => {
  const path = at('x.db')
  const worker = await Worker.start()
  // The process is killed, so the log is not copied into the file.
  const sql = `PRAGMA journal_mode = WAL; ${ONE}; PRAGMA user_version = 1; PRAGMA wal_checkpoint;
    INSERT INTO words VALUES ('logged')`
  await worker.run({do: 'run and die', path, sql})
  const [file, log] = [path, `${path}-wal`].map(name => fs.readFileSync(name))
  expect([file, log].map(bytes => bytes?.includes('logged'))).toEqual([false, true])
  const database = open(path)
  expect(database.all('SELECT word FROM words')).toEqual([{word: 'logged'}])
  database.close()
  expect(fs.readdirSync(at())).toEqual(['x.db'])
})

test('a closed database has no log', () => {
  const path = at('x.db')
  const database = open(path, {hasLog: true})
  database.run('INSERT INTO words VALUES (?)', 'one')
  expect(fs.statSync(`${path}-wal`).size).toBeGreaterThan(0)
  database.close()
  expect(fs.readdirSync(at())).toEqual(['x.db'])
})

test.each([
  ['empty', (path: string) => fs.truncateSync(path)],
  ['gone, beside its journal', (path: string) => fs.renameSync(path, `${path}-journal`)],
])('a database of ours that is %s is not taken for a new one', (_, damage) => {
  const path = at('x.db')
  open(path).close()
  damage(path)
  const before = fs.readdirSync(at())
  expect(faultOf(() => open(path))).toBe('corrupt')
  expect(fs.readdirSync(at())).toEqual(before)
})

test('a write that was interrupted is undone by the next process, which finds what was there before', async () => {
  const path = at('x.db')
  open(path).close()
  const worker = await Worker.start()
  // More than the cache can hold, so that pages are written before the commit.
  const sql = `PRAGMA cache_size = 5; BEGIN; WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 999)
    INSERT INTO words SELECT hex(zeroblob(500)) FROM n`
  await worker.run({do: 'run and die', path, sql})
  expect(fs.statSync(`${path}-journal`).size).toBeGreaterThan(0)
  const database = open(path)
  expect(database.all('SELECT word FROM words')).toEqual([])
  expect(database.check()).toBe(true)
  database.close()
  expect(fs.readdirSync(at())).toEqual(['x.db'])
})

test('finds a row that is missing in an index', () => {
  const path = at('x.db')
  const migrations = ['CREATE TABLE words (word TEXT); CREATE INDEX by_word ON words (word)']
  const made = open(path, {migrations})
  made.run('INSERT INTO words VALUES (?)', 'the-indexed-word')
  made.close()
  const bytes = fs.readFileSync(path)
  bytes.write('THE', bytes.lastIndexOf('the-indexed-word'))
  fs.writeFileSync(path, bytes)
  const database = open(path, {migrations})
  expect(faultOf(() => database.check())).toBe('corrupt')
  database.close()
})

test('an erased database holds no byte of what was deleted or replaced', () => {
  // With secure_delete alone, these sizes leave text in the unused space of pages that were split and merged.
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

/** Returns numbers from 0 up to 1, which depend only on the seed. */
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
  expect(faultOf(() => database.erase(() => database.run('DELETE FROM words')))).toBe('busy')
  expect(database.all('SELECT * FROM words')).toEqual([{word: 'one'}])
  reader.exec('COMMIT')
  reader.close()
  expect(faultOf(() => database.erase(() => 1))).toBe('none')
  database.close()
  other.close()
})

test('data that could not be erased on a full disk is erased at the next open', context => {
  const disk = at('disk')
  fs.mkdirSync(disk)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', disk])
  if (mounted.status !== 0) context.skip('needs the right to mount')
  try {
    const path = join(disk, 'x.db')
    const database = open(path)
    database.transaction(() => {
      database.run('INSERT INTO words VALUES (?)', 'secret-word')
      for (let n = 0; n < 100; n++) database.run('INSERT INTO words VALUES (?)', 'k'.repeat(3000))
    })
    const {bavail, bsize} = fs.statfsSync(disk)
    fs.writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - 60_000))
    const erase = (word: string) => () =>
      database.erase(() => database.run('DELETE FROM words WHERE word = ?', word))
    // The error says that the rows are deleted, and where their bytes can still be read.
    expect(erase('secret-word')).toThrow(
      expect.objectContaining({
        fault: 'full',
        message: expect.stringContaining(`deleted, but not yet erased from ${path}`),
        hint: expect.stringContaining('a later command erases them once the disk has space'),
      }),
    )
    expect(database.get('SELECT count(*) AS n FROM words')).toEqual({n: 100})
    expect(database.get('PRAGMA application_id')).not.toEqual({application_id: 0})
    database.close()
    fs.rmSync(join(disk, 'ballast'))
    const next = open(path)
    expect(next.get('PRAGMA application_id')).toEqual({application_id: 0})
    next.close()
    expect(filesWith(disk, 'secret-')).toEqual([])
  } finally {
    execFileSync('umount', ['--lazy', disk])
  }
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

test('a new file is created next to one that a killed process left, which is removed', () => {
  const id = '00000000-0000-4000-8000-000000000000'
  fs.writeFileSync(at(`.bookctl-4194305-1-${id}.tmp`), 'half a database')
  open().close()
  expect(fs.readdirSync(at())).toEqual(['x.db'])
})

test('closing empties the log, also where another has the file open', () => {
  const path = at('log.db')
  const first = open(path, {hasLog: true})
  const reader = open(path, {hasLog: true})
  first.run("INSERT INTO words VALUES ('kept')")
  expect(reader.all('SELECT word FROM words')).toHaveLength(1)
  first.close()
  expect(fs.statSync(`${path}-wal`).size).toBe(0)
  expect(reader.all('SELECT word FROM words')).toHaveLength(1)
  reader.close()
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

test('dropped and renamed tables are not reported as missing', () => {
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

test('opening it twice keeps the locks: another process leaves the log in place', () => {
  const path = at('a.db')
  const first = open(path, {hasLog: true})
  const second = open(path, {hasLog: true})
  first.run("INSERT INTO words VALUES ('kept')")
  // The last process to close a database removes its log. The locks of this process show that the database is still open.
  const read = `const d = new (require('libsql'))(${JSON.stringify(path)}); d.prepare('SELECT * FROM words').all(); d.close()`
  execFileSync(process.execPath, ['-e', read])
  expect(fs.existsSync(`${path}-wal`)).toBe(true)
  second.run("INSERT INTO words VALUES ('too')")
  expect(first.all('SELECT word FROM words')).toHaveLength(2)
  first.close()
  second.close()
})
