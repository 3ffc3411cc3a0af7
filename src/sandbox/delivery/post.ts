/** One POST of an event (§6.2, §6.4): no redirect, no proxy, no shared connection, 64 KiB of the answer, all within 3 s. */
import * as http from 'node:http'
import * as https from 'node:https'
import type {SecureContext} from 'node:tls'
import {isSuccess} from '../../contract/error-codes.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import type {Attempt} from '../store/deliveries.js'
import {AddressRefused, fixedLookup, hostOf, type Resolve, vetAddresses} from './addresses.js'

interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** `status` null: there was no answer; `error` null: delivered. */
export type Post = (request: PostRequest) => Promise<Pick<Attempt, 'status' | 'ms' | 'error'>>

interface PostOptions {
  readonly resolve: Resolve
  readonly trust: () => SecureContext | undefined
  readonly allowHttpLoopback: boolean
  /** For name, connection, request and answer together. */
  readonly limitMilliseconds: number
  readonly closing: AbortSignal
}

const MOST_ANSWER_BYTES = 64 * 1024

export function createPost(options: PostOptions): Post {
  return async request => {
    const began = performance.now()
    const seen: {status: number | null} = {status: null}
    const error = await withinLimit(options, signal => exchange(options, request, signal, seen)).then(
      () => judge(seen.status),
      thrown => wordsFor(thrown, options.limitMilliseconds),
    )
    return {status: seen.status, ms: Math.round(performance.now() - began), error}
  }
}

function judge(status: number | null): string | null {
  if (status === null) return 'no response'
  if (isSuccess({status})) return null
  return status >= 300 && status < 400 ? 'a redirect is not followed' : 'the status is not 2xx'
}

class TooSlow extends Error {}

/** Runs `work` with a signal that is aborted when the time is up; then rejects with TooSlow, whatever `work` does. */
async function withinLimit<T>(
  {limitMilliseconds, closing}: PostOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const close = () => ending.abort(new Error('the sandbox stopped'))
  const timer = setTimeout(() => ending.abort(new TooSlow()), limitMilliseconds)
  closing.addEventListener('abort', close, {once: true})
  const ended = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason), {once: true})
  })
  try {
    return await Promise.race([work(ending.signal), ended])
  } finally {
    clearTimeout(timer)
    closing.removeEventListener('abort', close)
  }
}

/** Resolves when the answer, or as much of it as is read, has arrived. */
async function exchange(
  options: PostOptions,
  request: PostRequest,
  signal: AbortSignal,
  seen: {status: number | null},
): Promise<void> {
  const url = new URL(request.url)
  const addresses = await vetAddresses(url, options)
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const outgoing = open(url, {
      method: 'POST',
      headers: {host: url.host, ...request.headers, 'content-length': String(request.body.length)},
      lookup: fixedLookup(addresses),
      agent: false,
      signal,
      ...tlsOptions(url, options),
    })
    outgoing.on('error', reject)
    outgoing.on('response', answer => {
      seen.status = answer.statusCode ?? null
      readSome(answer, resolve, reject)
    })
    outgoing.end(request.body)
  })
}

function open(url: URL, options: https.RequestOptions): http.ClientRequest {
  const {request, port} =
    url.protocol === 'https:' ? {request: https.request, port: 443} : {request: http.request, port: 80}
  const path = url.pathname + url.search
  return request({...options, protocol: url.protocol, hostname: hostOf(url), port: url.port || port, path})
}

function tlsOptions(url: URL, {trust}: PostOptions): https.RequestOptions & {secureContext?: SecureContext} {
  if (url.protocol !== 'https:') return {}
  const secureContext = trust()
  const isLiteral = url.hostname.startsWith('[') || /^[\d.]+$/.test(url.hostname)
  return {
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    servername: isLiteral ? '' : hostOf(url),
    ...(secureContext && {secureContext}),
  }
}

function readSome(answer: http.IncomingMessage, done: () => void, fail: (error: Error) => void): void {
  let bytes = 0
  answer.on('data', (piece: Uint8Array) => {
    bytes += piece.length
    if (bytes < MOST_ANSWER_BYTES) return
    done()
    answer.destroy()
  })
  answer.on('end', done)
  answer.on('error', fail)
  answer.on('close', () => fail(new Error('the response was cut off')))
}

function wordsFor(thrown: unknown, limitMilliseconds: number): string {
  if (thrown instanceof TooSlow) return `no complete response within ${limitMilliseconds / 1000} s`
  if (thrown instanceof AddressRefused) return thrown.message
  const {code, message, errors} = thrown as {code?: unknown; message?: unknown; errors?: {code?: unknown}[]}
  const name = code ?? errors?.[0]?.code
  const text = typeof message === 'string' && message !== '' ? message : 'the connection failed'
  return sanitizeLine(typeof name === 'string' && !text.includes(name) ? `${name}: ${text}` : text, 200)
}
