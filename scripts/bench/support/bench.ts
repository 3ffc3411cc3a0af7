/**
 * Provides each case with a directory of its own, with processes that are measured and always ended, and with the amount of work.
 * The processes get only the environment they need, so that settings, proxies or Node options of the machine do not affect them.
 */
import {type ChildProcess, type StdioOptions, spawn, spawnSync} from 'node:child_process'
import {mkdirSync, mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
export const BOOKCTL = join(ROOT, 'bin/run.js')
/** Time limit of a process, in milliseconds. */
const MOST_MILLISECONDS = 400_000

export interface RunOptions {
  readonly env?: Record<string, string>
  readonly stdio?: StdioOptions
  /** Whether the process uses a single core, if the system supports that; see `canPin`. */
  readonly oneCore?: boolean
}

export interface Run {
  readonly milliseconds: number
  readonly stdout: string
}

/** Returns the path of a reference program. */
export function reference(name: string): string {
  return fileURLToPath(new URL(`../references/${name}`, import.meta.url))
}

export class Bench {
  readonly directory = mkdtempSync(join(tmpdir(), 'bookctl-bench-'))
  readonly #children = new Set<ChildProcess>()
  #count = 0

  /** A quick bench has small sizes and few runs. */
  constructor(readonly isQuick: boolean) {}

  size<T>(full: T, quick: T): T {
    return this.isQuick ? quick : full
  }

  /** Creates a new directory. */
  room(): string {
    const path = join(this.directory, String(++this.#count))
    mkdirSync(path)
    return path
  }

  /** Starts `command`. It is ended together with the bench at the latest. */
  start(command: string, argv: readonly string[], options: RunOptions = {}): ChildProcess {
    const {stdio = 'ignore', oneCore} = options
    const [program = '', ...rest] = [...(oneCore && canPin() ? PIN : []), command, ...argv]
    const own = {
      HOME: this.directory,
      TMPDIR: this.directory,
      BOOKCTL_CONFIG_DIR: join(this.directory, 'config'),
    }
    const env = {PATH: process.env.PATH, ...own, ...options.env}
    const child = spawn(program, rest, {cwd: this.directory, env, stdio, timeout: MOST_MILLISECONDS})
    this.#children.add(child)
    child.once('close', () => this.#children.delete(child))
    return child
  }

  /** Runs `command` until it ends. Throws unless it exits with 0. */
  async run(command: string, argv: readonly string[], options: RunOptions = {}): Promise<Run> {
    const started = performance.now()
    const child = this.start(command, argv, {stdio: ['ignore', 'ignore', 'pipe'], ...options})
    let stdout = ''
    let stderr = ''
    child.stdout?.setEncoding('utf8').on('data', text => (stdout += text))
    child.stderr?.setEncoding('utf8').on('data', text => (stderr += text))
    const exit = await ended(child)
    const milliseconds = performance.now() - started
    if (exit !== 0)
      throw new Error(`${[command, ...argv].join(' ')} ended with ${exit}: ${stderr.slice(-500)}`)
    return {milliseconds, stdout}
  }

  node(argv: readonly string[], options?: RunOptions): Promise<Run> {
    return this.run(process.execPath, argv, options)
  }

  /** Runs the built bookctl. */
  bookctl(argv: readonly string[], options?: RunOptions): Promise<Run> {
    return this.node([BOOKCTL, ...argv], options)
  }

  /** Like `node`, and also returns the peak memory. */
  async nodeWithPeak(argv: readonly string[], options: RunOptions = {}): Promise<Run & {megabytes: number}> {
    const file = join(this.room(), 'peak')
    const env = {...options.env, PEAK_MEMORY_FILE: file}
    const run = await this.node(['--require', reference('peak-memory.cjs'), ...argv], {...options, env})
    return {...run, megabytes: Number(readFileSync(file, 'utf8')) / 1e6}
  }

  /** Ends every process and removes every file. */
  close(): void {
    for (const child of this.#children) child.kill('SIGKILL')
    rmSync(this.directory, {recursive: true, force: true, maxRetries: 5})
  }
}

const PIN = ['taskset', '-c', '0']

/** Reports whether this system can limit a process to one core. */
export function canPin(): boolean {
  return spawnSync('taskset', ['-c', '0', 'true']).status === 0
}

/** Resolves with the exit code, or the signal that ended the process. */
function ended(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(signal ?? code))
  })
}

/** Sends SIGTERM and waits for the end of the process. */
export async function stop(child: ChildProcess): Promise<void> {
  const end = ended(child)
  child.kill('SIGTERM')
  await end
}

/** Returns the first line of a process's stdout, parsed as JSON. The stdout must be a pipe. Throws if the process ends before. */
export function firstLine<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', piece => {
      text += piece
      if (text.includes('\n')) resolve(JSON.parse(text.slice(0, text.indexOf('\n'))))
    })
    child.once('close', code => reject(new Error(`it ended with ${code} before it was ready: ${text}`)))
  })
}

/** Runs two functions in turn, `times` times each, after one run of each that is not counted. Returns their results. */
export async function alternate<T>(times: number, ours: () => Promise<T>, other: () => Promise<T>) {
  const [first, second] = await inTurn(times, [ours, other])
  return {ours: first as T[], other: second as T[]}
}

/** Like `alternate`, for any number of functions. Returns the results of each. */
export async function inTurn<T>(times: number, runs: readonly (() => Promise<T>)[]): Promise<T[][]> {
  for (const run of runs) await run()
  const samples = runs.map((): T[] => [])
  for (let n = 0; n < times; n++) {
    for (const [index, run] of runs.entries()) samples[index]?.push(await run())
  }
  return samples
}
