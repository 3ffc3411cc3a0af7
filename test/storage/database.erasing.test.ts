/** The mark of an unfinished erasure: how it is recognised, who clears it, and how the next process finishes the erasure. */
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import {finishErasing, markOf, rewrite, setMark} from '../../src/storage/database.js'
import {type Connection, openSqlite} from '../../src/storage/database-file.js'
import {closing, ownDirectory} from '../support/own.js'

let path: string
let connection: Connection

beforeEach(() => {
  path = join(ownDirectory(), 'x.db')
  connection = closing(openSqlite(path, {timeout: 100}))
  connection.exec('PRAGMA secure_delete = OFF; CREATE TABLE words (word TEXT)')
  connection.exec("INSERT INTO words VALUES ('canary-word'), ('another')")
  connection.exec("DELETE FROM words WHERE word = 'canary-word'")
})

const identify = (id: number) => connection.exec(`PRAGMA application_id = ${id}`)
const numberOf = (pragma: string) => Object.values(connection.prepare(`PRAGMA ${pragma}`).get() as object)[0]
const isInFile = (text: string) => readFileSync(path, 'latin1').includes(text)

test.each([
  [0, false],
  [0x56_ff_ff_ff, false],
  [0x57_00_00_00, true],
  [0x57_ff_ff_ff, true],
  [0x58_00_00_00, false],
  [-1, false],
])('the id %i is a mark, and the next process finishes what it says: %s', (id, isMark) => {
  identify(id)
  expect(markOf(connection)).toBe(isMark ? id : undefined)
  finishErasing(connection, 1234)
  expect(['canary-word', 'another'].map(isInFile)).toEqual([!isMark, true])
  expect(markOf(connection)).toBeUndefined()
})

test('every mark is different', () => {
  const marks = Array.from({length: 20}, () => setMark(connection))
  expect(new Set(marks).size).toBe(20)
  expect(markOf(connection)).toBe(marks.at(-1))
})

test('keeps a mark that another process has set since, and leaves no transaction open', () => {
  const mark = setMark(connection)
  const others = mark === 0x57_00_00_01 ? 0x57_00_00_02 : 0x57_00_00_01
  identify(others)
  rewrite(connection, mark)
  expect(numberOf('application_id')).toBe(others)
  connection.exec('BEGIN; ROLLBACK')
})

test('keeps the mark while another process reads, does not wait for it, and then waits as before', () => {
  const mark = setMark(connection)
  const reader = closing(openSqlite(path, {timeout: 100}))
  reader.exec('BEGIN')
  reader.prepare('SELECT * FROM words').all()
  finishErasing(connection, 60_000)
  expect([markOf(connection), numberOf('busy_timeout')]).toEqual([mark, 60_000])
  reader.exec('COMMIT')
  finishErasing(connection, 1234)
  expect([isInFile('canary-word'), numberOf('busy_timeout')]).toEqual([false, 1234])
  expect(markOf(connection)).toBeUndefined()
})

test('leaves no transaction open when another process begins to read after the rewrite', () => {
  const mark = setMark(connection)
  const reader = closing(openSqlite(path, {timeout: 100}))
  const exec = connection.exec.bind(connection)
  connection.exec = sql => {
    const result = exec(sql)
    if (sql !== 'VACUUM') return result
    reader.exec('BEGIN')
    reader.prepare('SELECT * FROM words').all()
    return result
  }
  finishErasing(connection, 0)
  expect([markOf(connection), connection.inTransaction]).toEqual([mark, false])
  reader.exec('COMMIT')
  reader.exec("INSERT INTO words VALUES ('later')")
  exec('BEGIN; ROLLBACK')
})
