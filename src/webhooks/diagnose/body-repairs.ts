/** What may have been done to a body after it was signed, undone: each step a guess, proved or not by the HMAC. */
import {gunzipSync, inflateSync} from 'node:zlib'
import type {BodyForm, Cause} from './cause.js'
import {undoCharset} from './charset.js'
import {withoutEnd} from './text-end.js'
import {unwrapEncodings} from './unwrap.js'

export interface Step {
  readonly bytes: Uint8Array
  readonly cause: Cause
}

/** Ours. */
const MOST_FORMS = 60
const MOST_STEPS = 3
const MOST_INFLATED_BYTES = 4 * 1024 * 1024

/** `start` and every body that up to three steps back from it lead to, the nearest first. */
export function unwrapBody(start: readonly BodyForm[], mostBytes = Number.POSITIVE_INFINITY): BodyForm[] {
  const seen = new Set(start.map(({bytes}) => keyOf(bytes)))
  const forms = [...start]
  let [from, total] = [0, 0]
  for (let step = 0; step < MOST_STEPS; step++) {
    const until = forms.length
    for (const form of forms.slice(from, until)) {
      for (const {bytes, cause} of stepsBack(form.bytes)) {
        const key = keyOf(bytes)
        if (seen.has(key) || forms.length >= MOST_FORMS || total > mostBytes) continue
        seen.add(key)
        total += bytes.length
        forms.push({bytes, causes: [...form.causes, cause]})
      }
    }
    from = until
  }
  return forms
}

function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/** One step back: each the inverse of one thing that happens to bodies. */
function* stepsBack(bytes: Uint8Array): Generator<Step> {
  yield* undoLineBreakAtEnd(bytes)
  yield* undoByteOrderMark(bytes)
  yield* undoLineBreaks(bytes)
  yield* unwrapEncodings(bytes)
  yield* undoCharset(bytes)
  yield* undoCompression(bytes)
}

function* undoLineBreakAtEnd(bytes: Uint8Array): Generator<Step> {
  const text = Buffer.from(bytes).toString('latin1')
  const ends = /(?:\r\n|\n|\r)$/.exec(text)
  if (!ends) return
  const cause = {code: 'body_trailing_newline', what: 'A line break was added at the end of the body.'}
  yield {bytes: bytes.subarray(0, ends.index), cause}
  const all = withoutEnd(text, '\r\n').length
  if (all < ends.index) yield {bytes: bytes.subarray(0, all), cause}
}

function* undoByteOrderMark(bytes: Uint8Array): Generator<Step> {
  if (bytes[0] !== 0xef || bytes[1] !== 0xbb || bytes[2] !== 0xbf) return
  const what = 'A byte order mark (EF BB BF) was put before the body.'
  yield {bytes: bytes.subarray(3), cause: {code: 'body_bom', what}}
}

function* undoLineBreaks(bytes: Uint8Array): Generator<Step> {
  const text = Buffer.from(bytes).toString('latin1')
  const step = (changed: string, what: string): Step[] =>
    changed === text ? [] : [{bytes: Buffer.from(changed, 'latin1'), cause: {code: 'body_crlf', what}}]
  yield* step(text.replaceAll('\r\n', '\n'), 'Its line breaks are CRLF, and LF was signed.')
  yield* step(text.replace(/\r?\n/g, '\r\n'), 'Its line breaks are LF, and CRLF was signed.')
  yield* step(text.replace(/\r(?!\n)/g, '\n'), 'Its line breaks are CR, and LF was signed.')
}

function* undoCompression(bytes: Uint8Array): Generator<Step> {
  const gzip = bytes[0] === 0x1f && bytes[1] === 0x8b
  if (!gzip && bytes[0] !== 0x78) return
  const cause = {code: 'body_compressed', what: 'The body is compressed, and the plain one was signed.'}
  try {
    const options = {maxOutputLength: MOST_INFLATED_BYTES}
    yield {bytes: gzip ? gunzipSync(bytes, options) : inflateSync(bytes, options), cause}
  } catch {
    // It only looked compressed.
  }
}

const TRIMMED: Cause = {
  code: 'body_trimmed',
  what: 'White space around the body was removed after it was signed.',
}
/** Ours: longer mixtures at the end are not tried. */
const MOST_MIXED_BLANKS = 4
const BLANKS = ['', ' ', '\n', '\t', '\r\n', '  ', '\n\n', ' \n', '\r\n\r\n', '    ']

/** What `form` may have been before white space or a byte order mark around it was taken away. */
export function* restoreEdges({bytes, causes}: BodyForm): Generator<BodyForm> {
  const around = (before: string, after: string, cause: Cause): BodyForm => ({
    bytes: Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]),
    causes: [...causes, cause],
  })
  const lost = {...TRIMMED, what: 'The body that was signed ends with a line break, which is missing here.'}
  for (const end of ['\n', '\r\n', '\r']) yield around('', end, lost)
  const mark = 'The body that was signed begins with a byte order mark (EF BB BF), which is missing here.'
  yield around('\ufeff', '', {code: 'body_bom', what: mark})
  for (const before of BLANKS) {
    for (const after of BLANKS) if (before !== '' || after !== '') yield around(before, after, TRIMMED)
  }
  for (const after of mixedBlanks(MOST_MIXED_BLANKS)) yield around('', after, TRIMMED)
}

/** Every run of two up to `most` blanks, tabs and line breaks. */
function* mixedBlanks(most: number): Generator<string> {
  let runs = ['']
  for (let length = 1; length <= most; length++) {
    runs = runs.flatMap(run => [' ', '\n', '\t', '\r\n'].map(blank => run + blank))
    if (length > 1) yield* runs
  }
}

/** What `form` is without white space around it, when there is some. */
export function* withoutEdges({bytes, causes}: BodyForm): Generator<BodyForm> {
  const text = Buffer.from(bytes).toString('latin1')
  const trimmed = text.trim()
  if (trimmed === text || !(/^\s/.test(text) || /[ \t]$/.test(text))) return
  const what = 'Spacing: white space was added around the body.'
  yield {bytes: Buffer.from(trimmed, 'latin1'), causes: [...causes, {code: 'body_reserialized', what}]}
}
