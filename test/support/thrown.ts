/** What a piece of work throws, as a Failure. */
import {Failure} from '../../src/contract/failure.js'

/** The Failure `work` throws. Fails the test when it throws something else, or nothing. */
export function thrownBy(work: () => unknown): Failure {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

/** The Failure a promise is rejected with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => new Error('nothing was thrown'),
    (rejected: unknown) => rejected,
  )
  if (error instanceof Failure) return error
  throw error
}
