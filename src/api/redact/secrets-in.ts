/** The secrets a request and its answer carry, so that they are taken out by value wherever else they turn up. */
import {fieldsOf} from '../../contract/field-names.js'
import {parseUrl, percentDecoded} from '../../contract/foreign-text.js'
import {breadthFirst, parseJson} from '../../contract/json.js'
import type {ExchangeError, WireAnswer, WireRequest} from '../types.js'
import {isOperation} from './redact.js'
import {identityNumbersIn} from './secret-names.js'

const FIELDS = ['client_secret', 'token', 'access_token', 'refresh_token', 'secret']
/** One of these is in each of those names, however it is written: `accessToken`, `\u0074oken`. */
const IN_NAMES = ['token', 'Token', 'TOKEN', 'secret', 'Secret', 'SECRET', '\\u00']

/** Not in the interface: shorter parts of a link are words, dates or references, which must stay readable. */
const LEAST_LENGTH = {inPath: 16, inQuery: 8} as const
/** The local sandbox's own controls take no token and are no links. */
const CONTROLS = '/_sandbox/'

/** The bearer token, the parts of a signed link, identity numbers of guests, and secrets by name in both bodies. */
export function secretsIn(request: WireRequest, outcome?: WireAnswer | ExchangeError): string[] {
  const sent = request.body === undefined ? undefined : parseJson(Buffer.from(request.body))
  const received = outcome && 'body' in outcome && mayName(outcome.body) ? parseJson(outcome.body) : undefined
  const values = [...namedIn(sent), ...identityNumbersIn(sent), ...namedIn(received)]
  const authorization = request.headers.authorization?.split(' ').at(-1)
  return [authorization, ...linkPartsOf(request), ...values].filter(value => typeof value === 'string')
}

/** The parts of a signed link (§2.6) that cannot be guessed, as they are written and as they are meant. */
function linkPartsOf(request: WireRequest): string[] {
  const url = isOperation(request) ? undefined : parseUrl(request.url)
  if (url === undefined) return []
  const {pathname, search} = url
  if (pathname.startsWith(CONTROLS)) return []
  const isTelling = (part: string) => /\d/.test(part) && /[a-z]/i.test(part)
  const inPath = pathname.split('/').filter(part => part.length >= LEAST_LENGTH.inPath && isTelling(part))
  const inQuery = search
    .slice(1)
    .split('&')
    .map(pair => pair.slice(pair.indexOf('=') + 1))
    .filter(value => value.length >= LEAST_LENGTH.inQuery)
  return [...inPath, ...inQuery].flatMap(part => [part, percentDecoded(part)])
}

/** Whether a name of FIELDS may be in a body: looking at its bytes spares the walk through a long one that has none. */
function mayName(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return IN_NAMES.some(text => bytes.includes(text))
}

/** The outermost value under each name of FIELDS. */
function namedIn(json: unknown): unknown[] {
  const found = new Map<string, unknown>()
  for (const {value} of breadthFirst(json)) {
    const fields = fieldsOf(value)
    for (const field of FIELDS) {
      const inner = fields.get(field) ?? undefined
      if (inner !== undefined && !found.has(field)) found.set(field, inner)
    }
  }
  return [...found.values()]
}
