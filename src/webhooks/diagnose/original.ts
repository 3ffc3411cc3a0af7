/** The body in hand beside the one that was received under the same id: where they differ, and why. */
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isTooDeep} from '../../contract/json.js'
import {type Cause, cause} from './cause.js'
import {lossyReadings} from './charset.js'
import {printables, reprint} from './reprint.js'

const CONTEXT_BYTES = 20

/** Offset of the first byte that differs; undefined when they are the same. */
export function firstDifference(a: Uint8Array, b: Uint8Array): number | undefined {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return at
  return a.length === b.length ? undefined : length
}

/** One sentence: where the bodies differ, with the text around it in each, made safe to show. */
export function describeDifference(inHand: Uint8Array, original: Uint8Array): string {
  const at = firstDifference(inHand, original)
  if (at === undefined) return 'The body is byte for byte the one that was received.'
  const lengths =
    inHand.length === original.length ? '' : ` (${inHand.length} bytes here, ${original.length} received)`
  return `The first byte that differs from the body received is at offset ${at}${lengths}: ${around(inHand, at)} here, ${around(original, at)} received.`
}

function around(bytes: Uint8Array, at: number): string {
  if (at >= bytes.length) return 'the end'
  const from = Math.max(0, at - CONTEXT_BYTES)
  const part = Buffer.from(bytes.subarray(from, at + CONTEXT_BYTES)).toString('utf8')
  return `0x${(bytes[at] ?? 0).toString(16).padStart(2, '0')} in \`${sanitizeLine(part, 80)}\``
}

/**
 * What turns `original`, whose signature is right, into `inHand`: the changes that lose something and so cannot be
 * undone, but can be done again. Undefined when none of them does.
 */
export function causeOfLoss(inHand: Uint8Array, original: Uint8Array): Cause | undefined {
  const same = (bytes: Uint8Array) => firstDifference(bytes, inHand) === undefined
  for (const reading of lossyReadings(original)) if (same(reading.bytes)) return reading.cause
  for (const bytes of javascriptPrints(original)) if (same(bytes)) return REPRINTED
  for (const printable of printables({bytes: original, causes: []})) {
    for (const form of reprint(printable)) if (same(form.bytes)) return REPRINTED
  }
  return undefined
}

const REPRINTED = cause(
  'body_reserialized',
  'The body was parsed and printed again: numbers, key order or spelling changed (JSON.parse and JSON.stringify, or the like).',
)

function* javascriptPrints(original: Uint8Array): Generator<Uint8Array> {
  if (isTooDeep(original)) return
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(original).toString('utf8'))
  } catch {
    return
  }
  for (const indent of [0, 2, 4, '\t']) yield Buffer.from(JSON.stringify(value, null, indent))
}
