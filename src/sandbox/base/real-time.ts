/** Real time for the evidence of requests and deliveries, which moving the sandbox's clock does not change. */

/** Returns milliseconds of a clock that is never set back. A later process goes on where this one ended. */
export function realMilliseconds(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000) / 1000
}
