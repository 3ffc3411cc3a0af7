/** A name for the running process, by which another can tell whether it still runs: its pid, and when it started. */
import {readFileSync} from 'node:fs'
import process from 'node:process'

// `crypto` is the global one: to import the module costs a start two milliseconds.

/** Different for every process, also when a pid comes again. */
export function createOwner(): string {
  return [process.pid, startOf(process.pid) ?? '', crypto.randomUUID()].join(':')
}

/** Whether the process that made `owner` still runs. `self` is this process's own; another of its pid is gone. */
export function isOwnerAlive(owner: string, self: string): boolean {
  if (owner === self) return true
  const [pid = '', started = ''] = owner.split(':')
  if (Number(pid) === process.pid || !isRunning(Number(pid))) return false
  return started === '' || startOf(Number(pid)) === started
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Ticks from boot to the start of `pid`, where the system tells. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in brackets may hold blanks; the start is field 22.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
