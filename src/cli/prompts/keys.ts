/** What is typed at a terminal in raw mode, before a question sees it. */
import process from 'node:process'
import {PassThrough} from 'node:stream'
import {setImmediate as nextTurn} from 'node:timers/promises'
import type {ReadStream} from 'node:tty'
import {interruption} from './interruption.js'
import {GoBack} from './way-back.js'

const CTRL_C = 0x03
const CTRL_D = 0x04
const ESCAPE = 0x1b

/** Longer than the keys that begin with Escape take to arrive, shorter than a person notices. */
const ESCAPE_MILLISECONDS = 100

/** Longer than the pauses within what is pasted, shorter than a person notices. */
const QUIET_MILLISECONDS = 120

export interface Keys {
  /** To be read in place of the terminal. */
  readonly stream: NodeJS.ReadableStream
  close(): void
}

/**
 * The keys for one question. Those that end it call `stop` with the reason instead: Ctrl-C, Ctrl-D and the end of input
 * interrupt it, Escape goes back where `goesBack`. Each question has its own stream, because readline keeps a lone Escape
 * for half a second and would swallow the first letter of the next answer.
 */
export function openKeys(input: ReadStream, goesBack: boolean, stop: (reason: Error) => void): Keys {
  const stream = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => void input.setRawMode(mode),
  })
  let held = Buffer.alloc(0)
  let timer: NodeJS.Timeout | undefined
  const release = () => {
    clearTimeout(timer)
    const keys = held
    held = Buffer.alloc(0)
    return keys
  }
  // Enter and arrows in a turn of their own: inquirer's search ignores them until it has found what was typed before.
  let forwarded = Promise.resolve()
  const forward = (keys: Buffer) => {
    for (const part of keys.toString('latin1').split(/(?=\p{Cc})/u))
      forwarded = forwarded.then(() => nextTurn()).then(() => void stream.write(part, 'latin1'))
  }
  const end = () => stop(interruption())
  const read = (chunk: Buffer) => {
    const keys = Buffer.concat([release(), chunk])
    if (keys.includes(CTRL_C) || keys.includes(CTRL_D)) return end()
    if (keys.some(key => key !== ESCAPE)) return forward(keys)
    held = keys
    timer = setTimeout(() => {
      release()
      if (goesBack) stop(new GoBack())
    }, ESCAPE_MILLISECONDS)
  }
  // After Ctrl-Z and `fg`, readline leaves what it reads from paused.
  const goOn = () => void nextTurn().then(() => stream.resume())
  process.on('SIGCONT', goOn)
  input.on('data', read)
  input.on('end', end)
  input.resume()
  return {
    stream,
    close() {
      release()
      process.off('SIGCONT', goOn)
      input.off('data', read)
      input.off('end', end)
      input.pause()
    },
  }
}

/**
 * Drops what was typed before a question was there, since a pasted block of lines must not answer it. Resolves when
 * nothing has come for a moment. Throws interrupted for Ctrl-C and the end of input, and the reason of `signal`.
 */
export async function untilQuiet(input: ReadStream, signal: AbortSignal): Promise<void> {
  const wasRaw = input.isRaw
  input.setRawMode(true)
  const stopped = new AbortController()
  const keys = openKeys(input, false, reason => stopped.abort(reason))
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
  } finally {
    keys.close()
    input.setRawMode(wasRaw)
  }
}
