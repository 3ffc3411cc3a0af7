/** What to do about a cause, in one line, for the framework that the request seems to come from; and what a wrong time means. */
import {DELIVERY_DELAYS_SECONDS, SIGNATURE_TOLERANCE_SECONDS} from '../../contract/limits.js'
import type {HeaderMap} from '../signature/headers.js'
import type {Cause, CheckedRequest, Finding} from './finding.js'

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

/** The line for `cause`. */
export function fixFor(cause: Cause, headers: HeaderMap, text: string): string {
  return cause.fix ?? FIXES[cause.code] ?? RAW_BODY[frameworkOf(cause, headers, text)]
}

/** How to get the raw body, in the framework that answered with `headers` and said `words`. */
export function rawBodyFix(headers: HeaderMap, words: string): string {
  return RAW_BODY[namedFramework(headers, words) ?? 'node']
}

/** What frameworks, and the servers that are mostly in front of them, call themselves. */
const NAMES: readonly [RegExp, Framework][] = [
  ...(['express', 'fastify', 'next', 'laravel', 'django', 'spring', 'flask', 'fastapi'] as const).map(
    name => [new RegExp(`\\b${name}`, 'i'), name] as [RegExp, Framework],
  ),
  [/werkzeug/i, 'flask'],
  [/uvicorn/i, 'fastapi'],
  [/wsgiserver/i, 'django'],
  [/kestrel|asp\.net/i, 'dotnet'],
  [/\bphp/i, 'laravel'],
]

function namedFramework(headers: HeaderMap, words = ''): Framework | undefined {
  const named = [headers['x-powered-by'] ?? [], headers.server ?? [], words].flat().join(' ')
  return NAMES.find(([pattern]) => pattern.test(named))?.[1]
}

/** By headers that hosts add, then by the style of the printer. `text` is the body in hand. */
function frameworkOf(cause: Cause, headers: HeaderMap, text: string): Framework {
  const has = (pattern: RegExp) => Object.keys(headers).some(name => pattern.test(name))
  const framework = namedFramework(headers)
  if (framework) return framework
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

/** How far from the schedule of §6.4 an age may be and still be that of an attempt. */
const SLACK = 0.02
const LEAST_SLACK_SECONDS = 15

/** A right signature at the wrong time: old, or from the future. */
export function describeTime({verdict, terms, request: {receivedAt}}: CheckedRequest): Finding {
  const {timestamp = 0, ageSeconds = 0} = verdict
  const {toleranceSeconds} = terms
  const outside = `outside the ${toleranceSeconds} s allowed`
  const zone = isZoneApart(Math.abs(ageSeconds))
  if (ageSeconds < 0) {
    const explanation = `The signature is right, but its timestamp is ${lengthOf(-ageSeconds)} in the future, ${outside}: the clock it is judged by is slow${zone ? ' or takes local time for UTC' : ''}, or the sender's is fast.`
    const fix = `Set the clock by NTP (timedatectl, w32tm); the two clocks may differ by at most ${SIGNATURE_TOLERANCE_SECONDS} s.`
    return {code: 'clock_skew', explanation, fix}
  }
  const start = `The signature is right, but it was made ${lengthOf(ageSeconds)} before, ${outside}`
  if (receivedAt !== undefined && Math.abs(Math.floor(receivedAt) - timestamp) <= toleranceSeconds) {
    const fix = 'Judge the capture at the time it came: --at received.'
    return {code: 'stale_retry', explanation: `${start}. It was fresh when it was received.`, fix}
  }
  const attempt = attemptAt(ageSeconds)
  const why =
    attempt === undefined
      ? `it was held in a queue, or sent again with its old signature${zone ? ', or a clock took local time for UTC' : ''}`
      : `attempt ${attempt} of a delivery falls due then, so an earlier attempt's signature was sent again`
  const explanation = `${start}: ${why}. If it was sent and signed just now, the clock here is fast.`
  const advice =
    ' Judge an old capture at the time it came: --at TIME, or --at received where the capture has it.'
  const old = receivedAt === undefined ? advice : ''
  const fix = `Verify when a request arrives, before it is queued; a sender signs every attempt again with its own time.${old}`
  return {code: 'stale_retry', explanation, fix}
}

/** The attempt of §6.4 that falls due `age` seconds after the first. */
function attemptAt(age: number): number | undefined {
  let due = 0
  for (const [n, delay] of DELIVERY_DELAYS_SECONDS.entries()) {
    due += delay
    if (n > 0 && Math.abs(age - due) <= Math.max(LEAST_SLACK_SECONDS, due * SLACK)) return n + 1
  }
  return undefined
}

/** Whether clocks differ by so much when one of them takes local time for UTC: half hours, up to 14 hours. */
function isZoneApart(seconds: number): boolean {
  const halfHours = Math.round(seconds / 1800)
  return halfHours >= 2 && halfHours <= 28 && Math.abs(seconds - halfHours * 1800) <= 60
}

function lengthOf(seconds: number): string {
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
  ] as const
  const [size, name] = units.find(([one]) => seconds >= one * 2) ?? []
  return `${seconds} s${size ? ` (about ${Math.round(seconds / size)} ${name})` : ''}`
}
