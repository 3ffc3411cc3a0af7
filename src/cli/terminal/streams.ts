/**
 * stdout and stderr at their ends: a reader of the result that closes early (`| head -1`) ends the command at once with
 * exit 0 and no word; a result that cannot be written for another reason ends it with exit 1. Talk on stderr that
 * nobody can hear changes nothing: what was begun is finished, and the exit code says how.
 */
import {constants, fstatSync, openSync} from 'node:fs'
import process from 'node:process'
import {isatty} from 'node:tty'

/** Why a command did not do its work: what is said of it, and the exit code. */
export interface Refusal {
  readonly exit: number
  readonly text: string
}

let talking: NodeJS.WriteStream | undefined

/** stderr, for all that is said: opened with the first word, since that takes as long as to check a signature. */
export function stderr(): NodeJS.WriteStream {
  if (talking === undefined) {
    talking = process.stderr
    talking.on('error', () => {})
  }
  return talking
}

/** Whether stderr is a terminal; it is not opened to find out. */
export function stderrIsTerminal(): boolean {
  return isatty(2)
}

/**
 * Must be called before anything else listens for errors on the streams. `readerGone` ends the process; `refusal` is
 * what stdout was to say, where that is no result: it is then said on stderr.
 */
export function guardStreams(readerGone: () => void, refusal: () => Refusal | undefined): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return readerGone()
    const refused = refusal()
    if (refused) {
      stderr().write(`${refused.text}\n`)
      process.exit(refused.exit)
    }
    const what = error.code === 'ENOSPC' ? 'no space left' : 'writing failed'
    stderr().write(`Error: the result could not be written: ${what} (${error.code})\n${DONE_ANYWAY}\n`)
    process.exit(1)
  })
}

const DONE_ANYWAY = 'Hint: the command itself was completed; list bookings: bookctl journal'

/** Writes the pieces of a long result to stdout, each when the one before has left. */
export async function writePieces(pieces: Iterable<Uint8Array>): Promise<void> {
  for (const piece of pieces) await new Promise<void>(resolve => process.stdout.write(piece, () => resolve()))
}

/** Resolves when everything written has left the process. */
async function flushed(): Promise<void> {
  // What could not be written is told in a turn of its own.
  await new Promise(setImmediate)
  for (const stream of talking ? [process.stdout, talking] : [process.stdout]) {
    // Not otherwise: an empty write to a full disk fails, too, where nothing was to be written.
    if (stream.writableLength > 0) await new Promise<void>(resolve => stream.write('', () => resolve()))
  }
}

/** Ours: so long is waited for a reader that stands still, where somebody asked for the end. */
const STANDING_STILL_MILLISECONDS = 500

/** The same, or when the reader of it has had time enough. */
export async function flushedSoon(): Promise<void> {
  const enough = new Promise<void>(resolve => setTimeout(resolve, STANDING_STILL_MILLISECONDS))
  await Promise.race([flushed(), enough])
}

/** Ends the process with `code` once everything written has left it. */
export async function leave(code: number): Promise<never> {
  await flushed()
  process.exit(code)
}

/** The part of a libuv stream handle that is used; status 0 is success. */
interface StreamHandle {
  onread: (() => void) | undefined
  open(descriptor: number): number
  readStart(): number
  unref(): void
}

interface TcpBinding {
  readonly TCP: new (type: number) => StreamHandle
  readonly constants: {readonly SOCKET: number}
}

/** Calls `gone` once the reader of stdout is gone; does not keep the process running. */
export function whenReaderGoes(gone: () => void): void {
  try {
    const stdout = fstatSync(1)
    if (stdout.isFIFO()) watchPipe(gone)
    else if (stdout.isSocket()) watch((process.stdout as unknown as {_handle: StreamHandle})._handle, gone)
  } catch (error) {
    // A named pipe without a reader cannot be opened a second time.
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') gone()
  }
}

/** Opened anew, so that nothing done to the watched descriptor changes the one that is written to. */
function watchPipe(gone: () => void): void {
  const {binding} = process as unknown as {binding?: (name: string) => TcpBinding}
  if (binding === undefined) return
  const {TCP, constants: types} = binding('tcp_wrap')
  const handle = new TCP(types.SOCKET)
  if (handle.open(openSync('/dev/fd/1', constants.O_WRONLY | constants.O_NONBLOCK)) === 0) watch(handle, gone)
}

/** Nothing can be read from either: whatever happens is the end. */
function watch(handle: StreamHandle, gone: () => void): void {
  handle.onread = () => {
    handle.onread = () => {}
    gone()
  }
  if (handle.readStart() === 0) handle.unref()
}
