/** stdout and stderr, and how the process ends with them: a closed reader means exit 0, any other failed write exit 1. */
import {once} from 'node:events'
import {closeSync, constants, fstatSync, openSync} from 'node:fs'
import process from 'node:process'
import {isatty} from 'node:tty'

/** The error to print on stderr if stdout cannot be written, and the exit code. */
export interface Refusal {
  readonly exit: number
  readonly text: string
}

let talking: NodeJS.WriteStream | undefined

/** Returns stderr. It is opened on first use, because opening it takes as long as checking a signature. */
export function stderr(): NodeJS.WriteStream {
  if (talking === undefined) {
    talking = process.stderr
    talking.on('error', () => {})
  }
  return talking
}

/** Reports whether stdin is a terminal, without opening it, which would take as long as checking a file. */
export function stdinIsTerminal(): boolean {
  return isatty(0)
}

/** Reports whether stderr is a terminal, without opening it. */
export function stderrIsTerminal(): boolean {
  return isatty(2)
}

/** Reports whether the process has a terminal, even if stdin, stdout and stderr are redirected. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK))
    return true
  } catch {
    return false
  }
}

/** Returns the width of a terminal in columns. BOOKCTL_COLUMNS and COLUMNS override the terminal's own. */
export function widthOf(stream: NodeJS.WriteStream): number {
  const given = Number(process.env.BOOKCTL_COLUMNS ?? process.env.COLUMNS)
  return given > 0 ? given : stream.columns || 80
}

/**
 * Handles failed writes to stdout. Its listener must be the first one for errors. `refusalOf` returns what to print on
 * stderr instead of the result.
 */
export function guardStreams(readerGone: () => void, refusalOf: (problem: string) => Refusal): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return readerGone()
    const what = error.code === 'ENOSPC' ? 'no space left' : 'writing failed'
    const {text, exit} = refusalOf(`the result could not be written: ${what} (${error.code})`)
    stderr().write(`${text}\n`)
    process.exit(exit)
  })
}

/** Writes the pieces of a long result to stdout, each after the previous one was flushed. */
export async function writePieces(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces)
    await new Promise<void>(resolve => process.stdout.write(piece, () => resolve()))
}

/** Waits while stdout holds more than it should, so that a long list does not fill the memory when its reader is slow. */
export async function stdoutDrained(): Promise<void> {
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain')
}

/** Resolves when all output has left the process. */
async function flushed(): Promise<void> {
  // Write errors are emitted in the next turn of the event loop.
  await new Promise(setImmediate)
  for (const stream of talking ? [process.stdout, talking] : [process.stdout]) {
    // On a full disk, even an empty write would fail, so it is made only if something is waiting.
    if (stream.writableLength > 0) await new Promise<void>(resolve => stream.write('', () => resolve()))
  }
}

/**
 * Waits like `flushed`, but at most half a second: after a signal, a reader that has stopped reading must not block the
 * end.
 */
export async function flushedSoon(): Promise<void> {
  await Promise.race([flushed(), new Promise(resolve => setTimeout(resolve, 500))])
}

/** Ends the process with `code` as soon as all output has left it. */
export async function leave(code: number): Promise<never> {
  await flushed()
  process.exit(code)
}

/**
 * Calls `gone` when the reader of stdout (a pipe) has closed it. Node notices that only when it writes, so GNU tail is
 * started on the same pipe: it watches its output and ends with SIGPIPE. Without GNU tail, the next write notices.
 */
export async function whenReaderGoes(gone: () => void): Promise<void> {
  if (!fstatSync(1).isFIFO()) return
  const {spawn} = await import('node:child_process')
  const argv = ['--follow', '--sleep-interval=0.1', `--pid=${process.pid}`, '/dev/null']
  const tail = spawn('tail', argv, {stdio: ['ignore', 1, 'ignore']})
  tail.on('error', () => {}).on('exit', (_, signal) => signal === 'SIGPIPE' && gone())
  tail.unref()
  process.once('exit', () => tail.kill())
}
