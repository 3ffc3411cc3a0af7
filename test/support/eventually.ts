/** Waits for expectations of a test; what runs without vitest waits with `waitUntil`. */
import {vi} from 'vitest'
import {PATIENCE_SECONDS} from './wait.js'

/** Repeats the expectations until they hold; fails with what they say when patience ends. */
export function eventually(expectations: () => unknown): Promise<unknown> {
  return vi.waitFor(expectations, {timeout: PATIENCE_SECONDS * 1000})
}
