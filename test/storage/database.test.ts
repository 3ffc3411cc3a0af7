/** Opening and keeping SQLite files: who may read them, what is refused, and that a full disk loses nothing. */
import {execFileSync, spawnSync} from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {isMainThread} from 'node:worker_threads'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {type Database, openDatabase, openDatabaseToRead} from '../../src/storage/database.js'
import {inspectDatabase} from '../../src/storage/database-content.js'
import {StorageError} from '../../src/storage/errors.js'
import {openSqlite} from '../../src/storage/sqlite.js'
import {Worker} from '../support/workers.js'

const ONE = ['CREATE TABLE words (word TEXT)']
let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
})
afterEach(() => rmSync(directory, {recursive: true, force: true}))

const faultOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return error instanceof StorageError ? error.fault : error
  }
  return 'none'
}
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

// A thread has no umask of its own to set.
test.runIf(isMainThread)('every file is 0600 in a 0700 directory, whatever the umask', () => {
  const before = process.umask(0)
  try {
    const home = join(directory, 'a', 'b')
    const database = openDatabase(join(home, 'x.db'), {migrations: ONE})
    database.run('INSERT INTO words VALUES (?)', 'one')
    expect([modeOf(join(directory, 'a')), modeOf(home)]).toEqual(['700', '700'])
    const files = readdirSync(home)
    expect(files).toContain('x.db-wal')
    expect(files.map(file => modeOf(join(home, file)))).toEqual(files.map(() => '600'))
    database.close()
  } finally {
    process.umask(before)
  }
})

test('wider permissions are tightened', () => {
  const path = join(directory, 'x.db')
  openDatabase(path, {migrations: ONE}).close()
  chmodSync(path, 0o644)
  chmodSync(directory, 0o755)
  openDatabase(path, {migrations: ONE}).close()
  expect([modeOf(directory), modeOf(path)]).toEqual(['700', '600'])
})

describe('a file and a directory that are not ours', () => {
  const users = (path: string) => openDatabase(path, {migrations: ONE, owner: 'users'})

  test("the user's keep their permissions, and a new file is private", () => {
    chmodSync(directory, 0o755)
    users(join(directory, 'new.db')).close()
    const path = join(directory, 'old.db')
    users(path).close()
    chmodSync(path, 0o644)
    users(path).close()
    expect([modeOf(directory), modeOf(join(directory, 'new.db')), modeOf(path)]).toEqual([
      '755',
      '600',
      '644',
    ])
  })

  test('a directory the user named wrongly is not made', () => {
    expect(() => users(join(directory, 'no', 'x.db'))).toThrow(
      `there is no directory ${join(directory, 'no')}`,
    )
    expect(readdirSync(directory)).toEqual([])
  })

  test('one that others share, as /tmp is, is left as it is', () => {
    const shared = join(directory, 'shared')
    mkdirSync(shared)
    chmodSync(shared, 0o1777)
    openDatabase(join(shared, 'x.db'), {migrations: ONE}).close()
    expect([modeOf(shared), modeOf(join(shared, 'x.db'))]).toEqual(['777', '600'])
  })

  test('one of another owner is left as it is', context => {
    const theirs = join(directory, 'theirs')
    mkdirSync(theirs)
    chmodSync(theirs, 0o777)
    if (process.getuid?.() !== 0) context.skip('needs the right to give a directory away')
    chownSync(theirs, 65_534, 65_534)
    openDatabase(join(theirs, 'x.db'), {migrations: ONE}).close()
    expect(modeOf(theirs)).toBe('777')
  })

  test.each(['ours', 'users'] as const)('a file that is no database is not changed: %s', owner => {
    const path = join(directory, 'notes.txt')
    writeFileSync(path, 'not a database '.repeat(500))
    chmodSync(path, 0o644)
    const open = () => openDatabase(path, {migrations: ONE, owner})
    expect(faultOf(open)).toBe(owner === 'ours' ? 'corrupt' : 'not_ours')
    expect(modeOf(path)).toBe('644')
  })
})

test('writes ahead, flushes every commit and overwrites what is deleted', () => {
  const database = openDatabase(join(directory, 'x.db'), {migrations: ONE})
  expect(database.get('PRAGMA journal_mode')).toEqual({journal_mode: 'wal'})
  expect(database.get('PRAGMA synchronous')).toEqual({synchronous: 2})
  expect(database.get('PRAGMA secure_delete')).toEqual({secure_delete: 1})
  database.close()
})

