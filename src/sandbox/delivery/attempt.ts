/**
 * One attempt to deliver an event (§2.8): signed for this attempt (§6.3), sent by one POST (§6.2) without redirect, proxy or
 * shared connection, 64 KiB of the answer, all within 3 s; and the step that follows (§6.4).
 */
import * as http from 'node:http'
import * as https from 'node:https'
import {isIP} from 'node:net'
import type {SecureContext} from 'node:tls'
import {isoTime} from '../../contract/dates.js'
import {EVENT_ID_HEADER, SIGNATURE_HEADER} from '../../contract/events.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {DELIVERY_DELAYS_SECONDS} from '../../contract/limits.js'
import {fixedLookup, hostOf, TLS_RULES} from '../../contract/network.js'
import {isSuccess} from '../../contract/operations.js'
import {sign} from '../../webhooks/signature/signature.js'
import type {DeliveryAttempt, DueDelivery} from '../store/deliveries.js'
import {eventWithOrigin} from '../store/events.js'
import {type Resolve, vetAddresses} from './addresses.js'

/** Attempts that the moved clock brings together in one second are signed with seconds of their own. */
const MOST_SECONDS_AHEAD = 60

/** Never rejects. `now`: the sandbox's clock, `realNow`: real time, in Unix seconds. Links lead to `origin`. */
export async function makeAttempt(
  options: PostOptions,
  delivery: DueDelivery,
  {now, realNow}: {now: number; realNow: number},
  origin: string,
): Promise<DeliveryAttempt> {
  const signedAt = signingTime(realNow, delivery.signedAt)
  const body = Buffer.from(JSON.stringify(eventWithOrigin(delivery.event, origin)))
  const posted = await post(options, {
    url: delivery.url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'bookctl-sandbox',
      [SIGNATURE_HEADER]: sign(delivery.secret, String(signedAt), body),
      [EVENT_ID_HEADER]: delivery.event.id,
    },
    body,
  })
  const attempt = {n: delivery.attempts + 1, at: isoTime(now), ...posted}
  return {delivery, attempt, signedAt, ...stepAfter(delivery, now, attempt.error === null)}
}

/** The second to sign: of real time, by which receivers check it, and never that of the last attempt. */
function signingTime(realNow: number, before: number | null): number {
  const now = Math.floor(realNow)
  if (before === null || before < now || before - now > MOST_SECONDS_AHEAD) return now
  return before + 1
}

/** The step after an attempt made at `at`. After the schedule, a failed attempt by hand changes nothing. */
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
  /** For name, connection, request and answer together. */
  readonly limitMilliseconds: number
  readonly closing: AbortSignal
}

const MOST_ANSWER_BYTES = 64 * 1024

type Seen = {status: number | null}

/** Ends when the time is up, whatever is still awaited. `status` null: there was no answer; `error` null: delivered. */
export async function post(options: PostOptions, request: PostRequest) {
  const {limitMilliseconds, closing} = options
  const began = performance.now()
  const seen: Seen = {status: null}
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
    error = wordsFor(thrown)
  } finally {
    clearTimeout(timer)
    closing.removeEventListener('abort', close)
  }
  return {status: seen.status, ms: Math.round(performance.now() - began), error}
}

/** Resolves when the answer, or as much of it as is read, has arrived. */
async function exchange(options: PostOptions, request: PostRequest, signal: AbortSignal, seen: Seen) {
  const url = new URL(request.url)
  const addresses = await vetAddresses(url, options)
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const outgoing = (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      hostname: hostOf(url),
      headers: {host: url.host, ...request.headers, 'content-length': String(request.body.length)},
      lookup: fixedLookup(addresses),
      agent: false,
      signal,
      ...(url.protocol === 'https:' && tlsOptions(url, options)),
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

function tlsOptions(url: URL, {trust}: PostOptions) {
  const host = hostOf(url)
  const secureContext = trust()
  return {
    ...TLS_RULES,
    servername: isIP(host) > 0 ? '' : host,
    ...(secureContext && {secureContext}),
  }
}

function wordsFor(thrown: unknown): string {
  const {code, message, errors} = thrown as {code?: unknown; message?: unknown; errors?: {code?: unknown}[]}
  const name = code ?? errors?.[0]?.code
  const text = typeof message === 'string' && message !== '' ? message : 'the connection failed'
  return sanitizeLine(typeof name === 'string' && !text.includes(name) ? `${name}: ${text}` : text, 200)
}
