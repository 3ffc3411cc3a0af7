/** What may lie in the place of a database of ours, and beside it. */
import {execFileSync} from 'node:child_process'
import {chmodSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {gzipSync} from 'node:zlib'
import {openDatabase} from '../../src/storage/database.js'
import {
  type Form,
  grown,
  MODES,
  NO_MODE,
  noise,
  PLACES,
  placed,
  TEN_GIGABYTES,
  written,
} from './file-forms.js'

const SQLITE = Buffer.from('SQLite format 3\0')

/** `bytes` with `value` at `offset`. */
function patched(bytes: Buffer, offset: number, ...value: number[]): Buffer {
  const copy = Buffer.from(bytes)
  copy.set(value, offset)
  return copy
}

const PAGE = 4096

function torn(good: Buffer, page: number): Buffer {
  const copy = Buffer.from(good)
  copy.fill(noise(PAGE / 2), page * PAGE + PAGE / 2, (page + 1) * PAGE)
  return copy
}

/** Runs `sql` in the database at `path`, as another program would. */
function withSql(path: string, sql: string): void {
  const code = 'const d = new (require("libsql"))(process.argv[1]); d.exec(process.argv[2]); d.close()'
  execFileSync(process.execPath, ['-e', code, path, sql], {cwd: new URL('../..', import.meta.url)})
}

function anotherProgram(path: string, sql: string): void {
  rmSync(path)
  withSql(path, sql)
  chmodSync(path, 0o600)
}

/** A log of another database of the same shape, which was not yet copied into it. */
function logOfAnother(path: string): void {
  const directory = `${path}-other`
  const database = openDatabase(join(directory, 'x.db'), {migrations: ['CREATE TABLE x (y)']})
  for (let n = 0; n < 20; n++) database.run('INSERT INTO x VALUES (?)', 'x'.repeat(3000))
  const log = readFileSync(join(directory, 'x.db-wal'))
  database.close()
  rmSync(directory, {recursive: true})
  writeFileSync(`${path}-wal`, log, {mode: 0o600})
}

const DATABASE_BYTES: readonly Form[] = [
  written('empty', 'anew', () => ''),
  written('cut after 1 byte', 'refused', good => good.subarray(0, 1)),
  written('cut within the header', 'refused', good => good.subarray(0, 60)),
  written('the header alone', 'refused', good => good.subarray(0, 100)),
  written('the first words alone', 'refused', () => SQLITE),
  written('cut within the first page', 'refused', good => good.subarray(0, 1500)),
  written('cut after the first page', 'refused', good => good.subarray(0, PAGE)),
  written('cut in the middle', 'either', good => good.subarray(0, good.length / 2)),
  written('without its last page', 'either', good => good.subarray(0, good.length - PAGE)),
  written('without its last byte', 'either', good => good.subarray(0, good.length - 1)),
  written('zeros', 'refused', good => Buffer.alloc(good.length)),
  written('noise', 'refused', good => noise(good.length)),
  written('the header and zeros', 'refused', () => Buffer.concat([SQLITE, Buffer.alloc(8192)])),
  written('the header and noise', 'refused', () => Buffer.concat([SQLITE, noise(8192)])),
  written('a torn first page', 'either', good => torn(good, 0)),
  written('a torn second page', 'either', good => torn(good, 1)),
  written('a torn last page', 'either', good => torn(good, good.length / PAGE - 1)),
  written('pages in another order', 'either', good =>
    Buffer.concat([good.subarray(0, PAGE), good.subarray(2 * PAGE), good.subarray(PAGE, 2 * PAGE)]),
  ),
  written('another page size', 'refused', good => patched(good, 16, 0x04, 0x00)),
  written('a page size that is none', 'refused', good => patched(good, 16, 0x00, 0x03)),
  written('a format of the future', 'refused', good => patched(good, 18, 9, 9)),
  written('a file of text', 'refused', () => 'notes of my own\n'.repeat(500)),
  written('compressed', 'refused', good => gzipSync(good)),
  written('twice over', 'either', good => Buffer.concat([good, good])),
  placed('a schema of a newer version', 'refused', path => withSql(path, 'PRAGMA user_version = 99')),
  placed('a schema version below zero', 'refused', path => withSql(path, 'PRAGMA user_version = -1')),
  placed('of another program', 'refused', path =>
    anotherProgram(path, 'CREATE TABLE notes (text); INSERT INTO notes VALUES (1)'),
  ),
  placed('of another program, with our version number', 'refused', path =>
    anotherProgram(path, 'CREATE TABLE notes (text); PRAGMA user_version = 1'),
  ),
  placed('of another program, with tables named as ours', 'refused', path =>
    anotherProgram(
      path,
      'CREATE TABLE generation (x); CREATE TABLE reservations (x); CREATE TABLE events (x); CREATE TABLE meta (x)',
    ),
  ),
  placed('a table missing', 'refused', path => {
    const names = {'tokens.db': 'access_tokens', 'state.db': 'reservations', 'events.db': 'forwards'}
    const name = names[path.split('/').pop() as 'tokens.db'] ?? 'reservations'
    withSql(path, `PRAGMA foreign_keys = OFF; DROP TABLE ${name}`)
  }),
  placed('the journal mode of old', 'well', path => withSql(path, 'PRAGMA journal_mode = DELETE')),
  placed('ten gigabytes of nothing', 'refused', path => {
    writeFileSync(path, '')
    grown(path, TEN_GIGABYTES)
  }),
  placed('ten gigabytes of nothing behind it', 'either', path => grown(path, TEN_GIGABYTES)),
]

/** What a crash, a copy or a restored backup leaves beside a database. */
const DATABASE_SIDES: readonly Form[] = [
  placed('a log of noise', 'well', path => writeFileSync(`${path}-wal`, noise(8192))),
  placed('an empty log', 'well', path => writeFileSync(`${path}-wal`, '')),
  placed('a log that is a directory', 'refused', path => mkdirSync(`${path}-wal`)),
  placed('a log that is a pipe', 'refused', path => void execFileSync('mkfifo', [`${path}-wal`])),
  placed('a log that is a link', 'refused', (path, victim) => {
    writeFileSync(victim, 'theirs')
    symlinkSync(victim, `${path}-wal`)
  }),
  placed('a log of another database', 'either', path => logOfAnother(path)),
  placed('an index of noise', 'well', path => writeFileSync(`${path}-shm`, noise(32_768))),
  placed('an index that is a directory', 'refused', path => mkdirSync(`${path}-shm`)),
  placed('a journal of noise', 'well', path => writeFileSync(`${path}-journal`, noise(8192))),
  placed('another name (hard link)', 'refused', (path, victim) => linkSync(path, victim), {keepsMode: true}),
]

/** Of tokens.db, state.db, events.db and sandbox.db. */
export const DATABASE_FORMS: readonly Form[] = [
  ...DATABASE_BYTES,
  ...DATABASE_SIDES,
  ...PLACES,
  ...MODES,
  NO_MODE,
]
