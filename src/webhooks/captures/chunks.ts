/** Joins the chunks of a body (Transfer-Encoding: chunked). */
import type {ByteSource} from './byte-source.js'
import type {Afterwards} from './request.js'

const CHUNK_SIZE = /^([0-9a-f]{1,12})[ \t]*(?:;[^\r\n]*)?\r?\n/i

/** Returns the match of the size that begins a chunk, or null if there is none. */
export async function chunkSizeIn(source: ByteSource): Promise<RegExpExecArray | null> {
  return CHUNK_SIZE.exec((await source.peek(1024)).toString('latin1'))
}

/** Yields the data of the chunks. From a malformed chunk on, yields the remaining bytes unchanged. */
export async function* dechunk(source: ByteSource, afterwards: Afterwards): AsyncGenerator<Uint8Array> {
  for (;;) {
    const size = await chunkSizeIn(source)
    if (!size) {
      afterwards.notes.push('the chunks of the body break off')
      return yield* source.rest()
    }
    source.skip(size[0].length)
    let left = Number.parseInt(size[1] ?? '0', 16)
    if (left === 0) return
    while (left > 0) {
      const piece = await source.peek(Math.min(left, 64 * 1024))
      if (piece.length === 0) return void afterwards.notes.push('the last chunk of the body is cut off')
      source.skip(piece.length)
      left -= piece.length
      yield piece
    }
    const end = /^\r?\n/.exec((await source.peek(2)).toString('latin1'))
    source.skip(end?.[0].length ?? 0)
  }
}
