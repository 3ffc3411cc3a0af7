/** Why a webhook did not verify. A cause is named only when undoing it makes the signature right, or the digest matched. */
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isTooDeep} from '../../contract/json.js'
import {sizeText} from '../../contract/limits.js'
import {parseText} from '../captures/request.js'
import {MOST_EVENT_BYTES} from '../signature/event.js'
import {lossyReadings} from './body-causes.js'
import {
  type BodyForm,
  type Cause,
  type CheckedRequest,
  type Claim,
  cause,
  type Finding,
  mergeCauses,
} from './finding.js'
import {describeTime, fixFor} from './fixes.js'
import {readClaims} from './header-causes.js'
import {printables, reprint} from './reprint.js'
import {search} from './search.js'
import {doubts, keyForms, otherKeyForms, wrongKinds} from './secret-causes.js'

const MOST_HEADERS = 200

/** At least one finding for a request that is refused. Throws what `findOriginal` throws. */
export async function diagnose(refused: CheckedRequest): Promise<Finding[]> {
  const {verdict, terms, request} = refused
  if (verdict.valid) return [eventIdFinding(refused)]
  if (verdict.reason === 'timestamp_outside_tolerance') return [describeTime(refused)]
  const rawBody = refused.body.kept
  if (rawBody === undefined) return [tooLong(refused)]
  const text = Buffer.from(rawBody.subarray(0, 65_536)).toString('utf8')
  const kinds = wrongKinds(terms.secrets)
  const findings = (causes: readonly Cause[]) =>
    mergeCauses(causes).map(one => ({...one, fix: fixFor(one, request.headers ?? {}, text)}))
  // Without a signing secret nothing can match, but what is wrong with the header can be seen.
  if (verdict.reason === 'signature_mismatch' && kinds.length > 0) return findings(kinds)
  const found = explain(refused, rawBody) ?? (await explainByOriginal(refused, rawBody))
  if (Array.isArray(found)) return findings([...found, ...kinds])
  const doubted = verdict.reason === 'signature_mismatch' ? doubts(terms.secrets) : kinds
  return [unexplained(refused, found), ...findings(doubted)]
}

function explain(refused: CheckedRequest, rawBody: Uint8Array): Cause[] | undefined {
  const causes = searchIn(refused, bodiesOf(refused, rawBody))
  const others = causes?.filter(({code}) => code !== CONTENT_LENGTH_SHORT)
  // What changed the body has made it longer too.
  return others?.some(({code}) => code.startsWith('body_')) ? others : causes
}

const CONTENT_LENGTH_SHORT = 'content_length_short'

function searchIn(refused: CheckedRequest, bodies: readonly BodyForm[]): Cause[] | undefined {
  const claims = claimsOf(refused)
  if (claims.length === 0) return undefined
  const {secrets, otherSecrets} = refused.terms
  const [eventId] = eventIdsOf(refused)
  const keys = secrets.flatMap(keyForms)
  return search({claims, bodies, keys, otherKeys: otherKeyForms(otherSecrets(), secrets), eventId})
}

/** By the body, then by the header. */
function eventIdsOf({body, eventIdHeader}: CheckedRequest): string[] {
  const [header] = [eventIdHeader ?? []].flat()
  return [body.event?.id, header].filter(id => id !== undefined)
}

/** What the header claims; without one, what any other header does. */
function claimsOf({header, terms, request}: CheckedRequest): Claim[] {
  if (header !== undefined) return readClaims([header].flat())
  return Object.entries(request.headers ?? {})
    .slice(0, MOST_HEADERS)
    .flatMap(([name, values]) => {
      const what = `There is no header ${terms.names.signature}; its value came under the name ${sanitizeLine(name, 80)}.`
      const renamed = cause('header_renamed', what)
      return readClaims([values].flat()).map(claim => ({...claim, causes: [renamed, ...claim.causes]}))
    })
}

