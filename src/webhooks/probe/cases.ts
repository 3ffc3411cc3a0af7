/** The requests a receiver is probed with, and what §6 says it should answer to each. */
import {sign} from '../signature/signature.js'

export interface ProbeRequest {
  /** Values of the signature header; several are sent as headers of their own. */
  readonly signatures: readonly string[]
  readonly eventId: string
  readonly body: Uint8Array
}

export interface ProbeCase {
  readonly name: string
  /** In words: what is sent. */
  readonly sent: string
  /** `2xx`: it must be taken. `401`: §6.3.5. */
  readonly expected: '2xx' | '401'
  /** Whether a second that passes on the way turns it into another case. */
  readonly isOnTheEdge: boolean
  /** What to look at when it is answered otherwise. */
  readonly advice: string
  /** The request, made just before it is sent; `now` is Unix seconds. */
  readonly build: (now: number) => ProbeRequest
}

export interface ProbeTerms {
  readonly secret: string
  /** Makes event ids unique; letters and digits. */
  readonly run: string
  readonly toleranceSeconds: number
}

const RAW_BODY = 'verify the raw bytes of the body, before anything parses it'
const REFUSE = 'answer 401 to every request whose signature check fails (§6.3.5), not 400 or 500'
const CLOCK = 'allow 300 s in both directions and no more (§6.3.4), and set the clock by NTP'

/** All of them, in the order they are sent. */
export function probeCases(terms: ProbeTerms): ProbeCase[] {
  return [
    ...takenCases(terms),
    ...tamperedCases(terms),
    ...headerCases(terms),
    ...timeCases(terms),
    afterwards(terms),
  ]
}

type Body = (id: string, now: number) => string

/** An event of §2.8 that says it is a test. */
const plainBody: Body = (id, now) =>
  JSON.stringify({
    id,
    type: 'reservation.confirmed',
    created: isoTime(now),
    data: {object: 'reservation', reservation_ref: 'RSV-PROBE00000', status: 'CONFIRMED', test: true},
  })

function isoTime(now: number): string {
  return new Date(now * 1000).toISOString().replace('.000Z', '+00:00')
}

/** The same with `more` spelled into its data: text, so that no printer of ours smooths it. */
const withData =
  (more: string): Body =>
  (id, now) =>
    plainBody(id, now).replace('"test":true', `"test":true,${more}`)

/** Requests that are right. The canaries do not survive being parsed and printed. */
function takenCases(terms: ProbeTerms): ProbeCase[] {
  const right = (name: string, sent: string, body: Body, advice: string) =>
    makeCase(terms, {name, sent, body, advice, expected: '2xx'})
  const advice = 'give the receiver the same signing secret as this command'
  return [
    right('valid', 'a right signature', plainBody, advice),
    right('non_ascii', 'names with letters beyond ASCII', withData('"guest":"Ayşe Öğüt ığİ 🏖"'), RAW_BODY),
    right(
      'canary_escapes',
      'escaped slashes and letters',
      withData('"url":"https:\\/\\/example.com\\/\\u015e\\u003c"'),
      RAW_BODY,
    ),
    right(
      'canary_numbers',
      '1250.00, 1e3 and a large integer',
      withData('"n":[1250.00,1e3,9007199254740993]'),
      RAW_BODY,
    ),
    right(
      'canary_spacing',
      'blanks and line breaks',
      (id, now) => `${plainBody(id, now).replace(/,/g, ' ,\n  ')}\n`,
      RAW_BODY,
    ),
    right('canary_keys', 'repeated and number-like keys', withData('"2":"b","1":"a","1":"c"'), RAW_BODY),
    {
      ...right(
        'duplicate',
        'the first event once more, signed anew',
        plainBody,
        'answer 2xx to an event that came before (§6.4)',
      ),
      build: now => signed(terms, now, idOf(terms, 'valid'), plainBody(idOf(terms, 'valid'), now)),
    },
    {
      ...right(
        'two_signatures',
        'two v1, the second right, and an unknown v0',
        plainBody,
        'try every v1 and pass over names you do not know: secrets are rotated',
      ),
      build: now => {
        const {signatures, ...rest} = signed(
          terms,
          now,
          idOf(terms, 'two'),
          plainBody(idOf(terms, 'two'), now),
        )
        const [t = '', v1 = ''] = signatures[0]?.split(',') ?? []
        return {...rest, signatures: [`${t},v0=0,v1=${'0'.repeat(64)},${v1}`]}
      },
    },
  ]
}