test('an erased database holds no byte of what was deleted or replaced', () => {
  // With secure_delete alone, these three leave some in the slack of pages that were split and merged.
  for (const round of [7, 19, 38]) {
    const home = join(directory, String(round))
    const database = openDatabase(join(home, 'x.db'), {migrations: [KEYED]})
    database.transaction(() => churn(database, numbers(round)))
    database.erase(() => database.run("DELETE FROM words WHERE kind = 'secret-kind'"))
    for (const file of readdirSync(home)) {
      expect(readFileSync(join(home, file)).includes('secret-'), `${file} of round ${round}`).toBe(false)
    }
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
  const path = join(directory, 'x.db')
  const database = openDatabase(path, {migrations: ONE, busyTimeoutMilliseconds: 20})
  const other = openDatabase(path, {migrations: ONE})
  other.transaction(() => {
    other.run('INSERT INTO words VALUES (?)', 'one')
    expect(faultOf(() => database.erase(() => {}))).toBe('busy')
  })
  const reader = openSqlite(path, {timeout: 0})
  reader.exec('BEGIN')
  reader.prepare('SELECT * FROM words').get()
  // What is deleted by then is said to be, and where it can still be read.
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
  expect(faultOf(() => database.erase(() => {}))).toBe('none')
  database.close()
  other.close()
})

test('what could not be erased for others is erased by the next that opens the file', () => {
  const path = join(directory, 'x.db')
  const holds = () =>
    readdirSync(directory).filter(name => readFileSync(join(directory, name)).includes('secret-'))
  const database = openDatabase(path, {migrations: ONE})
  database.run('INSERT INTO words VALUES (?)', 'secret-word')
  const reader = openSqlite(path, {timeout: 0})
  reader.exec('BEGIN')
  reader.prepare('SELECT * FROM words').get()
  // Not waited for: the patience of a database is longer than that of a test.
  const deleted = database.erase(() => database.run('DELETE FROM words'), {orLater: true})
  expect([deleted, database.all('SELECT * FROM words')]).toEqual([1, []])
  openDatabase(path, {migrations: ONE}).close()
  expect(holds()).not.toEqual([])
  reader.exec('COMMIT')
  reader.close()
  database.close()
  openDatabase(path, {migrations: ONE}).close()
  expect(holds()).toEqual([])
})

test('erasings of several processes wait for each other', async () => {
  const workers = await Worker.startMany(4)
  const path = join(directory, 'a.db')
  const ends = await Promise.all(workers.map(worker => worker.run({do: 'erase', path, times: 30})))
  for (const worker of workers) worker.stop()
  expect(ends.map(({failure}) => failure)).toEqual([undefined, undefined, undefined, undefined])
  const files = readdirSync(directory).map(name => readFileSync(join(directory, name)))
  expect(files.filter(bytes => bytes.includes('x'.repeat(50)))).toEqual([])
})

test('several processes make a new file at the same moment', async () => {
  const workers = await Worker.startMany(4)
  for (let n = 0; n < 10; n++) {
    const path = join(directory, `new-${n}.db`)
    const ends = await Promise.all(workers.map(worker => worker.run({do: 'erase', path, times: 0})))
    expect(ends.flatMap(({failure}) => failure ?? [])).toEqual([])
  }
  for (const worker of workers) worker.stop()
})

test('closing empties a long log, also where another has the file open', () => {
  const path = join(directory, 'long.db')
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
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(4 * 1024 * 1024)
  reader.close()
  expect(statSync(`${path}-wal`, {throwIfNoEntry: false})?.size ?? 0).toBe(0)
})

test('migrations are applied once and in order, and a newer file is refused', () => {
  const path = join(directory, 'x.db')
  openDatabase(path, {migrations: ONE}).close()
  const two = [...ONE, 'ALTER TABLE words ADD COLUMN language TEXT']
  const database = openDatabase(path, {migrations: two})
  database.run('INSERT INTO words VALUES (?, ?)', 'bir', 'tr')
  database.close()
  const before = readFileSync(path)
  expect(faultOf(() => openDatabase(path, {migrations: ONE}))).toBe('too_new')
  expect(readFileSync(path).equals(before)).toBe(true)
})

describe('a database that is not ours is refused before a byte of it changes', () => {
  /** By a process of its own, so that this one has nothing of the file open. */
  const make = (path: string, sql: string) => {
    const code = `const d = new (require('libsql'))(${JSON.stringify(path)}); d.exec(${JSON.stringify(sql)}); d.close()`
    execFileSync(process.execPath, ['-e', code])
  }
  const refused = (sql: string) => {
    const path = join(directory, 'x.db')
    make(path, sql)
    const before = readFileSync(path)
    expect(faultOf(() => openDatabase(path, {migrations: ONE}))).toBe('not_ours')
    expect(readFileSync(path).equals(before)).toBe(true)
  }

  test('one of another program', () => refused('CREATE TABLE notes (text)'))
  test('one with our version and without our tables', () =>
    refused('CREATE TABLE notes (text); PRAGMA user_version = 1'))
  test('a version below zero', () => refused('CREATE TABLE words (word); PRAGMA user_version = -1'))

  test('one whose log is of another file: neither is touched', () => {
    const path = join(directory, 'x.db')
    make(path, `${ONE}; PRAGMA user_version = 1; PRAGMA journal_mode = WAL`)
    const other = openDatabase(join(directory, 'y.db'), {migrations: ['CREATE TABLE y (y)']})
    const log = readFileSync(join(directory, 'y.db-wal'))
    writeFileSync(`${path}-wal`, log)
    const before = readFileSync(path)
    expect(faultOf(() => openDatabase(path, {migrations: ONE}))).toBe('not_ours')
    expect([readFileSync(path).equals(before), readFileSync(`${path}-wal`).equals(log)]).toEqual([true, true])
    other.close()
  })

  test('one with a second name', () => {
    const path = join(directory, 'x.db')
    openDatabase(path, {migrations: ONE}).close()
    linkSync(path, join(directory, 'again.db'))
    expect(faultOf(() => openDatabase(path, {migrations: ONE}))).toBe('not_ours')
  })

  test("another user's", context => {
    if (process.getuid?.() !== 0) context.skip('needs the right to give a file away')
    const path = join(directory, 'x.db')
    openDatabase(path, {migrations: ONE}).close()
    chownSync(path, 65_533, 65_533)
    expect(faultOf(() => openDatabase(path, {migrations: ONE}))).toBe('not_ours')
  })
})

test('tables that were dropped or renamed since are not missed', () => {
  const path = join(directory, 'x.db')
  const migrations = [
    'CREATE TABLE a (x);\nCREATE TABLE b (x)',
    'CREATE TABLE a_anew (x);\nDROP TABLE a;\nALTER TABLE a_anew RENAME TO a;\nDROP TABLE b',
  ]
  openDatabase(path, {migrations}).close()
  expect(faultOf(() => openDatabase(path, {migrations}))).toBe('none')
})

test('a failed migration changes nothing', () => {
  const path = join(directory, 'x.db')
  openDatabase(path, {migrations: ONE}).close()
  const broken = [...ONE, 'CREATE TABLE more (a); CREATE TABLE words (again)']
  expect(faultOf(() => openDatabase(path, {migrations: broken}))).toBe('failed')
  const database = openDatabase(path, {migrations: ONE})
  expect(database.get("SELECT name FROM sqlite_master WHERE name = 'more'")).toBeUndefined()
  database.close()
})

test('a throw undoes the transaction', () => {
  const database = openDatabase(':memory:', {migrations: ONE})
  expect(() =>
    database.transaction(() => {
      database.run('INSERT INTO words VALUES (?)', 'one')
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(database.all('SELECT * FROM words')).toEqual([])
})

describe('what stands in the place is refused and left as it is', () => {
  test('a symbolic link', () => {
    const victim = join(directory, 'victim')
    writeFileSync(victim, 'mine', {mode: 0o644})
    symlinkSync(victim, join(directory, 'x.db'))
    expect(faultOf(() => openDatabase(join(directory, 'x.db'), {migrations: ONE}))).toBe('not_ours')
    expect([readFileSync(victim, 'utf8'), modeOf(victim)]).toEqual(['mine', '644'])
  })

  test('a directory', () => {
    mkdirSync(join(directory, 'x.db'))
    expect(faultOf(() => openDatabase(join(directory, 'x.db'), {migrations: ONE}))).toBe('not_ours')
  })

  test.each([
    ['text', 'not a database '.repeat(500)],
    ['a single byte', 'x'],
    ['zeros', '\0'.repeat(8192)],
  ])('%s', (_, content) => {
    const path = join(directory, 'x.db')
    writeFileSync(path, content)
    expect(faultOf(() => openDatabase(path, {migrations: ONE}))).toBe('corrupt')
    expect(readFileSync(path, 'utf8')).toBe(content)
  })

  /** A database of many pages without a log, which this process has never opened. */
  function filled(): string {
    const [made, path] = [join(directory, 'made.db'), join(directory, 'x.db')]
    const database = openDatabase(made, {migrations: ONE})
    const fill = () => {
      for (let n = 0; n < 2000; n++) database.run('INSERT INTO words VALUES (?)', 'word'.repeat(5))
    }
    database.transaction(fill)
    database.erase(() => {})
    database.close()
    copyFileSync(made, path)
    expect(statSync(path).size).toBeGreaterThan(50_000)
    return path
  }

  test.each([
    ['by a byte', (length: number) => length - 1],
    ['by half a page', (length: number) => length - 2048],
    ['by its last page', (length: number) => length - 4096],
    ['amid its second page', () => 5000],
  ])('a database cut short %s', (_, lengthOf) => {
    const path = filled()
    truncateSync(path, lengthOf(statSync(path).size))
    const before = readFileSync(path)
    expect(faultOf(() => openDatabaseToRead(path))).toBe('corrupt')
    expect(inspectDatabase(path)).toBe('is damaged')
    expect(faultOf(() => openDatabase(path, {migrations: ONE}))).toBe('corrupt')
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test('one with a torn page, before anything is written beside it', () => {
    const path = filled()
    const torn = readFileSync(path)
    torn.fill(0xa5, torn.length - 2048)
    writeFileSync(path, torn)
    expect(faultOf(() => openDatabase(path, {migrations: ONE}))).toBe('corrupt')
    expect(readFileSync(path).equals(torn)).toBe(true)
    expect(statSync(`${path}-wal`, {throwIfNoEntry: false})?.size ?? 0).toBe(0)
  })
})

test('a place that cannot be written is said to be so', () => {
  writeFileSync(join(directory, 'file'), '')
  const path = join(directory, 'file', 'below', 'x.db')
  expect(faultOf(() => openDatabase(path, {migrations: ONE}))).toBe('not_writable')
  expect(faultOf(() => openDatabase('/proc/nothing/x.db', {migrations: ONE}))).toBe('not_writable')
})

test('a full disk is said to be full, and what was stored stays', context => {
  const mount = join(directory, 'tiny')
  mkdirSync(mount)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=128k,mode=700', 'tmpfs', mount])
  if (mounted.status !== 0) context.skip('needs the right to mount')
  try {
    const path = join(mount, 'x.db')
    const database = openDatabase(path, {migrations: ONE})
    let stored = 0
    const fill = () => {
      for (; stored < 1000; stored++) database.run('INSERT INTO words VALUES (?)', 'w'.repeat(1000))
    }
    expect(faultOf(fill)).toBe('full')
    expect(stored).toBeGreaterThan(0)
    database.close()
    const again = openDatabase(path, {migrations: ONE})
    expect(again.get('SELECT count(*) AS n FROM words')).toEqual({n: stored})
    expect(again.get('PRAGMA integrity_check')).toEqual({integrity_check: 'ok'})
    again.close()
  } finally {
    execFileSync('umount', ['--lazy', mount])
  }
})

test('opened a second time, it keeps the locks of the first: another process leaves its log in place', () => {
  const path = join(directory, 'a.db')
  const first = openDatabase(path, {migrations: ONE})
  const second = openDatabase(path, {migrations: ONE})
  first.run("INSERT INTO words VALUES ('kept')")
  // The last to close a database takes its log away; this process shows by its locks that it is there.
  const read = `const d = new (require('libsql'))(${JSON.stringify(path)}); d.prepare('SELECT * FROM words').all(); d.close()`
  execFileSync(process.execPath, ['-e', read])
  expect(existsSync(`${path}-wal`)).toBe(true)
  second.run("INSERT INTO words VALUES ('too')")
  expect(first.all('SELECT word FROM words')).toHaveLength(2)
  first.close()
  second.close()
})
