/** Runs a command and keeps what the system shows others of it: command lines, and what its children are given. */
import type {ChildProcess} from 'node:child_process'
import {readFileSync} from 'node:fs'
import type {Finished, Home} from '../support/bookctl.js'

export interface Watched extends Finished {
  /** Of it and of what it started, without what the user typed, which is there for all to see. */
  readonly commandLines: string
  /** Of what it started. */
  readonly environments: string
}

/** Ours: a process that lives shorter is not seen. */
const LOOK_EVERY_MILLISECONDS = 20

/** Where the system shows processes as files; elsewhere nothing is seen. */
export async function runWatched(
  home: Home,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  onStart: (child: ChildProcess) => void = () => {},
): Promise<Watched> {
  const lines = new Set<string>()
  const environments = new Set<string>()
  let child: ChildProcess | undefined
  const look = () => {
    if (child?.pid === undefined) return
    for (const pid of family(child.pid)) {
      lines.add(`${read(`/proc/${pid}/cmdline`)}\n${read(`/proc/${pid}/comm`)}`)
      // A child not yet given another program still has the environment of the command itself.
      if (pid !== child.pid && read(`/proc/${pid}/cmdline`) !== read(`/proc/${child.pid}/cmdline`))
        environments.add(read(`/proc/${pid}/environ`))
    }
  }
  const timer = setInterval(look, LOOK_EVERY_MILLISECONDS)
  const finished = await home
    .run(argv, {
      env,
      onStart: started => {
        child = started
        onStart(started)
      },
    })
    .finally(() => clearInterval(timer))
  return {
    ...finished,
    commandLines: [...lines].join('\n').replaceAll(argv.join('\0'), ''),
    environments: [...environments].join('\n'),
  }
}

function family(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
  return [pid, ...children.flatMap(family)]
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
