/** Reads a request's body to its end, exactly as it came, or stops at a bound before it costs memory. */
import type {IncomingMessage} from 'node:http'

/** Bytes that all requests together may hold in memory. */
export interface Budget {
  /** Whether `bytes` more were still free; they are taken then. */
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
  /** All of it; the bytes stay taken from the budget until they are given back. */
  readonly onWhole: (body: Uint8Array) => void
  /** The rest of the body is still unread. */
  readonly onTooMuch: (reason: 'too_large' | 'overloaded') => void
  /** The request is over, answered or not; nothing else is called after it. */
  readonly onClose: () => void
}

/**
 * Calls one of `onWhole` and `onTooMuch`, unless the sender goes away before, and in the end `onClose`. It takes no
 * listener off again, which would cost more than all the rest.
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