function bodiesOf({request}: CheckedRequest, rawBody: Uint8Array): BodyForm[] {
  const surplus = request.afterwards?.surplus
  const inHand = {bytes: rawBody, causes: []}
  if (!surplus) return [inHand]
  const what = 'The body is longer than its Content-Length says, and was signed with its full length.'
  return [inHand, {bytes: Buffer.concat([rawBody, surplus]), causes: [cause(CONTENT_LENGTH_SHORT, what)]}]
}

/** The causes, when the body received here is right and what happened to it is known; else words on the difference. */
async function explainByOriginal(
  refused: CheckedRequest,
  rawBody: Uint8Array,
): Promise<Cause[] | string | undefined> {
  let original: Uint8Array | undefined
  for (const id of new Set(eventIdsOf(refused))) original ??= await refused.terms.findOriginal?.(id)
  if (!original) return undefined
  const right = searchIn(refused, [{bytes: original, causes: []}])
  const difference = describeDifference(rawBody, original)
  if (!right) return difference
  const loss = causeOfLoss(rawBody, original)
  if (loss) return [...right, {...loss, explanation: `${loss.explanation} ${difference}`}]
  return `The signature is right for the body received here under this id. ${difference}`
}

function unexplained({header, terms, verdict}: CheckedRequest, difference = ''): Finding {
  const [explanation, fix] =
    header === undefined
      ? [
          `There is no header ${terms.names.signature}, and no other header holds a signature that is right.`,
          'For a raw body pass --signature; otherwise check whether a proxy removes the header. Do not skip the check.',
        ]
      : [
          verdict.reason === 'malformed_header'
            ? 'The header does not follow `t=<digits>,v1=<64 lowercase hex>`, and no reading of it matches.'
            : 'No known change of body, secret or signature explains it: the body was altered, or the secret is another.',
          'Refuse it with 401; if it is genuine, compare the body with the one sent, and the secret with the subscription.',
        ]
  return {code: 'unexplained', explanation: `${explanation} ${difference}`.trimEnd(), fix: fix ?? ''}
}

function tooLong({body}: CheckedRequest): Finding {
  return {
    code: 'unexplained',
    explanation: `The body has ${body.length} bytes: too long to search for a cause.`,
    fix: `Events are below ${sizeText(MOST_EVENT_BYTES)}: check what was captured.`,
  }
}

function eventIdFinding({body, eventIdHeader, terms}: CheckedRequest): Finding {
  const values = [eventIdHeader ?? []].flat().map(value => sanitizeLine(value, 80))
  const none = body.kept ? 'the body has no id' : 'the body is too long to be read for its id'
  const signed = body.event ? `the body's id is ${sanitizeLine(body.event.id, 80)}` : none
  return {
    code: 'event_id_header_changed',
    explanation: `The signature is right, and ${signed}; the header ${terms.names.eventId}, which is not signed, says ${values.join(' and ')}.`,
    fix: 'Take the id from the signed body to remove duplicates, and refuse a header that differs with 401.',
  }
}

const CONTEXT_BYTES = 20

/** Offset of the first byte that differs; undefined when they are the same. */
function firstDifference(a: Uint8Array, b: Uint8Array): number | undefined {
  const at = a.findIndex((byte, n) => byte !== b[n])
  if (at >= 0) return at
  return a.length === b.length ? undefined : a.length
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

/** The change that loses something and turns `original`, whose signature is right, into `inHand`; undefined for none. */
function causeOfLoss(inHand: Uint8Array, original: Uint8Array): Cause | undefined {
  const same = (bytes: Uint8Array) => firstDifference(bytes, inHand) === undefined
  for (const reading of lossyReadings(original)) if (same(reading.bytes)) return reading.causes[0]
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

function javascriptPrints(original: Uint8Array): Uint8Array[] {
  const value = isTooDeep(original) ? undefined : parseText(Buffer.from(original).toString('utf8'))
  if (value === undefined) return []
  return [0, 2, 4, '\t'].map(indent => Buffer.from(JSON.stringify(value, null, indent)))
}
