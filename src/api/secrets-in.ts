/** The secrets a request and its answer carry, so that they are taken out by value wherever else they turn up. */
import type {ExchangeError, WireAnswer, WireRequest} from './api.js'
import {parseJson} from './error-shapes.js'
import {breadthFirst, own} from './json-walk.js'

const FIELDS = ['client_secret', 'token', 'access_token', 'refresh_token', 'secret']

/** Bearer token, and what stands under the names of secrets in the body sent and, if given, in the body received. */
export function secretsIn(request: WireRequest, outcome?: WireAnswer | ExchangeError): string[] {
  const sent = request.body === undefined ? undefined : parseJson(Buffer.from(request.body))
  const received = outcome && 'body' in outcome ? parseJson(outcome.body) : undefined
  const values = [...namedIn(sent), ...namedIn(received)]
  const authorization = request.headers.authorization?.split(' ').at(-1)
  return [authorization, ...values].filter(value => typeof value === 'string')
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
