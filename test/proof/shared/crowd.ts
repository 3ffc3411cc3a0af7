/** Runs many processes of the built program at the same moment. Each process waits at a gate until all have reached it. */
import {execFileSync} from 'node:child_process'
import {closeSync, constants, mkdtempSync, openSync, readdirSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {Finished} from '../../support/bookctl.js'
import {waitUntil} from '../../support/wait.js'
import type {Wire, WireRequest} from '../../support/wire.js'
import type {Own} from './part.js'
import {CREDENTIALS, Home, openScene, parse, Side} from './scene.js'

const GATE = new URL('./gate.mjs', import.meta.url).href

export interface CrowdOptions {
  /** A process waits before it first uses a path that contains this text (default: the configuration directory of any home). */
  readonly at?: string
  /** Called when all processes are released. */
  readonly onGo?: () => void
}

/**
 * Runs `bookctl ...argv` for each of `members` at the same time, distributing them over the homes. Returns the results in the
 * order of the members.
 */
export async function crowd(
  homes: readonly [Home, ...Home[]],
  members: readonly (readonly string[])[],
  {at = homes.length > 1 ? 'bookctl-test-' : homes[0].configDirectory, onGo}: CrowdOptions = {},
): Promise<Finished[]> {
  const gate = mkdtempSync(join(tmpdir(), 'bookctl-gate-'))
  execFileSync('mkfifo', [join(gate, 'gate')])
  const env = {NODE_OPTIONS: `--import ${GATE}`, PROOF_GATE: gate, PROOF_GATE_AT: at}
  let ended = 0
  const running = members.map((argv, n) =>
    (homes[n % homes.length] ?? homes[0]).run(argv, {env, limitMilliseconds: 240_000}).finally(() => ended++),
  )
  const waiting = () => readdirSync(gate).length - 1
  try {
    await waitUntil(() => waiting() + ended >= members.length, 'all to reach the gate').catch(() => {})
    const met = waiting()
    // The pipe is opened for reading and writing, so that opening does not wait for readers and latecomers find it open.
    const opened = openSync(join(gate, 'gate'), constants.O_RDWR)
    onGo?.()
    const results = await Promise.all(running)
    closeSync(opened)
    if (met === members.length) return results
    const ends = new Set(results.map(({exit, stdout, stderr}) => `${exit} ${stdout}${stderr}`.slice(0, 200)))
    throw new Error(`only ${met} of ${members.length} met; ${[...ends].slice(0, 3).join(' | ')}`)
  } finally {
    rmSync(gate, {recursive: true, force: true})
  }
}

/** Starts a command whose first matching request hangs. `forwards` says whether the service has acted before. */
export async function startHanging(
  {home, wire}: {home: Home; wire: Wire},
  argv: readonly string[],
  {forwards, ...request}: {forwards: boolean; method: string; path: RegExp},
) {
  let hangs = false
  const play = function* () {
    hangs = true
    yield 'hang' as const
  }
  wire.strike = {fault: {forwards, play}, nth: 1, ...request}
  let kill = () => {}
  const ended = home.run(argv, {onStart: child => (kill = () => void child.kill('SIGKILL'))})
  await waitUntil(() => hangs, `the first ${argv[0]}`)
  return {ended, kill}
}

/** Returns a line for each kind of wrong end: an exit code other than `allowed`, or an error that no process may show. */
export function wrongEnds(finished: readonly Finished[], allowed: readonly Finished['exit'][]): string[] {
  const kinds = new Map<string, number>()
  for (const {exit, stdout, stderr} of finished) {
    const text = `${stdout} ${stderr}`.replaceAll(/\s+/g, ' ')
    if (allowed.includes(exit) && exit !== 1 && !/\blocked\b|SQLITE|^ +at /im.test(text)) continue
    const kind = `exit ${exit}: ${text.slice(0, 300)}`
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  return [...kinds].slice(0, 5).map(([kind, count]) => `${count} × ${kind}`)
}

/** One race: a new sandbox, one home for all processes or several, and a wire that sees every request. */
export interface Ground {
  readonly own: Own
  readonly count: number
  readonly origin: string
  readonly side: Side
  readonly home: Home
  readonly wire: Wire
  /** Returns a new home, with `env` in addition. */
  machine(env?: Record<string, string>): Home
  /** Returns `of(0)` … `of(count - 1)`. */
  each<T>(of: (index: number) => T): T[]
  crowd(members: readonly (readonly string[])[], options?: CrowdOptions): Promise<Finished[]>
  /** Returns the requests to a path below the base URL. */
  sent(path: string): WireRequest[]
}

export async function openGround(
  own: Own,
  origin: string,
  count: number,
  {homes = 1, env = CREDENTIALS}: {homes?: number; env?: Record<string, string>} = {},
): Promise<Ground> {
  await fetch(`${origin}/_sandbox/reset`, {method: 'POST'})
  const {home, wire} = own(await openScene(origin, {env}))
  const machine = (more: Record<string, string> = {}) => own(new Home({...home.env, ...more}))
  const others = Array.from({length: homes - 1}, () => machine())
  return {
    own,
    count,
    origin,
    home,
    wire,
    machine,
    side: new Side(origin),
    each: of => Array.from({length: count}, (_, index) => of(index)),
    crowd: (members, options) => crowd([home, ...others], members, options),
    sent: path => wire.requests.filter(request => request.path === `/partner-api/v1${path}`),
  }
}

/** Returns the printed documents. */
export const documents = (finished: readonly Finished[]) => finished.map(({stdout}) => parse(stdout) ?? {})

/** Returns `wrong` unless `value` is one of `right`. */
export function unless(right: unknown, value: unknown, wrong: string): string[] {
  return [right].flat().includes(value) ? [] : [`${value} ${wrong}, not ${right}`]
}

export type Race = (ground: Ground) => Promise<string[]>
