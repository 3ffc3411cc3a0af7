/** A sandbox in a process of its own, for tests that kill it and start it again on the same file. */
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {createInterface} from 'node:readline'
import {afterEach, beforeEach} from 'vitest'
import {bundledScript} from '../support/bundled.js'

const script = await bundledScript(new URL('sandbox-process.ts', import.meta.url))

/** Days that can be searched in real time, which these sandboxes run in. */
export const STAY = {check_in: daysAhead(30), check_out: daysAhead(33)}

function daysAhead(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}

export interface Killable {
  /** A directory of the test's own, removed after it; the sandbox's file is `sandbox.db` in it. */
  readonly directory: string
  /** Starts the sandbox; resolves with its origin. */
  start(): Promise<string>
  /** SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>
}

/** For the tests of a file: each has a directory of its own, and no process outlives its test. */
export function killableSandbox(): Killable {
  let child: ChildProcess | undefined
  const killable = {
    directory: '',
    async start() {
      const database = join(killable.directory, 'sandbox.db')
      child = spawn(process.execPath, [script, database], {stdio: ['pipe', 'pipe', 'inherit']})
      const [line] = await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line')
      return JSON.parse(String(line)).origin as string
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
  beforeEach(() => {
    killable.directory = mkdtempSync(join(tmpdir(), 'bookctl-sandbox-'))
  })
  afterEach(async () => {
    await killable.kill()
    rmSync(killable.directory, {recursive: true, force: true})
  })
  return killable
}

/** Advances the clock of the sandbox at `origin`. */
export async function advanceClock(origin: string, seconds: number): Promise<void> {
  const headers = {'content-type': 'application/json'}
  const body = JSON.stringify({advance_seconds: seconds})
  const answer = await fetch(`${origin}/_sandbox/clock`, {method: 'POST', headers, body})
  if (!answer.ok) throw new Error(`the clock answered ${answer.status}`)
}
