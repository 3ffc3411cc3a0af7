/**
 * A batch is killed at each kind of step, once or several times, and run again until it ends: each trip is booked once, and the
 * last run says which were booked before.
 */
import type {ChildProcess} from 'node:child_process'
import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Finished} from '../../support/bookctl.js'
import {replyBytes} from '../../support/wire.js'
import {randomOf} from '../kills/kills.js'
import {deadlyEnv, killing, MOMENTS, type Point} from '../kills/trial.js'
import type {Bench} from '../shared/bench.js'
import {checkDatabases} from '../shared/home.js'
import type {Cell} from '../shared/part.js'
import {type Home, reservationsAt, shown} from '../shared/scene.js'
import {STORES, type StoreName} from '../shared/stores.js'
import {
  batchArgv,
  checkForms,
  checkKept,
  checkMade,
  checkVouchers,
  documentOf,
  FAILED,
  type Group,
  inTrials,
  madeAt,
  openGroup,
  runToEnd,
  TRIPS,
  VOUCHERS,
} from './group.js'

type Random = () => number

/** When a run is killed. */
export type Death =
  /** At a moment of the nth request whose path matches. */
  | {
      readonly kind: 'request'
      readonly path: RegExp
      readonly nth: number
      readonly moment: (typeof MOMENTS)[number]
    }
  /** Some milliseconds after the answer to such a request. */
  | {readonly kind: 'later'; readonly path: RegExp; readonly nth: number; readonly milliseconds: number}
  | {readonly kind: 'point'; readonly point: Point}
  | {readonly kind: 'call'; readonly call: number}
  | {readonly kind: 'time'; readonly milliseconds: number}

export const SEARCH = /\/hotels\/search$/
export const RESERVE = /\/reservations\/hotel$/
const VOUCHER = /voucher/

export const upTo = (most: number, random: Random) => 1 + Math.floor(random() * most)
export function oneOf<T>(all: readonly T[], random: Random): T {
  return all[Math.floor(random() * all.length)] as T
}

const atRequest =
  (path: RegExp, most: number, moments: readonly (typeof MOMENTS)[number][]) =>
  (random: Random): Death => ({
    kind: 'request',
    path,
    nth: upTo(most, random),
    moment: oneOf(moments, random),
  })

const atPoint =
  (label: string, most: number, whens: readonly Point['when'][] = ['before', 'after']) =>
  (random: Random): Death => ({
    kind: 'point',
    point: {label, when: oneOf(whens, random), nth: upTo(most, random)},
  })

const ALWAYS = ['before', 'half', 'after'] as const

/** At any request, at any call, or at any time, early enough that a run with `left` trips to book is usually not over. */
function anywhere(random: Random, left: number): Death {
  const nth = upTo(left, random)
  return oneOf<Death>(
    [
      {kind: 'request', path: oneOf([SEARCH, RESERVE, RESERVE], random), nth, moment: oneOf(MOMENTS, random)},
      {kind: 'later', path: RESERVE, nth, milliseconds: 30 * random()},
      {kind: 'call', call: upTo(50 + 20 * left, random)},
      {kind: 'time', milliseconds: 100 + (300 + 15 * left) * random()},
    ],
    random,
  )
}

interface Step {
  readonly death: (random: Random, store: StoreName) => Death
  /** The additional arguments of the command. */
  readonly more?: readonly string[]
}

/** A label for each store: in PostgreSQL a statement is a message to the server. */
const statement =
  (files: string, postgres: string, most: number, whens?: readonly Point['when'][]) =>
  (random: Random, store: StoreName) =>
    atPoint(store === 'files' ? files : postgres, most, whens)(random)

const withVouchers = ['--vouchers', VOUCHERS]
const withFailed = ['--failed', FAILED]

const STEPS: Readonly<Record<string, Step>> = {
  'the search': {death: atRequest(SEARCH, 45, MOMENTS)},
  'the commit of the intent': {
    death: statement('^sql COMMIT .*INSERT INTO reservations', 'net send .*SELECT id, base_url', 60),
  },
  'the count of the attempt': {
    death: statement(
      '^sql COMMIT .*attempts = attempts \\+ 1',
      'net send .*SET attempts = attempts \\+ 1',
      48,
      ALWAYS,
    ),
  },
  'the request': {death: atRequest(RESERVE, 48, ['read', 'acted'])},
  'the answer': {death: atRequest(RESERVE, 48, ['half answered', 'answered'])},
  'the end of a trip': {
    death: (random, store) =>
      random() < 0.5
        ? {kind: 'later', path: RESERVE, nth: upTo(48, random), milliseconds: 12 * random()}
        : statement(
            '^sql COMMIT .*outcome = \\?, reservation_ref',
            'net send .*SET outcome = .2, reservation_ref',
            48,
            ALWAYS,
          )(random, store),
  },
  'the voucher': {
    more: withVouchers,
    death: random =>
      random() < 0.5
        ? atRequest(VOUCHER, 60, MOMENTS)(random)
        : atPoint('^file (open|write|fsync|link|remove) (TEMPORARY|RSV)', 150, ALWAYS)(random),
  },
  'the file of those that failed': {
    more: withFailed,
    death: random =>
      oneOf(
        [
          atPoint('^file (open|write|fsync|rename|remove) TEMPORARY', 8),
          atPoint('^file write TEMPORARY', 2, ['half']),
          atPoint('^file rename TEMPORARY', 2),
        ],
        random,
      )(random),
  },
  'the result': {death: atPoint('^out$', 1, ALWAYS)},
  anything: {death: random => anywhere(random, 40)},
}

