/**
 * What was typed before a question was there does not answer it: a pasted block of lines never books. Such input is
 * read and dropped until nothing has come for a moment; only then is the question shown.
 */
import type {ReadStream} from 'node:tty'
import {interruption} from './interruption.js'

/** Ours: longer than the pauses within what is pasted, shorter than a person notices. */
const QUIET_MILLISECONDS = 120
const CTRL_C = 0x03

/** Resolves when nothing is typed any more. Throws interrupted for Ctrl-C and the end of input, and `signal`'s reason. */
export async function untilQuiet(input: ReadStream, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const wasRaw = input.isRaw
  input.setRawMode(true)
  const tidy: (() => void)[] = []
  try {
    await new Promise<void>((resolve, reject) => {
      let timer = setTimeout(resolve, QUIET_MILLISECONDS)
      const on = (event: string, listener: (...args: never[]) => void) => {
        input.on(event, listener as (...args: unknown[]) => void)
        tidy.push(() => input.off(event, listener as (...args: unknown[]) => void))
      }
      on('data', (chunk: Buffer | string) => {
        clearTimeout(timer)
        if (Buffer.from(chunk).includes(CTRL_C)) reject(interruption())
        else timer = setTimeout(resolve, QUIET_MILLISECONDS)
      })
      on('end', () => reject(interruption()))
      const abort = () => reject(signal.reason)
      signal.addEventListener('abort', abort, {once: true})
      tidy.push(
        () => signal.removeEventListener('abort', abort),
        () => clearTimeout(timer),
      )
      input.resume()
    })
  } finally {
    for (const undo of tidy) undo()
    input.pause()
    input.setRawMode(wasRaw)
  }
}
