/** Why a webhook did not verify. A cause is named only when undoing it makes the signature right, or the digest matched. */
import {sanitizeLine} from '../../contract/foreign-text.js'
import {parseJson} from '../../contract/json.js'
import {sizeText} from '../../contract/limits.js'
import {MOST_EVENT_BYTES} from '../signature/event.js'
import {lossyReadings} from './body-causes.js'
import {type BodyForm, type Cause, type CheckedRequest, type Claim, cause, type Finding} from './finding.js'
import {describeTime, fixFor} from './fixes.js'
import {readClaims} from './header-causes.js'
import {printables, reprint} from './reprint.js'
import {search} from './search.js'
import {doubts, keyForms, otherKeyForms, wrongKinds} from './secret-causes.js'

/** At least one finding for a request that is refused. Throws what `findOriginal` throws. */
export async function diagnose(refused: CheckedRequest): Promise<Finding[]> {
  const {verdict, terms, request, body} = refused
  if (verdict.valid) return [eventIdFinding(refused)]
  if (verdict.reason === 'timestamp_outside_tolerance') return [describeTime(refused)]
  if (body.kept === undefined) {
    const explanation = `The body has ${body.length} bytes: too long to search for a cause.`
    const fix = `Events are below ${sizeText(MOST_EVENT_BYTES)}: check what was captured.`
    return [{code: 'unexplained', explanation, fix}]
  }
  const text = Buffer.from(body.kept.subarray(0, 65_536)).toString('utf8')
  const findings = (causes: readonly Cause[]) =>
    mergeCauses(causes).map(one => ({...one, fix: fixFor(one, request.headers ?? {}, text)}))
  const kinds = wrongKinds(terms.secrets)
  // Without a signing secret nothing can match, but what is wrong with the header can be seen.
  if (verdict.reason === 'signature_mismatch' && kinds.length > 0) return findings(kinds)
  const found = explain(refused, body.kept) ?? (await explainByOriginal(refused, body.kept))
  if (Array.isArray(found)) return findings([...found, ...kinds])
  const doubted = verdict.reason === 'signature_mismatch' ? doubts(terms.secrets) : kinds
  return [unexplained(refused, found), ...findings(doubted)]
}

/** Joins causes with the same code, so that each finding comes once. */
function mergeCauses(causes: readonly Cause[]): Cause[] {
  const merged = new Map<string, Cause>()
  for (const one of causes) {
    const before = merged.get(one.code)?.explanation ?? ''
    const both = before.includes(one.explanation) ? before : `${before} ${one.explanation}`.trimStart()
    merged.set(one.code, {...one, explanation: both})
  }
  return [...merged.values()]
}

/** By the body in hand, and by that with what follows it in the capture. */
function explain(refused: CheckedRequest, rawBody: Uint8Array): Cause[] | undefined {
  const surplus = refused.request.afterwards?.surplus
  const what = 'The body is longer than its Content-Length says, and was signed with its full length.'
  const short = cause('content_length_short', what)
  const inHand = {bytes: rawBody, causes: []}
  const longer = surplus ? [{bytes: Buffer.concat([rawBody, surplus]), causes: [short]}] : []
  const causes = searchIn(refused, [inHand, ...longer])
  // What changed the body has made it longer too.
  const isChanged = causes?.some(({code}) => code.startsWith('body_'))
  return isChanged ? causes?.filter(one => one !== short) : causes
}

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

const MOST_HEADERS = 200

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

function unexplained({terms, verdict: {reason}}: CheckedRequest, difference = ''): Finding {
  const words: Partial<Record<typeof reason, string>> = {
    missing_header: `There is no header ${terms.names.signature}, and no other header holds a signature that is right.`,
    malformed_header:
      'The header does not follow `t=<digits>,v1=<64 lowercase hex>`, and no reading of it matches.',
  }
  const usual =
    'No known change of body, secret or signature explains it: the body was altered, or the secret is another.'
  const fix =
    reason === 'missing_header'
      ? 'For a raw body pass --signature; otherwise check whether a proxy removes the header. Do not skip the check.'
      : 'Refuse it with 401; if it is genuine, compare the body with the one sent, and the secret with the subscription.'
  return {code: 'unexplained', explanation: `${words[reason] ?? usual} ${difference}`.trimEnd(), fix}
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
  const part = Buffer.from(bytes.subarray(Math.max(0, at - 20), at + 20)).toString('utf8')
  return `0x${(bytes[at] ?? 0).toString(16).padStart(2, '0')} in \`${sanitizeLine(part, 80)}\``
}

/** The change that loses something and turns `original`, whose signature is right, into `inHand`; undefined for none. */
function causeOfLoss(inHand: Uint8Array, original: Uint8Array): Cause | undefined {
  const isInHand = ({bytes}: BodyForm) => firstDifference(bytes, inHand) === undefined
  const lossy = lossyReadings(original).find(isInHand)
  if (lossy) return lossy.causes[0]
  const what =
    'The body was parsed and printed again: numbers, key order or spelling changed (JSON.parse and JSON.stringify, or the like).'
  for (const form of printsOf(original)) if (isInHand(form)) return cause('body_reserialized', what)
  return undefined
}

/** What JavaScript, which loses the order of some keys and the spelling of numbers, and other printers make of a body. */
function* printsOf(bytes: Uint8Array): Generator<BodyForm> {
  const value = parseJson(bytes)
  if (value === undefined) return
  for (const indent of [0, 2, 4, '\t'])
    yield {bytes: Buffer.from(JSON.stringify(value, null, indent)), causes: []}
  for (const printable of printables({bytes, causes: []})) yield* reprint(printable)
}
