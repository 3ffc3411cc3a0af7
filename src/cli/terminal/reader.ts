/**
 * Notices at once that nobody reads stdout any more. Node learns it at its next write alone, and `webhooks listen` may
 * not write for hours. The kernel tells whoever polls the pipe, which libuv does for a handle that reads; Node gives no
 * such handle for the writing end of a pipe, but a TCP handle takes any descriptor. Where that does not work, and
 * where stdout is no pipe, nothing is noticed before the next write.
 */
import {constants, fstatSync, openSync} from 'node:fs'
import process from 'node:process'

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
