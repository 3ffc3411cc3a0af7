/** One kill: what is killed and how, and what must hold of the home afterwards. */
import type {ChildProcess} from 'node:child_process'
import {cpSync, existsSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import type {State} from '../../../src/state/state.js'
import type {Finished} from '../../support/bookctl.js'
import {PATIENCE_SECONDS} from '../../support/wait.js'
import {replyBytes, type Step, type Wire, type WireFault} from '../../support/wire.js'
import {checkDatabases, temporaryFiles} from '../shared/home.js'
import {type Home, openScene, type Scene, type Side, withState} from '../shared/scene.js'

/** A call of the process, by the label of preload.cjs (a regular expression). */
export interface Point {
  readonly label: string
  readonly when: 'before' | 'half' | 'after'
  readonly nth?: number
}

/** Moments of a request: the service has not got it; it has acted and is silent; half of its answer came; all of it. */
export const MOMENTS = ['read', 'acted', 'half answered', 'answered'] as const

export type Death =
  | {readonly kind: 'never'}
  | {readonly kind: 'call'; readonly call: number}
  | {readonly kind: 'point'; readonly point: Point}
  | {readonly kind: 'request'; readonly nth: number; readonly moment: (typeof MOMENTS)[number]}
  | {readonly kind: 'time'; readonly milliseconds: number}

/** What is killed. */
export interface Subject {
  readonly name: string
  readonly randomKills: number
  /** Where it is killed if it works in several threads, whose calls have no common order. */
  readonly points?: readonly Point[]
  readonly makesRequests?: boolean
  /** Makes what it needs; `random` (0 to 1) chooses where there is a choice. */
  open(side: Side, random: () => number): Promise<Trial>
}

interface Trial {
  /** Runs it to its death, or to its end if that comes first, with exit 0. */
  die(death: Death): Promise<Finished>
  /** What is wrong with what the dead process left, before anything else runs. */
  afterDeath(died: Finished): Promise<string[]>
  /** Runs it again, and finds what is wrong with the result of both. */
  again(): Promise<string[]>
  close(): Promise<void>
}

/** What one command is killed at, and what must hold. */
export interface Errand {
  readonly argv: readonly string[]
  /** What is wrong after its death. */
  readonly afterDeath?: (died: Finished) => Promise<string[]> | string[]
  /** What is done before it is run again. */
  readonly before?: () => Promise<string[]>
  /** What is run again, if not the same. */
  readonly argvAgain?: () => readonly string[]
  /** What is wrong after it was run again. */
  readonly after: (again: Again) => Promise<string[]> | string[]
}

export interface Again {
  readonly exit: Finished['exit']
  readonly result: Record<string, unknown>
  readonly code: string | undefined
}

/** A command that runs to its end. */
export function command(
  name: string,
  randomKills: number,
  setUp: (scene: Scene & {readonly side: Side}, random: () => number) => Promise<Errand>,
  env?: Record<string, string>,
): Subject {
  return {
    name,
    randomKills,
    makesRequests: true,
    async open(side, random) {
      const scene = await openScene(side.origin, env ? {env} : {})
      const {home, wire} = scene
      const errand = await setUp({...scene, side}, random)
      letGoOf(home)
      return {
        die: death => runToDeath(home, wire, errand.argv, death),
        afterDeath: async died => [...checkDatabases(home), ...((await errand.afterDeath?.(died)) ?? [])],
        async again() {
          const wrong = (await errand.before?.()) ?? []
          const again = await runAgain(home, errand.argvAgain?.() ?? errand.argv, wrong)
          return [...wrong, ...(await errand.after(again)), ...temporaryFiles(home)]
        },
        close: scene.close,
      }
    },
  }
}

/** A command that takes longer waited for a dead process. */
const HELD_UP_MILLISECONDS = 30_000

/** Runs with `--json`; adds to `wrong` when it had to wait for a dead process. */
export async function runAgain(home: Home, argv: readonly string[], wrong: string[]): Promise<Again> {
  const began = performance.now()
  const {exit, result} = await home.json<{error?: {code?: string}}>(argv)
  if (performance.now() - began > HELD_UP_MILLISECONDS) wrong.push(`${argv.join(' ')} was held up`)
  return {exit, result: result as Record<string, unknown>, code: result.error?.code}
}

/** Checks that another command that opens the same files to write ends with one of `exits`. */
export async function runAnother(home: Home, argv: readonly string[], exits = [0]): Promise<string[]> {
  const wrong: string[] = []
  const {exit} = await runAgain(home, argv, wrong)
  return exits.some(each => each === exit) ? wrong : [...wrong, `then ${argv.join(' ')} ends with ${exit}`]
}

const PRELOAD = fileURLToPath(new URL('./preload.cjs', import.meta.url))

/** Makes a process die by itself; nothing for what comes from outside. */
export function deadlyEnv(death: Death): Record<string, string> {
  const order = death.kind === 'call' ? {call: death.call} : death.kind === 'point' ? death.point : undefined
  return order ? {NODE_OPTIONS: `--require "${PRELOAD}"`, CRASH_AT: JSON.stringify(order)} : {}
}

/** Runs it until it dies as ordered, or ends before. */
export async function runToDeath(home: Home, wire: Wire, argv: readonly string[], death: Death) {
  let child: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  const kill = () => void child?.kill('SIGKILL')
  if (death.kind === 'request') wire.strike = {fault: killing(death.moment, kill), nth: death.nth}
  try {
    const died = await home.run([...argv, '--json'], {
      env: deadlyEnv(death),
      onStart: started => {
        child = started
        if (death.kind === 'time') timer = setTimeout(kill, death.milliseconds)
      },
    })
    // What it had sent may still be on its way to the service.
    await wire.quiet()
    return died
  } finally {
    clearTimeout(timer)
    wire.strike = undefined
  }
}

/** The fault of a request at some moment of which `kill` is called. */
export function killing(moment: (typeof MOMENTS)[number], kill: () => void): WireFault {
  return {
    forwards: moment !== 'read',
    *play(reply): Iterable<Step> {
      const bytes = replyBytes(reply)
      if (moment === 'half answered') yield bytes.subarray(0, bytes.length / 2)
      if (moment === 'answered') yield bytes
      kill()
      yield 'hang'
    },
  }
}

/** Looks into the state of a home, in a copy. */
export function look<T>(home: Home, work: (state: State) => T | Promise<T>): Promise<T> {
  const {copy, remove} = copyOf(home)
  return withState(copy, work).finally(remove)
}

/**
 * Replaces the files of a home by copies, which this process never opened. A database stays open here until its statements
 * are collected; then the next command would take the index of the log as the dead one left it, and not see a
 * commit that is only in the log. `look` would see it.
 */
function letGoOf(home: Home): void {
  if (!existsSync(home.configDirectory)) return
  const {copy, remove} = copyOf(home)
  rmSync(home.configDirectory, {recursive: true})
  cpSync(copy, home.configDirectory, {recursive: true})
  remove()
}

/** The index of a log (`-shm`) is left out, as after a crash of the system. */
function copyOf({configDirectory}: Home): {copy: string; remove: () => void} {
  const copy = mkdtempSync(join(tmpdir(), 'bookctl-kill-'))
  const filter = (path: string) => !path.endsWith('-shm')
  if (existsSync(configDirectory)) cpSync(configDirectory, copy, {recursive: true, filter})
  return {copy, remove: () => rmSync(copy, {recursive: true, force: true})}
}

/** `wrong` unless it holds. */
export const unless = (holds: boolean, wrong: string): string[] => (holds ? [] : [wrong])

export type Ready = Record<string, string>

const serve = (home: Home, argv: readonly string[], death: Death = {kind: 'never'}) =>
  home.serve(argv, {env: deadlyEnv(death), limitMilliseconds: 2 * PATIENCE_SECONDS * 1000})

/** A death at random comes so soon after it is ready. */
const WITHIN_MILLISECONDS = 250

export interface ServerTrial {
  readonly home: Home
  readonly argv: readonly string[]
  /** What is asked of the one that dies. */
  readonly use: (ready: Ready, death: Death) => Promise<unknown>
  readonly afterDeath?: () => Promise<string[]> | string[]
  /** What is wrong with the next one, while it runs. */
  readonly again: (ready: Ready) => Promise<string[]>
  /** What is wrong after the next one has ended. */
  readonly after?: () => Promise<string[]> | string[]
  readonly close?: () => Promise<void>
}

/** A command that serves until it is ended. */
export function server(
  name: string,
  randomKills: number,
  open: () => Promise<ServerTrial>,
  points: readonly Point[],
): Subject {
  return {
    name,
    randomKills,
    points,
    async open(): Promise<Trial> {
      const {home, argv, use, again, ...trial} = await open()
      return {
        async die(death) {
          const {child, ended, ready, stop} = serve(home, argv, death)
          const line = await ready
          if (line === undefined) return ended
          const isRandom = death.kind === 'time'
          const after = isRandom ? death.milliseconds % WITHIN_MILLISECONDS : 0
          const timer = isRandom && setTimeout(() => child.kill('SIGKILL'), after)
          // Its death ends the work, too.
          await Promise.race([use(line, death).catch(() => undefined), ended])
          if (timer) clearTimeout(timer)
          const finished = await stop(isRandom ? 'SIGKILL' : 'SIGTERM')
          return finished.exit === 143 ? {...finished, exit: 0} : finished
        },
        afterDeath: async () => [...checkDatabases(home), ...((await trial.afterDeath?.()) ?? [])],
        async again() {
          const {started, stop} = serve(home, argv)
          const wrong = await again(await started())
          const {exit} = await stop()
          if (exit !== 143) wrong.push(`again it ends with ${exit}`)
          wrong.push(...((await trial.after?.()) ?? []))
          return [...wrong, ...checkDatabases(home), ...temporaryFiles(home)]
        },
        async close() {
          await trial.close?.()
          home.remove()
        },
      }
    },
  }
}
