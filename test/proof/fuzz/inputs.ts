/**
 * Defines properties that must hold for all values made from a seed, and generates their values: texts, and hostile bytes similar
 * to valid input. The bytes are texts with pieces cut out, doubled or replaced, JSON with difficult values and keys, and
 * signature headers and HTTP requests with correct and wrong parts.
 */
import process from 'node:process'
import fc from 'fast-check'
import {describeFailure} from '../../../src/cli/shell/exit-codes.js'
import {Failure} from '../../../src/contract/failure.js'
import {anyString} from '../../support/any-text.js'

export interface Property {
  readonly name: string
  /** Tries the property with `runs` values, or fewer if its weight is larger. */
  check(seed: number, runs: number): Promise<Checked>
}

export interface Checked {
  readonly tried: number
  /** The smallest value that failed, or that time ran out. */
  readonly failure: string | undefined
}

/** Three times as long as the slowest property takes on a busy machine. */
const MOST_MINUTES = 60
/** Limit of processor time. A value that needs more would need time without bound. */
const MOST_MILLISECONDS = 8000

/**
 * Defines a property. `holds` throws or rejects for a value that violates it. `examples` are tried first; `weight` divides the
 * number of runs.
 */
export function property<T>(
  name: string,
  values: fc.Arbitrary<T>,
  holds: (value: T) => unknown,
  {weight = 1, examples = []}: {weight?: number; examples?: readonly NoInfer<T>[]} = {},
): Property {
  const timed = async (value: T) => {
    const began = process.cpuUsage()
    await holds(value)
    const {user, system} = process.cpuUsage(began)
    must((user + system) / 1000 < MOST_MILLISECONDS, `took ${(user + system) / 1000} ms`)
    must(!('polluted' in {}), 'a property was added to every object')
  }
  return {
    name,
    check: (seed, runs) =>
      checkAll(name, values, timed, {
        seed,
        runs: Math.max(examples.length, Math.ceil(runs / weight)),
        examples,
      }),
  }
}

/** Tries `holds` with values up to the first that fails, which is shrunk and formatted by `show`. */
export async function checkAll<T>(
  name: string,
  values: fc.Arbitrary<T>,
  holds: (value: T) => Promise<void>,
  {seed, runs, examples = []}: {seed: number; runs: number; examples?: readonly T[]},
  show: (value: T) => string = fc.stringify,
): Promise<Checked> {
  const found = await fc.check(fc.asyncProperty(values, holds), {
    seed,
    numRuns: runs,
    examples: examples.map((example): [T] => [example]),
    interruptAfterTimeLimit: MOST_MINUTES * 60_000,
    markInterruptAsFailure: true,
  })
  const {failed, counterexample, errorInstance, numRuns} = found
  if (!failed) return {tried: numRuns, failure: undefined}
  const error = errorInstance instanceof Error ? errorInstance.stack : errorInstance
  const what = counterexample
    ? `${show(counterexample[0]).slice(0, 2000)}\n${String(error).slice(0, 1500)}`
    : `interrupted after ${MOST_MINUTES} minutes, ${numRuns} tried`
  return {tried: numRuns, failure: `${name}, seed ${seed}: ${what}`}
}

/** Throws an error with `shown` unless `holds` is true. */
export function must(holds: boolean, ...shown: readonly unknown[]): void {
  if (holds) return
  throw new Error(shown.map(each => (typeof each === 'string' ? each : fc.stringify(each))).join(' | '))
}

/**
 * Returns the value of `work`, or the text of the Failure that it throws, which must be safe for a terminal. Any other error is
 * thrown.
 */
export async function attempt<T>(work: () => T | Promise<T>): Promise<{value?: T; refusal?: string}> {
  try {
    return {value: await work()}
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const {exit, text} = describeFailure(error)
    must(exit > 1 && dangerousIn(text.replaceAll('\n', '')) === undefined, exit, text)
    return {refusal: text}
  }
}

/** Returns the lines of a text without indentation. */
export const lines = (text: string) => text.trim().split(/\s*\n\s*/)
export const words = (text: string) => text.trim().split(/\s+/)

const OBEYED = ['\u001b[31m', '\u001b]8;;https://x\u0007', '\u009b2J', '\u202e', '\u2066', '\u200b', '\ud800']
const ODD = ['e\u0301', '\r', '\n', '\t', '\u2028', '\u{e0041}']

