/** Catches what a function throws, as a Failure. */
import {Failure} from '../../src/contract/failure.js'

/** Returns the Failure that `work` throws. Fails the test if it throws anything else, or nothing. */
export function thrownBy(work: () => unknown): Failure {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

/** Returns the Failure that a promise is rejected with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => new Error('nothing was thrown'),
    (rejected: unknown) => rejected,
  )
  if (error instanceof Failure) return error
  throw error
}
