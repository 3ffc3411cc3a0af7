/** Does a single kill: runs a command until it is killed at some moment, and checks the home afterwards. */
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

/** A call of the process, by the label in preload.cjs (a regular expression). */
export interface Point {
  readonly label: string
  readonly when: 'before' | 'half' | 'after'
  readonly nth?: number
}

/** Moments of a request: before the service has it; after the service has acted; after half of the answer; after all of it. */
export const MOMENTS = ['read', 'acted', 'half answered', 'answered'] as const

export type Death =
  | {readonly kind: 'never'}
  | {readonly kind: 'call'; readonly call: number}
  | {readonly kind: 'point'; readonly point: Point}
  | {readonly kind: 'request'; readonly nth: number; readonly moment: (typeof MOMENTS)[number]}
  | {readonly kind: 'time'; readonly milliseconds: number}

/** A command to kill. */
export interface Subject {
  readonly name: string
  readonly randomKills: number
  /**
   * The calls at which a command with several threads is killed. Its calls cannot be numbered, because they have no fixed order.
   */
  readonly points?: readonly Point[]
  readonly makesRequests?: boolean
  /** Creates what the command needs. `random` returns a number from 0 to 1 for choices. */
  open(side: Side, random: () => number): Promise<Trial>
}

interface Trial {
  /** Runs the command until its death, or until it ends with exit 0 if that comes first. */
  die(death: Death): Promise<Finished>
  /** Returns what is wrong in the state that the dead process left, before anything else runs. */
  afterDeath(died: Finished): Promise<string[]>
  /** Runs the command again, and returns what is wrong with the result of both runs. */
  again(): Promise<string[]>
  close(): Promise<void>
}

/** The arguments of a command to kill, and what must hold. */
export interface Errand {
  readonly argv: readonly string[]
  /** Returns what is wrong after its death. */
  readonly afterDeath?: (died: Finished) => Promise<string[]> | string[]
  /** Runs before the second run. */
  readonly before?: () => Promise<string[]>
  /** The arguments of the second run, if they differ. */
  readonly argvAgain?: () => readonly string[]
  /** Returns what is wrong after the second run. */
  readonly after: (again: Again) => Promise<string[]> | string[]
}

export interface Again {
  readonly exit: Finished['exit']
  readonly result: Record<string, unknown>
  readonly code: string | undefined
}

/** Returns a subject that ends by itself. */
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

/** A command that takes longer than this has waited for the dead process. */
const HELD_UP_MILLISECONDS = 30_000

/** Runs with `--json`. Adds to `wrong` if the command had to wait for the dead process. */
export async function runAgain(home: Home, argv: readonly string[], wrong: string[]): Promise<Again> {
  const began = performance.now()
  const {exit, result} = await home.json<{error?: {code?: string}}>(argv)
  if (performance.now() - began > HELD_UP_MILLISECONDS) wrong.push(`${argv.join(' ')} was held up`)
  return {exit, result: result as Record<string, unknown>, code: result.error?.code}
}

/** Checks that another command that writes to the same files ends with one of `exits`. */
export async function runAnother(home: Home, argv: readonly string[], exits = [0]): Promise<string[]> {
  const wrong: string[] = []
  const {exit} = await runAgain(home, argv, wrong)
  return exits.some(each => each === exit) ? wrong : [...wrong, `then ${argv.join(' ')} ends with ${exit}`]
}

const PRELOAD = fileURLToPath(new URL('./preload.cjs', import.meta.url))

/** Returns the environment that makes a process kill itself; empty if the kill comes from outside. */
export function deadlyEnv(death: Death): Record<string, string> {
  const order = death.kind === 'call' ? {call: death.call} : death.kind === 'point' ? death.point : undefined
  return order ? {NODE_OPTIONS: `--require "${PRELOAD}"`, CRASH_AT: JSON.stringify(order)} : {}
}

/** Runs the command until it is killed as `death` says, or ends before. */
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
    // Requests sent before the kill may still be on their way to the service.
    await wire.quiet()
    return died
  } finally {
    clearTimeout(timer)
    wire.strike = undefined
  }
}

/** Returns a fault that calls `kill` at the given moment of a request. */
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

/** Opens a copy of the state of a home. */
export function look<T>(home: Home, work: (state: State) => T | Promise<T>): Promise<T> {
  const {copy, remove} = copyOf(home)
  return withState(copy, work).finally(remove)
}

/**
 * Replaces the files of a home by copies that this process never opened. A database stays open in this process until its
 * statements are garbage-collected. The next command would use the index of the log as the dead process left it, and miss a
 * commit that is only in the log.
 */
function letGoOf(home: Home): void {
  if (!existsSync(home.configDirectory)) return
  const {copy, remove} = copyOf(home)
  rmSync(home.configDirectory, {recursive: true})
  cpSync(copy, home.configDirectory, {recursive: true})
  remove()
}

/** The index of the log (`-shm`) is left out, as after a crash of the system. */
function copyOf({configDirectory}: Home): {copy: string; remove: () => void} {
  const copy = mkdtempSync(join(tmpdir(), 'bookctl-kill-'))
  const filter = (path: string) => !path.endsWith('-shm')
  if (existsSync(configDirectory)) cpSync(configDirectory, copy, {recursive: true, filter})
  return {copy, remove: () => rmSync(copy, {recursive: true, force: true})}
}

/** Returns `wrong` unless `holds` is true. */
export const unless = (holds: boolean, wrong: string): string[] => (holds ? [] : [wrong])

export type Ready = Record<string, string>

const serve = (home: Home, argv: readonly string[], death: Death = {kind: 'never'}) =>
  home.serve(argv, {env: deadlyEnv(death), limitMilliseconds: 2 * PATIENCE_SECONDS * 1000})

/** A random kill comes at most this long after the server is ready. */
const WITHIN_MILLISECONDS = 250

export interface ServerTrial {
  readonly home: Home
  readonly argv: readonly string[]
  /** Uses the server that is killed. */
  readonly use: (ready: Ready, death: Death) => Promise<unknown>
  readonly afterDeath?: () => Promise<string[]> | string[]
  /** Returns what is wrong with the next server, while it runs. */
  readonly again: (ready: Ready) => Promise<string[]>
  /** Returns what is wrong after the next server has ended. */
  readonly after?: () => Promise<string[]> | string[]
  readonly close?: () => Promise<void>
}

/** Returns a subject that serves until it is stopped. */
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
          // The death of the server also ends the work.
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
