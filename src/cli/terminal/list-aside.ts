/** Keeps a JSON list that is too long for memory in a nameless file until its document can be printed whole. */
import {closeSync, openSync, readSync, rmSync, writeFileSync, writeSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {storageErrorOf} from '../../storage/errors.js'
import {makeTemporaryDirectory} from '../../storage/temporary.js'
import {jsonText} from './json-text.js'

const PIECE_BYTES = 256 * 1024

/** Returns the lines between `{ "results": [` and `] }`, as in a document with only these items. */
export function listText(items: readonly object[]): string {
  if (items.length === 0) return ''
  return jsonText({results: items}, 2).split('\n').slice(2, -2).join('\n')
}

export class ListAside {
  private file: number | undefined
  private bytes = 0

  /** Appends items to the list. Throws a StorageError if that fails, for example because the disk is full. */
  add(items: readonly object[]): void {
    this.addText(Buffer.from(listText(items)))
  }

  /** Appends items as `listText` writes them. Throws StorageError if the disk is full. */
  addText(text: Uint8Array): void {
    if (text.length === 0) return
    this.file ??= openUnnamed()
    try {
      if (this.bytes > 0) this.bytes += writeSync(this.file, ',\n')
      writeFileSync(this.file, text)
    } catch (error) {
      throw storageErrorOf(error, tmpdir())
    }
    this.bytes += text.length
  }

  /**
   * Yields the document: `counts`, then the list as `results`. Each piece must be used before the next one is
   * requested, because all share one buffer.
   */
  *document(counts: Readonly<Record<string, number>>): Generator<Uint8Array> {
    const head = jsonText(counts, 2).slice(0, -2)
    yield Buffer.from(`${head},\n  "results": [\n`)
    const piece = Buffer.alloc(PIECE_BYTES)
    for (let at = 0; this.file !== undefined && at < this.bytes; ) {
      const read = readSync(this.file, piece, 0, piece.length, at)
      if (read === 0) break
      at += read
      yield piece.subarray(0, read)
    }
    yield Buffer.from('\n  ]\n}\n')
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file)
    this.file = undefined
  }
}

/** Opens a temporary file and deletes its name at once, so that nothing is left after a crash. */
function openUnnamed(): number {
  const directory = makeTemporaryDirectory()
  try {
    return openSync(join(directory, 'results'), 'wx+', 0o600)
  } finally {
    rmSync(directory, {recursive: true, force: true})
  }
}
