/** The terminal that questions are asked at. */
import type {ReadStream, WriteStream} from 'node:tty'

export interface Terminal {
  /** Where answers are typed. */
  readonly input: ReadStream
  /** Where questions are shown: stderr, since stdout is for results. */
  readonly output: WriteStream
  /** Aborted when the command ends: whatever is asked then is withdrawn. */
  readonly closing: AbortSignal | undefined
}

/** Aborted with the first of `signals`; throws the reason where one of them was aborted before. */
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  const any = AbortSignal.any(signals.filter(signal => signal !== undefined))
  any.throwIfAborted()
  return any
}
