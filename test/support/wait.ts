/** Waits for a condition instead of for time. */
import {setTimeout as sleep} from 'node:timers/promises'

<<<<<<< HEAD
/** Looks until `holds`; fails after ten seconds unless told otherwise, naming what did not come. */
=======
/** Looks until `holds`; fails after ten seconds, or as many as told, naming what did not come. */
>>>>>>> e698766 (proof: bring back the races over tokens, settings, files and servers, with what they mended)
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
