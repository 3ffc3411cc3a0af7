/** Writes lines to a file or a slow reader in the background. If the queue is full, lines are dropped. */
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
      // This waits for the next turn of the event loop, so that the lines of this turn are written together.
      setImmediate(writeNext)
    })
  }
  return {
    /** Queues `line`, which must not contain a line feed. */
    write(line: string) {
      if (length > MOST_WAITING) return onLost(undefined)
      length += line.length + 1
      waiting.push(`${line}\n`)
      if (writing) return
      writing = true
      setImmediate(writeNext)
    },
    /** Resolves when everything in the queue is written, or after `milliseconds`. */
    async drain(milliseconds: number) {
      const deadline = performance.now() + milliseconds
      while (length > 0 && performance.now() < deadline) await new Promise(resolve => setTimeout(resolve, 5))
    },
  }
}

/**
 * Writes to stdout. At a terminal it writes in the background, because after Ctrl-S a normal write would block the
 * whole process.
 */
const sendToStdout: Send = (text, done) => {
  if (process.stdout.isTTY) appendFile(1, text, done)
  else process.stdout.write(text, done)
}

/** Maximum number of different messages per second. Only someone who sends forged requests causes more. */
const MOST_THINGS = 20

/**
 * Creates a function that reports a thing when it first occurs, and once a second how often it has occurred since.
 * Things with the same `keyOf` count as the same.
 */
export function createOccasionally<Thing>(
  tell: (thing: Thing, times: number) => void,
  keyOf: (thing: Thing) => string,
) {
  const held = new Map<string, {readonly thing: Thing; times: number}>()
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    timer = undefined
    const counted = [...held.values()]
    held.clear()
    for (const {thing, times} of counted) if (times > 0) tell(thing, times)
  }
  return {
    say(thing: Thing) {
      const known = held.get(keyOf(thing))
      if (known) known.times += 1
      else {
        const isReportedNow = held.size < MOST_THINGS
        held.set(keyOf(thing), {thing, times: isReportedNow ? 0 : 1})
        if (isReportedNow) tell(thing, 1)
      }
      timer ??= setTimeout(flush, 1000).unref()
    },
    end() {
      clearTimeout(timer)
      flush()
    },
  }
}
