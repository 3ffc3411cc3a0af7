/** When a hand-over is tried again, and when an address that does not answer is asked again (all ours). */

/** Longest wait between two attempts of one event. */
const MOST_SECONDS = 300
/** Longest time an address that does not answer is left alone. */
const MOST_PAUSE_SECONDS = 30
/** About as long as the service itself goes on trying (§6.4). */
const GIVE_UP_SECONDS = 3 * 24 * 3600

/** Seconds until attempt `attempts + 1`, 1 then doubling, with up to a fifth more; undefined: give up. */
export function waitAfter(attempts: number, ageSeconds: number, random: () => number): number | undefined {
  if (ageSeconds > GIVE_UP_SECONDS) return undefined
  return Math.min(MOST_SECONDS, 2 ** (attempts - 1)) * (1 + random() / 5)
}

/** Seconds to leave an address alone after it failed to answer `failures` times in a row. */
export function pauseAfter(failures: number): number {
  return Math.min(MOST_PAUSE_SECONDS, 2 ** (failures - 1))
}
