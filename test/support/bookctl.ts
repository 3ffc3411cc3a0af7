/**
 * Runs the built `bookctl` as a user's shell would, in a home of its own: inside this process where that makes no
 * difference, which takes a tenth of the time, and else in a process of its own.
 */
import {type ChildProcess, spawn} from 'node:child_process'
import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join, relative} from 'node:path'
import {fileURLToPath} from 'node:url'
import {runIn} from './in-process.js'

/** Enough on a busy machine; a command that takes longer hangs. */
const MOST_MILLISECONDS = 120_000

/** What is installed as `bookctl`. */
export const ENTRY = fileURLToPath(new URL('../../bin/run.js', import.meta.url))

export interface Finished {
  /** Exit code, or the signal that ended it. */
  readonly exit: number | NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Record<string, string | undefined>
  /** What it can read; null leaves the pipe open with nothing in it. */
  readonly stdin?: string | null
  /** A command put before node that runs the rest, for example with limits. */
  readonly before?: readonly string[]
  /** What is run in place of bin/run.js. */
  readonly script?: string
  /** User and group to run as, for a root that wants none of its rights. */
  readonly user?: number
  /** Time limit, after which it is killed with SIGKILL; null if it runs until it is stopped. */
  readonly limitMilliseconds?: number | null
  /** Whether it is refused, and so ends at once although it would run until it is stopped. */
  readonly isRefused?: boolean
  /** Called with the child as soon as it runs, for tests that stop it. */
  readonly onStart?: (child: ChildProcess) => void
}

/** A command that serves until it is ended. */
export interface Serving {
  readonly child: ChildProcess
  /** Its first line; undefined if it ended before. */
  readonly ready: Promise<Record<string, string> | undefined>
  /** The same; rejects with how it ended if it ended before. */
  started(): Promise<Record<string, string>>
  /** The lines after that. */
  readonly lines: (Record<string, unknown> & {readonly type: string})[]
  readonly ended: Promise<Finished>
  /** Sends `signal` (default SIGTERM) and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Finished>
}

type Said = Readonly<Record<'code' | 'message' | 'hint', string>>

export class Home {
  readonly directory = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
  readonly configDirectory = join(this.directory, 'config')

  constructor(readonly env: Record<string, string> = {}) {}

  /** Paths of all that lies in the configuration directory, relative to it; `files` leaves directories out. */
  kept(what: 'files' | 'all' = 'files'): string[] {
    return readdirSync(this.configDirectory, {recursive: true, withFileTypes: true})
      .filter(entry => what === 'all' || entry.isFile())
      .map(entry => relative(this.configDirectory, join(entry.parentPath, entry.name)))
  }

  /** Writes config.json as bookctl does; `settings` as text are written as they are. */
  configure(settings: object | string): void {
    mkdirSync(this.configDirectory, {recursive: true, mode: 0o700})
    const text = typeof settings === 'string' ? settings : JSON.stringify(settings)
    writeFileSync(join(this.configDirectory, 'config.json'), text, {mode: 0o600})
  }

  /** Files in the configuration directory that bookctl should not have left behind. */
  strays(): string[] {
    return this.kept().filter(name => !/^(locks[/\\][\w.-]+|[\w-]+\.(db(-wal|-shm)?|json|jsonl))$/.test(name))
  }

  /** Runs `bookctl ...argv` to its end. */
  run(argv: readonly string[], options: RunOptions = {}): Promise<Finished> {
    if (needsProcess(argv, options)) return this.spawn(argv, options)
    return runIn(
      {env: this.#environment(options), directory: this.directory, stdin: options.stdin ?? ''},
      argv,
    )
  }

  /** The environment that tests share on every machine: what programs need to start, and where our files are. */
  surroundings(): Record<string, string | undefined> {
    const needed = /^(PATH|TMPDIR|TEMP|TMP|SystemRoot|USER|LOGNAME)$/i
    const inherited = Object.entries(process.env).filter(([name]) => needed.test(name))
    const own = {
      HOME: this.directory,
      BOOKCTL_CONFIG_DIR: this.configDirectory,
      LANG: 'C.UTF-8',
      SHELL: '/bin/bash',
    }
    return {...Object.fromEntries(inherited), ...own}
  }

  #environment(options: RunOptions): Record<string, string | undefined> {
    return {...this.surroundings(), ...this.env, ...options.env}
  }

