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

/** A line of `splitLines`: its bytes without the line feed, or undefined when it was longer than allowed. */
export interface Line {
  readonly number: number
  readonly bytes: Buffer | undefined
}

const LINE_FEED = 10

/**
 * Splits at line feeds, handing on the lines of a piece together, since to wait for each would take as long as its work.
 * A line longer than `maxBytes` is passed over and told of.
 */
export async function* splitLines(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Line[]> {
  let number = 1
  let begun: Uint8Array[] = []
  let begunBytes = 0
  const begin = (part: Uint8Array) => {
    begunBytes += part.length
    // Of a line that is too long nothing is kept; its bytes are counted.
    if (begunBytes > maxBytes) begun = []
    else begun.push(part)
  }
  const takeBegun = (): Line => {
    const bytes = begunBytes > maxBytes ? undefined : Buffer.concat(begun)
    begun = []
    begunBytes = 0
    return {number: number++, bytes}
  }
  for await (const {buffer, byteOffset, length} of pieces) {
    const piece = Buffer.from(buffer, byteOffset, length)
    const lines: Line[] = []
    let start = 0
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
      if (begunBytes === 0 && end - start <= maxBytes) {
        lines.push({number: number++, bytes: piece.subarray(start, end)})
      } else {
        begin(piece.subarray(start, end))
        lines.push(takeBegun())
      }
      start = end + 1
    }
    if (lines.length > 0) yield lines
    if (start < length) begin(Buffer.from(piece.subarray(start)))
  }
  if (begunBytes > 0) yield [takeBegun()]
}
