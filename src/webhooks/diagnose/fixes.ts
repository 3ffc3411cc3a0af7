/** What to do about a cause, in one line, for the framework the request smells of. */
import {SIGNATURE_TOLERANCE_SECONDS} from '../../contract/limits.js'
import type {HeaderMap} from '../signature/headers.js'
import type {Cause} from './cause.js'

type Framework = keyof typeof RAW_BODY

/** How to get the raw body. */
const RAW_BODY = {
  node: `Express: express.raw({type: '*/*'}) on this route, then verify req.body; Fastify: addContentTypeParser with parseAs: 'buffer'; Next.js: await request.text().`,
  express: `Express: put express.raw({type: '*/*'}) on this route, before express.json(), and verify req.body.`,
  fastify: `Fastify: addContentTypeParser('application/json', {parseAs: 'buffer'}, …) and verify the buffer.`,
  next: `Next.js: verify await request.text(); in the pages router set export const config = {api: {bodyParser: false}}.`,
  spring: 'Spring: take @RequestBody byte[] body and verify it before an ObjectMapper reads it.',
  laravel: 'Laravel: verify $request->getContent(), not json_encode($request->all()).',
  django: 'Django: verify request.body, not json.dumps(json.loads(request.body)).',
  gateway: `API Gateway: verify Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8').`,
  go: 'Go: io.ReadAll(r.Body) and verify those bytes before json.Unmarshal.',
  dotnet:
    'ASP.NET: Request.EnableBuffering(), read the stream as bytes and verify them before model binding.',
} as const

const FIXES: Readonly<Record<string, string>> = {
  body_bom:
    'Read and save the body as bytes: a text editor, or Encoding.UTF8 of .NET, puts or drops the mark.',
  body_compressed: 'Verify the body after its Content-Encoding was undone.',
  body_crlf:
    'Save the capture as bytes: an editor, git (autocrlf) or FTP in text mode changed its line breaks.',
  body_trailing_newline:
    'Save and pass the body as bytes: use printf %s or --data-binary, not echo or an editor.',
  body_trimmed: 'Verify the body before any trim() or strip().',
  secret_base64_decoded: 'Use the whole secret, whsec_ and all, as the bytes of the key; do not decode it.',
  secret_base64_encoded: 'Decode the value once: kubectl get secret … | base64 -d.',
  secret_not_a_signing_secret:
    'Take the whsec_ secret shown when the subscription was created (webhooks create).',
  secret_prefix_doubled: 'Write whsec_ once.',
  secret_prefix_missing: 'Use the whole secret as the key, beginning with whsec_.',
  secret_quoted:
    'Take the quotes out of the secret: docker --env-file and systemd keep them as part of the value.',
  secret_whitespace: "Trim the secret where it is read; write it with printf '%s', not echo.",
  timestamp_milliseconds: 'Take Unix seconds, as digits: Math.floor(Date.now() / 1000).',
  timestamp_not_signed: 'Sign `<t>.<raw body>` with t as the header spells it (§6.3).',
  timestamp_respelled: 'Take t as text from the header; do not turn it into a number and back.',
  separator_wrong: 'Put t, one full stop and the raw body together, in this order and nothing else (§6.3).',
  signature_base64: "Write the digest in lowercase hex: digest('hex'), hexdigest(), not base64.",
  signature_uppercase: 'Write the digest in lowercase hex.',
  signature_prefixed: 'Write the bare hex digest after v1=.',
  signed_without_hmac_key: 'Sign with HMAC-SHA256 and the secret as its key; a plain hash proves nothing.',
  header_renamed:
    'Set signature_header of the profile to that name, or let the proxy keep the name of the header.',
  header_repeated: 'Pass the header on once; a proxy or a test added it again.',
  header_rewritten: 'Pass the header on as it came.',
  content_length_short: 'Correct the Content-Length of the capture, or take it out.',
}

/** The line for `cause`. */
export function fixFor(cause: Cause, headers: HeaderMap, text: string): string {
  return cause.fix ?? FIXES[cause.code] ?? RAW_BODY[frameworkOf(cause, headers, text)]
}

/** By headers that hosts add, then by the manner of the printer. `text` is the body in hand. */
function frameworkOf(cause: Cause, headers: HeaderMap, text: string): Framework {
  const has = (pattern: RegExp) => Object.keys(headers).some(name => pattern.test(name))
  const told = [headers['x-powered-by'] ?? [], headers.server ?? []].flat().join(' ').toLowerCase()
  const named = (['express', 'fastify', 'next', 'laravel', 'django', 'spring'] as const).find(name =>
    told.includes(name),
  )
  if (named) return named
  if (cause.code === 'body_base64' || has(/^x-amzn?-/)) return 'gateway'
  if (has(/^x-(?:vercel|nextjs|middleware)-/)) return 'next'
  if (has(/^x-laravel-/)) return 'laravel'
  if (cause.code === 'body_double_encoded' && /isBase64Encoded|requestContext/.test(text)) return 'gateway'
  return printerOf(text)
}

function printerOf(text: string): Framework {
  if (/^\s*b'/.test(text)) return 'django'
  if (/\\\//.test(text)) return 'laravel'
  if (/"\s:\s/.test(text)) return 'spring'
  if (/\\u003[ce]|\\u0026/.test(text)) return 'go'
  if (/\\u00(?:2[BE67]|3[CE])|\\u0022/.test(text) || /\{\r\n/.test(text)) return 'dotnet'
  if (/^\{"[^"]*": .*, "/s.test(text)) return 'django'
  if (/\\u[\da-f]{4}/.test(text) && !/\\u[\dA-F]*[A-F]/.test(text)) return 'laravel'
  if (/\\u[\dA-F]{4}/.test(text)) return 'spring'
  return 'node'
}

/** Said where time is the cause. */
export const TIME_FIXES = {
  onArrival: `Verify when a request arrives, before it is queued; a sender signs every attempt anew with the time of that attempt.`,
  received: 'Judge the capture at the time it came: --at received.',
  clock: `Set the clock by NTP (timedatectl, w32tm); at most ${SIGNATURE_TOLERANCE_SECONDS} s may lie between the two clocks.`,
} as const
