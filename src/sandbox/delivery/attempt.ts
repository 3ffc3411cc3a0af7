/**
 * Makes one attempt to deliver an event (§2.8) and decides what happens next (§6.4). Each attempt has a new signature
 * (§6.3) and is one POST (§6.2), without redirects, proxy or shared connections. It must be answered within 3 s, and at
 * most 64 KiB of the answer are read. Events are sent only to public addresses and to this machine, where users run
 * receivers. A host name is resolved once, and only the addresses that were checked are dialled.
 */
import type {LookupAddress} from 'node:dns'
import {lookup} from 'node:dns/promises'
import * as http from 'node:http'
import * as https from 'node:https'
import {isIP} from 'node:net'
import type {SecureContext} from 'node:tls'
import * as tls from 'node:tls'
import {isoTime} from '../../contract/dates.js'
import {EVENT_ID_HEADER, SIGNATURE_HEADER, subjectOf} from '../../contract/events.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {SIGNING_SECRET_PREFIX} from '../../contract/identifiers.js'
import {DELIVERY_DELAYS_SECONDS, SIGNATURE_TOLERANCE_SECONDS} from '../../contract/limits.js'
import {fixedLookup, hostOf, kindOfAddress, TLS_RULES} from '../../contract/network.js'
import {isSuccess} from '../../contract/operations.js'
import {readPem, requireOwnFile} from '../../storage/files.js'
import {sign} from '../../webhooks/signature/signature.js'
import {randomSecret} from '../base/random.js'
import {realMilliseconds} from '../base/real-time.js'
import type {Forgery, SeenAttempt} from '../certify/evidence.js'
import {type DeliveryAttempt, type DueDelivery, eventWithOrigin} from '../store/webhooks.js'

/**
 * Maximum number of seconds by which a signature's time may be ahead of real time. Each attempt needs a different
 * second, and moving the clock causes many attempts within one second.
 */
const MOST_SECONDS_AHEAD = 60

/**
 * Makes an attempt. Never rejects. `now` is the sandbox's time and `realNow` the real time, both in Unix seconds. Links
 * in the event lead to `origin`. `forgery` says how the attempt is forged, so that its receiver must refuse it.
 */
export async function makeAttempt(
  options: PostOptions,
  delivery: DueDelivery,
  {now, realNow}: {now: number; realNow: number},
  origin: string,
  forgery: Forgery | null = null,
): Promise<DeliveryAttempt> {
  // A signature has a second of real time, because receivers compare it with their clock, and a later second than the
  // last attempt's.
  const second = Math.floor(realNow)
  const before = delivery.signedAt ?? second - 1
  const signedAt = before < second || before - second > MOST_SECONDS_AHEAD ? second : before + 1
  const event = Buffer.from(JSON.stringify(eventWithOrigin(delivery.event, origin)))
  const {body, signature} = signed(event, delivery.secret, signedAt, forgery)
  const begun = realMilliseconds()
  const {isSent, ...posted} = await post(options, {
    url: delivery.url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'bookctl-sandbox',
      [SIGNATURE_HEADER]: signature,
      [EVENT_ID_HEADER]: delivery.event.id,
    },
    body,
  })
  const attempt = {n: delivery.attempts + 1, at: isoTime(now), ...posted}
  const isAccepted = attempt.error === null
  const {deliveryId, subscriptionId} = delivery
  const step = stepAfter(delivery, now, isAccepted)
  const seen: SeenAttempt = {
    deliveryId,
    subscriptionId,
    eventId: delivery.event.id,
    reservation: subjectOf(delivery.event).reservationRef,
    created: Date.parse(delivery.event.created) / 1000,
    at: now,
    begun,
    ended: realMilliseconds(),
    status: attempt.status,
    isAccepted,
    isSent,
    isLast: !isAccepted && step.nextAttemptAt === null,
    forgery,
  }
  return {delivery, attempt, seen, signedAt, ...step}
}

/** Returns the body and the signature of an attempt, forged in the way that `forgery` says. */
function signed(event: Buffer, secret: string, signedAt: number, forgery: Forgery | null) {
  switch (forgery) {
    case 'signature':
      return {body: event, signature: sign(randomSecret(SIGNING_SECRET_PREFIX), String(signedAt), event)}
    case 'timestamp':
      return {body: event, signature: sign(secret, String(signedAt - TOO_OLD_SECONDS), event)}
    case 'body': {
      const changed = event.toString().replace(/("reservation_ref":"[^"]*)"/, '$1X"')
      return {body: Buffer.from(changed), signature: sign(secret, String(signedAt), event)}
    }
    case null:
      return {body: event, signature: sign(secret, String(signedAt), event)}
  }
}

/**
 * How old a forged timestamp is. It exceeds the tolerance by enough that a slightly wrong clock of the receiver does
 * not matter.
 */
const TOO_OLD_SECONDS = SIGNATURE_TOLERANCE_SECONDS + 60

/**
 * Returns the state after an attempt at `at`. If the schedule has already ended, a failed manual attempt changes
 * nothing.
 */
function stepAfter({status, attempts}: DueDelivery, at: number, delivered: boolean) {
  if (delivered) return {status: 'DELIVERED', nextAttemptAt: null} as const
  if (status !== 'PENDING') return {status, nextAttemptAt: null}
  const delay = DELIVERY_DELAYS_SECONDS[attempts + 1]
  if (delay === undefined) return {status: 'ABANDONED', nextAttemptAt: null} as const
  return {status, nextAttemptAt: at + delay}
}

interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface PostOptions {
  readonly resolve: Resolve
  readonly trust: () => SecureContext | undefined
  readonly allowHttpLoopback: boolean
  /** Time limit for name resolution, connection, request and answer together. */
  readonly limitMilliseconds: number
  readonly closing: AbortSignal
}

