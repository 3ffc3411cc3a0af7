/**
 * What may be in place of one of our files because of a crash, a disk, another program or version, or an attack; and how a
 * command must react.
 */
import {execFileSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import fs, {chmodSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync} from 'node:fs'
import {basename, join} from 'node:path'
import {gzipSync} from 'node:zlib'
import {openDatabase} from '../../../src/storage/database.js'
import {isRoot} from '../../support/other-user.js'
import {DATABASES} from './home.js'

/**
 * `refused`: exit 2, and the file is named and unchanged. `well`: as if nothing were wrong. `fresh`: as if there were no file.
 * `either`: refused or well, because the command may not read the damaged part.
 */
type Outcome = 'refused' | 'well' | 'fresh' | 'either'

/** Replaces the good file at `path`. `victim` is a path outside, for links. */
type Place = (path: string, victim: string) => void

export interface Form {
  readonly name: string
  readonly outcome: Outcome
  readonly place: Place
  /** The reason why this machine cannot provide it. */
  readonly lacks?: string | undefined
  /** Whether the command leaves the permissions as they are. */
  readonly keepsMode?: boolean
}

const placed = (outcome: Outcome, places: Record<string, Place>, more: Partial<Form> = {}): Form[] =>
  Object.entries(places).map(([name, place]) => ({name, outcome, place, ...more}))

const written = (outcome: Outcome, makes: Record<string, (good: Buffer) => Buffer | string>): Form[] =>
  Object.entries(makes).map(([name, make]) => ({
    name,
    outcome,
    place: path => writeFileSync(path, make(readFileSync(path))),
  }))

const instead =
  (place: Place): Place =>
  (path, victim) => {
    rmSync(path)
    place(path, victim)
  }

/** Returns pseudo-random bytes, the same each time. */
const noise = (length: number) => createHash('shake256', {outputLength: length}).digest()

const TEN_GIGABYTES = 10 * 1024 ** 3
const part = (good: Buffer, share: number) => good.subarray(0, good.length * share)
const pipe: Place = path => void execFileSync('mkfifo', [path])
const socket: Place = path => {
  const code = 'require("net").createServer().listen(process.argv[1], () => process.exit(0))'
  execFileSync(process.execPath, ['-e', code, path])
}

/** Entries that are not regular files, or that other users can change. */
const PLACES: readonly Form[] = [
  ...placed('refused', {
    'a directory': instead(path => fs.mkdirSync(path)),
    'a pipe': instead(pipe),
    'a socket': instead(socket),
    'a link to /dev/zero': instead(path => symlinkSync('/dev/zero', path)),
    'a link to /dev/full': instead(path => symlinkSync('/dev/full', path)),
    'a link to nowhere': instead((path, victim) => symlinkSync(victim, path)),
    'a link to itself': instead(path => symlinkSync(path, path)),
    "a link to somebody's file": instead((path, victim) => {
      writeFileSync(victim, 'theirs', {mode: 0o644})
      symlinkSync(victim, path)
    }),
    'a link to the good file'(path, victim) {
      fs.renameSync(path, victim)
      chmodSync(victim, 0o640)
      symlinkSync(victim, path)
    },
  }),
  ...placed(
    'refused',
    {'of another user': path => fs.chownSync(path, 65_533, 65_533)},
    {lacks: isRoot ? undefined : 'needs root, to give a file away', keepsMode: true},
  ),
]

const MODES: readonly Form[] = [
  ...[0o644, 0o666, 0o777].flatMap(mode =>
    placed('well', {[`mode ${mode.toString(8)}`]: path => chmodSync(path, mode)}),
  ),
  ...placed(isRoot ? 'well' : 'refused', {'mode 0': path => chmodSync(path, 0)}, {keepsMode: true}),
]

const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels)
const inside = (good: Buffer, more: string) => good.toString().replace(/\}\s*$/, `,${more}}`)
const replacing = (from: string, to: string) => (good: Buffer) => good.toString().replace(from, to)
const behind =
  (...more: Uint8Array[]) =>
  (good: Buffer) =>
    Buffer.concat([good, ...more])

