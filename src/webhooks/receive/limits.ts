/**
 * What senders together may take: the bytes of bodies in memory, and connections. A body is read to its end, exactly as it
 * came, or reading stops at a bound before it costs memory.
 */
import type {IncomingMessage} from 'node:http'
import type {Server, Socket} from 'node:net'
import {MOST_EVENT_BYTES} from '../signature/event.js'

export const RECEIVER_LIMITS = {
  maxBodyBytes: MOST_EVENT_BYTES,
  /** Bodies of all requests together. */
  maxHeldBytes: 32 * 1024 * 1024,
  maxConnections: 4000,
  /** Events that may wait for the disk; more are answered 503. */
  maxWaiting: 2048,
  /** From a request's first byte: a slow sender is cut after 2.5 s at the latest, the limit and one round of checks. */
  headMilliseconds: 2000,
  requestMilliseconds: 2000,
}
export type ReceiverLimits = Readonly<typeof RECEIVER_LIMITS>

/** Bytes that all requests together may still hold in memory. */
export interface Budget {
  free: number
}

interface ReadBodyParts {
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
  const pieces: Buffer[] = []
  let length = 0
  let reading = true
  const stop = (reason: 'too_large' | 'overloaded') => {
    reading = false
    budget.free += length
    parts.onTooMuch(reason)
  }
  request.on('data', (piece: Buffer) => {
    if (!reading) return
    if (length + piece.length > maxBytes) return stop('too_large')
    if (piece.length > budget.free) return stop('overloaded')
    budget.free -= piece.length
    length += piece.length
    pieces.push(piece)
  })
  request.on('end', () => {
    if (!reading) return
    reading = false
    const [first] = pieces
    parts.onWhole(first && pieces.length === 1 ? first : Buffer.concat(pieces, length))
  })
  request.on('close', () => {
    if (reading) budget.free += length
    reading = false
    parts.onClose()
  })
}

/** Room for those in a TLS handshake, which are not counted yet. */
const HANDSHAKES = 500

/**
 * Bounds the connections of `server`: when one too many comes, the one that has been idle longest makes room for it, so that
 * thousands of idle connections keep no sender out. `arrival` is the server's event for a connection that may send requests.
 */
export function boundConnections(server: Server, arrival: 'connection' | 'secureConnection', most: number) {
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
    busy: (socket: Socket) => void idle.delete(socket),
    idle(socket: Socket) {
      if (open.has(socket)) idle.add(socket)
    },
    closeIdle() {
      for (const socket of idle) socket.destroy()
    },
  }
}
