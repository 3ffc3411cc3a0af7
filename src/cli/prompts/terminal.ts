/** The terminal that questions are asked at. */
import type {ReadStream, WriteStream} from 'node:tty'

export interface Terminal {
  /** Where answers are typed. */
  readonly input: ReadStream
  /** Where questions are shown: stderr, since stdout is for results. */
  readonly output: WriteStream
  /** Whether text may be bold or dim; what is said never depends on it. */
  readonly styled: boolean
  /** Aborted when the command ends: whatever is asked then is withdrawn. */
  readonly closing?: AbortSignal
}

/** What withdraws a question: its own signal, and the end of the command. */
export function signalOf({closing}: Terminal, {signal}: {signal?: AbortSignal | undefined}): AbortSignal {
  return AbortSignal.any([closing, signal].filter(one => one !== undefined))
}

/** Bold, dim, or plain where there is no styling. */
export function styles({styled}: Terminal): {bold: (text: string) => string; dim: (text: string) => string} {
  const style = (on: number, off: number) => (text: string) =>
    styled && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text
  return {bold: style(1, 22), dim: style(2, 22)}
}
