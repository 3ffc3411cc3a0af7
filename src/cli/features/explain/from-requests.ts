/** Makes the timeline of requests: those in the history of this machine, and those that a local sandbox received. */
import {instantOf} from '../../../contract/dates.js'
import {isObject, type JsonObject} from '../../../contract/json.js'
import {type OperationName, operationAt} from '../../../contract/operations.js'
import type {Moment, RequestFact} from './facts.js'
import {answerText} from './words.js'

/** Reads a line of this machine's history of requests. Returns undefined if it is not a request. */
export function requestOfHistory(line: JsonObject): RequestFact | undefined {
  const {method, url, ms, attempt, status, fault, reason, error_code, command} = line
  const at = instantOf(textIn(line, 'at') ?? '')
  if (at === undefined || typeof url !== 'string' || typeof method !== 'string') return undefined
  return {
    at,
    source: 'requests',
    method,
    path: url.replace(/^https?:\/\/[^/?#]*/, ''),
    status: numberOf(status),
    reason: textOf(reason) ?? textOf(fault),
    errorCode: textOf(error_code),
    ms: numberOf(ms),
    requestId: textIn(line, 'request_id'),
    idempotencyKey: textIn(line, 'idempotency_key'),
    attempt: numberOf(attempt),
    command: textOf(command),
    clientReferenceId: null,
    offerId: null,
    reservationRef: null,
  }
}

/** Reads an entry of the sandbox's request log. Returns undefined if it is not a request. */
export function requestOfSandbox(entry: JsonObject): RequestFact | undefined {
  const {method, path, status, ms} = entry
  const headers = isObject(entry.headers) ? entry.headers : {}
  const body = isObject(entry.body) ? entry.body : {}
  const answer = isObject(entry.answer) ? entry.answer : {}
  const error = isObject(answer.error) ? answer.error : {}
  const at = instantOf(textIn(entry, 'at') ?? '')
  if (at === undefined || typeof path !== 'string' || typeof method !== 'string') return undefined
  return {
    at,
    source: 'sandbox',
    method,
    path,
    status: numberOf(status),
    reason: null,
    errorCode: textIn(error, 'code'),
    ms: numberOf(ms),
    requestId: textIn(entry, 'request_id'),
    idempotencyKey: textIn(headers, 'idempotency-key'),
    attempt: null,
    command: null,
    clientReferenceId: textIn(body, 'client_reference_id'),
    offerId: textIn(body, 'offer_id'),
    reservationRef: referenceIn(answer),
  }
}

function referenceIn(answer: JsonObject): string | null {
  const inner = [answer.data, answer].filter(isObject)
  return inner.map(each => textIn(each, 'reservation_ref')).find(found => found !== null) ?? null
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
const numberOf = (value: unknown) => (typeof value === 'number' ? value : null)
const textIn = (object: JsonObject, key: string) => textOf(object[key])

/** Returns the reservation reference in the path of a request, or null. */
export function referenceInPath({path}: Pick<RequestFact, 'path'>): string | null {
  const found = /\/reservations\/([^/?#]+)/.exec(path)?.[1]
  return found === undefined || found === 'hotel' ? null : decoded(found)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The ids by which a request belongs to the subject. */
export interface Names {
  readonly reservationRefs: ReadonlySet<string>
  readonly clientReferenceIds: ReadonlySet<string>
  readonly offerIds: ReadonlySet<string>
  readonly idempotencyKeys: ReadonlySet<string>
}

/** Reports whether a request belongs to the subject. */
export function isAbout(request: RequestFact, names: Names): boolean {
  const {idempotencyKey, clientReferenceId, offerId, path} = request
  const has = (set: ReadonlySet<string>, name: string | null) => name !== null && set.has(name)
  return (
    has(names.idempotencyKeys, idempotencyKey) ||
    has(names.reservationRefs, referenceInPath(request)) ||
    has(names.clientReferenceIds, clientReferenceId) ||
    has(names.offerIds, offerId) ||
    has(names.offerIds, decoded(path.split('/').at(-1)?.split('?')[0] ?? ''))
  )
}

/**
 * Returns the requests that belong in a timeline: those that change something or failed, and requests of this machine
 * for a price or a voucher. Others only read data, as this command itself does.
 */
export function tellingAmong(requests: readonly RequestFact[]): RequestFact[] {
  const ownIds = new Set(
    requests.filter(({command}) => command === 'explain').map(({requestId}) => requestId),
  )
  return requests.filter(({method, path, status, source, command, requestId}) => {
    if (command === 'explain' || (requestId !== null && ownIds.has(requestId))) return false
    if (method !== 'GET' || status === null || status >= 400) return true
    return source === 'requests' && /\/(voucher|offers\/[^/]+)$/.test(path)
  })
}

/** Returns the operation that a request called, or undefined if its path belongs to no operation. */
export function operationOf({method, path}: Pick<RequestFact, 'method' | 'path'>): OperationName | undefined {
  return operationAt(method, path.replace(/^.*\/v1(?=\/)/, '').split('?')[0] ?? '')
}

export function requestMoment(request: RequestFact): Moment {
  const {at, source, method, path, status, reason, errorCode, ms, attempt, command} = request
  const {requestId, idempotencyKey} = request
  const by = command === null ? '' : ` by ${command}`
  const nth = attempt === null || attempt === 1 ? '' : `, attempt ${attempt}`
  const time = ms === null ? '' : ` in ${ms} ms`
  const code = errorCode === null ? '' : ` (${errorCode})`
  const answer = `${answerText(status, reason)}${code}${time}`
  const name = operationOf(request)
  const what = `${name ?? `${method} ${path}`}${by}${nth}: ${answer}`
  return {
    at,
    what,
    source,
    ...(requestId !== null && {request_id: requestId}),
    ...(idempotencyKey !== null && {idempotency_key: idempotencyKey}),
  }
}
