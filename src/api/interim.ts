/**
 * Interim answers (RFC 9110 §15.2): a client reads past any 1xx, asked for or not, and waits for the answer itself. undici
 * takes `100 Continue` for the end of the connection, also behind others: the answer would be lost, and a reservation's
 * outcome unknown, for a service that merely says "go on". So what comes first is looked at before undici reads it, and
 * every interim answer left out but `101`, after which there is no HTTP to read.
 */
import type {Socket} from 'node:net'

const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/
/** Of the beginning of an answer, what tells whether it is one. */
const EXAMPLE = 'HTTP/1.1 100 '
const END = Buffer.from('\r\n\r\n')
/** Ours: what is longer is no interim answer, and left to the parser to judge. */
const MOST_BYTES = 16 * 1024

/** `socket`, whose `read` leaves out every interim answer that comes before anything else. */
export function withoutInterim<S extends Pick<Socket, 'read'>>(socket: S): S {
  const read = socket.read.bind(socket)
  let held: Buffer = Buffer.alloc(0)
  let isOver = false
  socket.read = () => {
    if (isOver) return read()
    for (let piece = read(); piece !== null; piece = read()) {
      held = afterInterim(Buffer.concat([held, piece]))
      if (!mayBeginInterim(held)) {
        isOver = true
        return held
      }
    }
    return null
  }
  return socket
}

/** `bytes` without the interim answers it begins with. */
function afterInterim(bytes: Buffer): Buffer {
  let rest = bytes
  while (INTERIM.test(beginningOf(rest))) {
    const end = rest.indexOf(END)
    if (end < 0) break
    rest = rest.subarray(end + END.length)
  }
  return rest
}

function beginningOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, EXAMPLE.length)
}

/** Whether more has to come before it is clear that this is none, or where it ends. */
function mayBeginInterim(bytes: Buffer): boolean {
  if (bytes.length > MOST_BYTES) return false
  const begun = beginningOf(bytes)
  return INTERIM.test(begun + EXAMPLE.slice(begun.length))
}
