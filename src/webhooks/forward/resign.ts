/** A forwarded event whose signature has become too old for its target: signed again with the secret that signed it. */
import {SIGNATURE_TOLERANCE_SECONDS, WEBHOOK_RESPONSE_SECONDS} from '../../contract/limits.js'
import type {NewEvent} from '../../contract/stored-events.js'
import {type NamedSecret, parseSignature, sign, verify} from '../signature/signature.js'

type SignedEvent = Pick<NewEvent, 'rawHeaders' | 'body'>

/** The target may read its clock when its answer is due. */
const MOST_AGE_SECONDS = SIGNATURE_TOLERANCE_SECONDS - WEBHOOK_RESPONSE_SECONDS

/** Its own headers, or signed again where they are too old (§6.3.4) at `now`, Unix seconds; undefined without its secret. */
export function freshHeaders(
  event: SignedEvent,
  headerName: string,
  secrets: readonly NamedSecret[],
  now: number,
): readonly string[] | undefined {
  const {rawHeaders} = event
  const signature = parseSignature(rawHeaders[placeOf(rawHeaders, headerName)] ?? '')
  if (signature === undefined || now - Number(signature.timestamp) <= MOST_AGE_SECONDS) return rawHeaders
  const signer = signerOf(event, headerName, secrets)
  return signer && signedAgain(event, signer, headerName, now)
}

/** The secret that signed the event, however long ago; undefined when it is not among those known. */
export function signerOf(
  {rawHeaders, body}: SignedEvent,
  headerName: string,
  secrets: readonly NamedSecret[],
): NamedSecret | undefined {
  const header = rawHeaders[placeOf(rawHeaders, headerName)]
  const terms = {now: 0, toleranceSeconds: Number.POSITIVE_INFINITY}
  return secrets.find(named => verify({...terms, secrets: [named], header, rawBody: body}).valid)
}

/** The headers with a signature made at `now`, Unix seconds. */
export function signedAgain(
  {rawHeaders, body}: SignedEvent,
  {secret}: NamedSecret,
  headerName: string,
  now: number,
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
