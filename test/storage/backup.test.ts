/** A copy of a database has what was committed when it began, and is there whole or not at all. */
import {existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {backUp} from '../../src/storage/backup.js'
import {openDatabase, openDatabaseToRead} from '../../src/storage/database.js'
import {closing, ownDirectory} from '../support/own.js'
import {faultOf} from './databases.js'

const OPTIONS = {
  migrations: ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT'],
  hasLog: true,
}

function ownDatabase() {
  const directory = ownDirectory()
  const path = join(directory, 'notes.db')
  const open = () => closing(openDatabase(path, OPTIONS))
  return {directory, path, open, copy: join(directory, 'copy.db')}
}

const notesIn = (path: string) =>
  closing(openDatabaseToRead(path, OPTIONS))
    .all<{text: string}>('SELECT text FROM notes')
    .map(({text}) => text)

test('has what is committed, with the version of its schema, while another connection writes', () => {
  const {open, copy} = ownDatabase()
  const [database, writer] = [open(), open()]
  writer.run("INSERT INTO notes (text) VALUES ('first')")
  writer.transaction(() => {
    writer.run("INSERT INTO notes (text) VALUES ('second')")
    expect(backUp(database, copy, 'create')).toBeGreaterThan(0)
  })
  expect(notesIn(copy)).toEqual(['first'])
  backUp(database, copy, 'replace')
  expect(notesIn(copy)).toEqual(['first', 'second'])
  const reopened = closing(openDatabase(copy, OPTIONS))
  expect(reopened.run("INSERT INTO notes (text) VALUES ('third')")).toBe(1)
})

test('an existing file stays, or is replaced when that is asked for; a link is never followed', () => {
  const {open, copy, directory} = ownDatabase()
  const database = open()
  writeFileSync(copy, 'mine')
  expect(faultOf(() => backUp(database, copy, 'create'))).toBe('not_ours')
  expect(readFileSync(copy, 'utf8')).toBe('mine')
  const link = join(directory, 'link.db')
  symlinkSync(copy, link)
  expect(faultOf(() => backUp(database, link, 'replace'))).toBe('not_ours')
  expect(readFileSync(copy, 'utf8')).toBe('mine')
  backUp(database, copy, 'replace')
  expect(notesIn(copy)).toEqual([])
})

test('a damaged database leaves no copy behind', () => {
  const {open, copy, path, directory} = ownDatabase()
  const database = open()
  database.transaction(() => {
    for (let n = 0; n < 2000; n++)
      database.run('INSERT INTO notes (text) VALUES (?)', `note ${n} ${'x'.repeat(900)}`)
  })
  database.close()
  const bytes = readFileSync(path)
  bytes.fill(0xff, 1_200_000, 1_300_000)
  writeFileSync(path, bytes)
  const reopened = open()
  expect(faultOf(() => backUp(reopened, copy, 'create'))).toBe('corrupt')
  expect(existsSync(copy)).toBe(false)
  expect(readdirSync(directory).filter(name => name.startsWith('.bookctl-'))).toEqual([])
})
