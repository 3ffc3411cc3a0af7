/**
 * The texts about an invalid request: the fix for each cause, adapted to the framework that the receiver seems to use,
 * and the findings that need no search.
 */
import {isoTime} from '../../contract/dates.js'
import {isPlainText, sanitizeLine} from '../../contract/foreign-text.js'
import {DELIVERY_DELAYS_SECONDS, SIGNATURE_TOLERANCE_SECONDS} from '../../contract/limits.js'
import {bytesText} from '../captures/request.js'
import type {HeaderMap} from '../signature/headers.js'
import type {Cause, CheckedRequest, Finding, RemovedSecret} from './finding.js'

type Framework = keyof typeof RAW_BODY

/** How to get the raw body, by framework. */
const RAW_BODY = {
  node: `Express: express.raw({type: '*/*'}) on this route, then verify req.body; Fastify: addContentTypeParser with parseAs: 'buffer'; Next.js: await request.text().`,
  express: `Express: put express.raw({type: '*/*'}) on this route, before express.json(), and verify req.body.`,
  fastify: `Fastify: addContentTypeParser('application/json', {parseAs: 'buffer'}, …) and verify the buffer.`,
  next: `Next.js: verify await request.text(); in the pages router set export const config = {api: {bodyParser: false}}.`,
  spring: 'Spring: take @RequestBody byte[] body and verify it before an ObjectMapper reads it.',
  laravel: 'Laravel: verify $request->getContent(), not json_encode($request->all()).',
  django: 'Django: verify request.body, not json.dumps(json.loads(request.body)).',
  flask: 'Flask: verify request.get_data(), before request.json.',
  fastapi: 'FastAPI: verify await request.body(), and take no model as an argument.',
  gateway: `API Gateway: verify Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8').`,
  go: 'Go: io.ReadAll(r.Body) and verify those bytes before json.Unmarshal.',
  dotnet:
    'ASP.NET: Request.EnableBuffering(), read the stream as bytes and verify them before model binding.',
} as const

const FIXES: Readonly<Record<string, string>> = {
  body_bom:
    'Read and save the body as bytes: a text editor, or Encoding.UTF8 of .NET, puts or drops the mark.',
  body_compressed: 'Verify the body after decompressing it (Content-Encoding).',
  body_retyped: 'Pass the body on as a file of bytes: a mail program or an editor changed its characters.',
  body_crlf:
    'Save the capture as bytes: an editor, git (autocrlf) or FTP in text mode changed its line breaks.',
  body_trailing_newline:
    'Save and pass the body as bytes: use printf %s or --data-binary, not echo or an editor.',
  body_trimmed: 'Verify the body before any trim() or strip().',
  secret_base64_decoded: 'Use the whole secret, whsec_ and all, as the bytes of the key; do not decode it.',
  secret_base64_encoded: 'Decode the value once: kubectl get secret … | base64 -d.',
  secret_doubtful:
    'Check what was passed: a signing secret begins with whsec_ and is shown when the subscription is created.',
  secret_not_a_signing_secret:
    'Take the whsec_ secret shown when the subscription was created (webhooks create).',
  secret_prefix_doubled: 'Write whsec_ once.',
  secret_prefix_missing: 'Use the whole secret as the key, beginning with whsec_.',
  secret_quoted:
    'Remove the quotes around the secret: docker --env-file and systemd keep them as part of the value.',
  secret_whitespace: "Trim the secret where it is read; write it with printf '%s', not echo.",
  timestamp_milliseconds: 'Take Unix seconds, as digits: Math.floor(Date.now() / 1000).',
  timestamp_not_signed: 'Sign `<t>.<raw body>` with t as the header spells it.',
  separator_wrong: 'Put t, one full stop and the raw body together, in this order and nothing else.',
  signature_base64: "Write the digest in lowercase hex: digest('hex'), hexdigest(), not base64.",
  signature_uppercase: 'Write the digest in lowercase hex.',
  signature_prefixed: 'Write the bare hex digest after v1=.',
  signed_without_hmac_key: 'Sign with HMAC-SHA256 and the secret as its key; a plain hash proves nothing.',
  header_renamed:
    'Set signature_header of the profile to that name, or have the proxy keep the name of the header.',
  header_repeated: 'Forward the header once; a proxy or a test added it again.',
  header_rewritten: 'Forward the header as it came.',
  content_length_short: 'Correct the Content-Length of the capture, or remove it.',
}

/** Returns the fix for `cause`. `text` is the body. */
export function fixFor(cause: Cause, headers: HeaderMap, text: string): string {
  const style = cause.code === 'body_base64' ? 'gateway' : firstOf(PRINTERS, text)
  return cause.fix ?? FIXES[cause.code] ?? RAW_BODY[namedIn(headers) ?? style ?? 'node']
}

