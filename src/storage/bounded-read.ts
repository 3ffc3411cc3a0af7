/** Reading a file that should be small, whatever lies there. */
import {closeSync, openSync, readSync, statSync} from 'node:fs'

const PIECE_BYTES = 64 * 1024

/**
 * The bytes of `file`, a path or a descriptor, which stays open. Throws the error of the system, and one with the code
 * EFBIG when there are more than `mostBytes`: Node's own readFileSync reads ten gigabytes before it says that they are
 * too many for a string, and never ends where the file has no end.
 */
export function readAtMost(file: string | number, mostBytes: number): Buffer {
  const descriptor = typeof file === 'number' ? file : openSync(file, 'r')
  try {
    const pieces: Buffer[] = []
    for (let length = 0; ; ) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES)
      const got = readSync(descriptor, piece)
      if (got === 0) return Buffer.concat(pieces)
      length += got
      if (length > mostBytes) throw Object.assign(new Error('file too large'), {code: 'EFBIG'})
      pieces.push(piece.subarray(0, got))
    }
  } finally {
    if (typeof file === 'string') closeSync(descriptor)
  }
}

/** Ours: the authorities of a whole system take a quarter of it. */
export const MOST_PEM_BYTES = 1024 * 1024

/** The text of a file of certificates or of a key. Throws as `readAtMost` does, and for a pipe, which may never say a word. */
export function readPem(file: string | number): string {
  if (typeof file === 'string' && statSync(file).isFIFO())
    throw Object.assign(new Error('a pipe'), {code: 'EINVAL'})
  return readAtMost(file, MOST_PEM_BYTES).toString('utf8')
}
