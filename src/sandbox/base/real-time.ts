/**
 * The real time, which timestamps the evidence of requests and deliveries. Moving the sandbox's clock does not change
 * it.
 */

/**
 * Returns milliseconds that never go backwards within a process. They are Unix time, so a later process continues from
 * there.
 */
export function realMilliseconds(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000) / 1000
}
