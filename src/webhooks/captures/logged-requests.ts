/** Finds requests in JSON that gateways and logs write: an object with headers and a body somewhere in it, alone or in a list. */
import {isObject, type JsonObject} from '../../contract/json.js'
import type {WebhookHeaderNames} from '../signature/headers.js'
import {ANSWER} from './gaps.js'
import {embeddedJson} from './json-text.js'
import {holdsSignature, isSignature} from './lines.js'
import {bodyIn, type RequestParts, requestOf} from './logged-bodies.js'
import {flatHeaders, headersIn} from './logged-headers.js'
import {ANSWER_NAMES, HEADER_NAMES, membersOf, plainName, TIME_NAMES} from './logged-names.js'
import {type CapturedRequest, timeOf} from './request.js'

const MOST_DEPTH = 12
const MOST_NODES = 100_000

/**
 * Returns the requests in a JSON value, or undefined if it holds no headers. `source` is the text of the value, and `place` the
 * suffix of the file name in results.
 */
export function requestsIn(
  value: unknown,
  source: string,
  names: WebhookHeaderNames,
  place: string,
): CapturedRequest[] | undefined {
  const walk = new Walk(names)
  const rest = walk.visit(value, 0)
  const whole = walk.found.length > 0 ? walk.found : [rest]
  const isRequest = (parts: RequestParts) => parts.pairs !== undefined && !parts.isAnswer
  if (!whole.some(isRequest))
    return rest.isAnswer ? [{body: new Uint8Array(), place, gap: ANSWER}] : undefined
  const requests = whole.filter(isRequest).map(parts => requestOf(parts, source))
  return requests.map((one, n) => ({...one, place: requests.length > 1 ? `${place}#${n + 1}` : place}))
}

/** Walks through a value and collects the objects that have headers and a body, in themselves or below them. */
class Walk {
  readonly found: RequestParts[] = []
  private nodes = 0

  constructor(private readonly names: WebhookHeaderNames) {}

  /** Returns what `value` has of a request that is not whole. Whole ones are added to `found`. */
  visit(value: unknown, depth: number): RequestParts {
    this.nodes += 1
    if (depth > MOST_DEPTH || this.nodes > MOST_NODES) return {}
    if (typeof value === 'string') return this.visitText(value, depth)
    if (Array.isArray(value)) return this.visitAll(value, depth)
    if (!isObject(value)) return {}
    const own = this.partsOf(value)
    if (own.isAnswer) return own
    if (own.pairs && own.body) {
      this.found.push(own)
      return {}
    }
    const before = this.found.length
    const inner = Object.entries(value).filter(([name]) => {
      const key = plainName(name)
      return !ANSWER_NAMES.test(key) && !HEADER_NAMES.has(key)
    })
    const below = this.visitAll(
      inner.map(([, one]) => one),
      depth,
    )
    if (this.found.length > before) return {}
    const parts = {
      pairs: own.pairs ?? below.pairs,
      body: own.body ?? below.body,
      receivedAt: own.receivedAt ?? below.receivedAt,
    }
    if (parts.pairs === undefined || parts.body === undefined)
      return {...parts, isAnswer: below.isAnswer ?? false}
    this.found.push(parts)
    return {}
  }

  private visitAll(values: readonly unknown[], depth: number): RequestParts {
    let all: RequestParts = {}
    for (const value of values) {
      const {pairs, body, receivedAt, isAnswer} = this.visit(value, depth + 1)
      all = {
        pairs: all.pairs ?? pairs,
        body: all.body ?? body,
        receivedAt: all.receivedAt ?? receivedAt,
        isAnswer: all.isAnswer || (isAnswer ?? false),
      }
    }
    return all
  }

  /** A message of a log often holds JSON as text. */
  private visitText(text: string, depth: number): RequestParts {
    if (!/"(?:\w*[hH]eaders)"/.test(text) && !holdsSignature(text, this.names)) return {}
    const inner = embeddedJson(text)
    return inner === undefined ? {} : this.visit(inner.value, depth + 1)
  }

  private partsOf(value: JsonObject): RequestParts {
    const members = membersOf(value)
    const listed = [...members].filter(([name]) => HEADER_NAMES.has(name))
    const pairs = headersIn(listed.map(([, one]) => one)) ?? flatHeaders(value, this.names)
    const isAnswer =
      (typeof members.get('statuscode') === 'number' || typeof members.get('status') === 'number') &&
      !pairs?.some(pair => isSignature(pair, this.names))
    const receivedAt = [...members].flatMap(([name, one]) =>
      TIME_NAMES.has(name) ? (timeIn(one) ?? []) : [],
    )[0]
    return {
      pairs,
      body: bodyIn(members),
      receivedAt,
      isAnswer: isAnswer && (pairs !== undefined || members.has('body')),
    }
  }
}

/** Returns the time of a log as Unix seconds: an ISO 8601 text, or seconds or milliseconds since 1970. */
function timeIn(value: unknown): number | undefined {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return timeOf(value)
  if (typeof value !== 'number' || value < 1e9) return undefined
  return value >= 1e11 ? value / 1000 : value
}
