/**
 * Records requests as evidence, by which `sandbox certify` judges clients. Several requests are written together, some
 * time after they ended, so that a request does not cost a commit of its own.
 */
import {hash as digest} from 'node:crypto'
import {instantOf} from '../../contract/dates.js'
import {ACCESS_TOKEN_PREFIX, LIVE_SECRET_PREFIX, TEST_SECRET_PREFIX} from '../../contract/identifiers.js'
import {canonicalJson, isObject, parseJson} from '../../contract/json.js'
import type {Database} from '../../storage/database.js'
import {StorageError} from '../../storage/errors.js'
import {realMilliseconds} from '../base/real-time.js'
import {
  type Ending,
  type Evidence,
  type Facts,
  KEPT_EVIDENCE,
  type Misplaced,
  type RecordedRequest,
  type SeenRequest,
} from '../certify/evidence.js'
import {clientWith, findToken} from '../store/clients.js'
import {addRequests, attemptsOf, lastSequence, requestsOf} from '../store/evidence.js'
import {ownerOf} from '../store/reservations.js'
import {bearerIn} from './perform.js'
import type {LoggedRequest, RequestContext, RequestRecorder, RunningService, Visit} from './requests.js'

/** How long requests wait before they are written, and how many may wait. */
const WAIT_MILLISECONDS = 1000
const MOST_WAITING = 100

export class Recorder implements RequestRecorder {
  #last: number
  #waiting: RecordedRequest[] = []
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  readonly #running = new Set<Visit>()

  constructor(private readonly database: Database) {
    this.#last = lastSequence(database)
  }

