/** The secrets a request and its answer carry, so that they are taken out by value wherever else they turn up. */
import type {ExchangeError, WireAnswer, WireRequest} from './api.js'
import {parseJson} from './error-shapes.js'
import {breadthFirst, own} from './json-walk.js'

/** Each of these names holds a word of IN_NAMES. */
const FIELDS = ['client_secret', 'token', 'access_token', 'refresh_token', 'secret']

const IN_NAMES = ['token', 'secret']

/** Bearer token, and what stands under the names of secrets in the body sent and, if given, in the body received. */
export function secretsIn(request: WireRequest, outcome?: WireAnswer | ExchangeError): string[] {
  const sent = request.body === undefined ? undefined : parseJson(Buffer.from(request.body))
  const received = outcome && 'body' in outcome && mayName(outcome.body) ? parseJson(outcome.body) : undefined
  const values = [...namedIn(sent), ...namedIn(received)]
  const authorization = request.headers.authorization?.split(' ').at(-1)
  return [authorization, ...values].filter(value => typeof value === 'string')
}

/** Whether a name of FIELDS may be in a body: looking at its bytes spares the walk through a long one that has none. */
function mayName(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  // A name may also be written with escapes, such as `\u0074oken`; those of ASCII alone matter.
  return [...IN_NAMES, '\\u00'].some(text => bytes.includes(text))
}

/** The outermost value under each name of FIELDS. */
function namedIn(json: unknown): unknown[] {
  const found = new Map<string, unknown>()
  for (const {value} of breadthFirst(json)) {
    for (const field of FIELDS) {
      const inner = own(value, field) ?? undefined
      if (inner !== undefined && !found.has(field)) found.set(field, inner)
    }
    if (found.size === FIELDS.length) break
  }
  return [...found.values()]
}
