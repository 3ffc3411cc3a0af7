/** Waits until the expectations of a test hold. Code that runs without vitest uses `waitUntil` instead. */
import {vi} from 'vitest'
import {PATIENCE_SECONDS} from './wait.js'

/** Repeats the expectations until they hold. Fails with their own message when the time limit is over. */
export function eventually(expectations: () => unknown): Promise<unknown> {
  return vi.waitFor(expectations, {timeout: PATIENCE_SECONDS * 1000})
}