/** Returns how to get the raw body in the framework that sent `headers` and the text `words` in an answer. */
export function rawBodyFix(headers: HeaderMap, words: string): string {
  return RAW_BODY[namedIn(headers, words) ?? 'node']
}

type Signs = readonly (readonly [RegExp, Framework])[]

function firstOf(signs: Signs, text: string): Framework | undefined {
  return signs.find(([pattern]) => pattern.test(text))?.[1]
}

/** Traces that frameworks, their usual servers, and hosting services leave in headers. */
const NAMES: Signs = [
  [/\bexpress/i, 'express'],
  [/\bfastify/i, 'fastify'],
  [/\bnext\.?js|\bx-(?:vercel|middleware)-/i, 'next'],
  [/\blaravel|\bphp/i, 'laravel'],
  [/\bdjango|wsgiserver/i, 'django'],
  [/\bspring/i, 'spring'],
  [/\bflask|werkzeug/i, 'flask'],
  [/\bfastapi|uvicorn/i, 'fastapi'],
  [/kestrel|asp\.net/i, 'dotnet'],
  [/\bx-amzn?-/i, 'gateway'],
]

function namedIn(headers: HeaderMap, words = ''): Framework | undefined {
  const values = [headers['x-powered-by'] ?? [], headers.server ?? [], words].flat()
  return firstOf(NAMES, [...values, ...Object.keys(headers)].join(' '))
}

