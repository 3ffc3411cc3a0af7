/**
 * Ends the processes of a command that `sandbox run` started, with all their descendants. A variable in their
 * environment identifies them, because a process whose parent was killed has no other link to the run.
 */
import {existsSync, readdirSync, readFileSync} from 'node:fs'
import process from 'node:process'
import {setTimeout as sleep} from 'node:timers/promises'
import {isRunning} from '../../../storage/temporary.js'

/** Name of the environment variable that marks the processes of one run. Its value is unique to the run. */
export const RUN_MARK = 'SANDBOX_RUN_OF_BOOKCTL'

/** How long the processes have to end after SIGTERM, before they are killed. */
const GRACE_MILLISECONDS = 2000
const BETWEEN_LOOKS_MILLISECONDS = 50

/**
 * Ends the processes that have `mark` in their environment: with SIGTERM, and after a while with SIGKILL. Resolves when
 * none is left, or when some cannot be killed. On systems without /proc (other than Linux), only the process `pid` is
 * ended.
 */
export async function endProcesses(mark: string, pid: number | undefined): Promise<void> {
  const end = performance.now() + GRACE_MILLISECONDS
  const asked = new Set<number>()
  for (;;) {
    const left = markedProcesses(mark) ?? [pid ?? 0].filter(each => each > 0 && isRunning(each))
    if (left.length === 0) return
    const isLate = performance.now() >= end
    for (const each of left) {
      if (isLate) signal(each, 'SIGKILL')
      else if (!asked.has(each)) signal(each, 'SIGTERM')
      asked.add(each)
    }
    // Gives up on processes that cannot be killed, for example those of another user.
    if (performance.now() >= end + GRACE_MILLISECONDS) return
    await sleep(BETWEEN_LOOKS_MILLISECONDS)
  }
}

/** Returns the ids of the running processes with this mark; undefined on systems without /proc. */
function markedProcesses(mark: string): number[] | undefined {
  if (!existsSync('/proc/self/environ')) return undefined
  const ids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return ids.filter(id => isMarked(id, mark)).map(Number)
}

/**
 * Reports whether a process has the mark. An ended process has an empty environment, and that of another user's process
 * cannot be read; both count as unmarked.
 */
function isMarked(pid: string, mark: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${RUN_MARK}=${mark}\0`)
  } catch {
    return false
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended meanwhile.
  }
}
