/**
 * Damage: a reservation ends in each possible way or is killed. Then each of our files is damaged at many places, and the same
 * command runs again, each time on a copy. The service never gets a second key for one trip, and damage that matters is reported
 * with the name of the file before a reservation is sent.
 */
import {copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {basename, join} from 'node:path'
import {openSqlite} from '../../src/storage/database-file.js'
import {type Finished, Home as HomeHere} from '../support/bookctl.js'
import {replyBytes, type Step, Wire, type WireFault} from '../support/wire.js'
import {FileHome, type Bench as Filled, openBench as openFilled} from './files/home.js'
import {randomOf} from './kills/kills.js'
import {killing, MOMENTS} from './kills/trial.js'
import {copyDirectory} from './shared/home.js'
import {part} from './shared/part.js'
import {booking, ending, keysAt, losing, parse, RESERVE, Side, shown} from './shared/scene.js'

/** The state after one reservation. */
interface Left {
  readonly home: FileHome
  readonly wire: Wire
  /** The command to repeat. */
  readonly argv: readonly string[]
  /** The words that identify the reservation in the journal. Some damage is done inside these words. */
  readonly words: readonly string[]
  /** The only key that the service got. */
  readonly key: string
  /** Files that were beside the database during an earlier write, before this reservation. */
  readonly olderSides: ReadonlyMap<string, Buffer>
}

interface Bench {
  readonly filled: Filled
  /** The state on disk after each ending, by the name of the ending. It is created when the first cell needs it. */
  readonly left: Map<string, Promise<Left>>
}

type Ending = (kill: () => void, random: () => number) => WireFault

const LATER_MILLISECONDS = 60

/** Every way in which the reservation can end. */
const ENDS: Readonly<Record<string, {readonly exit: Finished['exit']; readonly ending?: Ending}>> = {
  confirmed: {exit: 0},
  'unknown, and made': {exit: 10, ending: () => losing(true)},
  'unknown, and not made': {exit: 10, ending: () => losing(false)},
  ...Object.fromEntries(
    MOMENTS.map(moment => [`killed: ${moment}`, {exit: 'SIGKILL', ending: kill => killing(moment, kill)}]),
  ),
  ...Object.fromEntries(
    [1, 2].map(n => [
      `killed at random, ${n}`,
      {
        exit: 'SIGKILL',
        ending: (kill, random) => ({
          forwards: true,
          *play(reply): Iterable<Step> {
            setTimeout(kill, LATER_MILLISECONDS * random())
            yield replyBytes(reply)
            yield 'hang'
          },
        }),
      },
    ]),
  ),
}

async function leave(filled: Filled, name: string, seed: number): Promise<Left> {
  const {exit: wanted, ending} = ENDS[name] ?? {exit: null}
  const {side} = filled
  const wire = await Wire.start({upstream: side.origin})
  const home = new FileHome(filled)
  const config = home.path('config.json')
  writeFileSync(config, readFileSync(config, 'utf8').replaceAll(side.origin, wire.origin))
  const olderSides = sidesOf(home.path('state.db'))
  // The offer is searched for now, because the offers of an earlier search may have expired.
  const offer = await new Side(side.origin).offer()
  const argv = booking(offer, ['--json', '--timeout', '20'])
  let kill = () => {}
  const fault = ending?.(() => kill(), randomOf(seed, name))
  if (fault) wire.strike = {fault, ...RESERVE}
  const finished = await home.run(argv, {onStart: child => (kill = () => void child.kill('SIGKILL'))})
  await wire.quiet()
  wire.strike = undefined
  const keys = keysAt(wire)
  const [key = ''] = keys
  // A random kill may come too late.
  const isAsWanted = finished.exit === wanted || (name.includes('random') && finished.exit === 0)
  if (!isAsWanted || keys.length !== 1) throw new Error(`${name}: ${keys.length} keys, ${shown(finished)}`)
  const {client_reference_id: reference} = parse(wire.requests.at(-1)?.body ?? '')
  const left = {home, wire, argv, words: [key, offer, reference, wire.origin, 'cid_sandbox'], key, olderSides}
  // Without damage, the repeated command finds the same trip. From here on the service has the reservation, so the offer may
  // expire.
  const wrong = await tryPlace(left, 'config.json', ['undamaged', readFileSync(config)], true)
  if (wrong.length > 0) throw new Error(`${name}: ${wrong}`)
  return left
}

/**
 * Returns the rollback journal and the WAL that are beside the database in the middle of a transaction. They are made on a copy.
 */
function sidesOf(path: string): Map<string, Buffer> {
  const directory = mkdtempSync(join(tmpdir(), 'bookctl-sides-'))
  const copy = join(directory, 'copy.db')
  const sides = new Map<string, Buffer>()
  for (const [mode, side] of [
    ['DELETE', '-journal'],
    ['WAL', '-wal'],
  ] as const) {
    copyFileSync(path, copy)
    const database = openSqlite(copy, {timeout: 0})
    // The cache is so small that pages are written before the transaction ends.
    database.exec(`PRAGMA journal_mode = ${mode}; PRAGMA cache_size = 1; BEGIN;
      CREATE TABLE more (x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
      INSERT INTO more SELECT randomblob(1000) FROM n; UPDATE reservations SET updated_at = updated_at + 1`)
    if (mode === 'WAL') database.exec('COMMIT')
    sides.set(side, readFileSync(copy + side))
    database.close()
  }
  rmSync(directory, {recursive: true})
  return sides
}

/**
 * The damage: the place, and the new bytes of the file, or undefined to delete it. A place `-…` is a file beside the database.
 */
type Change = readonly [where: string, bytes: Buffer | undefined]
type Kind = (bytes: Buffer, random: () => number, left: Left, name: string) => Iterable<Change>

const PAGE = 4096

/** Yields `ofPage` offsets in each page of the journal, one in each page of other files, and at least six in a small file. */
function* offsets(name: string, {length}: Buffer, random: () => number, ofPage = 4): Iterable<number> {
  const step = Math.min(PAGE / (name.startsWith('state.db') ? ofPage : 1), length / 6)
  for (let at = 0; at < length; at += step) yield Math.min(length - 1, Math.floor(at + random() * step))
}

const changed = (bytes: Buffer, at: number, length: number, to: (byte: number) => number): Change => {
  const copy = Buffer.from(bytes)
  for (let n = at; n < Math.min(at + length, copy.length); n++) copy[n] = to(copy[n] ?? 0)
  return [`at ${at}`, copy]
}

const atOffsets = (length: number, to: (byte: number, random: () => number) => number): Kind =>
  function* (bytes, random, _, name) {
    for (const at of offsets(name, bytes, random)) yield changed(bytes, at, length, byte => to(byte, random))
  }

const KINDS: Readonly<Record<string, Kind>> = {
  'a bit flipped': atOffsets(1, (byte, random) => byte ^ (1 << (random() * 8))),
  '16 bytes flipped': atOffsets(16, byte => byte ^ 0xff),
  '64 bytes of zeros': atOffsets(64, () => 0),
  *'a page of zeros'(bytes) {
    for (let at = 0; at < bytes.length; at += PAGE) yield changed(bytes, at, PAGE, () => 0)
  },
  *'inside its own words'(bytes, random, {words}) {
    for (const word of words.map(text => Buffer.from(text)))
      for (let at = bytes.indexOf(word); at >= 0; at = bytes.indexOf(word, at + 1))
        yield changed(bytes, at + Math.floor(random() * word.length), 1, byte => byte ^ 1)
  },
  *cut(bytes, random, _, name) {
    for (let at = PAGE; at < bytes.length; at += PAGE) yield [`to ${at}`, bytes.subarray(0, at)]
    for (const at of offsets(name, bytes, random, 1)) if (at > 0) yield [`to ${at}`, bytes.subarray(0, at)]
  },
  *'an older file beside it'(_, __, {olderSides}, name) {
    if (name === 'state.db') yield* olderSides
  },
  *'all of it'(bytes) {
    yield ['emptied', Buffer.alloc(0)]
    yield ['zeros', Buffer.alloc(bytes.length)]
    yield ['deleted', undefined]
  },
}

/** Damages a copy and runs the same command. */
async function tryPlace(left: Left, name: string, [where, bytes]: Change, asProcess: boolean) {
  const home = new HomeHere(left.home.env)
  try {
    copyDirectory(left.home.configDirectory, home.configDirectory)
    const path = join(home.configDirectory, name + (where.startsWith('-') ? where : ''))
    if (bytes) writeFileSync(path, bytes, {mode: 0o600})
    else rmSync(path)
    left.wire.requests.length = 0
    const finished = await (asProcess ? home.spawn(left.argv) : home.run(left.argv))
    const wrong = wrongAfter(left, name, bytes === undefined, finished)
    return wrong.map(text => `${name} ${where}: ${text} (${ending(finished)})`)
  } finally {
    home.remove()
  }
}

function wrongAfter({wire, key}: Left, name: string, isGone: boolean, {exit, stdout, stderr}: Finished) {
  const sent = keysAt(wire)
  const {error, outcome} = parse(stdout) ?? {}
  // Without its journal the machine cannot know earlier attempts, and must say so.
  if (name === 'state.db' && isGone)
    return (stdout + stderr).includes('state.db') ? [] : ['no warning that earlier attempts cannot be known']
  if (sent.some(each => each !== key)) return ['A SECOND KEY']
  // Damage to a value that users may edit or a service refuses is not always recognisable as damage.
  const isSetting = /^(config\.json|tokens\.db)/.test(name)
  const file = basename(name).replace(/-(wal|shm|journal)$/, '')
  if (exit === 0) return outcome === 'confirmed' ? [] : ['is not what was booked']
  if (sent.length > 0) return ['was reported after it was sent']
  if (exit !== 2) return isSetting && [4, 5, 7, 10].includes(Number(exit)) ? [] : ['another exit than 0 or 2']
  return isSetting || String(error?.message).includes(file) ? [] : [`the message does not name ${file}`]
}

/** One place in this many is tried in a process of its own. */
const PROCESS_OF = 40

/** Does one kind of damage to each file in turn, at its first `most` places. */
async function damage({filled, left: all}: Bench, end: string, kind: Kind, seed: number, most = Infinity) {
  if (!all.has(end)) all.set(end, leave(filled, end, seed))
  const left = (await all.get(end)) as Left
  const random = randomOf(seed, end)
  const directory = left.home.configDirectory
  const files = readdirSync(directory, {recursive: true}).map(String).sort()
  const wrong: string[] = []
  let count = 0
  for (const name of files.filter(each => statSync(join(directory, each)).isFile())) {
    const changes = [...kind(readFileSync(join(directory, name)), random, left, name)].slice(0, most)
    for (const change of changes)
      wrong.push(...(await tryPlace(left, name, change, ++count % PROCESS_OF === 0)))
  }
  return {count, wrong}
}

const cell = (end: string, what: string, most?: number) => ({
  name: `${end} × ${what}${most ? ', a sample' : ''}`,
  group: what,
  isSample: most !== undefined,
  run: (bench: Bench, seed: number) => damage(bench, end, KINDS[what] as Kind, seed, most),
})

async function open() {
  const filled = await openFilled()
  const left: Bench['left'] = new Map()
  const close = async () => {
    for (const each of left.values()) {
      const {home, wire} = await each
      await wire.close()
      home.remove()
    }
    await filled.close()
  }
  return {filled, left, close}
}

export const damages = part<Bench>({
  title: 'Damage',
  unit: 'places',
  cells: [
    cell('unknown, and made', 'inside its own words', 1),
    cell('unknown, and made', 'all of it', 1),
    ...Object.keys(ENDS).flatMap(end => Object.keys(KINDS).map(what => cell(end, what))),
  ],
  open,
  // Commands inside this process run one at a time.
  atOnce: 1,
})
