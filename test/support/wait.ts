/** Waits for a condition instead of for time. */
import {setTimeout as sleep} from 'node:timers/promises'

/**
 * How long anything here is waited for that will come, on a machine that does ten other things too. Only a test that fails
 * takes so long.
 */
export const PATIENCE_SECONDS = 120

/** Looks until `holds`; fails when patience ends, naming what did not come. */
export async function waitUntil(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + PATIENCE_SECONDS * 1000; performance.now() < end; ) {
    if (await holds()) return
    await sleep(5)
  }
  throw new Error(`waited in vain for ${what}`)
}
