/**
 * Finds values in JSON of any size as it streams by, keeping those alone: the requests of a HAR file, the id of a
 * very long body. It does not check the grammar; on what is not JSON it finds nothing, or nonsense, and never throws.
 */

/** Names of members from the outside in; `*` is any item of a list. */
export type JsonPath = readonly string[]

export interface Picked {
  /** Which of the paths. */
  readonly path: number
  /** Place in the innermost list around it, from 0. */
  readonly item: number
  /** JSON text of the value; undefined when it was longer than allowed. */
  readonly text: Uint8Array | undefined
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const LONGEST_KEY = 1024

interface Level {
  readonly isList: boolean
  key: string
  item: number
}

export class JsonPicker {
  private readonly deepest: number
  /** The containers around, down to where the paths end; further down only `depth` counts. */
  private readonly levels: Level[] = []
  private depth = 0
  private inString = false
  private escaped = false
  private inScalar = false
  private expectsKey = false
  private key: number[] | undefined
  private picking: {path: number; depth: number; parts: Uint8Array[]; length: number} | undefined

  constructor(
    private readonly paths: readonly JsonPath[],
    private readonly maxBytes: number,
    private readonly onPicked: (picked: Picked) => void,
  ) {
    this.deepest = Math.max(...paths.map(path => path.length))
  }

  /** Takes the next piece of the JSON. */
  push(bytes: Uint8Array): void {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const endOfText = textEnds(piece)
    let start = 0
    for (let at = 0; at < piece.length; at++) {
      if (this.inString && !this.escaped && this.key === undefined) {
        at = endOfText(at)
        if (at === piece.length) break
      } else if (!this.inString && this.depth > this.deepest && this.picking === undefined) {
        at = this.passOver(piece, at)
        if (at === piece.length) break
      }
      const wasPicking = this.picking
      const byte = piece[at] ?? 0
      const ended = this.inString ? this.stringByte(byte) : this.otherByte(byte)
      if (wasPicking === undefined) {
        if (this.picking) start = at
      }
      if (ended === 'none' || !this.picking) continue
      this.keep(piece.subarray(start, ended === 'with' ? at + 1 : at))
      this.finish()
    }
    if (this.picking) this.keep(piece.subarray(start))
  }

  /** Tells that nothing follows, which ends a number or word at the very end. */
  end(): void {
    if (this.picking && this.inScalar) this.finish()
  }

  /** From `at`, deeper than any path goes, to the next quote or the bracket that leads out again. */
  private passOver(piece: Buffer, at: number): number {
    this.inScalar = false
    this.expectsKey = false
    for (let next = at; next < piece.length; next++) {
      const byte = piece[next]
      if (byte === QUOTE) return next
      if (byte === 0x7b || byte === 0x5b) this.depth += 1
      else if (byte === 0x7d || byte === 0x5d) {
        if (this.depth === this.deepest + 1) return next
        this.depth -= 1
      }
    }
    return piece.length
  }

  /** Whether a picked value ends here: at this byte, before it, or not at all. */
  private stringByte(byte: number): 'with' | 'none' {
    if (this.key && this.key.length < LONGEST_KEY) this.key.push(byte)
    if (this.escaped) this.escaped = false
    else if (byte === BACKSLASH) this.escaped = true
    else if (byte === QUOTE) {
      this.inString = false
      if (this.key) this.takeKey(this.key)
      else return this.isPickedDepth() ? 'with' : 'none'
    }
    return 'none'
  }

  private otherByte(byte: number): 'with' | 'before' | 'none' {
    if (byte === QUOTE) return this.openString()
    if (byte === 0x7b || byte === 0x5b) return this.openContainer(byte === 0x5b)
    if (byte === 0x7d || byte === 0x5d) return this.closeContainer()
    if (byte === COMMA) return this.nextItem()
    if (byte === COLON) {
      this.expectsKey = false
      return 'none'
    }
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) return this.endScalar()
    if (!this.inScalar) {
      this.beginValue()
      this.inScalar = true
    }
    return 'none'
  }

  private openString(): 'none' {
    this.inString = true
    if (this.expectsKey && this.depth <= this.deepest) this.key = [QUOTE]
    else this.beginValue()
    return 'none'
  }

  private takeKey(bytes: readonly number[]): void {
    this.key = undefined
    this.expectsKey = false
    const level = this.levels[this.depth - 1]
    if (!level) return
    try {
      level.key = JSON.parse(Buffer.from(bytes).toString('utf8'))
    } catch {
      level.key = ''
    }
  }

  private openContainer(isList: boolean): 'none' {
    this.beginValue()
    this.depth += 1
    if (this.depth <= this.deepest) this.levels.push({isList, key: isList ? '*' : '', item: 0})
    this.expectsKey = !isList
    return 'none'
  }

  private closeContainer(): 'with' | 'before' | 'none' {
    const scalar = this.endScalar()
    if (this.depth > 0) this.depth -= 1
    if (this.levels.length > this.depth) this.levels.pop()
    this.expectsKey = false
    if (scalar === 'before') return scalar
    return this.isPickedDepth() ? 'with' : 'none'
  }

  private nextItem(): 'before' | 'none' {
    const ended = this.endScalar()
    const level = this.levels[this.depth - 1]
    if (level && this.depth <= this.deepest) {
      if (level.isList) level.item += 1
      this.expectsKey = !level.isList
    }
    return ended
  }

  private endScalar(): 'before' | 'none' {
    if (!this.inScalar) return 'none'
    this.inScalar = false
    return this.isPickedDepth() ? 'before' : 'none'
  }

  private isPickedDepth(): boolean {
    return this.picking?.depth === this.depth
  }

  private beginValue(): void {
    if (this.picking || this.depth > this.deepest) return
    const path = this.paths.findIndex(
      names => names.length === this.depth && names.every((name, n) => name === this.levels[n]?.key),
    )
    if (path >= 0) this.picking = {path, depth: this.depth, parts: [], length: 0}
  }

  private keep(part: Uint8Array): void {
    if (!this.picking) return
    this.picking.length += part.length
    if (this.picking.length <= this.maxBytes) this.picking.parts.push(Buffer.from(part))
    else this.picking.parts = []
  }

  private finish(): void {
    if (!this.picking) return
    const {path, parts, length} = this.picking
    this.picking = undefined
    const item = this.levels.findLast(level => level.isList)?.item ?? 0
    this.onPicked({path, item, text: length <= this.maxBytes ? Buffer.concat(parts) : undefined})
  }
}

/** Finds where text goes on no further: the next quote or backslash from a place on, or the end. Asked in rising order. */
function textEnds(piece: Buffer): (from: number) => number {
  const next = {[QUOTE]: -1, [BACKSLASH]: -1}
  const nextOf = (byte: typeof QUOTE | typeof BACKSLASH, from: number) => {
    if (next[byte] < from) {
      const found = piece.indexOf(byte, from)
      next[byte] = found < 0 ? piece.length : found
    }
    return next[byte]
  }
  return from => Math.min(nextOf(QUOTE, from), nextOf(BACKSLASH, from))
}
