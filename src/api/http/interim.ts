/**
 * Takes the interim answers (1xx, RFC 9110 §15.2) off the start of a connection that carries one answer: undici ends a
 * connection at a `100 Continue` that it did not ask for, and the answer after it would be lost.
 */
import type {Socket} from 'node:net'
import {Duplex} from 'node:stream'
import {ExchangeError} from '../types.js'

/** Of all interim answers together: a server that sends more never comes to its answer. */
export const MOST_INTERIM_BYTES = 64 * 1024

/** The socket of one request, as undici is to see it. Ends with an ExchangeError if there are too many interim answers. */
export function withoutInterim(socket: Socket, target: string): Duplex {
  const reader = new InterimReader()
  const stream = new Duplex({
    highWaterMark: MOST_INTERIM_BYTES,
    read: () => void socket.resume(),
    // What undici writes in one turn is one piece on the wire.
    writev: (pieces, done) => void socket.write(Buffer.concat(pieces.map(({chunk}) => chunk)), done),
    final: done => void socket.end(done),
    destroy(error, done) {
      socket.destroy()
      done(error)
    },
  })
  socket
    .on('data', piece => {
      const rest = reader.read(piece)
      if (rest.length > 0 && !stream.push(rest)) socket.pause()
      if (reader.interimBytes <= MOST_INTERIM_BYTES) return
      const reason = `the interim answers (1xx) from ${target} are larger than ${MOST_INTERIM_BYTES} bytes`
      stream.destroy(new ExchangeError('too_large', true, reason))
    })
    .on('end', () => {
      // A first line that was cut is reported by undici.
      stream.push(reader.start, 'latin1')
      stream.push(null)
    })
    .on('error', error => stream.destroy(error))
    .on('close', () => {
      if (!socket.readableEnded) stream.destroy()
    })
  return stream
}

/** `101 Switching Protocols` is final: what comes after it is another protocol. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r\n]/

/** Completes a start of which only a part has come. */
const ANY_INTERIM = 'HTTP/1.1 100 '

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Reads each byte once, however they are divided, and keeps none of an interim answer. */
class InterimReader {
  interimBytes = 0
  /** The first bytes of an answer, while it may be an interim one; as latin1. */
  start = ''
  private where: 'at its start' | 'in an interim answer' | 'in the answer' = 'at its start'
  private lineIsEmpty = false

  /** What of `piece` is no interim answer, after the start that came before it. */
  read(piece: Buffer): Buffer {
    let at = 0
    for (; at < piece.length && this.where !== 'in the answer'; at++) {
      const byte = piece[at] as number
      if (this.where === 'at its start') this.readStart(byte)
      else this.readInside(byte)
    }
    if (this.where !== 'in the answer') return Buffer.alloc(0)
    const start = Buffer.from(this.start, 'latin1')
    this.start = ''
    return Buffer.concat([start, piece.subarray(at)])
  }

  private readStart(byte: number): void {
    this.start += String.fromCharCode(byte)
    if (!INTERIM.test(this.start + ANY_INTERIM.slice(this.start.length))) {
      this.where = 'in the answer'
    } else if (this.start.length === ANY_INTERIM.length) {
      this.where = 'in an interim answer'
      this.lineIsEmpty = byte === LINE_FEED
      this.interimBytes += this.start.length
      this.start = ''
    }
  }

  /** An interim answer ends with an empty line; it has no body. */
  private readInside(byte: number): void {
    this.interimBytes++
    if (byte === LINE_FEED && this.lineIsEmpty) this.where = 'at its start'
    else if (byte === LINE_FEED) this.lineIsEmpty = true
    else if (byte !== CARRIAGE_RETURN) this.lineIsEmpty = false
  }
}
