/**
 * Tracks reads that may never end, for example of a pipe without a writer. A pending read keeps Node from exiting, so a
 * signal has to kill the process.
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

/** If a read is pending, kills the process with `signal`, as if the signal had no listener. */
export function dieReading(signal: NodeJS.Signals): void {
  if (underWay === 0) return
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
