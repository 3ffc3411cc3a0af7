/**
 * Interim answers (RFC 9110 §15.2): a client reads past any 1xx, asked for or not, and waits for the answer itself. undici
 * does so for all but `100 Continue`, which it takes for the end of the connection: the answer would be lost, and a
 * reservation's outcome unknown, for a service that merely says "go on". So what comes first is looked at before undici
 * reads it.
 */
import type {Socket} from 'node:net'

const CONTINUE = /^HTTP\/1\.[01] 100[ \r]/
/** Of the beginning of an answer, what tells whether it is a `100`. */
const TELLING_BYTES = 'HTTP/1.1 100 '.length
const END = Buffer.from('\r\n\r\n')
/** Ours: what is longer is no interim answer, and left to the parser to judge. */
const MOST_BYTES = 16 * 1024

/** `socket`, whose `read` leaves out every `100 Continue` that comes before anything else. */
export function withoutContinue<S extends Pick<Socket, 'read'>>(socket: S): S {
  const read = socket.read.bind(socket)
  let held: Buffer = Buffer.alloc(0)
  let isOver = false
  socket.read = () => {
    if (isOver) return read()
    for (let piece = read(); piece !== null; piece = read()) {
      held = afterContinues(Buffer.concat([held, piece]))
      if (!mayBeginContinue(held)) {
        isOver = true
        return held
      }
    }
    return null
  }
  return socket
}

/** `bytes` without the interim answers it begins with. */
function afterContinues(bytes: Buffer): Buffer {
  let rest = bytes
  while (isContinue(rest)) {
    const end = rest.indexOf(END)
    if (end < 0) break
    rest = rest.subarray(end + END.length)
  }
  return rest
}

function isContinue(bytes: Buffer): boolean {
  return CONTINUE.test(bytes.toString('latin1', 0, TELLING_BYTES))
}

/** Whether more has to come before it is clear that this is no `100`, or where it ends. */
function mayBeginContinue(bytes: Buffer): boolean {
  if (bytes.length > MOST_BYTES) return false
  if (bytes.length >= TELLING_BYTES) return isContinue(bytes)
  const begun = bytes.toString('latin1')
  return ['HTTP/1.1 100 ', 'HTTP/1.0 100 ', 'HTTP/1.1 100\r'].some(whole => whole.startsWith(begun))
}
