/** The bytes of a file, read in pieces. */

/** Reads bytes that come in pieces. The first bytes can be peeked at before they are taken. */
export class ByteSource {
  private readonly iterator: AsyncIterator<Uint8Array>
  private seen: Buffer = Buffer.alloc(0)
  private ended = false

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.iterator = pieces[Symbol.asyncIterator]()
  }

  /** Returns the first `length` bytes without taking them, or fewer if there are no more. */
  async peek(length: number): Promise<Buffer> {
    const pieces = [this.seen]
    let total = this.seen.length
    while (total < length && !this.ended) {
      const {done, value} = await this.iterator.next()
      if (done) this.ended = true
      else {
        pieces.push(Buffer.from(value))
        total += value.length
      }
    }
    this.seen = pieces.length === 1 ? this.seen : Buffer.concat(pieces)
    return this.seen.subarray(0, length)
  }

  /** Reports whether `peek` reached the end within fewer than `length` bytes. */
  isShorterThan(length: number): boolean {
    return this.ended && this.seen.length < length
  }

  /** Drops the first `length` bytes, which must have been peeked at. */
  skip(length: number): void {
    this.seen = this.seen.subarray(length)
  }

  /** Takes the remaining bytes, piece by piece. */
  async *rest(): AsyncGenerator<Uint8Array> {
    const {seen} = this
    this.seen = Buffer.alloc(0)
    if (seen.length > 0) yield seen
    while (!this.ended) {
      const {done, value} = await this.iterator.next()
      if (done) this.ended = true
      else yield value
    }
  }
}
