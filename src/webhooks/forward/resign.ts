/** A forwarded event whose signature has become too old for its target: signed again with the secret that signed it. */
import {SIGNATURE_TOLERANCE_SECONDS, WEBHOOK_RESPONSE_SECONDS} from '../../contract/limits.js'
import type {NewEvent} from '../../contract/stored-events.js'
import {type NamedSecret, parseSignature, sign, verify} from '../signature/signature.js'

type SignedEvent = Pick<NewEvent, 'rawHeaders' | 'body'>

export interface ResignTerms {
  /** Of the header with the signature, in any case. */
  readonly headerName: string
  readonly secrets: readonly NamedSecret[]
  /** Unix seconds. */
  readonly now: number
}

/** The target may read its clock when its answer is due. */
const MOST_AGE_SECONDS = SIGNATURE_TOLERANCE_SECONDS - WEBHOOK_RESPONSE_SECONDS

/**
 * The headers to send `event` with: its own, or signed again where the target would refuse them for their age (§6.3.4);
 * undefined where they cannot be, because the secret is unknown or `mayResign` is false.
 */
export function freshHeaders(
  event: SignedEvent,
  terms: ResignTerms & {readonly mayResign: boolean},
): readonly string[] | undefined {
  const {rawHeaders} = event
  const signature = parseSignature(rawHeaders[placeOf(rawHeaders, terms.headerName)] ?? '')
  if (signature === undefined || terms.now - Number(signature.timestamp) <= MOST_AGE_SECONDS)
    return rawHeaders
  const signer = terms.mayResign ? signerOf(event, terms) : undefined
  return signer && signedAgain(event, signer, terms)
}

/** The secret that signed the event, however long ago; undefined when it is not among those known. */
export function signerOf(
  {rawHeaders, body}: SignedEvent,
  {headerName, secrets}: Pick<ResignTerms, 'headerName' | 'secrets'>,
): NamedSecret | undefined {
  const header = rawHeaders[placeOf(rawHeaders, headerName)]
  const terms = {now: 0, toleranceSeconds: Number.POSITIVE_INFINITY}
  return secrets.find(named => verify({...terms, secrets: [named], header, rawBody: body}).valid)
}

/** The headers with a signature of `named` made now. */
export function signedAgain(
  {rawHeaders, body}: SignedEvent,
  {secret}: NamedSecret,
  {headerName, now}: Pick<ResignTerms, 'headerName' | 'now'>,
): string[] {
  const signature = sign(secret, String(Math.floor(now)), body)
  const place = placeOf(rawHeaders, headerName)
  return place < 0 ? [...rawHeaders, headerName, signature] : rawHeaders.with(place, signature)
}

/** The index of the header's value; -1 when it is missing. */
function placeOf(rawHeaders: readonly string[], headerName: string): number {
  const wanted = headerName.toLowerCase()
  return rawHeaders.findIndex((_, n) => n % 2 === 1 && rawHeaders[n - 1]?.toLowerCase() === wanted)
}
