/** A bookctl that serves until it is ended, or dies. */
import type {ChildProcess} from 'node:child_process'
import type {Finished, Home} from '../support/bookctl.js'
import {PATIENCE_SECONDS} from '../support/wait.js'
import {type Death, deadlyEnv} from './kill.js'

export interface Serving {
  readonly child: ChildProcess
  readonly ended: Promise<Finished>
  /** The line it says that it is ready with; undefined when it ended before. */
  readonly ready: Promise<Record<string, string> | undefined>
}

/** A death at random comes within so much of being ready. */
const WITHIN_MILLISECONDS = 250

export function serve(home: Home, argv: readonly string[], death?: Death): Serving {
  let child: ChildProcess | undefined
  let isReady = (_: Record<string, string> | undefined) => {}
  const ready = new Promise<Record<string, string> | undefined>(resolve => {
    isReady = resolve
  })
  const ended = home.run([...argv, '--json'], {
    ...{env: death ? deadlyEnv(death) : {}, limitMilliseconds: 2 * PATIENCE_SECONDS * 1000},
    onStart: started => {
      child = started
      let text = ''
      started.stdout?.on('data', piece => {
        text += piece
        const [first, rest] = text.split('\n', 2)
        if (first !== undefined && rest !== undefined) isReady(JSON.parse(first))
      })
    },
  })
  void ended.finally(() => isReady(undefined))
  return {child: child as unknown as ChildProcess, ended, ready}
}

/** Does `work` with it while it lives, and ends it by `death` or in good order; that exit is told as 0. */
export async function serveToDeath(
  {child, ended, ready}: Serving,
  death: Death,
  work: (line: Record<string, string>) => Promise<unknown>,
): Promise<Finished> {
  const line = await ready
  if (line === undefined) return ended
  const isRandom = death.kind === 'time'
  const timer = isRandom && setTimeout(() => child.kill('SIGKILL'), death.milliseconds % WITHIN_MILLISECONDS)
  // Its death ends what is asked of it.
  await Promise.race([work(line).catch(() => undefined), ended])
  if (timer) clearTimeout(timer)
  child.kill(isRandom ? 'SIGKILL' : 'SIGTERM')
  const finished = await ended
  return finished.exit === 143 ? {...finished, exit: 0} : finished
}
