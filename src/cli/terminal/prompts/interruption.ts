/** Ctrl-C, Ctrl-D and the end of input at a question: the command ends with 130, and no answer was given. */
import {Failure} from '../../../contract/failure.js'

export function interruption(): Failure {
  return new Failure('interrupted', 'stopped at a question', {code: 'interrupted'})
}

/** Why `check` refuses `answer`, in words to show; undefined when it does not. */
export async function refusalOf(
  check: ((answer: string) => void | Promise<void>) | undefined,
  answer: string,
): Promise<string | undefined> {
  try {
    await check?.(answer)
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
}
