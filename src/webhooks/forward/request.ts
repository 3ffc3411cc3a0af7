/**
 * One attempt to forward a received event: the same bytes, the same headers except those of the connection, no redirect
 * followed. The only file of webhooks that sends.
 */
import {type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp} from 'node:http'
import {Agent as HttpsAgent, request as requestHttps} from 'node:https'
import type {HeaderMap} from '../signature/headers.js'

export interface HandoverResult {
  /** The answer's status; null when there was none. */
  readonly status: number | null
  /** Until the answer's head came, or it was clear that there is none. */
  readonly milliseconds: number
  /** Why there was no answer: `ECONNREFUSED`, `timeout`, `stopped`. */
  readonly error: string | null
  /** The first bytes of the answer's body, as many as are kept. */
  readonly start?: Buffer | undefined
  /** Of the answer, if its body is kept. */
  readonly headers?: HeaderMap | undefined
}

export interface Handover {
  /** Sends `body` to `url` with `rawHeaders` (names and values in turn). Never rejects. */
  send(url: string, rawHeaders: readonly string[], body: Uint8Array): Promise<HandoverResult>
  /** Ends open requests, as `stopped`. */
  close(): void
}

export interface HandoverOptions {
  /** Certificates to trust (default: the runtime's own). */
  readonly trusted?: readonly string[] | undefined
  readonly timeoutMilliseconds: number
  /** How many bytes of an answer's body are kept (default 0). */
  readonly keptBytes?: number
}

/** So much of an answer's body is read and discarded, so that the connection can be used again. */
const DISCARDED_BYTES = 64 * 1024

/** Connection headers (RFC 9110 §7.6.1), and those that are the new connection's own. */
const DROPPED = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade', 'expect', 'host', 'content-length'],
])

export function createHandover({trusted, timeoutMilliseconds, keptBytes = 0}: HandoverOptions): Handover {
  const keepAlive = {keepAlive: true}
  const http = new HttpAgent(keepAlive)
  const trust = trusted ? {ca: [...trusted]} : {}
  const https = new HttpsAgent({...keepAlive, ...trust})
  const open = new Set<ClientRequest>()

  const attempt = (
    url: URL,
    headers: string[],
    body: Uint8Array,
    onNewConnection = false,
  ): Promise<HandoverResult & {stale?: boolean}> => {
    const started = performance.now()
    const options = {method: 'POST', headers: headers as never}
    const request =
      url.protocol === 'https:'
        ? requestHttps(url, {...options, ...trust, agent: onNewConnection ? false : https})
        : requestHttp(url, {...options, agent: onNewConnection ? false : http})
    open.add(request)
    const timer = setTimeout(() => request.destroy(new Reason('timeout')), timeoutMilliseconds)
    return new Promise(resolve => {
      const settle = (status: number | null, error: string | null, stale = false) => {
        clearTimeout(timer)
        open.delete(request)
        const milliseconds = Math.round(performance.now() - started)
        const result = {status, milliseconds, error, stale}
        if (kept === undefined) resolve(result)
        else void kept.then(answered => resolve({...result, ...answered}))
      }
      let kept: Promise<Pick<HandoverResult, 'start' | 'headers'>> | undefined
      request.once('response', answer => {
        if (keptBytes > 0) kept = startOf(answer, keptBytes)
        discard(answer, timeoutMilliseconds)
        settle(answer.statusCode ?? null, null)
      })
      // An unwanted 101 is no 'response' event; without this listener it would never end.
      request.once('upgrade', (answer, socket) => {
        socket.destroy()
        settle(answer.statusCode ?? null, null)
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        const code = error.code ?? error.message
        settle(null, code, request.reusedSocket && code === 'ECONNRESET')
      })
      request.end(body)
    })
  }
  return {
    async send(url, rawHeaders, body) {
      const address = new URL(url)
      const headers = headersFor(address, rawHeaders, body.length)
      const first = await attempt(address, headers, body)
      // The receiver closed an idle connection at the moment it was used again: that was no answer. The next idle one may be
      // closed as well.
      const {stale: _, ...result} = first.stale ? await attempt(address, headers, body, true) : first
      return result
    },
    close() {
      for (const request of open) request.destroy(new Reason('stopped'))
      http.destroy()
      https.destroy()
    },
  }
}

class Reason extends Error {}

/** The headers of the new request, as names and values in turn. */
export function headersFor(url: URL, rawHeaders: readonly string[], length: number): string[] {
  const named = connectionNames(rawHeaders)
  const headers = ['Host', url.host]
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n] as string
    const key = name.toLowerCase()
    if (!DROPPED.has(key) && !named.has(key)) headers.push(name, rawHeaders[n + 1] as string)
  }
  return [...headers, 'Content-Length', String(length)]
}

/** Headers that the sender's Connection header declared its own. */
function connectionNames(rawHeaders: readonly string[]): Set<string> {
  const names = new Set<string>()
  for (let n = 0; n < rawHeaders.length; n += 2) {
    if (rawHeaders[n]?.toLowerCase() !== 'connection') continue
    for (const name of (rawHeaders[n + 1] as string).split(',')) names.add(name.trim().toLowerCase())
  }
  return names
}

/** The first `bytes` of the body, or what came before it ended; resolves when `discard` is done at the latest. */
function startOf(answer: IncomingMessage, bytes: number): Promise<Pick<HandoverResult, 'start' | 'headers'>> {
  let start = Buffer.alloc(0)
  return new Promise(resolve => {
    const done = () => resolve({start, headers: answer.headers as HeaderMap})
    answer
      .on('data', (piece: Buffer) => {
        if (start.length < bytes) start = Buffer.concat([start, piece]).subarray(0, bytes)
        if (start.length >= bytes) done()
      })
      .once('close', done)
  })
}

function discard(answer: IncomingMessage, timeoutMilliseconds: number): void {
  let read = 0
  const timer = setTimeout(() => answer.destroy(), timeoutMilliseconds)
  answer
    .on('data', (piece: Buffer) => {
      read += piece.length
      if (read > DISCARDED_BYTES) answer.destroy()
    })
    .on('error', () => {})
    .once('close', () => clearTimeout(timer))
}

/** The address that events may be forwarded to, without fragment: https, or http on this machine; undefined for any other. */
export function parseForwardTarget(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return undefined
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) return undefined
  url.hash = ''
  return url.href
}

/** URL has brought every spelling of an IPv4 address into dotted form by now. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
