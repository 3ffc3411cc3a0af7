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
import {gzipSync} from 'node:zlib'
import {isRoot} from '../support/other-user.js'

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

const needsRoot = () => (isRoot ? undefined : 'needs root, to give a file away')

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

export const written = (name: string, outcome: Outcome, make: (good: Buffer) => Buffer | string): Form => ({
  name,
  outcome,
  place: path => writeFileSync(path, make(readFileSync(path))),
})

export function placed(name: string, outcome: Outcome, place: Form['place'], more: Partial<Form> = {}): Form {
  return {name, outcome, place, ...more}
}

/** In place of the file. */
function instead(name: string, place: Form['place']): Form {
  return placed(name, 'refused', (path, victim) => {
    rmSync(path)
    place(path, victim)
  })
}

export function grown(path: string, bytes: number): void {
  const file = openSync(path, 'r+')
  ftruncateSync(file, bytes)
  closeSync(file)
}

export const TEN_GIGABYTES = 10 * 1024 ** 3

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

export const NO_MODE = placed('mode 0', isRoot ? 'well' : 'refused', path => chmodSync(path, 0), {
  keepsMode: true,
})

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
    // An empty one is as good as any.
    outcome: form.name === 'a directory' ? 'well' : form.outcome,
    place: (path: string, victim: string) => {
      rmSync(path, {recursive: true})
      writeFileSync(path, '')
      form.place(path, victim)
    },
  }),
)
