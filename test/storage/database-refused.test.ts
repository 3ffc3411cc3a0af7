import * as fs from 'node:fs'
import {describe, expect, test} from 'vitest'
import {openDatabase, openDatabaseToRead} from '../../src/storage/database.js'
import {inspectDatabase} from '../../src/storage/database-file.js'
import {openSqlite} from '../../src/storage/sqlite.js'
import {databasesForEachTest, faultOf, modeOf, ONE} from './databases.js'

const {at, open} = databasesForEachTest()

describe('a database that is not ours is refused before a byte of it changes', () => {
  const make = (path: string, sql: string) => {
    const connection = openSqlite(path, {timeout: 0})
    connection.exec(sql)
    connection.close()
  }

  test.each([
    ['one of another program', 'CREATE TABLE notes (text)'],
    ['one with our version and without our tables', 'CREATE TABLE notes (text); PRAGMA user_version = 1'],
    ['a version below zero', 'CREATE TABLE words (word); PRAGMA user_version = -1'],
  ])('%s', (_, sql) => {
    make(at('x.db'), sql)
    const before = fs.readFileSync(at('x.db'))
    expect(faultOf(open)).toBe('not_ours')
    expect(fs.readFileSync(at('x.db')).equals(before)).toBe(true)
  })

  test('one whose log is of another file: neither is touched', () => {
    const path = at('x.db')
    make(path, `${ONE}; PRAGMA user_version = 1; PRAGMA journal_mode = WAL`)
    const other = openDatabase(at('y.db'), {migrations: ['CREATE TABLE y (y)']})
    const log = fs.readFileSync(at('y.db-wal'))
    fs.writeFileSync(`${path}-wal`, log)
    const before = fs.readFileSync(path)
    expect(faultOf(() => open(path))).toBe('not_ours')
    expect([fs.readFileSync(path).equals(before), fs.readFileSync(`${path}-wal`).equals(log)]).toEqual([
      true,
      true,
    ])
    other.close()
  })

  test('one with a second name', () => {
    const path = at('x.db')
    open(path).close()
    fs.linkSync(path, at('again.db'))
    expect(faultOf(() => open(path))).toBe('not_ours')
  })

  test("another user's", context => {
    if (process.getuid?.() !== 0) context.skip('needs the right to give a file away')
    const path = at('x.db')
    open(path).close()
    fs.chownSync(path, 65_533, 65_533)
    expect(faultOf(() => open(path))).toBe('not_ours')
  })
})

const FILES = ['x.db', 'x.db-wal', 'x.db-shm', 'x.db-journal']
test.each([
  ['to write, ours', FILES, () => open()],
  ['to write, the user’s', FILES, () => open(at('x.db'), {owner: 'users'})],
  ['to read', ['x.db'], () => openDatabaseToRead(at('x.db'))],
])('a link in place of a database or of its log is refused and not followed: %s', (_, names, work) => {
  open(at('elsewhere.db')).close()
  fs.chmodSync(at('elsewhere.db'), 0o644)
  const before = fs.readFileSync(at('elsewhere.db'))
  for (const name of names) {
    fs.symlinkSync(at('elsewhere.db'), at(name))
    expect([name, faultOf(work)]).toEqual([name, 'not_ours'])
    fs.rmSync(at(name))
  }
  expect([fs.readFileSync(at('elsewhere.db')).equals(before), modeOf(at('elsewhere.db'))]).toEqual([
    true,
    '644',
  ])
})

describe('anything else in place of the file is refused and not changed', () => {
  test('a directory', () => {
    fs.mkdirSync(at('x.db'))
    expect(faultOf(open)).toBe('not_ours')
  })

  test.each([
    ['text', 'not a database '.repeat(500)],
    ['a single byte', 'x'],
    ['zeros', '\0'.repeat(8192)],
  ])('%s', (_, content) => {
    const path = at('x.db')
    fs.writeFileSync(path, content)
    fs.chmodSync(path, 0o644)
    expect(faultOf(() => open(path))).toBe('corrupt')
    expect(faultOf(() => open(path, {owner: 'users'}))).toBe('not_ours')
    expect([fs.readFileSync(path, 'utf8'), modeOf(path)]).toEqual([content, '644'])
  })

  /** A database of many pages without a log, which this process has never opened. */
  function filled(): string {
    const [made, path] = [at('made.db'), at('x.db')]
    const database = open(made)
    const fill = () => {
      for (let n = 0; n < 2000; n++) database.run('INSERT INTO words VALUES (?)', 'word'.repeat(5))
    }
    database.transaction(fill)
    database.erase(() => 1)
    database.close()
    fs.copyFileSync(made, path)
    expect(fs.statSync(path).size).toBeGreaterThan(50_000)
    return path
  }

  test.each([
    ['by a byte', (length: number) => length - 1],
    ['by half a page', (length: number) => length - 2048],
    ['by its last page', (length: number) => length - 4096],
    ['amid its second page', () => 5000],
  ])('a database cut short %s', (_, lengthOf) => {
    const path = filled()
    fs.truncateSync(path, lengthOf(fs.statSync(path).size))
    const before = fs.readFileSync(path)
    expect(faultOf(() => openDatabaseToRead(path))).toBe('corrupt')
    expect(inspectDatabase(path)).toBe('is damaged')
    expect(faultOf(() => open(path))).toBe('corrupt')
    expect(fs.readFileSync(path).equals(before)).toBe(true)
  })

  test('one with a torn page, before anything is written beside it', () => {
    const path = filled()
    const torn = fs.readFileSync(path)
    torn.fill(0xa5, torn.length - 2048)
    fs.writeFileSync(path, torn)
    expect(faultOf(() => open(path))).toBe('corrupt')
    expect(fs.readFileSync(path).equals(torn)).toBe(true)
    expect(fs.statSync(`${path}-wal`, {throwIfNoEntry: false})?.size ?? 0).toBe(0)
  })
})

test('reports a place that cannot be written', () => {
  fs.writeFileSync(at('file'), '')
  const path = at('file', 'below', 'x.db')
  expect(faultOf(() => open(path))).toBe('not_writable')
  expect(faultOf(() => open('/proc/nothing/x.db'))).toBe('not_writable')
})
