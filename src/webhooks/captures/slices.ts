/** Cuts a capture of lines into slices, so that threads can read it. */
import {LINE_FEED, MOST_LINE_BYTES} from './records.js'

/** Bytes per part. All lines of a part are in memory at the same time. */
const PART_BYTES = 64 * 1024

export interface Slice {
  /** Whole lines; only the last slice may end without a line feed. The buffer is the slice's own, so it can be transferred. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The number of lines before this slice. */
  readonly linesBefore: number
}

/**
 * Yields the lines in `pieces` as slices of `leastBytes` bytes and the rest of the line there. Of a line that is too long for
 * `readRecords` only as much is kept as it takes to see that. A piece may be overwritten as soon as the next one is requested.
 */
export async function* sliceLines(
  pieces: AsyncIterable<Uint8Array>,
  leastBytes: number,
): AsyncGenerator<Slice> {
  const usualBytes = leastBytes + PART_BYTES
  let held = Buffer.allocUnsafeSlow(usualBytes)
  let length = 0
  /** Where the unfinished line begins. */
  let lineStart = 0
  let linesBefore = 0
  const append = (part: Uint8Array) => {
    if (length + part.length > held.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (length + part.length))
      held.copy(larger, 0, 0, length)
      held = larger
    }
    held.set(part, length)
    length += part.length
  }
  const appendToLine = (part: Uint8Array) =>
    append(part.subarray(0, lineStart + MOST_LINE_BYTES + 1 - length))
  /** Returns the bytes before `end` as a slice, which takes the buffer along. */
  const take = (end: number): Slice => {
    const bytes = held.subarray(0, end)
    const rest = held.subarray(end, length)
    held = Buffer.allocUnsafeSlow(Math.max(usualBytes, rest.length))
    rest.copy(held)
    length = rest.length
    lineStart -= end
    const slice = {bytes, linesBefore}
    linesBefore += countLines(bytes)
    return slice
  }
  for await (const {buffer, byteOffset, length: pieceLength} of pieces) {
    const piece = Buffer.from(buffer, byteOffset, pieceLength)
    const firstEnd = piece.indexOf(LINE_FEED)
    if (firstEnd < 0) {
      appendToLine(piece)
      continue
    }
    const lastEnd = piece.lastIndexOf(LINE_FEED) + 1
    appendToLine(piece.subarray(0, firstEnd))
    append(piece.subarray(firstEnd, lastEnd))
    lineStart = length
    appendToLine(piece.subarray(lastEnd))
    while (lineStart >= leastBytes) yield take(held.indexOf(LINE_FEED, leastBytes - 1) + 1)
  }
  if (length > 0) yield take(length)
}

function countLines(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines += 1
  return lines
}

/** Yields `bytes` in parts that `readRecords` reads one after the other. */
export function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES)
}
