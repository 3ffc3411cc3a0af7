/**
 * Everything that may lie in the place of a file of ours: broken by a crash or a disk, made by another program or by
 * another version, or put there by somebody. What must come of each is said beside it.
 */
import {execFileSync} from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {gzipSync} from 'node:zlib'
import {openDatabase} from '../../src/storage/database.js'

/**
 * `refused`: exit 2, the file named, and no byte of it changed. `well`: as if nothing were wrong. `anew`: as if there were
 * no file. `either`: what is broken may be in what the command reads, or not; then refused or well.
 */
export type Outcome = 'refused' | 'well' | 'anew' | 'either'

export interface Form {
  readonly name: string
  readonly outcome: Outcome
  /** Puts it at `path`, where the good file lies; `victim` is a place outside for what a link points to. */
  readonly place: (path: string, victim: string) => void
  /** Why it cannot be had on this machine. */
  readonly lacks?: () => string | undefined
  /** Whether what stands there is to be left with the permissions it has. */
  readonly keepsMode?: boolean
}

const isRoot = () => process.getuid?.() === 0
const needsRoot = () => (isRoot() ? undefined : 'needs root, to give a file away')

/** Bytes that look random, the same each time. */
export function noise(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed
  for (let n = 0; n < length; n++) {
    state = (state * 48_271) % 2_147_483_647
    bytes[n] = state & 0xff
  }
  return bytes
}

const written = (name: string, outcome: Outcome, make: (good: Buffer) => Buffer | string): Form => ({
  name,
  outcome,
  place: path => writeFileSync(path, make(readFileSync(path))),
})

function placed(name: string, outcome: Outcome, place: Form['place'], more: Partial<Form> = {}): Form {
  return {name, outcome, place, ...more}
}

/** In place of the file. */
function instead(name: string, place: Form['place']): Form {
  return placed(name, 'refused', (path, victim) => {
    rmSync(path)
    place(path, victim)
  })
}

function grown(path: string, bytes: number): void {
  const file = openSync(path, 'r+')
  ftruncateSync(file, bytes)
  closeSync(file)
}

const TEN_GIGABYTES = 10 * 1024 ** 3

/** What is no regular file, or not ours alone: of every file of ours. */
export const PLACES: readonly Form[] = [
  instead('a directory', path => mkdirSync(path)),
  instead('a pipe', path => void execFileSync('mkfifo', [path])),
  instead(
    'a socket',
    path =>
      void execFileSync(process.execPath, [
        ...['-e', 'require("net").createServer().listen(process.argv[1], () => process.exit(0))', path],
      ]),
  ),
  instead('a link to /dev/zero', path => symlinkSync('/dev/zero', path)),
  instead('a link to /dev/full', path => symlinkSync('/dev/full', path)),
  instead('a link to nowhere', (path, victim) => symlinkSync(victim, path)),
  instead('a link to itself', path => symlinkSync(path, path)),
  instead("a link to somebody's file", (path, victim) => {
    writeFileSync(victim, 'theirs', {mode: 0o644})
    symlinkSync(victim, path)
  }),
  placed('a link to the good file', 'refused', (path, victim) => {
    renameSync(path, victim)
    chmodSync(victim, 0o640)
    symlinkSync(victim, path)
  }),
  placed('of another user', 'refused', path => chownSync(path, 65_533, 65_533), {
    lacks: needsRoot,
    keepsMode: true,
  }),
]

/** Permissions that are too wide, or none. */
export const MODES: readonly Form[] = [0o644, 0o666, 0o777].map(mode =>
  placed(`mode ${mode.toString(8)}`, 'well', path => chmodSync(path, mode)),
)

const NO_MODE = placed('mode 0', isRoot() ? 'well' : 'refused', path => chmodSync(path, 0), {keepsMode: true})

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

const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels)
const inside = (good: Buffer, more: string) => good.toString().replace(/\}\s*$/, `,${more}}`)