  begin(context: RequestContext, at: number, realNow: number): Visit {
    this.#last += 1
    const moved = Math.round((at - realNow) * 1000) / 1000
    const visit: Visit = {sequence: this.#last, begun: realMilliseconds(), at, moved, context}
    this.#running.add(visit)
    return visit
  }

  end(service: RunningService, visit: Visit): void {
    this.#running.delete(visit)
    // A request may end after the sandbox was closed.
    if (this.#isClosed) return
    this.#waiting.push(recordOf(service, visit, true))
    if (this.#waiting.length >= MOST_WAITING) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), WAIT_MILLISECONDS).unref()
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length === 0) return
    try {
      addRequests(this.database, this.#waiting)
      this.#waiting = []
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      this.#waiting.splice(0, this.#waiting.length - KEPT_EVIDENCE)
    }
  }

  running(service: RunningService): SeenRequest[] {
    return this.#records(service).map(({seen}) => seen)
  }

  clear(): void {
    this.#waiting = []
  }

  close(service: RunningService): void {
    this.#waiting.push(...this.#records(service).filter(({seen}) => seen.ending === 'gone'))
    this.flush()
    this.#isClosed = true
  }

  /** Returns the records of the requests that have not ended. */
  #records(service: RunningService): RecordedRequest[] {
    return [...this.#running].map(visit => recordOf(service, visit, false))
  }
}

/** A recorder that records nothing. */
export const NO_RECORDER: RequestRecorder = {
  begin: (context, at) => ({sequence: 0, begun: 0, at, moved: 0, context}),
  end: () => {},
  running: () => [],
  flush: () => {},
  clear: () => {},
  close: () => {},
}

/**
 * Returns the evidence about a client since `since` (Unix seconds of the sandbox's clock), oldest first. Requests that
 * have not ended are included.
 */
export function evidenceOf(service: RunningService, clientId: string, since: number): Evidence {
  const {database, recorder} = service
  recorder.flush()
  const running = recorder.running(service).filter(seen => seen.clientId === clientId && seen.at >= since)
  const requests = [...requestsOf(database, clientId, since), ...running]
  requests.sort((a, b) => a.sequence - b.sequence)
  return {requests, attempts: attemptsOf(database, clientId, since)}
}

/** Returns a short hash. Twelve bytes are enough to distinguish the values of one sandbox. */
function hashOf(value: string | Uint8Array): string {
  return digest('sha256', value, 'base64url').slice(0, 16)
}

/**
 * Returns the record of a request. Variables of the context are read one by one, because reading all at once takes
 * longer than everything else here.
 */
function recordOf(
  service: RunningService,
  {sequence, begun, at, moved, context}: Visit,
  isOver: boolean,
): RecordedRequest {
  const entry = context.get('entry')
  const body = context.get('body') ?? NOTHING
  const {link} = context.env
  const {url, method} = context.req.raw
  const {operation, status} = entry
  const isAnswered = status !== null && context.get('isTruncated') !== true && link.goneAt === undefined
  const refusal = status !== null && status >= 400 ? refusalIn(context, entry.answer) : undefined
  const booking = context.get('booking') ?? bookingIn(operation, body)
  const sent = booking?.json
  const content = booking?.canonical ?? textOf(body)
  const misplaced = misplacedIn(service, {url, operation, rawHeaders: link.rawHeaders, content})
  const facts: Facts = {
    ...factsOf(context, entry, sent),
    ...(sent !== undefined && {body: hashOf(content)}),
    ...(refusal?.expiresAt !== undefined && {expiresAt: refusal.expiresAt}),
    ...(misplaced && {misplaced: misplaced.what}),
  }
  const owner = entry.client_id ?? misplaced?.clientId ?? ownerOf(service.database, facts.reservation)
  const bearer = bearerIn(context.req.header('authorization'))
  const seen: SeenRequest = {
    sequence,
    requestId: entry.request_id,
    clientId: owner ?? null,
    operation,
    at,
    moved,
    begun,
    connection: link.connection?.openedAt ?? null,
    connected: link.connection?.isNew ? link.connection.openedAt : begun,
    ended: link.goneAt ?? realMilliseconds(),
    status: isAnswered ? status : null,
    ending: endingOf(link.goneAt !== undefined, isOver, isAnswered),
    code: isAnswered ? (refusal?.code ?? null) : null,
    fault: context.get('fault') ?? null,
    retryAfter: isAnswered ? (refusal?.retryAfter ?? null) : null,
    token: bearer === undefined ? null : hashOf(bearer),
    content: hashOf(`${method} ${url}\n${content}`),
    isProxied: isProxied(link.rawHeaders),
    facts,
  }
  return {seen, method: entry.method, path: entry.path}
}

const NOTHING = new Uint8Array()

/** Returns the body of a booking that was answered before the body was parsed. */
function bookingIn(operation: string | null, body: Uint8Array) {
  const json = operation === 'reservations.create' ? parseJson(body) : undefined
  return json === undefined ? undefined : {json, canonical: canonicalJson(json)}
}

/** Returns a text with one character for each byte, without copying the bytes. */
function textOf({buffer, byteOffset, byteLength}: Uint8Array): string {
  return byteLength === 0 ? '' : Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

function isProxied(rawHeaders: readonly string[]): boolean {
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n] ?? ''
    // Only names of the right length are converted to lower case, which saves time.
    if (name.length === 3 && name.toLowerCase() === 'via') return true
    if (name.length === 15 && name.toLowerCase() === 'x-forwarded-for') return true
  }
  return false
}

function endingOf(isGone: boolean, isOver: boolean, isAnswered: boolean): Ending {
  if (isGone) return 'gone'
  if (!isOver) return 'running'
  return isAnswered ? 'answered' : 'cut'
}

/** Returns code, expiry and Retry-After of an error answer. */
function refusalIn({res}: RequestContext, answer: string | null) {
  const [, code] = /"code":"(\w+)"/.exec(answer ?? '') ?? []
  const [, expired] = /"expired_at":"([^"]+)"/.exec(answer ?? '') ?? []
  const retryAfter = res.headers.get('retry-after')
  return {
    code,
    expiresAt: expired === undefined ? undefined : instantOf(expired),
    retryAfter: retryAfter === null ? undefined : Number(retryAfter),
  }
}

