/**
 * Makes one attempt to forward an event, without following redirects. Also signs an event again if its signature is too
 * old.
 */
import {type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp} from 'node:http'
import {Agent as HttpsAgent, request as requestHttps} from 'node:https'
import {SIGNATURE_TOLERANCE_SECONDS, WEBHOOK_RESPONSE_SECONDS} from '../../contract/limits.js'
import {TLS_RULES} from '../../contract/network.js'
import type {NewEvent} from '../../contract/stored-events.js'
import {type HeaderMap, pairsOf} from '../signature/headers.js'
import {type NamedSecret, parseSignature, sign, verify} from '../signature/signature.js'

export interface HandoverResult {
  readonly status: number | null
  /** Milliseconds until the response headers, or until the error. */
  readonly milliseconds: number
  /** Why there was no answer: `ECONNREFUSED`, `timeout`, `stopped`. Null if there was one. */
  readonly error: string | null
  /** The first bytes of the body of the answer, at most `keptBytes`. */
  readonly start?: Promise<Buffer>
  readonly headers?: HeaderMap
}

export type Handover = ReturnType<typeof createHandover>

/** How much of an answer's body is read and dropped, so that the connection can be used again. */
const DISCARDED_BYTES = 64 * 1024

/** Time limit for reading the bytes that are kept, because an answer may never end. */
const START_MILLISECONDS = 1000

/** Matches headers that concern only one connection (RFC 9110 §7.6.1). */
const OF_CONNECTION =
  /^(connection|keep-alive|proxy-(connection|auth\w+)|te|trailer|transfer-encoding|upgrade)$/i
/** Matches headers that the new request sets itself. */
const REPLACED = /^(expect|host|content-length)$/i

/**
 * Creates the function that sends forwards. `trusted` are certificates (default: those of Node). `keptBytes` is how
 * many bytes of an answer's body are kept.
 */
export function createHandover({
  trusted,
  timeoutMilliseconds,
  keptBytes = 0,
}: {
  readonly trusted?: readonly string[] | undefined
  readonly timeoutMilliseconds: number
  readonly keptBytes?: number
}) {
  const tls = {...TLS_RULES, ...(trusted ? {ca: [...trusted]} : {})}
  const http = new HttpAgent({keepAlive: true})
  const https = new HttpsAgent({keepAlive: true, ...tls})
  const open = new Set<ClientRequest>()

  const attempt = (url: URL, headers: string[], body: Uint8Array, onNewConnection = false) => {
    const started = performance.now()
    const [requestTo, shared] = url.protocol === 'https:' ? [requestHttps, https] : [requestHttp, http]
    const agent = onNewConnection ? false : shared
    const request = requestTo(url, {method: 'POST', headers: headers as never, ...tls, agent})
    open.add(request)
    const timer = setTimeout(() => request.destroy(new Error('timeout')), timeoutMilliseconds)
    return new Promise<HandoverResult & {stale?: boolean}>(resolve => {
      const settled = (status: number | null, error: string | null) => {
        clearTimeout(timer)
        open.delete(request)
        return {status, milliseconds: Math.round(performance.now() - started), error}
      }
      let isAnswered = false
      request.once('response', answer => {
        isAnswered = true
        const result = settled(answer.statusCode ?? null, null)
        const headers = answer.headers as HeaderMap
        const readMilliseconds = keptBytes > 0 ? START_MILLISECONDS : timeoutMilliseconds
        resolve({...result, start: startOf(answer, keptBytes, readMilliseconds), headers})
      })
      // Node reports a 101 not as a 'response' event but as an 'upgrade'. Without this listener the attempt would never
      // end.
      request.once('upgrade', (answer, socket) => {
        socket.destroy()
        resolve(settled(answer.statusCode ?? null, null))
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The answer counts even if its body is truncated.
        if (isAnswered) return
        const code = error.code ?? error.message
        resolve({...settled(null, code), stale: request.reusedSocket && code === 'ECONNRESET'})
      })
      request.end(body)
    })
  }
  return {
    /** Sends `body` to `url` with `rawHeaders` (names and values in turn). Never rejects. */
    async send(url: string, rawHeaders: readonly string[], body: Uint8Array): Promise<HandoverResult> {
      const address = new URL(url)
      const headers = headersFor(address, rawHeaders, body.length)
      const first = await attempt(address, headers, body)
      // The receiver closed an idle connection at the moment of its next use. Other idle connections may be closed as
      // well, so a new one is opened.
      return first.stale ? attempt(address, headers, body, true) : first
    },
    /** Ends all open requests with the error `stopped`. */
    close(): void {
      for (const request of open) request.destroy(new Error('stopped'))
      http.destroy()
      https.destroy()
    },
  }
}