/** Contents that a crash, a disk or an editor causes. Hostile texts are among the saved inputs of the fuzzing. */
const CONFIG: readonly Form[] = [
  ...written('refused', {
    empty: () => '',
    'cut after 1 byte': good => good.subarray(0, 1),
    'cut in the middle': good => part(good, 0.5),
    'without its last brace': good => good.toString().trimEnd().slice(0, -1),
    zeros: good => Buffer.alloc(good.length),
    noise: good => noise(good.length),
    compressed: good => gzipSync(good),
    'a byte order mark': good => `\uFEFF${good}`,
    'UTF-16': good => Buffer.from(good.toString(), 'utf16le'),
    'invalid UTF-8': behind(Uint8Array.of(0xff, 0xfe)),
    'a comma too many': good => good.toString().replace(/\}\s*$/, ',}'),
    'an unknown key': good => inside(good, '"themes":1'),
    'a key twice': good => inside(good, '"profiles":{}'),
    'a key twice, deep': replacing('"client_id"', '"client_id":"cid_first","client_id"'),
    'the key __proto__': good => inside(good, '"__proto__":{"current_profile":"x"}'),
    'a profile without a name': () => '{"profiles":{"":{"base_url":"b","client_id":"c"}}}',
    'nested a hundred thousand deep': () => deep('{"profiles":', '}', 100_000),
    'unclosed a hundred thousand deep': () => '['.repeat(100_000),
    'fifty megabytes': behind(Buffer.alloc(50 * 1024 * 1024, ' ')),
  }),
  ...placed('refused', {'ten gigabytes of nothing': path => truncateSync(path, TEN_GIGABYTES)}),
  ...written('well', {
    'the lines of Windows': good => good.toString().replaceAll('\n', '\r\n'),
    'on one line': good => JSON.stringify(JSON.parse(good.toString())),
  }),
  ...placed('well', {'another name (hard link)': (path, victim) => fs.linkSync(path, victim)}),
  ...[...PLACES, ...MODES],
]

/**
 * For files that can be created again or are optional. They are refused only if something other than a regular file of the user
 * is in their place.
 */
const PLAIN: readonly Form[] = [
  ...written('fresh', {
    empty: () => '',
    'cut in the middle': good => part(good, 0.5),
    zeros: good => Buffer.alloc(good.length),
    noise: good => noise(good.length),
    compressed: good => gzipSync(good),
    'nested a hundred thousand deep': () => deep('[', ']', 100_000),
  }),
  ...placed('fresh', {'ten gigabytes of nothing': path => truncateSync(path, TEN_GIGABYTES)}),
  ...[...PLACES, ...MODES],
]

const LOCKS: readonly Form[] = PLACES.filter(({name}) => /directory|link|pipe/.test(name)).map(form => ({
  ...form,
  // An empty directory is accepted.
  outcome: form.name === 'a directory' ? 'well' : form.outcome,
  place(path, victim) {
    rmSync(path, {recursive: true})
    writeFileSync(path, '')
    form.place(path, victim)
  },
}))

const SQLITE = Buffer.from('SQLite format 3\0')
const PAGE = 4096

const patched =
  (offset: number, ...values: number[]) =>
  (good: Buffer) => {
    const copy = Buffer.from(good)
    copy.set(values, offset)
    return copy
  }

const torn = (page: (good: Buffer) => number) => (good: Buffer) => {
  const copy = Buffer.from(good)
  return copy.fill(noise(PAGE / 2), page(good) * PAGE + PAGE / 2, (page(good) + 1) * PAGE)
}

/** Runs `sql` in the database, as another program would. */
const withSql =
  (sql: string): Place =>
  path => {
    const code = 'const d = new (require("libsql"))(process.argv[1]); d.exec(process.argv[2]); d.close()'
    execFileSync(process.execPath, ['-e', code, path, sql], {cwd: new URL('../../..', import.meta.url)})
  }

const anotherProgram =
  (sql: string): Place =>
  (path, victim) => {
    rmSync(path)
    withSql(sql)(path, victim)
    chmodSync(path, 0o600)
  }

const DROPPED: Readonly<Record<string, string>> = {'tokens.db': 'access_tokens', 'events.db': 'forwards'}

const logOfAnother: Place = path => {
  const directory = `${path}-other`
  const database = openDatabase(join(directory, 'x.db'), {migrations: ['CREATE TABLE x (y)'], hasLog: true})
  for (let n = 0; n < 20; n++) database.run('INSERT INTO x VALUES (?)', 'x'.repeat(3000))
  const log = readFileSync(join(directory, 'x.db-wal'))
  database.close()
  rmSync(directory, {recursive: true})
  writeFileSync(`${path}-wal`, log, {mode: 0o600})
}

