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

export type ReadBody =
  /** The bytes stay taken from the budget until `release` is called. */
  | {readonly kind: 'whole'; readonly body: Uint8Array; readonly release: () => void}
  | {readonly kind: 'too_large' | 'overloaded'}
  /** The sender went away. */
  | {readonly kind: 'gone'}

/** Calls `done` once. After `too_large` or `overloaded` the rest of the body is still unread. */
export function readBody(
  request: IncomingMessage,
  {maxBytes, budget}: {readonly maxBytes: number; readonly budget: Budget},
  done: (result: ReadBody) => void,
): void {
  const pieces: Buffer[] = []
  let length = 0
  const finish = (result: ReadBody) => {
    request.off('data', onData).off('end', onEnd).off('close', onClose)
    if (result.kind !== 'whole') budget.give(length)
    done(result)
  }
  const onData = (piece: Buffer) => {
    if (length + piece.length > maxBytes) return finish({kind: 'too_large'})
    if (!budget.take(piece.length)) return finish({kind: 'overloaded'})
    length += piece.length
    pieces.push(piece)
  }
  const onEnd = () => {
    const body = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, length)
    finish({kind: 'whole', body, release: () => budget.give(length)})
  }
  const onClose = () => finish({kind: 'gone'})
  request.on('data', onData).on('end', onEnd).on('close', onClose)
}