/** Returns the headers of the new request, names and values in turn, without those that concern only one connection. */
export function headersFor(url: URL, rawHeaders: readonly string[], length: number): string[] {
  const kept = endToEnd(rawHeaders).filter(([name]) => !REPLACED.test(name))
  return ['Host', url.host, ...kept.flat(), 'Content-Length', String(length)]
}

/** Returns the headers, as pairs of name and value, that do not concern only one connection. */
export function endToEnd(rawHeaders: readonly string[]): [string, string][] {
  const pairs = pairsOf(rawHeaders)
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map(name => name.trim().toLowerCase()))
  return pairs.filter(([name]) => !OF_CONNECTION.test(name) && !named.includes(name.toLowerCase()))
}

/**
 * Returns the first `bytes` of the body, or all of a shorter body. The rest is dropped; if it is too long, the
 * connection is closed.
 */
function startOf(answer: IncomingMessage, bytes: number, milliseconds: number): Promise<Buffer> {
  let start = Buffer.alloc(0)
  let read = 0
  const timer = setTimeout(() => answer.destroy(), milliseconds)
  return new Promise(resolve => {
    if (bytes === 0) resolve(start)
    answer
      .on('data', (piece: Buffer) => {
        read += piece.length
        if (start.length < bytes) start = Buffer.concat([start, piece]).subarray(0, bytes)
        if (start.length === bytes) resolve(start)
        if (read > DISCARDED_BYTES) answer.destroy()
      })
      .on('error', () => {})
      .once('close', () => {
        clearTimeout(timer)
        resolve(start)
      })
  })
}

type SignedEvent = Pick<NewEvent, 'rawHeaders' | 'body'>

/**
 * Maximum age in seconds of a signature that is forwarded. The target may take its whole response time before it checks
 * the age.
 */
const MOST_AGE_SECONDS = SIGNATURE_TOLERANCE_SECONDS - WEBHOOK_RESPONSE_SECONDS

/**
 * Returns the headers of the event, with a new signature if the old one is too old (§6.3.4) at `now` (Unix seconds).
 * Returns undefined if the secret for a new signature is unknown.
 */
export function freshHeaders(
  event: SignedEvent,
  headerName: string,
  secrets: readonly NamedSecret[],
  now: number,
): readonly string[] | undefined {
  const {rawHeaders} = event
  const signature = parseSignature(rawHeaders[placeOf(rawHeaders, headerName)] ?? '')
  if (signature === undefined || now - Number(signature.timestamp) <= MOST_AGE_SECONDS) return rawHeaders
  const signer = signerOf(event, headerName, secrets)
  return signer && signedAgain(event, signer, headerName, now)
}

/** Returns the secret that signed the event, however old the signature is, or undefined if it is unknown. */
export function signerOf(
  {rawHeaders, body}: SignedEvent,
  headerName: string,
  secrets: readonly NamedSecret[],
): NamedSecret | undefined {
  const header = rawHeaders[placeOf(rawHeaders, headerName)]
  const terms = {now: 0, toleranceSeconds: Number.POSITIVE_INFINITY}
  return secrets.find(named => verify({...terms, secrets: [named], header, rawBody: body}).valid)
}

/** Returns the headers with a new signature, made at `now` (Unix seconds). */
export function signedAgain(
  {rawHeaders, body}: SignedEvent,
  {secret}: NamedSecret,
  headerName: string,
  now: number,
): string[] {
  const signature = sign(secret, String(Math.floor(now)), body)
  const place = placeOf(rawHeaders, headerName)
  return place < 0 ? [...rawHeaders, headerName, signature] : rawHeaders.with(place, signature)
}

function placeOf(rawHeaders: readonly string[], headerName: string): number {
  const wanted = headerName.toLowerCase()
  return rawHeaders.findIndex((_, n) => n % 2 === 1 && rawHeaders[n - 1]?.toLowerCase() === wanted)
}
