/**
 * Why a webhook did not verify. A cause is named only when undoing it makes the signature right, which is proof; or
 * when the digest matched and the rest is arithmetic. Everything else is `unexplained`.
 */
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isTooDeep} from '../../contract/json.js'
import type {EventSummary} from '../signature/event.js'
import type {HeaderMap, WebhookHeaderNames} from '../signature/headers.js'
import type {NamedSecret, Verdict} from '../signature/signature.js'
import {lossyReadings} from './charset.js'
import {type BodyForm, type Cause, type Claim, cause, type Finding, mergeCauses} from './finding.js'
import {describeTime, fixFor} from './fixes.js'
import {readClaims} from './header-causes.js'
import {printables, reprint} from './reprint.js'
import {search} from './search.js'
import {keyForms, otherKeyForms, wrongKinds} from './secret-causes.js'

export interface DiagnosisInput {
  readonly verdict: Verdict
  readonly reason: Verdict['reason'] | 'event_id_mismatch'
  /** Value or values of the signature header. */
  readonly header: string | readonly string[] | undefined
  readonly eventIdHeader: string | readonly string[] | undefined
  readonly headers: HeaderMap
  readonly names: WebhookHeaderNames
  /** Those the verdict was found with. */
  readonly secrets: readonly NamedSecret[]
  /** Of other subscriptions; asked only when it comes to that. */
  readonly otherSecrets: () => readonly NamedSecret[]
  /** Undefined when the body was too long to keep. */
  readonly rawBody: Uint8Array | undefined
  readonly bodyBytes: number
  /** The bytes after the body, by its Content-Length. */
  readonly surplus: Uint8Array | undefined
  readonly event: EventSummary | undefined
  readonly toleranceSeconds: number
  /** By the capture; Unix seconds. */
  readonly receivedAt: number | undefined
  /** The raw body received under an event's id. */
  readonly findOriginal: ((eventId: string) => Uint8Array | undefined) | undefined
}

/** Ours: so many other headers are searched for a signature. */
const MOST_HEADERS = 200

/** At least one finding for what is not valid. Throws what `findOriginal` throws. */
export function diagnose(input: DiagnosisInput): Finding[] {
  const {verdict, reason} = input
  if (reason === 'event_id_mismatch') return [eventIdFinding(input)]
  if (reason === 'timestamp_outside_tolerance') {
    const {timestamp = 0, ageSeconds = 0} = verdict
    return [describeTime({...input, timestamp, ageSeconds})]
  }
  const {rawBody} = input
  if (rawBody === undefined) return [tooLong(input)]
  const text = Buffer.from(rawBody.subarray(0, 65_536)).toString('utf8')
  const kinds = wrongKinds(input.secrets)
  const findings = (causes: readonly Cause[]) =>
    mergeCauses(causes).map(one => ({
      code: one.code,
      explanation: one.what,
      fix: fixFor(one, input.headers, text),
    }))
  // Without a signing secret nothing can match, but what is wrong with the header can be seen.
  if (reason === 'signature_mismatch' && kinds.length > 0) return findings(kinds)
  const found = explain(input, rawBody) ?? explainByOriginal(input, rawBody)
  return Array.isArray(found)
    ? findings([...found, ...kinds])
    : [unexplained(input, found), ...findings(kinds)]
}

function explain(input: DiagnosisInput, rawBody: Uint8Array): Cause[] | undefined {
  const claims = claimsOf(input)
  if (claims.length === 0) return undefined
  const causes = search({...searchTerms(input), claims, bodies: bodiesOf(input, rawBody)})
  const others = causes?.filter(({code}) => code !== CONTENT_LENGTH_SHORT)
  // What changed the body has made it longer too.
  return others?.some(({code}) => code.startsWith('body_')) ? others : causes
}

const CONTENT_LENGTH_SHORT = 'content_length_short'

function searchTerms({secrets, otherSecrets, event, eventIdHeader}: DiagnosisInput) {
  const [header] = [eventIdHeader ?? []].flat()
  return {
    keys: secrets.flatMap(keyForms),
    otherKeys: otherKeyForms(otherSecrets(), secrets),
    eventId: event?.id ?? header,
  }
}