/** Traces of the way in which frameworks print or wrap JSON. */
const PRINTERS: Signs = [
  [/isBase64Encoded|requestContext/, 'gateway'],
  [/^\s*b'/, 'django'],
  [/\\\//, 'laravel'],
  [/"\s:\s/, 'spring'],
  [/\\u003[ce]|\\u0026/, 'go'],
  [/\\u00(?:2[2BE67]|3[CE])|\{\r\n/, 'dotnet'],
  [/^\{"[^"]*": .*, "/s, 'django'],
  [/^(?!.*\\u[\dA-F]*[A-F]).*\\u[\da-f]{4}/s, 'laravel'],
  [/\\u[\dA-F]{4}/, 'spring'],
]

/** Explains a valid signature whose timestamp is too old, or in the future. */
export function describeTime({verdict, terms, request: {receivedAt}}: CheckedRequest): Finding {
  const {timestamp = 0, ageSeconds = 0} = verdict
  const {toleranceSeconds} = terms
  const outside = `outside the ${toleranceSeconds} s allowed`
  // A difference of whole half hours, up to 14 hours, suggests that local time was mistaken for UTC.
  const halfHours = Math.round(Math.abs(ageSeconds) / 1800)
  const zone = halfHours >= 2 && halfHours <= 28 && Math.abs(Math.abs(ageSeconds) - halfHours * 1800) <= 60
  if (ageSeconds < 0) {
    const explanation = `The signature is right, but its timestamp is ${lengthOf(-ageSeconds)} in the future, ${outside}: the clock it is judged by is slow${zone ? ' or takes local time for UTC' : ''}, or the sender's is fast.`
    const fix = `Set the clock by NTP (timedatectl, w32tm); the two clocks may differ by at most ${SIGNATURE_TOLERANCE_SECONDS} s.`
    return {code: 'clock_skew', explanation, fix}
  }
  const start = `The signature is right, but it was made ${lengthOf(ageSeconds)} before, ${outside}`
  if (receivedAt !== undefined && Math.abs(Math.floor(receivedAt) - timestamp) <= toleranceSeconds) {
    const fix =
      'Judge the capture as of the time of its signature: --at signed; or at the time it came: --at received.'
    return {code: 'stale_retry', explanation: `${start}. It was fresh when it was received.`, fix}
  }
  // Each attempt of §6.4 is due at a fixed time after the first one. A deviation of 2 %, or of 15 s, is allowed.
  let due = 0
  let attempt = 0
  for (const [n, delay] of DELIVERY_DELAYS_SECONDS.entries()) {
    due += delay
    if (n > 0 && attempt === 0 && Math.abs(ageSeconds - due) <= Math.max(15, due * 0.02)) attempt = n + 1
  }
  const why =
    attempt === 0
      ? `it was held in a queue, or sent again with its old signature${zone ? ', or a clock took local time for UTC' : ''}`
      : `attempt ${attempt} of a delivery falls due then, so an earlier attempt's signature was sent again`
  const explanation = `${start}: ${why}. If it was sent and signed just now, the clock here is fast.`
  const advice =
    ' Judge an old capture as of the time of its signature: --at signed; or at the time it came: --at TIME, or --at received where the capture has it.'
  const old =
    receivedAt === undefined ? advice : ' To judge the signature alone, whatever its age: --at signed.'
  const fix = `Verify when a request arrives, before it is queued; a sender signs every attempt again with its own time.${old}`
  return {code: 'stale_retry', explanation, fix}
}

/** Formats seconds as `90000 s (about 25 h)`. */
function lengthOf(seconds: number): string {
  if (seconds >= 2 * 86_400) return `${seconds} s (about ${Math.round(seconds / 86_400)} d)`
  if (seconds >= 2 * 3600) return `${seconds} s (about ${Math.round(seconds / 3600)} h)`
  return seconds >= 120 ? `${seconds} s (about ${Math.round(seconds / 60)} min)` : `${seconds} s`
}

/**
 * Explains a valid signature whose event id is malformed, or differs from the id in the header, which is not signed.
 */
export function describeEventId({body, eventIdHeader, terms}: CheckedRequest): Finding {
  if (body.event && !isPlainText(body.event.id)) {
    const id = sanitizeLine(body.event.id, 80)
    return {
      code: 'event_id_malformed',
      explanation: `The signature is right, and the body's id ${id} holds a control character or half of a surrogate pair: stores cut or change such an id, so that different events are taken for one.`,
      fix: 'Refuse it with 401, and report it to the service.',
    }
  }
  const values = [eventIdHeader ?? []].flat().map(value => sanitizeLine(value, 80))
  const none = body.kept ? 'the body has no id' : 'the body is too long to be read for its id'
  const signed = body.event ? `the body's id is ${sanitizeLine(body.event.id, 80)}` : none
  return {
    code: 'event_id_header_changed',
    explanation: `The signature is right, and ${signed}; the header ${terms.names.eventId}, which is not signed, says ${values.join(' and ')}.`,
    fix: 'Take the id from the signed body to remove duplicates, and refuse a header that differs with 401.',
  }
}

const MOST_REMOVED_NAMED = 3

/** Describes which secrets were removed, when, and by which command. Returns undefined if none was. */
export function removedSecretsText(removed: readonly RemovedSecret[]): string | undefined {
  if (removed.length === 0) return undefined
  const words = removed.slice(0, MOST_REMOVED_NAMED).map(({subscription_id, removed_at, removed_by}) => {
    const command = `bookctl ${sanitizeLine(removed_by, 100)}`
    return `that of ${sanitizeLine(subscription_id, 100)} was removed at ${isoTime(removed_at)} by ${command}`
  })
  const more = removed.length - words.length
  return words.join(', ') + (more > 0 ? ` and ${more} more before` : '')
}

/**
 * Returns the finding that the right secret was probably removed. Returns undefined if no secret was removed, or if the
 * check failed for another reason than a mismatch.
 */
export function describeRemoved({terms, verdict: {reason}}: Pick<CheckedRequest, 'terms' | 'verdict'>) {
  const words = removedSecretsText(terms.removedSecrets?.() ?? [])
  if (words === undefined || reason !== 'signature_mismatch') return undefined
  return {
    code: 'secret_removed',
    explanation: `No signing secret here is right for it: ${words}, so an event of that subscription can no longer be verified here.`,
    fix: 'Give the secret with BOOKCTL_WEBHOOK_SECRET or --secret-file if you have it elsewhere; otherwise subscribe again: bookctl webhooks create.',
  }
}

/** Returns the finding that the body is truncated, if its Content-Length proves it, or undefined. */
export function describeCut({request: {afterwards}}: CheckedRequest): Finding | undefined {
  const missing = afterwards?.missingBytes
  if (missing === undefined) return undefined
  return {
    code: 'body_cut',
    explanation: `The body is cut off: it is ${bytesText(missing)} shorter than its Content-Length says.`,
    fix: 'Get the whole body, exactly as it was received, and pass it with --body FILE.',
  }
}

export function unexplained({terms, verdict: {reason}}: CheckedRequest, difference = ''): Finding {
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

/** Returns a sentence that says where the bodies differ and shows the text around that place in each, sanitised. */
export function describeDifference(inHand: Uint8Array, original: Uint8Array): string {
  if (Buffer.compare(inHand, original) === 0) return 'The body is byte for byte the one that was received.'
  const differing = inHand.findIndex((byte, n) => byte !== original[n])
  const at = differing < 0 ? inHand.length : differing
  const lengths =
    inHand.length === original.length ? '' : ` (${inHand.length} bytes here, ${original.length} received)`
  const shown = (bytes: Uint8Array) => {
    if (at >= bytes.length) return 'the end'
    const part = Buffer.from(bytes.subarray(Math.max(0, at - 20), at + 20)).toString('utf8')
    return `0x${(bytes[at] ?? 0).toString(16).padStart(2, '0')} in \`${sanitizeLine(part, 80)}\``
  }
  return `The first byte that differs from the body received is at offset ${at}${lengths}: ${shown(inHand)} here, ${shown(original)} received.`
}
