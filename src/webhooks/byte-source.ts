/** Bytes that come in pieces, of which the first may be looked at before they are taken. Keeps no more than that. */

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
        parts.push(Buffer.from(value.buffer, value.byteOffset, value.length))
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

/** A line of `splitLines`: its bytes without the line break, or undefined when it was longer than allowed. */
export interface Line {
  readonly number: number
  readonly bytes: Uint8Array | undefined
}

/** Splits at line feeds; a line longer than `maxBytes` is passed over and told of. */
export async function* splitLines(pieces: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let number = 1
  let parts: Uint8Array[] = []
  let length = 0
  const take = (): Line => {
    const bytes = length > maxBytes ? undefined : Buffer.concat(parts)
    parts = []
    length = 0
    return {number: number++, bytes}
  }
  const keep = (part: Uint8Array) => {
    length += part.length
    if (length <= maxBytes) parts.push(part)
    else parts = []
  }
  for await (const piece of pieces) {
    let start = 0
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, start)) {
      keep(piece.subarray(start, end))
      start = end + 1
      yield take()
    }
    keep(piece.subarray(start))
  }
  if (length > 0) yield take()
}
