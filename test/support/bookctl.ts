/**
 * Runs the built `bookctl` as a user's shell would, in a home of its own. A command runs inside this process if that makes no
 * difference, because it takes a tenth of the time, and otherwise in a new process.
 */
import {type ChildProcess, type ChildProcessWithoutNullStreams, spawn} from 'node:child_process'
import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join, relative} from 'node:path'
import {fileURLToPath} from 'node:url'
import {runIn} from './in-process.js'

/** Enough on a busy machine: a command that takes longer hangs. */
const MOST_MILLISECONDS = 120_000

/** The installed `bookctl`. */
export const ENTRY = fileURLToPath(new URL('../../bin/run.js', import.meta.url))

export interface Finished {
  /** The exit code, or the signal that ended the process. */
  readonly exit: number | NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Record<string, string | undefined>
  /** The input; null leaves the pipe open without input. */
  readonly stdin?: string | null
  /** A command that runs node, for example with resource limits. */
  readonly before?: readonly string[]
  /** A file descriptor of this process that the command gets as its descriptor 3. */
  readonly descriptor?: number
  /** The script to run instead of bin/run.js. */
  readonly script?: string
  /** User and group id to run as, for tests that start as root and must not have its rights. */
  readonly user?: number
  /** Time limit, after which the process is killed with SIGKILL; null for a command that runs until it is stopped. */
  readonly limitMilliseconds?: number | null
  /** Whether the command is expected to be refused. A command that usually runs until it is stopped then ends at once. */
  readonly isRefused?: boolean
  /** Called with the child process as soon as it runs, for tests that stop it. */
  readonly onStart?: (child: ChildProcess) => void
}

/** A running command that serves until it is stopped. */
export interface Serving {
  readonly child: ChildProcess
  /** The first line, parsed; undefined if the command ended before. */
  readonly ready: Promise<Record<string, string> | undefined>
  /** Returns the first line, parsed; rejects with the exit and the output if the command ended before. */
  started(): Promise<Record<string, string>>
  /** The lines after the first, parsed. */
  readonly lines: (Record<string, unknown> & {readonly type: string})[]
  readonly ended: Promise<Finished>
  /** Sends `signal` (default SIGTERM) and waits for the end of the process. */
  stop(signal?: NodeJS.Signals): Promise<Finished>
}

type Said = Readonly<Record<'code' | 'message' | 'hint', string>>

export class Home {
  readonly directory = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
  readonly configDirectory = join(this.directory, 'config')

  constructor(readonly env: Record<string, string> = {}) {}

  /** Lists the paths in the configuration directory, relative to it, with or without directories. */
  kept(what: 'files' | 'all' = 'files'): string[] {
    return readdirSync(this.configDirectory, {recursive: true, withFileTypes: true})
      .filter(entry => what === 'all' || entry.isFile())
      .map(entry => relative(this.configDirectory, join(entry.parentPath, entry.name)))
  }

  /** Writes config.json with the permissions that bookctl uses. A string is written unchanged. */
  configure(settings: object | string): void {
    mkdirSync(this.configDirectory, {recursive: true, mode: 0o700})
    const text = typeof settings === 'string' ? settings : JSON.stringify(settings)
    writeFileSync(join(this.configDirectory, 'config.json'), text, {mode: 0o600})
  }

  /** Lists files in the configuration directory that bookctl should not have left behind. */
  strays(): string[] {
    return this.kept().filter(name => !/^(locks[/\\][\w.-]+|[\w-]+\.(db(-wal|-shm)?|json|jsonl))$/.test(name))
  }

  /** Runs `bookctl ...argv` until it ends. */
  run(argv: readonly string[], options: RunOptions = {}): Promise<Finished> {
    if (needsProcess(argv, options)) return this.spawn(argv, options)
    return runIn(
      {env: this.#environment(options), directory: this.directory, stdin: options.stdin ?? ''},
      argv,
    )
  }

  /**
   * Returns the environment of every test on every machine: the variables that programs need to start, and the paths of our
   * files.
   */
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

  /** Runs `bookctl ...argv` in a new process, for tests about the process itself. */
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
      stdio: [
        'pipe',
        'pipe',
        'pipe',
        ...(options.descriptor === undefined ? [] : [options.descriptor]),
      ] as never,
    }) as ChildProcessWithoutNullStreams
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

  /** Runs with `--json` and parses the single document on stdout. */
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

  /** Runs a command with `--json` that is refused, and returns the error of its document. */
  async refusal(argv: readonly string[], options: RunOptions = {}) {
    const {exit, result, stderr} = await this.json<{error: Said}>(argv, {isRefused: true, ...options})
    const {code, message, hint} = result.error
    return {exit, code, message, hint, stderr}
  }

  /** Starts a server with `--json` in a process of its own. It prints a line of JSON when it is ready. */
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

/** Variables that Node or the system reads when a process starts. */
const OF_PROCESSES = /^(NODE_|LANG$|LC_|PATH$)/
/** Commands that run until they are stopped, or that start other processes. */
const LONG = /^(sandbox (run|start)|webhooks listen|demo)/

function needsProcess(argv: readonly string[], options: RunOptions): boolean {
  const {before, script, user, limitMilliseconds, onStart, stdin, isRefused, env = {}} = options
  return (
    [before, script, user, limitMilliseconds, onStart].some(option => option !== undefined) ||
    stdin === null ||
    Object.keys(env).some(name => OF_PROCESSES.test(name)) ||
    (!isRefused && LONG.test(argv.filter(word => !word.startsWith('-')).join(' ')))
  )
}

/** Does not wait for the child's own children, which may keep its streams open. */
function end(child: ChildProcess): void {
  child.kill('SIGKILL')
  child.stdout?.destroy()
  child.stderr?.destroy()
}
