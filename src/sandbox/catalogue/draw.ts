/**
 * Pseudo-random numbers with a text as seed: the same text always gives the same numbers. Only integers are used, so
 * that the numbers are the same on all platforms.
 */

/**
 * Returns the 32-bit FNV-1a hash of the UTF-16 units of `text`. A final mixing step makes similar texts give different hashes.
 */
export function hash(text: string): number {
  let state = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193)
  }
  return mix(state)
}

/** Returns a pseudo-random integer from 0 to `limit` − 1. */
export type Draw = (limit: number) => number

export function drawFrom(text: string): Draw {
  let state = hash(text)
  return limit => {
    state = (state + 0x9e3779b9) | 0
    return mix(state) % limit
  }
}

export function pick<T>(draw: Draw, list: readonly T[]): T {
  return list[draw(list.length)] as T
}

function mix(value: number): number {
  let state = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return (state ^ (state >>> 16)) >>> 0
}
