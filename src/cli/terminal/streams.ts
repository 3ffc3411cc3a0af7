/** stdout and stderr at their ends: a reader that is gone means exit 0, any other failed write exit 1. */
import {fstatSync} from 'node:fs'
import process from 'node:process'
import {isatty} from 'node:tty'

export interface Refusal {
  readonly exit: number
  readonly text: string
}

let talking: NodeJS.WriteStream | undefined

/** Opened on first use, since that takes as long as to check a signature. */
export function stderr(): NodeJS.WriteStream {
  if (talking === undefined) {
    talking = process.stderr
    talking.on('error', () => {})
  }
  return talking
}

/** Does not open stdin, which takes as long as to check a file. */
export function stdinIsTerminal(): boolean {
  return isatty(0)
}

/** Does not open stderr. */
export function stderrIsTerminal(): boolean {
  return isatty(2)
}

/** The columns of a terminal; BOOKCTL_COLUMNS and COLUMNS override what it says itself. */
export function widthOf(stream: NodeJS.WriteStream): number {
  const given = Number(process.env.BOOKCTL_COLUMNS ?? process.env.COLUMNS)
  return given > 0 ? given : stream.columns || 80
}

/** Must be the first to listen for errors. `refusalOf`: what goes to stderr in place of what stdout does not take. */
export function guardStreams(readerGone: () => void, refusalOf: (problem: string) => Refusal): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return readerGone()
    const what = error.code === 'ENOSPC' ? 'no space left' : 'writing failed'
    const {text, exit} = refusalOf(`the result could not be written: ${what} (${error.code})`)
    stderr().write(`${text}\n`)
    process.exit(exit)
  })
}

/** Writes the pieces of a long result to stdout one after another. */
export async function writePieces(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces)
    await new Promise<void>(resolve => process.stdout.write(piece, () => resolve()))
}

/** Resolves when everything written has left the process. */
async function flushed(): Promise<void> {
  // Errors of writing are emitted in the next turn.
  await new Promise(setImmediate)
  for (const stream of talking ? [process.stdout, talking] : [process.stdout]) {
    // Without the check, an empty write to a full disk would fail where nothing was to be written.
    if (stream.writableLength > 0) await new Promise<void>(resolve => stream.write('', () => resolve()))
  }
}

/** The same, but after a signal half a second is enough for a reader that has stopped reading. */
export async function flushedSoon(): Promise<void> {
  await Promise.race([flushed(), new Promise(resolve => setTimeout(resolve, 500))])
}

/** Ends the process with `code` once everything written has left it. */
export async function leave(code: number): Promise<never> {
  await flushed()
  process.exit(code)
}

/**
 * Calls `gone` once the reader of stdout, a pipe, is gone. Node notices that only when it writes, but GNU tail watches where
 * it prints, and ends with SIGPIPE. Without such a tail the next line that is written finds out.
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