/** Returns the facts that the operation leaves as evidence. `sent` is the parsed body of a booking. */
function factsOf(context: RequestContext, entry: LoggedRequest, sent: unknown): Facts {
  const {req} = context
  const {operation, answer} = entry
  switch (operation) {
    case 'token.create':
      return tokenFacts(entry)
    case 'token.revoke': {
      const json = parseJson(context.get('body'))
      return isObject(json) && typeof json.token === 'string' ? {revoked: hashOf(json.token)} : {}
    }
    case 'reservations.create':
      return reservationFacts(req.header('idempotency-key')?.trim() ?? '', sent, answer)
    case 'reservations.list': {
      const reference = req.query('client_reference_id')
      const isEmpty = answer?.startsWith('{"data":[]') ?? false
      return {isEmpty, ...(reference !== undefined && {reference: hashOf(reference)})}
    }
    case 'hotels.price':
      return {offer: hashOf(decodeURIComponent(req.path.split('/').at(-1) ?? ''))}
    case 'voucher.download':
      return linkFacts(req.path, req.header('authorization') !== undefined)
    default: {
      const [, reservation] = /^[^?]*\/reservations\/([^/]+)/.exec(req.path) ?? []
      const [, fee] = operation === 'reservations.cancel' ? (/"fee":"([\d.]+)"/.exec(answer ?? '') ?? []) : []
      return {...(reservation !== undefined && {reservation}), ...(fee !== undefined && {fee})}
    }
  }
}

function tokenFacts({body, answer, status}: LoggedRequest): Facts {
  const scope = isObject(body) && typeof body.scope === 'string' ? body.scope : ''
  const asked = {askedScopes: scope}
  const json = status === 200 && answer !== null ? JSON.parse(answer) : undefined
  const token = isObject(json) && isObject(json.data) ? json.data : undefined
  if (token === undefined) return asked
  return {...asked, issued: hashOf(String(token.access_token)), scopes: String(token.scope)}
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

function reservationFacts(key: string, sent: unknown, answer: string | null): Facts {
  const {offer_id: offer, client_reference_id: reference} = isObject(sent) ? sent : {}
  const made = /"reservation_ref":"([^"]+)"/.exec(answer ?? '')?.[1]
  return {
    ...(key !== '' && {key: hashOf(key), keyIsUuid: UUID.test(key)}),
    ...(typeof offer === 'string' && {offer: hashOf(offer)}),
    ...(typeof reference === 'string' && {reference: hashOf(reference)}),
    ...(made !== undefined && {reservation: made}),
  }
}

/** Returns the reservation and the expiry that a voucher link states. They are not verified here. */
function linkFacts(pathname: string, isAuthorized: boolean): Facts {
  const [payload = ''] = pathname.replace(/^\/vouchers\//, '').split('.')
  const json = parseJson(Buffer.from(payload, 'base64url'))
  if (!Array.isArray(json)) return {isAuthorized}
  const [reservation, expiresAt] = json
  return {isAuthorized, reservation: String(reservation), expiresAt: Number(expiresAt)}
}

const SECRET_START = 'sk_'
const SECRET = new RegExp(`(?:${LIVE_SECRET_PREFIX}|${TEST_SECRET_PREFIX})[\\w-]+`, 'g')
const TOKEN = new RegExp(`${ACCESS_TOKEN_PREFIX}[\\w-]{20,}`, 'g')

/**
 * Returns the place where a client secret or a token was sent although it does not belong there (§5.4), and the id of
 * its client.
 */
function misplacedIn(
  {database, clock}: RunningService,
  sent: Pick<SeenRequest, 'operation'> & {url: string; rawHeaders: readonly string[]; content: string},
) {
  const {url, rawHeaders, operation, content} = sent
  const places: [Misplaced, string][] = [
    ['secret in url', url],
    ...rawHeaders
      .filter(value => value.includes(SECRET_START) || value.startsWith('Basic'))
      .map((value): [Misplaced, string] => ['secret in header', decoded(value)]),
    // In a token request, the body is where the secret belongs.
    ['secret in body', operation === 'token.create' ? '' : content],
  ]
  for (const [what, text] of places) {
    if (!text.includes(SECRET_START)) continue
    const owner = [...text.matchAll(SECRET)].map(([secret]) => clientWith(database, secret)).find(Boolean)
    if (owner !== undefined) return {what, clientId: owner}
  }
  if (!url.includes(ACCESS_TOKEN_PREFIX)) return undefined
  for (const [token] of url.matchAll(TOKEN)) {
    const found = findToken(database, token, clock.now())
    if (typeof found === 'object') return {what: 'token in url' as const, clientId: found.client_id}
  }
  return undefined
}

/** Returns the value of a header. The credentials of `Basic` are decoded. */
function decoded(value: string): string {
  const [, basic] = /^Basic +(\S+)$/i.exec(value) ?? []
  return basic === undefined ? value : Buffer.from(basic, 'base64').toString()
}
