/** Waits for a condition instead of for time. */
import {setTimeout as sleep} from 'node:timers/promises'

/** Looks until `holds`; fails after ten seconds unless told otherwise, naming what did not come. */
export async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  what: string,
  seconds = 10,
): Promise<void> {
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    if (await holds()) return
    await sleep(5)
  }
  throw new Error(`waited in vain for ${what}`)
}
