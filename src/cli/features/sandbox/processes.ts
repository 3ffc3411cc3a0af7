/**
 * Ends the processes of a command that `sandbox run` started: the command and all that it started in turn. They are known by a
 * variable in their environment, because a process whose parent was killed has no other link to it.
 */
import {existsSync, readdirSync, readFileSync} from 'node:fs'
import process from 'node:process'
import {setTimeout as sleep} from 'node:timers/promises'
import {isRunning} from '../../../storage/temporary.js'

/** The variable that marks the processes of one run. Its value is different for each run. */
export const RUN_MARK = 'SANDBOX_RUN_OF_BOOKCTL'

/** How long the processes have after SIGTERM before they are killed. */
const GRACE_MILLISECONDS = 2000
const BETWEEN_LOOKS_MILLISECONDS = 50

/**
 * Ends the processes that have `mark` in their environment, with SIGTERM, then with SIGKILL. Resolves when none is left. Without
 * /proc (on systems other than Linux) only the process `pid` is found.
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
    // Killed processes of another user, or ones that the system cannot end, would be waited for without end.
    if (performance.now() >= end + GRACE_MILLISECONDS) return
    await sleep(BETWEEN_LOOKS_MILLISECONDS)
  }
}

/** Returns the ids of the processes with this mark that have not ended; undefined without /proc. */
function markedProcesses(mark: string): number[] | undefined {
  if (!existsSync('/proc/self/environ')) return undefined
  const ids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return ids.filter(id => isMarked(id, mark)).map(Number)
}

/** The environment of an ended process that its parent has not noticed yet is empty, and that of other users is not readable. */
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
    // It has ended in the meantime.
  }
}
