/** The mark of an unfinished erasing: when it is set and cleared, and how the next process finishes it. */
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import {
  type Connection,
  emptyLog,
  finishErasing,
  markOf,
  openSqlite,
  rewrite,
  setMark,
} from '../../src/storage/sqlite.js'
import {closing, ownDirectory} from '../support/own.js'

let directory: string
let path: string
let connection: Connection
/** Statements, in order. */
let executed: string[]

beforeEach(() => {
  directory = ownDirectory()
  path = join(directory, 'x.db')
  const real = openSqlite(path, {timeout: 100})
  real.exec('PRAGMA journal_mode = WAL; PRAGMA secure_delete = OFF; CREATE TABLE words (word TEXT)')
  executed = []
  connection = closing(
    Object.assign(Object.create(real), {
      exec(sql: string) {
        executed.push(sql)
        return real.exec(sql)
      },
      prepare: (sql: string) => real.prepare(sql),
      close: () => real.close(),
    }),
  )
})

const identify = (id: number) => connection.exec(`PRAGMA application_id = ${id}`)
const idOf = () =>
  (connection.prepare('PRAGMA application_id').get() as {application_id: number}).application_id
const isInFile = (text: string) =>
  ['', '-wal'].some(side => readFileSync(path + side, 'latin1').includes(text))
const deleteWord = () => {
  connection.exec("INSERT INTO words VALUES ('canary-word'), ('another')")
  connection.exec("DELETE FROM words WHERE word = 'canary-word'")
}

test.each([
  [0, false],
  [0x56_ff_ff_ff, false],
  [0x57_00_00_00, true],
  [0x57_ff_ff_ff, true],
  [0x58_00_00_00, false],
  [-1, false],
])('the id %i is a mark: %s', (id, isMark) => {
  identify(id)
  expect(markOf(connection)).toBe(isMark ? id : undefined)
})

test('every mark is different', () => {
  const marks = Array.from({length: 20}, () => setMark(connection))
  expect(new Set(marks).size).toBe(20)
  expect(markOf(connection)).toBe(marks.at(-1))
})

test('rewriting removes deleted bytes and clears the mark', () => {
  deleteWord()
  expect(isInFile('canary-word')).toBe(true)
  const mark = setMark(connection)
  rewrite(connection, mark, () => expect(emptyLog(connection)).toBe(true))
  expect([isInFile('canary-word'), isInFile('another'), markOf(connection)]).toEqual([false, true, undefined])
})

test('keeps a mark that another process has set since, and leaves no transaction open', () => {
  const mark = setMark(connection)
  let others = 0
  rewrite(connection, mark, () => {
    others = mark === 0x57_00_00_01 ? 0x57_00_00_02 : 0x57_00_00_01
    identify(others)
  })
  expect(idOf()).toBe(others)
  connection.exec('BEGIN; ROLLBACK')
})

test('the next process finishes the erasing, and then waits as before', () => {
  deleteWord()
  setMark(connection)
  executed = []
  finishErasing(connection, 1234)
  expect(executed.slice(0, 2)).toEqual(['PRAGMA busy_timeout = 0', 'VACUUM'])
  expect(executed.at(-1)).toBe('PRAGMA busy_timeout = 1234')
  expect([isInFile('canary-word'), markOf(connection)]).toEqual([false, undefined])
})

test('does nothing without a mark', () => {
  finishErasing(connection, 1234)
  expect(executed).toEqual([])
})

test('keeps the log and the mark while another process reads', () => {
  deleteWord()
  const mark = setMark(connection)
  const reader = openSqlite(path, {timeout: 100})
  reader.exec('BEGIN')
  reader.prepare('SELECT * FROM words').all()
  expect(emptyLog(connection)).toBe(false)
  finishErasing(connection, 1234)
  expect([markOf(connection), executed.at(-1)]).toEqual([mark, 'PRAGMA busy_timeout = 1234'])
  reader.exec('COMMIT')
  reader.close()
  finishErasing(connection, 1234)
  expect([isInFile('canary-word'), markOf(connection)]).toEqual([false, undefined])
})
