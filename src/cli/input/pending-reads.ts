/** Reads that may never end, as of a pipe without a writer, keep Node from exiting; a signal still ends it. */
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

/** Ends the process by `signal`, as without a listener, if a read is under way. */
export function dieReading(signal: NodeJS.Signals): void {
  if (underWay === 0) return
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