const MOST_ANSWER_BYTES = 64 * 1024

/**
 * Sends the request. Returns when it was answered, has failed or the time is up. `status` is null if there was no
 * answer. `error` is null if the event was delivered. `isSent` says whether the whole request was sent. `ms` is the
 * duration in milliseconds.
 */
export async function post(options: PostOptions, request: PostRequest) {
  const {limitMilliseconds, closing} = options
  const began = performance.now()
  const seen = {status: null as number | null, isSent: false}
  const ending = new AbortController()
  const ended = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason), {once: true})
  })
  const tooSlow = new Error(`no complete response within ${limitMilliseconds / 1000} s`)
  const timer = setTimeout(() => ending.abort(tooSlow), limitMilliseconds)
  const close = () => ending.abort(new Error('the sandbox stopped'))
  closing.addEventListener('abort', close, {once: true})
  let error: string | null = null
  try {
    await Promise.race([exchange(options, request, ending.signal, seen), ended])
    const isRedirect = seen.status !== null && seen.status >= 300 && seen.status < 400
    if (isRedirect) error = 'a redirect is not followed'
    else if (!isSuccess(seen)) error = 'the status is not 2xx'
  } catch (thrown) {
    const {code, message, errors} = thrown as Error & {code?: unknown; errors?: {code?: unknown}[]}
    const name = code ?? errors?.[0]?.code
    const text = message || 'the connection failed'
    const isNamed = typeof name !== 'string' || text.includes(name)
    error = sanitizeLine(isNamed ? text : `${name}: ${text}`, 200)
  } finally {
    clearTimeout(timer)
    closing.removeEventListener('abort', close)
  }
  return {...seen, ms: Math.round(performance.now() - began), error}
}

/** Resolves when the answer, or its first 64 KiB, has arrived. Sets the fields of `seen` on the way. */
async function exchange(
  options: PostOptions,
  request: PostRequest,
  signal: AbortSignal,
  seen: {status: number | null; isSent: boolean},
) {
  const url = new URL(request.url)
  const addresses = await vetAddresses(url, options)
  signal.throwIfAborted()
  const host = hostOf(url)
  const secureContext = url.protocol === 'https:' && options.trust()
  await new Promise<void>((resolve, reject) => {
    const outgoing = (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      hostname: host,
      headers: {host: url.host, ...request.headers, 'content-length': String(request.body.length)},
      lookup: fixedLookup(addresses),
      agent: false,
      signal,
      ...(url.protocol === 'https:' && {...TLS_RULES, servername: isIP(host) > 0 ? '' : host}),
      ...(secureContext && {secureContext}),
    })
    outgoing.on('finish', () => {
      seen.isSent = true
    })
    outgoing.on('response', answer => {
      seen.status = answer.statusCode ?? null
      let bytes = 0
      answer.on('data', (piece: Uint8Array) => {
        bytes += piece.length
        if (bytes < MOST_ANSWER_BYTES) return
        resolve()
        answer.destroy()
      })
      answer.on('end', resolve).on('error', reject)
      answer.on('close', () => reject(new Error('the response was cut off')))
    })
    outgoing.on('error', reject).end(request.body)
  })
}

/** Resolves a host name to all its addresses. Rejects with the system's error. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

export const systemResolve: Resolve = hostname => lookup(hostname, {all: true})

/**
 * Returns the addresses that may be dialled. Rejects if one is neither public nor on this machine, if plain http would
 * leave this machine, or if the scheme is not allowed.
 */
export async function vetAddresses(
  url: URL,
  {resolve, allowHttpLoopback}: {resolve: Resolve; allowHttpLoopback: boolean},
): Promise<readonly LookupAddress[]> {
  const isHttp = url.protocol === 'http:'
  if (url.protocol !== 'https:' && !(isHttp && allowHttpLoopback)) {
    throw new Error('not sent: the address is not https')
  }
  const host = hostOf(url)
  const family = isIP(host)
  const addresses = family === 0 ? await resolve(host) : [{address: host, family}]
  if (addresses.length === 0) throw new Error('not sent: the host name has no address')
  for (const {address} of addresses) {
    const kind = kindOfAddress(address)
    if (kind === 'refused')
      throw new Error(`not sent: ${address} is neither a public address nor on this machine`)
    if (isHttp && kind !== 'loopback') throw new Error('not sent: plain http is allowed on this machine only')
  }
  return addresses
}

/**
 * Returns a function that returns the TLS context for the next connection. The context is created again when the file
 * changes. It is undefined (Node's default) if there is no usable certificate.
 */
export function createTrust(caFile: string | undefined): () => tls.SecureContext | undefined {
  let known: string | undefined
  let context: tls.SecureContext | undefined
  return () => {
    // The file must be a regular file: a link could lead to a file of another user, and a pipe would block.
    const text = caFile && orUndefined(() => (requireOwnFile(caFile) ? readPem(caFile) : undefined))
    if (text === known) return context
    known = text
    // `ca` replaces the default roots, so they are added again.
    const withText = (pem: string) =>
      tls.createSecureContext({...TLS_RULES, ca: [...defaultCertificates(), pem]})
    context = text === undefined ? undefined : orUndefined(() => withText(text))
    return context
  }
}

function defaultCertificates(): readonly string[] {
  // Node 22.15 and later can list the default roots, including NODE_EXTRA_CA_CERTS and, if enabled, the system's store.
  const {getCACertificates} = tls as {getCACertificates?: (type: 'default') => string[]}
  if (getCACertificates) return getCACertificates('default')
  const {NODE_EXTRA_CA_CERTS: file} = process.env
  const extra = file && orUndefined(() => readPem(file))
  return extra ? [...tls.rootCertificates, extra] : tls.rootCertificates
}

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
