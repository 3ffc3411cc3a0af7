import * as fs from 'node:fs'
import {expect, test} from 'vitest'
import {openDatabaseToRead} from '../../src/storage/database.js'
import {inspectDatabase, openSqlite} from '../../src/storage/database-file.js'
import {databasesForEachTest, faultOf, modeOf, ONE} from './databases.js'

const {at, open} = databasesForEachTest()

test('a database whose log is of another file is refused, and neither is touched', () => {
  const path = at('x.db')
  const made = openSqlite(path, {timeout: 0})
  made.exec(`${ONE}; PRAGMA user_version = 1; PRAGMA journal_mode = WAL`)
  made.close()
  const other = openSqlite(at('y.db'), {timeout: 0})
  other.exec('PRAGMA journal_mode = WAL; CREATE TABLE y (y); PRAGMA user_version = 1')
  const log = fs.readFileSync(at('y.db-wal'))
  fs.writeFileSync(`${path}-wal`, log)
  const before = fs.readFileSync(path)
  expect(faultOf(() => open(path))).toBe('not_ours')
  const after = [path, `${path}-wal`].map(file => fs.readFileSync(file))
  expect([before, log].map((bytes, n) => after[n]?.equals(bytes))).toEqual([true, true])
  other.close()
})

test("another user's is refused", context => {
  if (process.getuid?.() !== 0) context.skip('needs the right to give a file away')
  const path = at('x.db')
  open(path).close()
  fs.chownSync(path, 65_533, 65_533)
  expect(faultOf(() => open(path))).toBe('not_ours')
})

test.each(['', '-wal', '-shm', '-journal'])(
  'a link in place of the user’s database%s is refused and not followed',
  side => {
    open(at('elsewhere.db')).close()
    const before = fs.readFileSync(at('elsewhere.db'))
    fs.symlinkSync(at('elsewhere.db'), at(`x.db${side}`))
    expect(faultOf(() => open(at('x.db'), {owner: 'users'}))).toBe('not_ours')
    if (side === '') expect(faultOf(() => openDatabaseToRead(at('x.db')))).toBe('not_ours')
    expect(fs.readFileSync(at('elsewhere.db')).equals(before)).toBe(true)
  },
)

test('a file of the user’s that is no database is refused and not changed', () => {
  const path = at('x.db')
  fs.writeFileSync(path, '\0'.repeat(8192), {mode: 0o644})
  expect(faultOf(() => open(path, {owner: 'users'}))).toBe('not_ours')
  expect([fs.readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['\0'.repeat(8192), '644'])
})

test.each([
  ['cut by a byte', (whole: Buffer) => whole.subarray(0, -1)],
  ['with a torn page', (whole: Buffer) => whole.fill(0xa5, whole.length - 2048)],
])('a database %s is refused before anything is written in it or beside it', (_, broken) => {
  const path = at('x.db')
  const made = open(at('made.db'))
  made.transaction(() => {
    for (let n = 0; n < 2000; n++) made.run('INSERT INTO words VALUES (?)', 'word'.repeat(5))
  })
  made.erase(() => 1)
  made.close()
  fs.writeFileSync(path, broken(fs.readFileSync(at('made.db'))))
  const before = fs.readFileSync(path)
  expect(faultOf(() => openDatabaseToRead(path))).toBe('corrupt')
  expect(inspectDatabase(path)).toBe('is damaged')
  expect(faultOf(() => open(path))).toBe('corrupt')
  expect(fs.readFileSync(path).equals(before)).toBe(true)
  expect(fs.statSync(`${path}-wal`, {throwIfNoEntry: false})?.size ?? 0).toBe(0)
})

test('reports a place that cannot be written', () => {
  fs.writeFileSync(at('file'), '')
  const path = at('file', 'below', 'x.db')
  expect(faultOf(() => open(path))).toBe('not_writable')
  expect(faultOf(() => open('/proc/nothing/x.db'))).toBe('not_writable')
})
