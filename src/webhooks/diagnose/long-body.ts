/**
 * The search for a cause in a body too long to be kept: it is read once more, and every sum runs beside the others as
 * the bytes go by. So only what can be undone on the way is looked for: line breaks, a byte order mark, white space of
 * JSON, another secret. The work is linear in the body, and the number of sums is bounded.
 */
import {createHmac, createSecretKey, type Hmac} from 'node:crypto'
import type {Cause, Claim, KeyForm} from './cause.js'

export interface LongSearch {
  readonly claims: readonly Claim[]
  /** Forms of the secrets in hand; those without causes are the secrets themselves. */
  readonly keys: readonly KeyForm[]
  /** Keys of other subscriptions. */
  readonly otherKeys: readonly KeyForm[]
}

/** Ours: each is one HMAC over the whole body. */
const MOST_SUMS = 48
/** Ours: a longer run of line breaks is no cause of its own, and the search is given up. */
const MOST_BREAKS = 64 * 1024

const MARK_BYTES = 3

/** What a change does to a part, none of which ends between the bytes of a line break. */
type Undo = (part: Buffer, isFirst: boolean) => Buffer
/** What it makes of the line breaks at the very end; undefined when it is not what happened. */
type UndoEnd = (end: string) => string | undefined

interface Change {
  readonly causes: readonly Cause[]
  readonly undo: Undo
  readonly undoEnd: UndoEnd
}

interface Sum {
  readonly change: Change
  readonly claim: Claim
  readonly key: KeyForm
  readonly hmac: Hmac
}

/** The causes that together explain one of the claims; undefined when nothing tried does. Throws what reading throws. */
export async function searchLongBody(
  search: LongSearch,
  pieces: AsyncIterable<Uint8Array>,
): Promise<Cause[] | undefined> {
  const changes = [UNCHANGED, ...changesOf()]
  const sums = sumsOf(search, changes).slice(0, MOST_SUMS)
  let held = Buffer.alloc(0)
  let isFirst = true
  for await (const piece of inSlices(pieces)) {
    const part = Buffer.concat([held, piece])
    let end = part.length
    while (end > 0 && isBreak(part[end - 1])) end -= 1
    // The first part holds the whole of a byte order mark.
    if (isFirst && end < MARK_BYTES) end = 0
    held = Buffer.from(part.subarray(end))
    if (held.length > MOST_BREAKS) return undefined
    if (end === 0) continue
    feed(sums, changes, change => change.undo(part.subarray(0, end), isFirst))
    isFirst = false
  }
  const end = held.toString('latin1')
  feed(sums, changes, ({undoEnd}) => Buffer.from(undoEnd(end) ?? end, 'latin1'))
  for (const {change, claim, key, hmac} of sums) {
    if (hmac.digest('hex') === claim.digest) return [...claim.causes, ...key.causes, ...change.causes]
  }
  return undefined
}

/** Ours: what is made of a slice is collected with the small things; of large ones, hundreds would wait to be collected. */
const SLICE_BYTES = 16 * 1024

async function* inSlices(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces)
    for (let at = 0; at < piece.length; at += SLICE_BYTES) yield piece.subarray(at, at + SLICE_BYTES)
}

/** Each part is changed once, however many sums it goes into. */
function feed(sums: readonly Sum[], changes: readonly Change[], bytesOf: (change: Change) => Buffer): void {
  for (const change of changes) {
    const own = sums.filter(sum => sum.change === change)
    if (own.length === 0) continue
    const bytes = bytesOf(change)
    for (const {hmac} of own) hmac.update(bytes)
  }
}

/** Changed bodies under the secrets themselves, then the body as it is under any other key. */
function sumsOf({claims, keys, otherKeys}: LongSearch, changes: readonly Change[]): Sum[] {
  const plain = keys.filter(({causes}) => causes.length === 0)
  const others = [...otherKeys, ...keys.filter(({causes}) => causes.length > 0)]
  const pairs = [
    ...changes.flatMap(change => plain.map(key => ({change, key}))),
    ...others.map(key => ({change: UNCHANGED, key})),
  ]
  return pairs.flatMap(({change, key}) =>
    claims.flatMap(claim => {
      if (claim.timestamp === undefined) return []
      const hmac = createHmac('sha256', createSecretKey(key.key)).update(`${claim.timestamp}.`)
      return [{change, key, claim, hmac}]
    }),
  )
}

const asItIs: Undo = part => part
const endAsItIs: UndoEnd = end => end
const UNCHANGED: Change = {causes: [], undo: asItIs, undoEnd: endAsItIs}

/** One of each, made anew, as some keep where in the JSON they are. */
function changesOf(): Change[] {
  const change = (code: string, what: string, undo: Undo, undoEnd: UndoEnd): Change => ({
    causes: [{code, what}],
    undo,
    undoEnd,
  })
  const added = 'A line break was added at the end of the body.'
  const lost = 'The body that was signed ends with a line break, which is missing here.'
  const minified = 'The body was parsed and printed again: spacing (signed was one with no white space).'
  return [
    change('body_trailing_newline', added, asItIs, end => end.replace(/(?:\r\n|\n|\r)$/, '')),
    change('body_trailing_newline', added, asItIs, () => ''),
    change('body_trimmed', lost, asItIs, end => `${end}\n`),
    change('body_trimmed', lost, asItIs, end => `${end}\r\n`),
    change('body_bom', 'A byte order mark (EF BB BF) was put before the body.', withoutMark, endAsItIs),
    change('body_crlf', 'Its line breaks are CRLF, and LF was signed.', inText(toLf), toLf),
    change('body_crlf', 'Its line breaks are LF, and CRLF was signed.', inText(toCrlf), toCrlf),
    change('body_reserialized', minified, withoutSpacing(), () => ''),
  ]
}

const toLf = (text: string) => text.replaceAll('\r\n', '\n')
const toCrlf = (text: string) => text.replace(/\r?\n/g, '\r\n')

/** Byte by byte, which latin1 keeps. */
function inText(change: (text: string) => string): Undo {
  return part => Buffer.from(change(part.toString('latin1')), 'latin1')
}

function withoutMark(part: Buffer, isFirst: boolean): Buffer {
  return isFirst && part.subarray(0, MARK_BYTES).toString('hex') === 'efbbbf'
    ? part.subarray(MARK_BYTES)
    : part
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Leaves out blanks, tabs and line breaks outside of the strings of JSON. */
function withoutSpacing(): Undo {
  let isInString = false
  let isEscaped = false
  return part => {
    const kept = Buffer.allocUnsafe(part.length)
    let length = 0
    for (const byte of part) {
      if (!isInString && (byte === 0x20 || byte === 0x09 || isBreak(byte))) continue
      kept[length++] = byte
      if (isEscaped) isEscaped = false
      else if (byte === QUOTE) isInString = !isInString
      else if (byte === BACKSLASH) isEscaped = isInString
    }
    return kept.subarray(0, length)
  }
}

function isBreak(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d
}