/** What the header claims; without one, what any other header does. */
function claimsOf({header, headers, names}: DiagnosisInput): Claim[] {
  if (header !== undefined) return readClaims([header].flat())
  return Object.entries(headers)
    .slice(0, MOST_HEADERS)
    .flatMap(([name, values]) => {
      const what = `There is no header ${names.signature}; its value came under the name ${sanitizeLine(name, 80)}.`
      const renamed = cause('header_renamed', what)
      return readClaims([values].flat()).map(claim => ({...claim, causes: [renamed, ...claim.causes]}))
    })
}

function bodiesOf({surplus}: DiagnosisInput, rawBody: Uint8Array): BodyForm[] {
  const inHand = {bytes: rawBody, causes: []}
  if (!surplus) return [inHand]
  const what = 'The body is longer than its Content-Length says, and was signed with its full length.'
  return [inHand, {bytes: Buffer.concat([rawBody, surplus]), causes: [cause(CONTENT_LENGTH_SHORT, what)]}]
}

/** The causes, when the body received here is right and what happened to it is known; else words on the difference. */
function explainByOriginal(input: DiagnosisInput, rawBody: Uint8Array): Cause[] | string | undefined {
  const original = originalOf(input)
  if (!original) return undefined
  const right = search({
    ...searchTerms(input),
    claims: claimsOf(input),
    bodies: [{bytes: original, causes: []}],
  })
  const difference = describeDifference(rawBody, original)
  if (!right) return difference
  const loss = causeOfLoss(rawBody, original)
  if (loss) return [...right, {...loss, what: `${loss.what} ${difference}`}]
  return `The signature is right for the body received here under this id. ${difference}`
}

function originalOf({event, eventIdHeader, findOriginal}: DiagnosisInput): Uint8Array | undefined {
  const [header] = [eventIdHeader ?? []].flat()
  const ids = new Set([event?.id, header].filter(id => id !== undefined))
  return [...ids].map(id => findOriginal?.(id)).find(body => body !== undefined)
}

function unexplained({header, names, reason}: DiagnosisInput, difference = ''): Finding {
  const finding = (explanation: string, fix: string) => ({
    code: 'unexplained',
    explanation: `${explanation} ${difference}`.trimEnd(),
    fix,
  })
  if (header === undefined)
    return finding(
      `There is no header ${names.signature}, and no other header holds a signature that is right.`,
      'For a raw body pass --signature; otherwise check whether a proxy removes the header. Do not skip the check.',
    )
  return finding(
    reason === 'malformed_header'
      ? 'The header does not follow `t=<digits>,v1=<64 lowercase hex>`, and no reading of it matches.'
      : 'No known change of body, secret or signature explains it: the body was altered, or the secret is another.',
    'Refuse it with 401; if it is genuine, compare the body with the one sent, and the secret with the subscription.',
  )
}

function tooLong({bodyBytes}: DiagnosisInput): Finding {
  return {
    code: 'unexplained',
    explanation: `The body has ${bodyBytes} bytes: too long to search for a cause.`,
    fix: 'Events are below 1 MiB: check what was captured.',
  }
}

function eventIdFinding({event, eventIdHeader, names, rawBody}: DiagnosisInput): Finding {
  const values = [eventIdHeader ?? []].flat().map(value => sanitizeLine(value, 80))
  const none = rawBody ? 'the body has no id' : 'the body is too long to be read for its id'
  const signed = event ? `the body's id is ${sanitizeLine(event.id, 80)}` : none
  return {
    code: 'event_id_header_changed',
    explanation: `The signature is right, and ${signed}; the header ${names.eventId}, which is not signed, says ${values.join(' and ')}.`,
    fix: 'Take the id from the signed body to remove duplicates, and refuse a header that differs with 401.',
  }
}

const CONTEXT_BYTES = 20

/** Offset of the first byte that differs; undefined when they are the same. */
function firstDifference(a: Uint8Array, b: Uint8Array): number | undefined {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return at
  return a.length === b.length ? undefined : length
}

/** One sentence: where the bodies differ, with the text around it in each, made safe to show. */
function describeDifference(inHand: Uint8Array, original: Uint8Array): string {
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
function causeOfLoss(inHand: Uint8Array, original: Uint8Array): Cause | undefined {
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