/** Text of all characters, of characters that are difficult for terminals and readers, and of several scripts. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  anyString(),
  fc.array(fc.integer({min: 0, max: 0xffff})).map(codes => String.fromCharCode(...codes)),
  fc
    .array(fc.constantFrom(...OBEYED, ...ODD, ...words('a ş 東京 👩‍👩‍👧‍👦 ❤️ 1️⃣ " \' , ; | = \\ %')))
    .map(parts => parts.join('')),
)

/** Emoji, alone or up to four joined, and keycaps. Joiners and variation selectors are allowed only here. */
const EMOJI = /(?:\p{ExtPict}(?:\ufe0f|\p{EMod})?(?:\u200d(?=\p{ExtPict}))?){1,4}|[\d#*]\ufe0f\u20e3/gu

/**
 * Ranges of characters that terminals obey or people do not see: controls, bidi, zero width, selectors, noncharacters and spaces.
 * They are listed by number, because the names of classes may cover more or fewer.
 */
const DANGEROUS = `0-1f 7f-9f 2028-2029  61c-61c 200e-200f 202a-202e 2066-2069
  ad-ad 34f-34f 180e-180e 200b-200d feff-feff 2060-2065  fe00-fe0f 180b-180d e0000-e0fff
  d800-dfff e000-f8ff f0000-10ffff fff0-fffb  115f-1160 17b4-17b5 2800-2800 3164-3164 ffa0-ffa0`
  .split(/\s+/)
  .map(range => range.split('-').map(hex => Number.parseInt(hex, 16)) as [number, number])

/** Returns the code of the first dangerous character of a text. */
export function dangerousIn(text: string): string | undefined {
  for (const character of text.replace(EMOJI, '')) {
    const code = character.codePointAt(0) ?? 0
    if (DANGEROUS.some(([first, last]) => code >= first && code <= last)) return code.toString(16)
  }
  return undefined
}

const SPLINTERS = [
  ...words('" { } [ % = , \\u0000 null -1 1e999 99999999999999999999 "__proto__":{"a":1}, [[[[[[ \\ //'),
  ...['\0', '\r\n\r\n', '\n', '\r', '\ud800', '\u001b[2J', '\ufeff', '\u202e', '\u0085', 'é'.repeat(300)],
]

/** Generates one of `seeds` with up to six pieces replaced. */
export function mutated(seeds: readonly string[]): fc.Arbitrary<Uint8Array> {
  const splinter = fc.oneof(fc.constantFrom(...SPLINTERS), anyString({maxLength: 8}))
  const changes = fc.array(fc.tuple(fc.nat(1000), fc.nat(60), splinter), {maxLength: 6})
  return fc.tuple(fc.constantFrom(...seeds), changes).map(([seed, all]) => {
    const text = all.reduce((rest, [place, length, put]) => {
      const at = Math.floor((place / 1000) * rest.length)
      return rest.slice(0, at) + put + rest.slice(at + length)
    }, seed)
    return Buffer.from(text)
  })
}

/** JSON values, including some that JSON.stringify never writes. */
const VALUES = [
  ...words('null true 0 -0 -1 1e999 1e-400 9007199254740993 0.1 "" [] {} [[]] [null]'),
  ...words('"__proto__" {"__proto__":{"polluted":true}} {"constructor":{"prototype":{"polluted":true}}}'),
  ...words(
    '"\\ud800" "\\u0000" "\\u001b[2J\\u001b]0;x\\u0007" "\\u202e\\u2066gpj.exe" "\\u200b" "a\\nb\\tc"',
  ),
  ...words('"<script>" "https://u:p@h.example/?token=x" "javascript:0" "file:///etc/passwd" "../../x"'),
  ...words('"2030-02-30" "-271821-04-20T00:00:00Z" "1.000,00" "1e3" "-1.00" "NaN" "١٢" "EUR" "東京👩‍👩‍👧‍👦"'),
  ...['" "', '"100 %"', '{"toString":1,"valueOf":2,"toJSON":3,"then":4,"length":-1}'],
  ...[`"${'x'.repeat(3000)}"`, '['.repeat(400) + ']'.repeat(400)],
  `${'{"a":'.repeat(400)}1${'}'.repeat(400)}`,
]
const KEYS = [
  ...words('__proto__ constructor toString hasOwnProperty length 0 data error offer_id'),
  ...['', 'a b', '\u001b[2J', '\u202e'],
].map(key => JSON.stringify(key))

/** Matches a scalar or the beginning of an object. Keys also match, and are left unchanged. */
const PLACE = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*|true|false|null|\{(\})?/g

/** Generates one of `seeds`, which are JSON, with some values replaced, wrapped or repeated, or with a hostile key added. */
export function mutatedJson(seeds: readonly string[]): fc.Arbitrary<Uint8Array> {
  const change = fc.tuple(fc.nat(60), fc.nat(5), fc.constantFrom(...VALUES), fc.constantFrom(...KEYS))
  const changes = fc.array(change, {minLength: 1, maxLength: 5})
  return fc.tuple(fc.constantFrom(...seeds), changes).map(([seed, all]) => {
    const text = all.reduce((json, [place, how, value, key]) => {
      const places = [...json.matchAll(PLACE)].filter(([, isKey]) => isKey === undefined)
      const found = places[place % places.length]
      const [old, index] = [found?.[0] ?? '', found?.index ?? 0]
      const member = `{${key}:${value}`
      const scalar = [`[${old}]`, `{${key}:${old}}`, `[${old},${value},${old}]`][how] ?? value
      const put = old === '{' ? `${member},` : old === '{}' ? `${member}}` : scalar
      return json.slice(0, index) + put + json.slice(index + old.length)
    }, seed)
    return Buffer.from(text)
  })
}

/** Generates signature headers with correct and wrong parts. `digest` is the correct one for `t`. */
export function signatureHeaders(t: number, digest: string): fc.Arbitrary<string> {
  const wrongTimes = words(`${t + 300} ${t - 301} 0${t} -${t} +${t} ${t}.0 ${t}000 17e8 ٣ ${'9'.repeat(13)}`)
  const bytes = Buffer.from(digest, 'hex')
  const digests = [
    ...[digest, digest, 'a'.repeat(64), digest.toUpperCase(), `${digest}00`, `0x${digest}`, `${digest} `],
    ...[31, 32, 33, 62, 63].map(length => digest.slice(0, length)),
    ...[bytes.toString('base64'), bytes.toString('base64url'), `${digest.slice(0, 63)}\u0661`, `${digest}=`],
  ]
  const otherName = fc.constantFrom('v0', 'v2', 'V1', 'T', 'v1 ', ' v1', 'kid', '', '__proto__')
  const field = fc.oneof(
    fc.constantFrom(t, t, ...wrongTimes, '', ' ').map(time => `t=${time}`),
    {weight: 2, arbitrary: fc.constantFrom(...digests).map(hex => `v1=${hex}`)},
    fc.tuple(otherName, fc.constantFrom(digest, `${t}`, '')).map(pair => pair.join('=')),
    anyString({maxLength: 6}),
  )
  const separator = fc.constantFrom(',', ',', ',', ',', ',', ', ', ' ,', ';', ',,', '\r\n ', '&')
  const parts = fc.array(fc.tuple(field, separator), {maxLength: 4})
  const right = fc.constantFrom(`t=${t},v1=${digest}`, `v1=${digest},t=${t}`, `t=${t}`, `v1=${digest}`, '')
  return fc
    .tuple(parts, right, parts)
    .map(
      ([before, middle, after]) =>
        `${before.flat().join('')}${middle}${after.map(([text, mark]) => mark + text).join('')}`,
    )
}

/**
 * Generates HTTP requests with correct and wrong lines around `body`. `head` has the correct headers, which are doubled, folded
 * or left out.
 */
export function httpRequests(head: readonly string[], body: string): fc.Arbitrary<Uint8Array> {
  const odd = lines(`Transfer-Encoding: chunked
    Content-Encoding: gzip
    Content-Length: 3
    Content-Length: -1
    Content-Length: ${body.length}
    no colon
    : no name
    __proto__: x
    Expect: 100-continue
    X: ${'y'.repeat(9000)}`)
  const changed = head.flatMap(line => [line, line.toUpperCase(), line.replace(',', ',\r\n ')])
  const line = fc.constantFrom(...head, ...changed, ...odd, ' folded', '\tfolded', 'X-\0: a', 'X: \u001b[2J')
  const end = fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r')
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  const bodies = fc.oneof(
    fc.constantFrom(body, body, chunks, `\ufeff${body}`, body.slice(9), `${body}\n`, ''),
    anyString({maxLength: 40}),
  )
  const starts = ['POST / HTTP/1.0', 'GET / HTTP/1.1', 'POST //x HTTP/1.1', 'POST / HTTP/9', 'p / q', '']
  const start = fc.constantFrom('POST / HTTP/1.1', 'POST / HTTP/1.1', ...starts)
  return fc
    .tuple(start, fc.array(fc.tuple(line, end), {maxLength: 7}), end, bodies)
    .map(([first, all, blank, content]) =>
      Buffer.from(`${first}${blank}${all.flat().join('')}${blank}${content}`),
    )
}
