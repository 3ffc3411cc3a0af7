/**
 * Runs the built `bookctl` inside this process, in milliseconds. Signals, terminals, limits and the start itself need a
 * process of their own (bookctl.ts). One run at a time: a run has stdout, stdin, the environment and the directory to itself.
 */
import {createRequire} from 'node:module'
import process from 'node:process'
import {Readable} from 'node:stream'
import {fileURLToPath} from 'node:url'
import type {program as Program} from '../../src/cli/shell/main.js'
import type {Finished} from './bookctl.js'

const root = fileURLToPath(new URL('../../dist', import.meta.url))
let program: typeof Program | undefined
let isRunning = false

export interface HereOptions {
  /** All of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly directory?: string
  readonly stdin?: string
}

/** Whether a run is under way: another one then needs a process of its own. */
export const isBusy = () => isRunning

/** Runs `bookctl ...argv` with a few variables besides those of the tests, and no configuration. */
export function runHere(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  return runIn({env: {...process.env, BOOKCTL_CONFIG_DIR: '/dev/null/none', ...env}}, argv)
}

export async function runIn(options: HereOptions, argv: readonly string[]): Promise<Finished> {
  if (isRunning) throw new Error('another run is under way in this process')
  isRunning = true
  const {program} = loadedProgram()
  const before = {env: {...process.env}, directory: process.cwd(), exitCode: process.exitCode}
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
    isRunning = false
  }
}

/** Loaded when it is first used: most files of tests run nothing here. */
function loadedProgram(): {program: typeof Program} {
  program ??= (createRequire(import.meta.url)('../../dist/cli/shell/main.js') as {program: typeof Program})
    .program
  return {program}
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
