/** The terminal that questions are asked at. */
import type {ReadStream, WriteStream} from 'node:tty'
import type {Painter} from '../output/colour.js'

export interface Terminal {
  /** Where answers are typed. */
  readonly input: ReadStream
  /** Where questions are shown: stderr, since stdout is for results. */
  readonly output: WriteStream
  /** Puts colour where there is some; what is said never depends on it. */
  readonly paint: Painter
  /** Aborted when the command ends: whatever is asked then is withdrawn. */
  readonly closing?: AbortSignal
}

/** What withdraws a question: its own signal, and the end of the command. */
export function signalOf({closing}: Terminal, {signal}: {signal?: AbortSignal | undefined}): AbortSignal {
  return AbortSignal.any([closing, signal].filter(one => one !== undefined))
}
