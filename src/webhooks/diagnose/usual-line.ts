/**
 * The fast path of `webhooks verify` of a capture: a line exactly as `webhooks listen` writes it, whose signature is
 * right, is checked without parsing it. A body that is compact JSON is in its line twice, as `body_base64` and, byte
 * for byte, as `event`, so both are right where they agree. Every other line is read and checked as any request is; the
 * tests require the same answers of both. Without this, verifying a million events (`npm run bench`, verify-many) takes
 * twice the time.
 */
import type {LineShortcut} from '../captures/records.js'
import {timeOf} from '../captures/request.js'
import {verifyParsed} from '../signature/signature.js'
import type {CheckResult} from './check.js'
import type {CheckTerms} from './finding.js'

/** Strings without escapes: others are not met in practice. */
const CHARACTERS = String.raw`[ !#-[\]-~]`
const TEXT = `"${CHARACTERS}*"`
/** What `captureRecord` writes before the body. */
const START = new RegExp(
  [
    String.raw`\{"type":"event","verdict":"(?:in)?valid","reason":"[a-z_]+"`,
    `"event_id":${TEXT},"event_type":${TEXT},"duplicate":(?:true|false)`,
    String.raw`"received_at":"([\dTZ:.+-]*)","ack_ms":(?:null|(?:0|[1-9]\d*)(?:\.\d+)?)`,
    '"body_base64":"',
  ].join(','),
  'y',
)
const HEADER = String.raw`"[a-z\d-]+":${TEXT}`
const HEADERS = new RegExp(String.raw`","headers":\{${HEADER}(?:,${HEADER})*\},"event":`, 'y')
/** The usual header: one `v1`, at its end. Two are sent only while a secret is replaced (§6.2). */
const SIGNATURE = /t=(\d{1,12}),v1=/y
const DIGEST_LENGTH = 64
const WORD = String.raw`(?:${TEXT}|-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false|null)`
const WORDS = String.raw`\{(?:${TEXT}:${WORD}(?:,${TEXT}:${WORD})*)?\}`
/** An event as §2.8 shows it, whose other members are words or objects of words, none of them the id or type again. */
const EVENT = new RegExp(
  `\\{"id":"(${CHARACTERS}+)","type":"(${CHARACTERS}*)"(?:,(?!"(?:id|type)":)${TEXT}:(?:${WORD}|${WORDS}))*\\}\\}\\n`,
  'y',
)

/** In a longer line the bytes take the time, not the work for each line. */
const MOST_LINE_BYTES = 64 * 1024

/**
 * Checks lines of the capture `name`: the result, and where it is from; undefined for a line that is not usual, or not
 * valid. None is usual where flags override its headers.
 */
export function usualLineCheck(
  terms: CheckTerms,
  name: string,
): LineShortcut<{input: string} & CheckResult> | undefined {
  const {names, secrets, now, toleranceSeconds} = terms
  if (terms.signature !== undefined || terms.eventId !== undefined) return undefined
  const signatureKey = `"${names.signature.toLowerCase()}":"`
  const eventIdKey = `"${names.eventId.toLowerCase()}":"`

  return ({bytes, text}, start, end, number) => {
    if (end - start > MOST_LINE_BYTES) return undefined
    const [, receivedAt] = matchAt(START, text, start) ?? []
    if (receivedAt === undefined) return undefined
    const bodyStart = START.lastIndex
    const headersStart = text.indexOf('"', bodyStart)
    if (matchAt(HEADERS, text, headersStart) === null) return undefined
    const eventStart = HEADERS.lastIndex
    const [, id, type] = matchAt(EVENT, text, eventStart) ?? []
    if (id === undefined || type === undefined) return undefined
    const base64 = bytes.toString('base64', eventStart, end - 1)
    if (bodyStart + base64.length !== headersStart || !text.startsWith(base64, bodyStart)) return undefined

    const headers = text.slice(headersStart, eventStart)
    const header = onlyValue(headers, signatureKey)
    const [, timestamp] = (header && matchAt(SIGNATURE, header, 0)) || []
    if (header === undefined || timestamp === undefined) return undefined
    const digest = header.slice(SIGNATURE.lastIndex)
    if (digest.length !== DIGEST_LENGTH) return undefined
    if (onlyValue(headers, eventIdKey) !== id && headers.includes(eventIdKey)) return undefined

    const verdict = verifyParsed({timestamp, digests: [digest]}, text.slice(eventStart, end - 1), {
      secrets,
      now: now({receivedAt: timeOf(receivedAt)}),
      toleranceSeconds,
    })
    if (!verdict.valid) return undefined
    return {
      // toFixed: V8 keeps the text of a number in a cache, which here would make the young heap grow to its limit.
      input: `${name}:${number.toFixed()}`,
      valid: true,
      reason: 'ok',
      event_id: id,
      type,
      timestamp: verdict.timestamp ?? null,
      age_seconds: verdict.ageSeconds ?? null,
      secret: verdict.secretName ?? null,
      findings: [],
    }
  }
}

function matchAt(sticky: RegExp, text: string, start: number): RegExpExecArray | null {
  sticky.lastIndex = start
  return sticky.exec(text)
}

/** The value of the header of `key`, if it came once. No value contains a quote, so only a name matches. */
function onlyValue(headers: string, key: string): string | undefined {
  const at = headers.indexOf(key)
  if (at < 0 || headers.indexOf(key, at + 1) >= 0) return undefined
  const start = at + key.length
  return headers.slice(start, headers.indexOf('"', start))
}
