/** A sandbox in a process of its own, for tests that kill it and start it again on the same file. */
import {join} from 'node:path'
import {beforeEach, onTestFinished} from 'vitest'
import type {Serving} from '../support/bookctl.js'
import {ENDS_WITH_US} from '../support/local-sandbox.js'
import {ownDirectory, ownHome} from '../support/own.js'

/** Days that can be searched in real time, which these sandboxes run in. */
export const STAY = {check_in: daysAhead(30), check_out: daysAhead(33)}

function daysAhead(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}

/** For the tests of a file: each has a directory of its own with `sandbox.db`, and no process outlives its test. */
export function killableSandbox() {
  let serving: Serving | undefined
  const killable = {
    directory: '',
    /** Resolves with its origin. */
    async start(): Promise<string> {
      const argv = [
        'sandbox',
        'start',
        '--allow-http-loopback',
        '--db',
        join(killable.directory, 'sandbox.db'),
      ]
      serving = ownHome().serve(argv, ENDS_WITH_US)
      return (await serving.ready)?.origin ?? ''
    },
    /** SIGKILL; resolves when the process has ended. */
    async kill(): Promise<void> {
      serving?.child.kill('SIGKILL')
      await serving?.ended
    },
  }
  beforeEach(() => {
    killable.directory = ownDirectory()
    onTestFinished(killable.kill)
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
