/** The bytes of an input of `webhooks verify` and `sign`. */
import {statSync} from 'node:fs'
import {open} from 'node:fs/promises'
import process from 'node:process'
import {usage} from '../../../contract/failure.js'
import {partsOf} from '../../../webhooks/captures/slices.js'
import {readingProblem} from '../../input/files.js'
import {whileReading} from '../../input/pending-reads.js'

/** Bytes per read; smaller reads would wait for the system more often. */
const READ_BYTES = 512 * 1024

/** Returns the bytes of `input` (`-`: standard input). A piece may be overwritten as soon as the next one is requested. */
export function openInput(input: string): AsyncIterable<Uint8Array> {
  return input === '-' ? process.stdin : readFile(input)
}

/**
 * Reads one piece while the previous one is processed, always into the same two buffers, so that gigabytes of input leave no
 * garbage.
 */
async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  const file = await whileReading(() => open(path))
  try {
    const read = (buffer: Buffer) => whileReading(() => file.read(buffer, 0, buffer.length, null))
    let piece = Buffer.allocUnsafeSlow(READ_BYTES)
    let spare = Buffer.allocUnsafeSlow(READ_BYTES)
    let reading = read(piece)
    for (;;) {
      const {bytesRead} = await reading
      if (bytesRead === 0) return
      const full = piece.subarray(0, bytesRead)
      reading = read(spare)
      // A failure is handled where the read is awaited.
      reading.catch(() => {})
      yield* partsOf(full)
      const next = spare
      spare = piece
      piece = next
    }
  } finally {
    await file.close()
  }
}

/** Returns the size of a file, in bytes; undefined for what is no file, such as a pipe, or cannot be read. */
export function sizeOfFile(input: string): number | undefined {
  const stats = input === '-' ? undefined : statSync(input, {throwIfNoEntry: false})
  return stats?.isFile() ? stats.size : undefined
}

/** Returns the usage error for an input that cannot be read, or `error` if it is another. */
export function readingFailed(error: unknown, name: string): unknown {
  const {code, syscall} = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  return usage('cannot_read', `cannot read ${name} (${readingProblem(code)})`)
}
