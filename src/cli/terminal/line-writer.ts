/** Writes lines to a file or a slow reader in the background. Lines that exceed the bounded queue are dropped. */
import {appendFile} from 'node:fs'
import process from 'node:process'

export type LineWriter = ReturnType<typeof createLineWriter>

/** Writes all of `text`, then calls `done`. */
type Send = (text: string, done: (error?: Error | null) => void) => void

const MOST_WAITING = 32 * 1024 * 1024

/** Creates a line writer. `onLost` is called for every dropped line and every failed write. */
export function createLineWriter(onLost: (error: Error | undefined) => void, send: Send = sendToStdout) {
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
      // Waits for the next turn, so that the lines of this turn are written together.
      setImmediate(writeNext)
    })
  }
  return {
    /** Queues `line`, which must not contain a newline. */
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

/** Writes to a terminal in the background, because after Ctrl-S a normal write would block the whole process. */
const sendToStdout: Send = (text, done) => {
  if (process.stdout.isTTY) appendFile(1, text, done)
  else process.stdout.write(text, done)
}

/** Maximum number of different texts a second. Only someone who sends forged requests causes more. */
const MOST_TEXTS = 20

/** Creates a reporter that prints each text at once and counts its repetitions once a second. */
export function createOccasionally(tell: (text: string) => void) {
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
      timer ??= setTimeout(flush, 1000).unref()
    },
    end() {
      clearTimeout(timer)
      flush()
    },
  }
}
