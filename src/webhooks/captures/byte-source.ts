/**
 * Bytes that come in pieces, of which the first may be looked at before they are taken. Keeps no more than that. A piece
 * may be written over as soon as the next is asked for: whoever keeps it copies it.
 */

export class ByteSource {
  private readonly iterator: AsyncIterator<Uint8Array>
  private seen: Buffer = Buffer.alloc(0)
  private ended = false

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.iterator = pieces[Symbol.asyncIterator]()
  }

  /** The first `length` bytes, fewer when there are no more; they are still to be taken. */
  async peek(length: number): Promise<Buffer> {
    const parts = [this.seen]
    let total = this.seen.length
    while (total < length && !this.ended) {
      const {done, value} = await this.iterator.next()
      if (done) this.ended = true
      else {
        parts.push(Buffer.from(value))
        total += value.length
      }
    }
    this.seen = parts.length === 1 ? this.seen : Buffer.concat(parts)
    return this.seen.subarray(0, length)
  }

  /** Whether `peek` has seen the end, with no more than `length` bytes before it. */
  isShorterThan(length: number): boolean {
    return this.ended && this.seen.length < length
  }

  /** Drops the first `length` bytes, which were peeked at. */
  skip(length: number): void {
    this.seen = this.seen.subarray(length)
  }

  /** Takes what is left, piece by piece. */
  async *rest(): AsyncGenerator<Uint8Array> {
    if (this.seen.length > 0) yield this.take()
    while (!this.ended) {
      const {done, value} = await this.iterator.next()
      if (done) this.ended = true
      else yield value
    }
  }

  private take(): Uint8Array {
    const {seen} = this
    this.seen = Buffer.alloc(0)
    return seen
  }
}

/** Whole lines, one after the other, each with the line feed that ends it; undefined for one that was too long. */
export type LineBlock = Buffer | undefined

export const LINE_FEED = 10

/**
 * Splits at line feeds, handing on the lines of a piece together, since to wait for each would take as long as its work.
 * The last line is given one when it has none. A line that came in several pieces is passed over when it is longer than
 * `maxBytes`.
 */
export async function* lineBlocks(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<LineBlock> {
  let begun: Uint8Array[] = []
  let begunBytes = 0
  const begin = (part: Uint8Array) => {
    begunBytes += part.length
    // Of a line that is too long nothing is kept; its bytes are counted.
    if (begunBytes > maxBytes) begun = []
    else begun.push(part)
  }
  const takeBegun = (): LineBlock => {
    const block = begunBytes > maxBytes ? undefined : Buffer.concat([...begun, Buffer.of(LINE_FEED)])
    begun = []
    begunBytes = 0
    return block
  }
  for await (const {buffer, byteOffset, length} of pieces) {
    const piece = Buffer.from(buffer, byteOffset, length)
    const end = piece.lastIndexOf(LINE_FEED) + 1
    let start = 0
    if (end > 0 && begunBytes > 0) {
      start = piece.indexOf(LINE_FEED) + 1
      begin(piece.subarray(0, start - 1))
      yield takeBegun()
    }
    if (start < end) yield piece.subarray(start, end)
    if (end < length) begin(Buffer.from(piece.subarray(end)))
  }
  if (begunBytes > 0) yield takeBegun()
}
