/**
 * Reads that may never end: of what stands in the place of a file and is none, such as a pipe nobody writes to. They are
 * made by a thread of Node's own, which it waits for before it exits; so while one is under way, only the signal itself
 * ends the process.
 */
import process from 'node:process'

let underWay = 0

/** `work`, counted while it goes on. */
export async function whileReading<T>(work: () => Promise<T>): Promise<T> {
  underWay += 1
  try {
    return await work()
  } finally {
    underWay -= 1
  }
}

/** Ends the process by `signal`, as if nothing had listened to it, while something is read; else does nothing. */
export function dieReading(signal: NodeJS.Signals): void {
  if (underWay === 0) return
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
