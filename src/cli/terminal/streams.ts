/**
 * stdout and stderr at their ends: a reader that closes stdout early (`| head -1`) ends the command at once with exit 0
 * and no message; a result that cannot be written for another reason ends it with exit 1. Errors of stderr are ignored.
 */
import {constants, fstatSync, openSync} from 'node:fs'
import process from 'node:process'
import {isatty} from 'node:tty'

/** The error of a command, as text, and its exit code. */
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

/** Does not open stderr. */
export function stderrIsTerminal(): boolean {
  return isatty(2)
}

/**
 * Must be called before anything else listens for errors on the streams. `readerGone` ends the process; `refusal` is the
 * error that was written to stdout, which then goes to stderr.
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
    stderr().write(`Error: the result could not be written: ${what} (${error.code})\n`)
    stderr().write('Hint: the command itself was completed; list bookings: bookctl journal\n')
    process.exit(1)
  })
}

/** Writes the pieces of a long result to stdout one after another. */
export async function writePieces(pieces: Iterable<Uint8Array>): Promise<void> {
  for (const piece of pieces) await new Promise<void>(resolve => process.stdout.write(piece, () => resolve()))
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

/** The parts of a libuv stream handle that are used; status 0 is success. */
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

/** Watches a second descriptor, because its flags must not change those of the one written to. */
function watchPipe(gone: () => void): void {
  const {binding} = process as unknown as {binding?: (name: string) => TcpBinding}
  if (binding === undefined) return
  const {TCP, constants: types} = binding('tcp_wrap')
  const handle = new TCP(types.SOCKET)
  if (handle.open(openSync('/dev/fd/1', constants.O_WRONLY | constants.O_NONBLOCK)) === 0) watch(handle, gone)
}

/** There is nothing to read, so the first event is the end. */
function watch(handle: StreamHandle, gone: () => void): void {
  handle.onread = () => {
    handle.onread = () => {}
    gone()
  }
  if (handle.readStart() === 0) handle.unref()
}
