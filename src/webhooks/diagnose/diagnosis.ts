/**
 * Why a webhook did not verify. A cause is named only when undoing it makes the signature right, which is proof; or
 * when the digest matched and the rest is arithmetic. Everything else is `unexplained`.
 */
import {sanitizeLine} from '../../contract/foreign-text.js'
import type {EventSummary} from '../signature/event.js'
import type {HeaderMap, WebhookHeaderNames} from '../signature/headers.js'
import type {NamedSecret, Verdict} from '../signature/signature.js'
import type {BodyForm, Cause, Claim} from './cause.js'
import {mergeCauses} from './cause.js'
import type {CheckResult} from './check.js'
import {readClaims} from './claims.js'
import {fixFor} from './fixes.js'
import {searchLongBody} from './long-body.js'
import {causeOfLoss, describeDifference} from './original.js'
import {search} from './search.js'
import {keyForms, otherKeyForms, wrongKinds} from './secrets.js'
import {describeTime} from './time.js'

/** One cause, or one of several that only together explain it. */
export interface Finding {
  /** Stable word for scripts. */
  readonly code: string
  readonly explanation: string
  /** What to do, in one line. */
  readonly fix: string
}

export interface DiagnosisInput {
  readonly verdict: Verdict
  readonly reason: CheckResult['reason']
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
  /** What followed the body that Content-Length tells of. */
  readonly surplus: Uint8Array | undefined
  readonly event: EventSummary | undefined
  readonly toleranceSeconds: number
  /** By the capture; Unix seconds. */
  readonly receivedAt: number | undefined
  /** The raw body received under an event's id. */
  readonly findOriginal: ((eventId: string) => Uint8Array | undefined) | undefined
}

/** Ours: so many other headers are looked through for a signature. */
const MOST_HEADERS = 200

/** At least one finding for what is not valid. Throws nothing of its own; what `findOriginal` throws passes. */
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
    mergeCauses(causes).map(cause => toFinding(cause, input.headers, text))
  // With what is no signing secret nothing can match; what is wrong with the header can be seen all the same.
  if (reason === 'signature_mismatch' && kinds.length > 0) return findings(kinds)
  const found = explain(input, rawBody) ?? explainByOriginal(input, rawBody)
  return Array.isArray(found)
    ? findings([...found, ...kinds])
    : [unexplained(input, found), ...findings(kinds)]
}

/**
 * `diagnose` for a body too long to keep, which `pieces` reads once more: for the changes that can be undone as it
 * streams by. Throws what reading throws.
 */
export async function diagnoseLong(
  input: DiagnosisInput,
  pieces: AsyncIterable<Uint8Array>,
): Promise<Finding[]> {
  if (input.verdict.secretName !== undefined || wrongKinds(input.secrets).length > 0) return diagnose(input)
  const causes = await searchLongBody({...searchTerms(input), claims: claimsOf(input)}, pieces)
  return causes
    ? mergeCauses(causes).map(cause => toFinding(cause, input.headers, ''))
    : [tooLong(input, 'line breaks, a byte order mark, white space and other secrets')]
}

function toFinding(cause: Cause, headers: HeaderMap, text: string): Finding {
  return {code: cause.code, explanation: cause.what, fix: fixFor(cause, headers, text)}
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
      const renamed = {code: 'header_renamed', what}
      return readClaims([values].flat()).map(claim => ({...claim, causes: [renamed, ...claim.causes]}))
    })
}

function bodiesOf({surplus}: DiagnosisInput, rawBody: Uint8Array): BodyForm[] {
  if (!surplus) return [{bytes: rawBody, causes: []}]
  const what = 'The body is longer than its Content-Length says, and was signed with its full length.'
  const whole = Buffer.concat([rawBody, surplus])
  return [
    {bytes: rawBody, causes: []},
    {bytes: whole, causes: [{code: CONTENT_LENGTH_SHORT, what}]},
  ]
}

/** The causes when the body as received here is right and what became of it is known, else words on the difference. */
function explainByOriginal(input: DiagnosisInput, rawBody: Uint8Array): Cause[] | string | undefined {
  const original = originalOf(input)
  if (!original) return undefined
  const claims = claimsOf(input)
  const right = search({...searchTerms(input), claims, bodies: [{bytes: original, causes: []}]})
  const cause = right && causeOfLoss(rawBody, original)
  const difference = describeDifference(rawBody, original)
  if (cause && right) return [...right, {...cause, what: `${cause.what} ${difference}`}]
  return right ? `The signature is right for the body received here under this id. ${difference}` : difference
}

function originalOf({event, eventIdHeader, findOriginal}: DiagnosisInput): Uint8Array | undefined {
  const [header] = [eventIdHeader ?? []].flat()
  const ids = new Set([event?.id, header].filter(id => id !== undefined))
  return [...ids].map(id => findOriginal?.(id)).find(body => body !== undefined)
}

function unexplained({header, names, reason}: DiagnosisInput, difference: string | undefined): Finding {
  const more = difference === undefined ? '' : ` ${difference}`
  if (header === undefined) {
    const explanation = `There is no header ${names.signature}, and none of the others holds a signature that is right.${more}`
    const fix = `For a raw body pass --signature; else look whether a proxy takes the header away, and verify all the same.`
    return {code: 'unexplained', explanation, fix}
  }
  const start =
    reason === 'malformed_header'
      ? 'The header does not follow `t=<digits>,v1=<64 lowercase hex>`, and no reading of it matches.'
      : 'No known change of body, secret or signature explains it: the body was altered, or the secret is another.'
  const fix =
    'Refuse it with 401; if it is genuine, compare the body with the one sent, and the secret with the subscription.'
  return {code: 'unexplained', explanation: `${start}${more}`, fix}
}

function tooLong({bodyBytes}: DiagnosisInput, searched?: string): Finding {
  const explanation = `A body of ${bodyBytes} bytes is checked but not searched through for ${searched ? `more than ${searched}` : 'a cause'}.`
  const fix = searched
    ? 'Events are below 1 MiB: look what was captured.'
    : 'Events are below 1 MiB: look what was captured; a file, unlike standard input, is searched for common causes.'
  return {code: 'unexplained', explanation, fix}
}

function eventIdFinding({event, eventIdHeader, names}: DiagnosisInput): Finding {
  const values = [eventIdHeader ?? []].flat().map(value => sanitizeLine(value, 80))
  const signed = event ? `the body's id is ${sanitizeLine(event.id, 80)}` : 'the body has no id'
  const explanation = `The signature is right, and ${signed}; the header ${names.eventId}, which is not signed, says ${values.join(' and ')}.`
  const fix =
    'Take the id from the signed body to remove duplicates, and refuse a header that differs with 401.'
  return {code: 'event_id_header_changed', explanation, fix}
}
