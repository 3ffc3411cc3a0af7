/** Kills one bookctl with SIGKILL, at a named point, at a call of a given number, or after some part of its time. */
import type {ChildProcess} from 'node:child_process'
import {fileURLToPath} from 'node:url'
import type {Finished, Home} from '../support/bookctl.js'
import {replyBytes, type Step, type Wire, type WireFault} from '../support/wire.js'
import type {CrashPoint, InsidePoint, WirePoint} from './crash-points.js'

export type Death =
  /** Nobody kills it. */
  | {readonly kind: 'never'}
  | {readonly kind: 'point'; readonly point: CrashPoint}
  /** The call of that number; see crash-preload.cjs. */
  | {readonly kind: 'boundary'; readonly boundary: number}
  /** So many milliseconds after it was started. */
  | {readonly kind: 'time'; readonly milliseconds: number}

const PRELOAD = fileURLToPath(new URL('./crash-preload.cjs', import.meta.url))

/** What makes a process die of itself at `death`; nothing for what comes from outside. */
export function deadlyEnv(death: Death): Record<string, string | undefined> {
  const order = orderOf(death)
  if (order === undefined) return {}
  const quoted = PRELOAD.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  return {NODE_OPTIONS: `--require "${quoted}"`, CRASH_AT: JSON.stringify(order)}
}

function orderOf(death: Death): object | undefined {
  if (death.kind === 'boundary') return {boundary: death.boundary}
  if (death.kind === 'never' || death.kind === 'time' || 'moment' in death.point) return undefined
  const {label, when, nth} = death.point as InsidePoint
  return {label: label.source, when, nth}
}

export interface Victim {
  readonly home: Home
  readonly argv: readonly string[]
  /** Where its requests go through. */
  readonly proxy: Wire
}

/** Runs it to its death, or to its end if that comes first. */
export async function runToDeath({home, argv, proxy}: Victim, death: Death): Promise<Finished> {
  let child: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  const kill = () => void child?.kill('SIGKILL')
  if (death.kind === 'point' && 'moment' in death.point) {
    const {method, path} = death.point
    proxy.strike = {method, path, fault: killing(death.point, kill)}
  }
  try {
    const died = await home.run([...argv, '--json'], {
      env: deadlyEnv(death),
      onStart: started => {
        child = started
        if (death.kind === 'time') timer = setTimeout(kill, death.milliseconds)
      },
    })
    // What it had sent may still be on its way to the service.
    await proxy.quiet()
    return died
  } finally {
    clearTimeout(timer)
    proxy.strike = undefined
  }
}

/** The client dies at that moment of its request, whatever it would have been answered. */
function killing({moment}: WirePoint, kill: () => void): WireFault {
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
