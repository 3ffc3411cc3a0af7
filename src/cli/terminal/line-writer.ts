/** Lines to a file or a slow reader, in the background: what the bounded queue cannot hold is dropped. */
import {appendFile} from 'node:fs'
import process from 'node:process'

export type LineWriter = ReturnType<typeof createLineWriter>

interface LineWriterParts {
  /** Writes all of `text`, then calls `done`. */
  readonly send: (text: string, done: (error?: Error | null) => void) => void
  /** Called for every dropped line and every failed write. */
  readonly onLost: (error: Error | undefined) => void
}

const MOST_WAITING = 32 * 1024 * 1024

export function createLineWriter({send, onLost}: LineWriterParts) {
  let waiting: string[] = []
  let length = 0
  let writing = false
  const writeNext = () => {
    writing = waiting.length > 0
    if (!writing) return
    const text = waiting.join('')
    waiting = []
    send(text, error => {
      if (error) onLost(error)
      length -= text.length
      // In the next turn, so that the lines of this one are one piece.
      setImmediate(writeNext)
    })
  }
  return {
    /** Queues `line`, which has no newline. */
    write(line: string) {
      if (length > MOST_WAITING) return onLost(undefined)
      length += line.length + 1
      waiting.push(`${line}\n`)
      if (writing) return
      writing = true
      setImmediate(writeNext)
    },
    /** Resolves when everything queued is written, or after `milliseconds`. */
    async drain(milliseconds: number) {
      const deadline = performance.now() + milliseconds
      while (length > 0 && performance.now() < deadline) await new Promise(resolve => setTimeout(resolve, 5))
    },
  }
}

/** Writes to stdout; to a terminal in the background, because Ctrl-S would block the whole process. */
export function sendToStdout(text: string, done: (error?: Error | null) => void): void {
  if (process.stdout.isTTY) appendFile(1, text, done)
  else process.stdout.write(text, done)
}

/** Different texts a second: more are made up by a sender of requests. */
const MOST_TEXTS = 20

/** Reports each text at once, and its repetitions once every `milliseconds`. */
export function createOccasionally(tell: (text: string) => void, milliseconds = 1000) {
  const held = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    timer = undefined
    for (const [text, times] of held) if (times > 0) tell(times === 1 ? text : `${text} (${times} times)`)
    held.clear()
  }
  return {
    say(text: string) {
      const times = held.get(text)
      if (times === undefined && held.size < MOST_TEXTS) tell(text)
      held.set(text, (times ?? -1) + 1)
      timer ??= setTimeout(flush, milliseconds).unref()
    },
    end() {
      clearTimeout(timer)
      flush()
    },
  }
}