function tamperedCases(terms: ProbeTerms): ProbeCase[] {
  const wrong = (name: string, sent: string, change: (request: ProbeRequest, now: number) => ProbeRequest) =>
    refused(terms, name, sent, change)
  return [
    wrong('tampered', 'a body changed after it was signed', ({body, ...rest}) => ({
      ...rest,
      body: Buffer.from(Buffer.from(body).toString().replace('CONFIRMED', 'CANCELLED')),
    })),
    wrong('wrong_secret', 'signed with another secret', (request, now) => ({
      ...request,
      signatures: [sign(`${terms.secret}x`, String(now), request.body)],
    })),
    wrong('other_time', 'a timestamp that was not the one signed', (request, now) => ({
      ...request,
      signatures: [request.signatures[0]?.replace(`t=${now}`, `t=${now - 1}`) ?? ''],
    })),
  ]
}

function headerCases(terms: ProbeTerms): ProbeCase[] {
  const header = (name: string, sent: string, change: (value: string) => readonly string[]) =>
    refused(terms, name, sent, request => ({...request, signatures: change(request.signatures[0] ?? '')}))
  return [
    header('no_header', 'no signature header', () => []),
    header('empty_header', 'an empty signature header', () => ['']),
    header('no_timestamp', 'a header without t', value => [value.replace(/^t=\d+,/, '')]),
    header('no_signature', 'a header without v1', value => [value.replace(/,v1=.*/, '')]),
    header('short_digest', 'a digest cut short', value => [value.slice(0, -2)]),
    header('long_digest', 'a digest with two digits more', value => [`${value}00`]),
    header('not_hex', 'a digest that is not hex', value => [`${value.slice(0, -2)}zz`]),
    header('not_ascii', 'a digest with a letter beyond ASCII', value => [`${value.slice(0, -1)}é`]),
    header('not_a_time', 't=NaN', value => [value.replace(/^t=\d+/, 't=NaN')]),
  ]
}

function timeCases(terms: ProbeTerms): ProbeCase[] {
  const {toleranceSeconds: most} = terms
  const at = (name: string, offset: number) => {
    const expected = Math.abs(offset) <= most ? ('2xx' as const) : ('401' as const)
    const sent = `a right signature, made ${Math.abs(offset)} s ${offset < 0 ? 'ago' : 'ahead'}`
    return {
      ...makeCase(terms, {name, sent, body: plainBody, advice: CLOCK, expected, offset}),
      isOnTheEdge: true,
    }
  }
  return [
    at('old_allowed', -most),
    at('old_refused', -most - 1),
    at('future_allowed', most),
    at('future_refused', most + 1),
    at('year_ahead', 365 * 24 * 3600),
  ]
}

/** After all that was wrong it must still be there. */
function afterwards(terms: ProbeTerms): ProbeCase {
  const advice = 'a bad request must not stop the receiver'
  return makeCase(terms, {
    name: 'still_there',
    sent: 'a right signature, after all the others',
    body: plainBody,
    advice,
    expected: '2xx',
  })
}

interface CaseParts {
  readonly name: string
  readonly sent: string
  readonly body: Body
  readonly advice: string
  readonly expected: ProbeCase['expected']
  readonly offset?: number
}

function makeCase(terms: ProbeTerms, {name, sent, body, advice, expected, offset = 0}: CaseParts): ProbeCase {
  const id = idOf(terms, name)
  const build = (now: number) => signed(terms, now + offset, id, body(id, now))
  return {name, sent, expected, advice, isOnTheEdge: false, build}
}

function refused(
  terms: ProbeTerms,
  name: string,
  sent: string,
  change: (request: ProbeRequest, now: number) => ProbeRequest,
): ProbeCase {
  const base = makeCase(terms, {name, sent, body: plainBody, advice: REFUSE, expected: '401'})
  return {...base, build: now => change(base.build(now), now)}
}

function signed({secret}: ProbeTerms, timestamp: number, eventId: string, text: string): ProbeRequest {
  const body = Buffer.from(text)
  return {eventId, body, signatures: [sign(secret, String(timestamp), body)]}
}

function idOf({run}: ProbeTerms, name: string): string {
  return `evt_probe_${run}_${name}`
}