  /** The same in a process of its own, where the process is the point. */
  spawn(argv: readonly string[], options: RunOptions = {}): Promise<Finished> {
    const [command = '', ...words] = [
      ...(options.before ?? []),
      process.execPath,
      options.script ?? ENTRY,
      ...argv,
    ]
    const child = spawn(command, words, {
      cwd: this.directory,
      ...(options.user === undefined ? {} : {uid: options.user, gid: options.user}),
      env: this.#environment(options),
    })
    const {limitMilliseconds = MOST_MILLISECONDS} = options
    const timer = limitMilliseconds === null ? undefined : setTimeout(() => end(child), limitMilliseconds)
    options.onStart?.(child)
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', text => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', text => (stderr += text))
    child.stdin.on('error', () => {})
    if (options.stdin !== null) child.stdin.end(options.stdin ?? '')
    const finished = new Promise<Finished>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => resolve({exit: signal ?? code, stdout, stderr}))
    })
    return finished.finally(() => clearTimeout(timer))
  }

  /** Runs with `--json` and parses the one document on stdout. */
  async json<T = Record<string, unknown>>(
    argv: readonly string[],
    options: RunOptions = {},
  ): Promise<{exit: Finished['exit']; result: T; stderr: string}> {
    const {exit, stdout, stderr} = await this.run([...argv, '--json'], options)
    try {
      return {exit, result: JSON.parse(stdout) as T, stderr}
    } catch {
      throw new Error(
        `not one JSON document (exit ${exit}): ${stdout.slice(0, 500)}\n${stderr.slice(0, 500)}`,
      )
    }
  }

  /** Runs with `--json` a command that is refused; returns what the document says of it. */
  async refusal(argv: readonly string[], options: RunOptions = {}) {
    const {exit, result, stderr} = await this.json<{error: Said}>(argv, {isRefused: true, ...options})
    const {code, message, hint} = result.error
    return {exit, code, message, hint, stderr}
  }

  /** Starts a server with `--json`, in a process of its own, which prints a line of JSON when it is ready. */
  serve(argv: readonly string[], options: RunOptions = {}): Serving {
    let child: ChildProcess | undefined
    let rest = ''
    const lines: Serving['lines'] = []
    let isReady = (_: Record<string, string> | undefined) => {}
    const ready: Serving['ready'] = new Promise(resolve => {
      isReady = resolve
    })
    const ended = this.spawn([...argv, '--json'], {
      limitMilliseconds: null,
      ...options,
      onStart(started) {
        child = started
        started.stdout?.on('data', piece => {
          const whole = `${rest}${piece}`.split('\n')
          rest = whole.pop() ?? ''
          for (const line of whole.map(text => JSON.parse(text)))
            if (line.type === 'ready') isReady(line)
            else lines.push(line)
        })
      },
    })
    void ended.finally(() => isReady(undefined))
    const started = async () => {
      const line = await ready
      if (line === undefined)
        throw new Error(`${argv.join(' ')} ended before it was ready: ${JSON.stringify(await ended)}`)
      return line
    }
    const stop: Serving['stop'] = (signal = 'SIGTERM') => {
      child?.kill(signal)
      return ended
    }
    return {child: child as unknown as ChildProcess, ready, started, lines, ended, stop}
  }

  remove(): void {
    rmSync(this.directory, {recursive: true, force: true})
  }
}

/** What Node or the system reads at the start of a process. */
const OF_PROCESSES = /^(NODE_|LANG$|LC_|PATH$)/
/** Commands that run until they are stopped, or start others. */
const LONG = /^(sandbox start|webhooks listen|demo)/

function needsProcess(argv: readonly string[], options: RunOptions): boolean {
  const {before, script, user, limitMilliseconds, onStart, stdin, isRefused, env = {}} = options
  return (
    [before, script, user, limitMilliseconds, onStart].some(option => option !== undefined) ||
    stdin === null ||
    Object.keys(env).some(name => OF_PROCESSES.test(name)) ||
    (!isRefused && LONG.test(argv.filter(word => !word.startsWith('-')).join(' ')))
  )
}

/** Does not wait for its children, which may still hold its streams. */
function end(child: ChildProcess): void {
  child.kill('SIGKILL')
  child.stdout?.destroy()
  child.stderr?.destroy()
}
