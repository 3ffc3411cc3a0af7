/**
 * Tracks reads that may never end, such as of a pipe without a writer. They keep Node from exiting, so a signal has to kill the
 * process.
 */
import process from 'node:process'

let underWay = 0

export async function whileReading<T>(work: () => Promise<T>): Promise<T> {
  underWay += 1
  try {
    return await work()
  } finally {
    underWay -= 1
  }
}

/** Kills the process with `signal`, as if it had no listener, if a read is pending. */
export function dieReading(signal: NodeJS.Signals): void {
  if (underWay === 0) return
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
