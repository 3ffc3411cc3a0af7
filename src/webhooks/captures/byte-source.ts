/**
 * Bytes that come in pieces; the first can be peeked at before they are taken, and only they are kept. A piece may be
 * overwritten when the next one is requested: copy what you keep.
 */

export class ByteSource {
  private readonly iterator: AsyncIterator<Uint8Array>
  private seen: Buffer = Buffer.alloc(0)
  private ended = false

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.iterator = pieces[Symbol.asyncIterator]()
  }

  /** The first `length` bytes, or fewer when there are no more, without taking them. */
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

  /** Whether `peek` reached the end, in fewer than `length` bytes. */
  isShorterThan(length: number): boolean {
    return this.ended && this.seen.length < length
  }

  /** Drops the first `length` bytes, which were peeked. */
  skip(length: number): void {
    this.seen = this.seen.subarray(length)
  }

  /** Takes what is left, piece by piece. */
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
