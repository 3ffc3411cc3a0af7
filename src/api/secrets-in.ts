/** The secrets a request and its answer carry, so that they are taken out by value wherever else they turn up. */
import type {ExchangeError, WireAnswer, WireRequest} from './api.js'
import {parseJson} from './error-shapes.js'
import {findRecord} from './json-walk.js'

const FIELDS = ['client_secret', 'token', 'access_token', 'refresh_token', 'secret']

/** Bearer token, and what stands under the names of secrets in the body sent and, if given, in the body received. */
export function secretsIn(request: WireRequest, outcome?: WireAnswer | ExchangeError): string[] {
  const sent = request.body === undefined ? undefined : parseJson(Buffer.from(request.body))
  const received = outcome && 'body' in outcome ? parseJson(outcome.body) : undefined
  const values = [sent, received].flatMap(json => FIELDS.map(field => findRecord(json, field)?.[field]))
  const authorization = request.headers.authorization?.split(' ').at(-1)
  return [authorization, ...values].filter(value => typeof value === 'string')
}
