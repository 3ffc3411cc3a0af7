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

export const LINE_FEED = 10

/**
 * Whole lines with their line feeds, the last too; those of a piece together, since to wait for each would take as long as
 * its work. Undefined for a line that came in several pieces and is longer than `maxBytes`.
 */
export async function* lineBlocks(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Buffer | undefined> {
  let line: Uint8Array[] = []
  let lineBytes = 0
  const begin = (part: Uint8Array) => {
    lineBytes += part.length
    // Of a line that is too long nothing is kept; its bytes are counted.
    if (lineBytes > maxBytes) line = []
    else line.push(part)
  }
  const takeLine = () => {
    const block = lineBytes > maxBytes ? undefined : Buffer.concat([...line, Buffer.of(LINE_FEED)])
    line = []
    lineBytes = 0
    return block
  }
  for await (const {buffer, byteOffset, length} of pieces) {
    const piece = Buffer.from(buffer, byteOffset, length)
    const end = piece.lastIndexOf(LINE_FEED) + 1
    let start = 0
    if (end > 0 && lineBytes > 0) {
      start = piece.indexOf(LINE_FEED) + 1
      begin(piece.subarray(0, start - 1))
      yield takeLine()
    }
    if (start < end) yield piece.subarray(start, end)
    if (end < length) begin(Buffer.from(piece.subarray(end)))
  }
  if (lineBytes > 0) yield takeLine()
}
