/** Reads the keys of a terminal in raw mode, and filters them before a question gets them. */
import process from 'node:process'
import {PassThrough} from 'node:stream'
import {setImmediate as nextTurn} from 'node:timers/promises'
import type {ReadStream} from 'node:tty'
import {interruption} from './prompts.js'
import {GoBack} from './way-back.js'

const [CTRL_C, CTRL_D, ESCAPE] = ['\u0003', '\u0004', '\u001b'] as const

/**
 * How long an Escape is held back. A key sequence starts with the same byte but arrives faster, and a person does not
 * notice the delay.
 */
const ESCAPE_MILLISECONDS = 100

/**
 * How long no key must arrive before a question is shown: longer than the pauses within a paste, too short for a person
 * to notice.
 */
const QUIET_MILLISECONDS = 120

/**
 * Opens a stream of keys for one question. Ctrl-C, Ctrl-D, the end of input, and Escape if `goesBack` call `stop`
 * instead. Each question needs its own stream, because readline keeps an Escape for half a second and would drop the
 * first letter of the next answer.
 */
export function openKeys(input: ReadStream, goesBack: boolean, stop: (reason: Error) => void) {
  const stream = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => void input.setRawMode(mode),
  })
  // Each control key is sent in a separate turn of the event loop, because inquirer's search ignores it while it is
  // still searching.
  let forwarded = Promise.resolve()
  const forward = (keys: string) => {
    for (const part of keys.split(/(?=\p{Cc})/u))
      forwarded = forwarded.then(() => nextTurn()).then(() => void stream.write(part, 'latin1'))
  }
  const end = () => stop(interruption())
  let held = ''
  let timer: NodeJS.Timeout | undefined
  /** The first Escape goes back. Further ones are kept for the previous questions. */
  const goBack = () => {
    held = goesBack ? held.slice(ESCAPE.length) : ''
    if (goesBack) stop(new GoBack())
  }
  const read = (chunk: Buffer) => {
    clearTimeout(timer)
    const keys = held + chunk.toString('latin1')
    held = keys.replaceAll(ESCAPE, '') === '' ? keys : ''
    if (keys.includes(CTRL_C) || keys.includes(CTRL_D)) end()
    else if (held === '') forward(keys)
    else if (held.length > ESCAPE.length) goBack()
    else timer = setTimeout(goBack, ESCAPE_MILLISECONDS)
  }
  // After Ctrl-Z and `fg`, readline leaves its input paused.
  const resume = () => void nextTurn().then(() => stream.resume())
  process.on('SIGCONT', resume)
  input.on('data', read)
  input.on('end', end)
  input.resume()
  return {
    stream,
    close() {
      clearTimeout(timer)
      process.off('SIGCONT', resume)
      input.off('data', read)
      input.off('end', end)
      input.pause()
      if (held !== '') input.unshift(Buffer.from(held, 'latin1'))
    },
  }
}

/**
 * Drops keys until none has arrived for QUIET_MILLISECONDS, so that pasted text cannot answer a question. Throws a
 * Failure `interrupted` on Ctrl-C. If `goesBack`, Escape calls `whenBack` and throws GoBack.
 */
export async function untilQuiet(
  input: ReadStream,
  signal: AbortSignal,
  goesBack: boolean,
  whenBack: () => void,
): Promise<void> {
  const wasRaw = input.isRaw
  input.setRawMode(true)
  const stopped = new AbortController()
  const keys = openKeys(input, goesBack, reason => stopped.abort(reason))
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, QUIET_MILLISECONDS)
      keys.stream.on('data', () => timer.refresh())
      const ended = AbortSignal.any([signal, stopped.signal])
      ended.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(ended.reason)
      })
    })
  } catch (error) {
    if (error instanceof GoBack) whenBack()
    throw error
  } finally {
    keys.close()
    input.setRawMode(wasRaw)
  }
}
