/**
 * Runs the built `bookctl` inside this process, which takes milliseconds. Tests of signals, terminals, limits or starting need a
 * process of its own (bookctl.ts). Runs take turns, because stdout, stdin, the environment and the working directory belong to
 * the process. Waits before retries are almost zero.
 */
import {createRequire} from 'node:module'
import process from 'node:process'
import {Readable} from 'node:stream'
import {fileURLToPath} from 'node:url'
import type {program as Program} from '../../src/cli/shell/main.js'
import type {Finished} from './bookctl.js'

const root = fileURLToPath(new URL('../../dist', import.meta.url))
const load = createRequire(import.meta.url)
let previous: Promise<unknown> = Promise.resolve()

export interface HereOptions {
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly directory?: string
  readonly stdin?: string
}

/** Runs `bookctl ...argv` without a configuration, with `env` in addition to the variables of the tests. */
export function runHere(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runIn({env: {...process.env, BOOKCTL_CONFIG_DIR: '/dev/null/none', ...env}}, argv)
}

export function runIn(options: HereOptions, argv: readonly string[]): Promise<Finished> {
  const finished = previous.then(() => runAlone(options, argv))
  previous = finished.catch(() => {})
  return finished
}

async function runAlone(options: HereOptions, argv: readonly string[]): Promise<Finished> {
  // The program is loaded at first use, because most test files do not run it here.
  const {program}: {program: typeof Program} = load('../../dist/cli/shell/main.js')
  const before = {env: {...process.env}, directory: process.cwd(), exitCode: process.exitCode}
  const {random} = Math
  // This shortens the jitter of waits before a retry.
  Math.random = () => random() / 1000
  const said = {stdout: '', stderr: ''}
  setEnvironment(options.env)
  if (options.directory !== undefined) process.chdir(options.directory)
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor
  const input = Readable.from(options.stdin ? [Buffer.from(options.stdin)] : [])
  Object.defineProperty(process, 'stdin', {value: input, configurable: true})
  const restore = (['stdout', 'stderr'] as const).map(name => capture(name, text => (said[name] += text)))
  try {
    return {exit: await program(argv, {root}), ...said}
  } finally {
    for (const undo of restore) undo()
    Object.defineProperty(process, 'stdin', stdin)
    if (options.directory !== undefined) process.chdir(before.directory)
    setEnvironment(before.env)
    process.exitCode = before.exitCode
    Math.random = random
  }
}

function capture(name: 'stdout' | 'stderr', take: (text: string) => void): () => void {
  const {write} = process[name]
  const decoder = new TextDecoder()
  process[name].write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    take(typeof chunk === 'string' ? chunk : decoder.decode(chunk, {stream: true}))
    const done = rest.at(-1)
    if (typeof done === 'function') queueMicrotask(() => done())
    return true
  }) as typeof write
  return () => {
    process[name].write = write
  }
}

function setEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name]
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value
}
