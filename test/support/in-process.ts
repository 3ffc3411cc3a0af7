/**
 * Runs the built `bookctl` inside this process, in milliseconds. For what is decided before and after a command; signals,
 * pipes, terminals and the start itself need a process of their own (bookctl.ts). One run at a time: they share stdout.
 */
import {createRequire} from 'node:module'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import type {program as Program} from '../../src/cli/shell/main.js'
import type {Finished} from './bookctl.js'

const root = fileURLToPath(new URL('../../dist', import.meta.url))
const {program} = createRequire(import.meta.url)('../../dist/cli/shell/main.js') as {program: typeof Program}

export async function runHere(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const before = {...process.env}
  Object.assign(process.env, {BOOKCTL_CONFIG_DIR: '/dev/null/none', ...env})
  const said = {stdout: '', stderr: ''}
  const restore = (['stdout', 'stderr'] as const).map(name => {
    const {write} = process[name]
    process[name].write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      said[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      const done = rest.at(-1)
      if (typeof done === 'function') done()
      return true
    }) as typeof write
    return () => {
      process[name].write = write
    }
  })
  try {
    return {exit: await program(argv, {root}), ...said}
  } finally {
    for (const undo of restore) undo()
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
}