/** Runs the command until it is killed by `signal`, or ends before. Also returns how long after the signal it ended. */
export async function runUntil(
  group: Group,
  home: Home,
  argv: readonly string[],
  death: Death,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<Finished & {readonly endedAfterMilliseconds: number}> {
  const {wire} = group
  let child: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let killedAt: number | undefined
  const kill = () => {
    killedAt ??= performance.now()
    child?.kill(signal)
  }
  if (death.kind === 'request') {
    const {path, nth, moment} = death
    wire.strike = {fault: killing(moment, kill), method: path === VOUCHER ? 'GET' : 'POST', path, nth}
  }
  if (death.kind === 'later') {
    const {path, nth, milliseconds} = death
    const play = (reply: Parameters<typeof replyBytes>[0]) => {
      timer = setTimeout(kill, milliseconds)
      return [replyBytes(reply)]
    }
    wire.strike = {fault: {forwards: true, play}, path, nth}
  }
  try {
    const died = await home.run(argv, {
      env: death.kind === 'call' || death.kind === 'point' ? deadlyEnv(death) : {},
      onStart(started) {
        child = started
        if (death.kind === 'time') timer = setTimeout(kill, death.milliseconds)
      },
    })
    const endedAfterMilliseconds = killedAt === undefined ? 0 : performance.now() - killedAt
    // Requests sent before the kill may still be on their way to the service.
    await wire.quiet()
    return {...died, endedAfterMilliseconds}
  } finally {
    clearTimeout(timer)
    wire.strike = undefined
  }
}

/** Returns a death as one line, for the report. */
export const describe = (death: Death) =>
  JSON.stringify(death, (_, value) => (value instanceof RegExp ? value.source : value))

const PARALLEL = [1, 4, 8, 16]

/** Kills a batch once or up to four times, and lets it end. Returns the number of kills and what was wrong. */
async function trial(group: Group, {death, more = []}: Step, random: Random) {
  const {wire, storeName} = group
  const wrong: string[] = []
  const deaths: string[] = []
  let count = 0
  const argvOf = () => batchArgv('--parallel', String(oneOf(PARALLEL, random)), ...more)
  let home = group.home
  let left = TRIPS
  for (let kills = 1; kills <= 4 && wrong.length === 0; kills++) {
    const next = kills === 1 ? death(random, storeName) : anywhere(random, left)
    const argv = argvOf()
    const died = await runUntil(group, home, argv, next)
    deaths.push(`${argv.slice(3).join(' ')} ${describe(next)}: ${died.exit}`)
    if (died.exit === 'SIGKILL') count++
    else if (died.exit !== 0) wrong.push(`ended by itself with ${died.exit}`, shown(died))
    const made = await madeAt(group)
    left = TRIPS - made.length
    wrong.push(...checkMade(group, made, died.exit === 0), ...checkForms(wire))
    wrong.push(...checkKept(wire, await group.journal(home)), ...checkDatabases(home))
    home = group.machine(random)
    if (left <= 0 || random() < 0.25) break
  }
  const {last, wrong: found} = await runToEnd(group, home, argvOf())
  wrong.push(...found, ...checkForms(wire))
  const document = documentOf(last)
  if (document && more === withVouchers) wrong.push(...checkVouchers(home, document))
  if (more === withFailed) {
    const path = join(home.directory, FAILED)
    const text = existsSync(path) ? readFileSync(path, 'utf8') : 'missing'
    if (text !== '') wrong.push(`--failed is ${text.slice(0, 200)}`)
  }
  if (wrong.length > 0)
    wrong.push(...deaths, `${reservationsAt(wire).length} requests to reserve`, shown(last))
  return {count, wrong}
}

/** How many groups a cell books. */
const TRIALS = 8

function cell(store: StoreName, what: string, trials: number, isSample = false): Cell<Bench> {
  const name = `kill: ${store}, at ${what}${isSample ? ', once' : ''}`
  return {
    name,
    group: `kills, ${store}`,
    isSample,
    async run(bench, seed) {
      const random = randomOf(seed, name)
      return inTrials(trials, async own =>
        trial(await openGroup(own, bench, store), STEPS[what] as Step, random),
      )
    },
  }
}

export const KILLS: readonly Cell<Bench>[] = [
  cell('files', 'the answer', 1, true),
  ...STORES.flatMap(store => Object.keys(STEPS).map(what => cell(store, what, TRIALS))),
]