const OURS = ['generation', 'reservations', 'events', 'meta'].map(name => `CREATE TABLE ${name} (x);`)

const DATABASE: readonly Form[] = [
  ...written('fresh', {empty: () => ''}),
  ...written('refused', {
    'cut after 1 byte': good => good.subarray(0, 1),
    'cut within the header': good => good.subarray(0, 60),
    'the header alone': good => good.subarray(0, 100),
    'the first words alone': () => SQLITE,
    'cut within the first page': good => good.subarray(0, 1500),
    'cut after the first page': good => good.subarray(0, PAGE),
    zeros: good => Buffer.alloc(good.length),
    noise: good => noise(good.length),
    'the header and zeros': () => Buffer.concat([SQLITE, Buffer.alloc(8192)]),
    'the header and noise': () => Buffer.concat([SQLITE, noise(8192)]),
    'another page size': patched(16, 0x04, 0x00),
    'an impossible page size': patched(16, 0x00, 0x03),
    'a format of the future': patched(18, 9, 9),
    'a file of text': () => 'notes of my own\n'.repeat(500),
    compressed: good => gzipSync(good),
  }),
  ...written('either', {
    'cut in the middle': good => part(good, 0.5),
    'without its last page': good => good.subarray(0, good.length - PAGE),
    'without its last byte': good => good.subarray(0, good.length - 1),
    'a torn first page': torn(() => 0),
    'a torn second page': torn(() => 1),
    'a torn last page': torn(good => good.length / PAGE - 1),
    'pages in another order': good =>
      Buffer.concat([good.subarray(0, PAGE), good.subarray(2 * PAGE), good.subarray(PAGE, 2 * PAGE)]),
    'twice over': good => Buffer.concat([good, good]),
  }),
  ...placed('refused', {
    'a schema of a newer version': withSql('PRAGMA user_version = 99'),
    'a schema version below zero': withSql('PRAGMA user_version = -1'),
    'of another program': anotherProgram('CREATE TABLE notes (text); INSERT INTO notes VALUES (1)'),
    'of another program, with our version': anotherProgram('CREATE TABLE notes (t); PRAGMA user_version = 1'),
    'of another program, with tables named as ours': anotherProgram(OURS.join('')),
    'a table missing'(path, victim) {
      const table = DROPPED[basename(path)] ?? 'reservations'
      withSql(`PRAGMA foreign_keys = OFF; DROP TABLE ${table}`)(path, victim)
    },
    'ten gigabytes of nothing'(path) {
      writeFileSync(path, '')
      truncateSync(path, TEN_GIGABYTES)
    },
    // Files beside the database that a crash, a copy or a restored backup leaves.
    'a log that is a directory': path => fs.mkdirSync(`${path}-wal`),
    'a log that is a pipe': (path, victim) => pipe(`${path}-wal`, victim),
    'a log that is a link'(path, victim) {
      writeFileSync(victim, 'theirs')
      symlinkSync(victim, `${path}-wal`)
    },
    'an index that is a directory': path => fs.mkdirSync(`${path}-shm`),
  }),
  ...placed('well', {
    'the old journal mode': withSql('PRAGMA journal_mode = DELETE'),
    'a log of noise': path => writeFileSync(`${path}-wal`, noise(8192)),
    'an empty log': path => writeFileSync(`${path}-wal`, ''),
    'an index of noise': path => writeFileSync(`${path}-shm`, noise(32_768)),
    'a journal of noise': path => writeFileSync(`${path}-journal`, noise(8192)),
  }),
  ...placed('either', {
    'ten gigabytes of nothing behind it': path => truncateSync(path, TEN_GIGABYTES),
    'a log of another database': logOfAnother,
  }),
  ...placed(
    'refused',
    {'another name (hard link)': (path, victim) => fs.linkSync(path, victim)},
    {keepsMode: true},
  ),
  ...[...PLACES, ...MODES],
]

const PLAIN_FILES = ['exchanges.jsonl', 'listen-ca.pem', 'listen-ca-key.pem', 'sandbox-running.json']

/** The forms of each file. */
export const FORMS: readonly (readonly [string, readonly Form[]])[] = [
  ['config.json', CONFIG],
  ...DATABASES.map(name => [name, DATABASE] as const),
  ...PLAIN_FILES.map(name => [name, PLAIN] as const),
  ['locks', LOCKS],
]
