/**
 * What senders together may take: the bytes of bodies in memory, and connections. A body is read to its end, exactly as it
 * came, or reading stops at a bound before it costs memory.
 */
import type {IncomingMessage} from 'node:http'
import type {Server, Socket} from 'node:net'

export interface ReceiverLimits {
  readonly maxBodyBytes: number
  /** Bodies of all requests together. */
  readonly maxHeldBytes: number
  readonly maxConnections: number
  /** Events that may wait for the disk; more are answered 503. */
  readonly maxWaiting: number
  /** For a request's head, and for all of it, from its first byte. */
  readonly headMilliseconds: number
  readonly requestMilliseconds: number
}

/** A slow sender is cut 2.5 s after its first byte at the latest: the limit and one round of checks. */
export const RECEIVER_LIMITS: ReceiverLimits = {
  maxBodyBytes: 1024 * 1024,
  maxHeldBytes: 32 * 1024 * 1024,
  maxConnections: 4000,
  maxWaiting: 2048,
  headMilliseconds: 2000,
  requestMilliseconds: 2000,
}

/** Bytes that all requests together may hold in memory. */
export interface Budget {
  /** Takes `bytes` if they are free, and returns whether they were. */
  take(bytes: number): boolean
  give(bytes: number): void
}

export function createBudget(bytes: number): Budget {
  let free = bytes
  return {
    take(wanted) {
      if (wanted > free) return false
      free -= wanted
      return true
    },
    give(returned) {
      free += returned
    },
  }
}

export interface ReadBodyParts {
  readonly maxBytes: number
  readonly budget: Budget
  /** With the whole body; its bytes stay taken from the budget until they are given back. */
  readonly onWhole: (body: Uint8Array) => void
  /** The rest of the body is still unread. */
  readonly onTooMuch: (reason: 'too_large' | 'overloaded') => void
  /** The request is over, answered or not; called last. */
  readonly onClose: () => void
}

/**
 * Reads the body of `request`. Calls `onWhole` or `onTooMuch`, unless the sender disconnects before, and at the end `onClose`.
 * Listeners are not removed again: that would cost more than all the rest.
 */
export function readBody(request: IncomingMessage, parts: ReadBodyParts): void {
  const {maxBytes, budget} = parts
  let first: Buffer | undefined
  let pieces: Buffer[] | undefined
  let length = 0
  let reading = true
  const stop = (reason: 'too_large' | 'overloaded') => {
    reading = false
    budget.give(length)
    parts.onTooMuch(reason)
  }
  request.on('data', (piece: Buffer) => {
    if (!reading) return
    if (length + piece.length > maxBytes) return stop('too_large')
    if (!budget.take(piece.length)) return stop('overloaded')
    length += piece.length
    if (first === undefined) first = piece
    else if (pieces === undefined) pieces = [first, piece]
    else pieces.push(piece)
  })
  request.on('end', () => {
    if (!reading) return
    reading = false
    parts.onWhole(pieces === undefined ? (first ?? NOTHING) : Buffer.concat(pieces, length))
  })
  request.on('close', () => {
    if (reading) budget.give(length)
    reading = false
    parts.onClose()
  })
}

const NOTHING = Buffer.alloc(0)

export interface Connections {
  busy(socket: Socket): void
  idle(socket: Socket): void
  closeIdle(): void
}

/** Room for those in a TLS handshake, which are not counted yet. */
const HANDSHAKES = 500

/**
 * Bounds the connections of `server`: when one too many comes, the one that has been idle longest makes room for it, so that
 * thousands of idle connections keep no sender out. `arrival` is the server's event for a connection that may send requests.
 */
export function boundConnections(
  server: Server,
  arrival: 'connection' | 'secureConnection',
  most: number,
): Connections {
  const open = new Set<Socket>()
  // A Set keeps the order of insertion: the first has been idle longest.
  const idle = new Set<Socket>()
  server.maxConnections = most + HANDSHAKES
  server.on(arrival, (socket: Socket) => {
    open.add(socket)
    idle.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      idle.delete(socket)
    })
    const [oldest] = idle
    if (open.size > most && oldest !== socket) oldest?.destroy()
  })
  return {
    busy: socket => void idle.delete(socket),
    idle(socket) {
      if (open.has(socket)) idle.add(socket)
    },
    closeIdle() {
      for (const socket of idle) socket.destroy()
    },
  }
}
