/** Webhook receivers in processes of their own: bookctl's, and the references. */
import type {ChildProcess} from 'node:child_process'
import {closeSync, existsSync, openSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {setTimeout as sleep} from 'node:timers/promises'
import {SECRET} from '../../../test/support/webhook-load.js'
import {type Bench, BOOKCTL, firstLine, reference, stop} from './bench.js'

export interface Receiver {
  readonly child: ChildProcess
  readonly port: number
  stop(): Promise<void>
}

/** Starts a reference, which prints its address; `argv` are its arguments. */
export async function startReference(bench: Bench, name: string, argv: readonly string[] = []) {
  const child = bench.start(process.execPath, [reference(name), ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return receiver(child, await firstLine<{url: string}>(child))
}

/** Starts `webhooks listen --json`. Its output goes to a file, so that reading it costs no time. */
export async function startListen(bench: Bench, more: Record<string, string> = {}): Promise<Receiver> {
  const room = bench.room()
  const printed = join(room, 'printed')
  const file = openSync(printed, 'w')
  const env = {BOOKCTL_WEBHOOK_SECRET: SECRET, BOOKCTL_CONFIG_DIR: join(room, 'config'), ...more}
  const child = bench.start(process.execPath, [BOOKCTL, 'webhooks', 'listen', '--json'], {
    env,
    stdio: ['ignore', file, 'ignore'],
  })
  closeSync(file)
  for (;;) {
    const [line, ...more] = readFileSync(printed, 'utf8').split('\n')
    if (more.length > 0) return receiver(child, JSON.parse(line as string))
    if (child.exitCode !== null) throw new Error('webhooks listen ended before it was ready')
    await sleep(20)
  }
}

/** Clock ticks a second in /proc, on every Linux. */
const TICKS = 100

/** Returns the seconds of processor time that the receiver has used, or NaN on systems without /proc. */
export function processorSeconds({child}: Receiver): number {
  return processorMilliseconds(child) / 1000
}

/** Returns the milliseconds of processor time that the process has used, or NaN on systems without /proc. */
export function processorMilliseconds(child: ChildProcess): number {
  const path = `/proc/${child.pid}/stat`
  if (!existsSync(path)) return Number.NaN
  // The name of the program, in parentheses, may contain spaces. The times are the 14th and 15th fields.
  const fields = readFileSync(path, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS
}

function receiver(child: ChildProcess, {url}: {url: string}): Receiver {
  return {child, port: Number(new URL(url).port), stop: () => stop(child)}
}