/** Of config.json. */
export const CONFIG_FORMS: readonly Form[] = [
  written('empty', 'refused', () => ''),
  written('blank', 'refused', () => ' \n'),
  written('cut after 1 byte', 'refused', good => good.subarray(0, 1)),
  written('cut in the middle', 'refused', good => good.subarray(0, good.length / 2)),
  written('without its last brace', 'refused', good => good.toString().trimEnd().slice(0, -1)),
  written('zeros', 'refused', good => Buffer.alloc(good.length)),
  written('zeros behind it', 'refused', good => Buffer.concat([good, Buffer.alloc(512)])),
  written('noise', 'refused', good => noise(good.length)),
  written('compressed', 'refused', good => gzipSync(good)),
  written('a byte order mark', 'refused', good => Buffer.concat([Buffer.from('\uFEFF'), good])),
  written('UTF-16', 'refused', good => Buffer.from(good.toString(), 'utf16le')),
  written('UTF-16 with its mark', 'refused', good => Buffer.from(`\uFEFF${good}`, 'utf16le')),
  written('invalid UTF-8', 'refused', good => Buffer.concat([good, Buffer.from([0xff, 0xfe])])),
  written('a NUL in a name', 'refused', good => good.toString().replace('cid_sandbox', 'cid\u0000sandbox')),
  written('a comment', 'refused', good => `// mine\n${good}`),
  written('a comma too many', 'refused', good => good.toString().replace(/\}\s*$/, ',}')),
  written('single quotes', 'refused', good => good.toString().replaceAll('"', "'")),
  written('two documents', 'refused', good => `${good}${good}`),
  written('YAML', 'refused', () => 'profiles:\n  default:\n    client_id: cid_sandbox\n'),
  written('a list', 'refused', () => '[]'),
  written('null', 'refused', () => 'null'),
  written('a number', 'refused', () => '1e999'),
  written('a key that nothing reads', 'refused', good => inside(good, '"themes":1')),
  written('a key twice', 'refused', good => inside(good, '"profiles":{}')),
  written('a key twice, once escaped', 'refused', good => inside(good, '"pro\\u0066iles":{}')),
  written('a key twice, deep', 'refused', good =>
    good.toString().replace('"client_id"', '"client_id":"cid_first","client_id"'),
  ),
  written('__proto__', 'refused', good => inside(good, '"__proto__":{"current_profile":"x"}')),
  written('__proto__ in a profile', 'refused', good =>
    good.toString().replace('"client_id"', '"__proto__":{"mode":"live"},"client_id"'),
  ),
  written('constructor', 'refused', good => inside(good, '"constructor":{"prototype":{}}')),
  written('a profile of no name', 'refused', () => '{"profiles":{"":{"base_url":"b","client_id":"c"}}}'),
  written('nested a thousand deep', 'refused', () => `{"profiles":${deep('[', ']', 1000)}}`),
  written('nested a hundred thousand deep', 'refused', () => deep('{"profiles":', '}', 100_000)),
  written('unclosed a hundred thousand deep', 'refused', () => '['.repeat(100_000)),
  written('one line of a megabyte', 'refused', () => `{"profiles":{"a":"${'x'.repeat(1024 * 1024)}"}}`),
  written('fifty megabytes', 'refused', good => Buffer.concat([good, Buffer.alloc(50 * 1024 * 1024, ' ')])),
  placed('ten gigabytes of nothing', 'refused', path => grown(path, TEN_GIGABYTES)),
  written('the lines of Windows', 'well', good => good.toString().replaceAll('\n', '\r\n')),
  written('on one line', 'well', good => JSON.stringify(JSON.parse(good.toString()))),
  placed('another name (hard link)', 'well', (path, victim) => linkSync(path, victim)),
  ...PLACES,
  ...MODES,
  NO_MODE,
]

/** Of what can be made again, or is read by the way alone: nothing but a stranger in its place is a reason to refuse. */
const BYTES: readonly Form[] = [
  written('empty', 'anew', () => ''),
  written('cut in the middle', 'anew', good => good.subarray(0, good.length / 2)),
  written('zeros', 'anew', good => Buffer.alloc(good.length)),
  written('noise', 'anew', good => noise(good.length)),
  written('compressed', 'anew', good => gzipSync(good)),
  written('nested a hundred thousand deep', 'anew', () => deep('[', ']', 100_000)),
  placed('ten gigabytes of nothing', 'anew', path => grown(path, TEN_GIGABYTES)),
]

export const PLAIN_FORMS: readonly Form[] = [...BYTES, ...PLACES, ...MODES, NO_MODE]

/** Of `locks`, a directory, and of one lock in it. */
export const LOCKS_FORMS: readonly Form[] = PLACES.filter(({name}) => /directory|link|pipe/.test(name)).map(
  form => ({
    ...form,
    place: (path: string, victim: string) => {
      rmSync(path, {recursive: true})
      writeFileSync(path, '')
      form.place(path, victim)
    },
  }),
)
