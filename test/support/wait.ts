/** Waits for a condition instead of a fixed time. */
import {setTimeout as sleep} from 'node:timers/promises'

/**
 * How long a test waits for something that should happen, on a machine that is busy with ten other things. Only failing tests
 * take that long.
 */
export const PATIENCE_SECONDS = 120

/** Polls until `holds` returns true. After the time limit it fails with `what`. */
export async function waitUntil(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + PATIENCE_SECONDS * 1000; performance.now() < end; ) {
    if (await holds()) return
    await sleep(5)
  }
  throw new Error(`waited in vain for ${what}`)
}
