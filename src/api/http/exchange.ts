/** One exchange on one connection: its phases, their time limits, whether a byte may have left, and what went wrong in words. */
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isLoopbackHost} from '../../contract/network.js'
import {ExchangeError, type ExchangeFault, type ExchangeLimits, type WireAnswer} from '../types.js'
import type {Place} from './connection.js'

type Phase = 'connect' | 'headers' | 'body'

const WAITING_FOR: Readonly<Record<Phase, string>> = {
  connect: 'connecting to',
  headers: 'waiting for an answer from',
  body: 'reading the answer from',
}

/** Used once: `run` settles with the answer, a fault or a time limit, whichever comes first. */
export class Exchange {
  private phase: Phase = 'connect'
  private status = 0
  private headers: Record<string, string> = {}
  private readonly pieces: Buffer[] = []
  private bytes = 0
  private phaseTimer: NodeJS.Timeout | undefined
  private totalTimer: NodeJS.Timeout | undefined
  private settle: {resolve(answer: WireAnswer): void; reject(error: Error): void} | undefined

  constructor(
    private readonly place: Place,
    private readonly limits: ExchangeLimits,
  ) {}

  /** `dispatch` starts the exchange with this object as undici's dispatch handler. */
  run(dispatch: () => void): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      this.settle = {resolve, reject}
      const {totalMilliseconds, connectMilliseconds, signal} = this.limits
      this.totalTimer = setTimeout(() => this.timeOut(totalMilliseconds, 'in all'), totalMilliseconds)
      this.limitPhase(connectMilliseconds)
      signal?.addEventListener('abort', this.stop)
      if (signal?.aborted) return this.stop()
      try {
        dispatch()
      } catch (error) {
        this.fail('protocol', `the request cannot be sent (${(error as {code?: string}).code ?? 'invalid'})`)
      }
    })
  }

  /** undici calls this when the connected socket is about to be written to: from here on a byte may have left. */
  onRequestStart(): void {
    this.phase = 'headers'
    this.limitPhase(this.limits.headersMilliseconds)
  }

  onResponseStart(
    _controller: unknown,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return
    this.phase = 'body'
    this.status = status
    // A repeated header is joined with `, `.
    const joined = Object.entries(headers).map(([name, value = '']) => [
      name.toLowerCase(),
      [value].flat().join(', '),
    ])
    this.headers = Object.fromEntries(joined)
    this.limitPhase(this.limits.bodyMilliseconds)
    const encoding = this.headers['content-encoding']?.trim().toLowerCase() ?? ''
    if (encoding !== '' && encoding !== 'identity') {
      this.fail('protocol', `${this.place.target} sent a compressed answer that was not asked for`)
    } else if (Number(this.headers['content-length']) > this.limits.maxAnswerBytes) {
      this.tooLarge()
    }
  }

  onResponseData(_controller: unknown, piece: Buffer): void {
    this.bytes += piece.length
    if (this.bytes > this.limits.maxAnswerBytes) {
      this.tooLarge()
    } else {
      this.limitPhase(this.limits.bodyMilliseconds)
      this.pieces.push(piece)
    }
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.pieces)
    this.finish()?.resolve({status: this.status, headers: this.headers, body})
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (error instanceof ExchangeError) this.fail(error.fault, error.reason, error.isRefusedHere)
    else if (this.phase === 'connect') this.fail(...diagnoseConnecting(error, this.place))
    else this.fail(...diagnoseExchange(error, this.place, this.phase === 'body'))
  }

  private limitPhase(milliseconds: number): void {
    clearTimeout(this.phaseTimer)
    if (this.settle)
      this.phaseTimer = setTimeout(() => this.timeOut(milliseconds, 'without progress'), milliseconds)
  }

  private timeOut(milliseconds: number, how: string): void {
    const through = this.phase === 'connect' && this.place.proxy ? ` through proxy ${this.place.proxy}` : ''
    const what = `timed out ${WAITING_FOR[this.phase]} ${this.place.target}${through} (${secondsText(milliseconds)} ${how})`
    this.fail(this.phase === 'connect' ? 'connect_timeout' : 'timeout', what)
  }

  private tooLarge(): void {
    const reason = `the answer from ${this.place.target} is larger than ${this.limits.maxAnswerBytes} bytes`
    this.fail('too_large', reason)
  }

  private readonly stop = () => this.fail('stopped', 'the command was stopped')

  private fail(...[fault, reason, isRefusedHere]: Diagnosis): void {
    this.finish()?.reject(new ExchangeError(fault, this.phase !== 'connect', reason, isRefusedHere))
  }

  /** Ends the exchange. The first caller gets the promise's resolve and reject, later callers nothing. */
  private finish() {
    clearTimeout(this.phaseTimer)
    clearTimeout(this.totalTimer)
    this.limits.signal?.removeEventListener('abort', this.stop)
    const settle = this.settle
    this.settle = undefined
    return settle
  }
}

type Diagnosis = readonly [fault: ExchangeFault, reason: string, isRefusedHere?: boolean]

interface NodeError extends Error {
  readonly code?: string
  readonly address?: string
  readonly port?: number
  readonly errors?: readonly NodeError[]
  readonly cause?: unknown
  readonly cert?: {readonly subjectaltname?: string}
}

const CERTIFICATE =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH|CRL_|ERR_TLS_CERT_ALTNAME_INVALID$)/
const TLS = /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$)/
const UNREACHABLE = /^E(CONNREFUSED|(HOST|NET)(UNREACH|DOWN)|ADDRNOTAVAIL)$/

/** The fault of an error before the first byte. */
export function diagnoseConnecting(error: unknown, place: Place): Diagnosis {
  const cause = rootOf(error)
  const code = cause.code ?? ''
  if (CERTIFICATE.test(code) || TLS.test(code)) return ['tls', tlsReason(cause, place)]
  if (place.proxy !== undefined) return diagnoseProxy(cause, place.proxy)
  if (code === 'ENOTFOUND' || code.startsWith('EAI_'))
    return ['dns', `${code} ${place.target.replace(/:\d+$/, '')} (no such host name, or no name service)`]
  if (UNREACHABLE.test(code)) {
    const host = cause.address ?? place.target.replace(/:\d+$/, '')
    const isRefusedHere = code === 'ECONNREFUSED' && isLoopbackHost(host)
    return ['refused', `${code} ${addressOf(cause, place.target)}`, isRefusedHere]
  }
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT')
    return ['connect_timeout', `ETIMEDOUT ${addressOf(cause, place.target)}`]
  return ['reset', `connection to ${place.target} closed before the request${inBrackets(code)}`]
}

/** The fault of an error after the first byte may have left. */
export function diagnoseExchange(error: unknown, place: Place, answerStarted: boolean): Diagnosis {
  const cause = rootOf(error)
  const code = cause.code ?? ''
  const from = `from ${place.target}`
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return ['too_large', `the answer's headers ${from} are too large`]
  // llhttp's own codes are missing from some parser errors, so their words count as well.
  const isParserError = cause.name === 'HTTPParserError' || code.startsWith('HPE_')
  const endedEarly = isParserError && /EOF/.test(`${code} ${cause.message}`)
  const isWrongLength = code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
  if (endedEarly || (isWrongLength && answerStarted)) return ['cut', `the answer ${from} ended early`]
  // A wrong length before the head is whole: the head contradicts itself, with two lengths for example.
  if (isParserError || isWrongLength || code === 'UND_ERR_NOT_SUPPORTED')
    return ['protocol', `the answer ${from} is not HTTP/1.1 as it should be`]
  if (answerStarted) return ['cut', `the answer ${from} was cut off${inBrackets(code)}`]
  return ['reset', `the connection to ${place.target} ended without an answer${inBrackets(code)}`]
}

function diagnoseProxy(cause: NodeError, proxy: string): Diagnosis {
  const status = /Proxy response \((\d{3})\)/.exec(cause.message)?.[1]
  if (status === undefined)
    return ['proxy', `proxy ${proxy} cannot be reached${inBrackets(cause.code ?? '')}`]
  const meaning = status === '407' ? ' (it requires a user name and password in HTTPS_PROXY)' : ''
  const reason = `proxy ${proxy} refused the connection with status ${status}${meaning}`
  return [status.startsWith('5') ? 'proxy' : 'proxy_refused', reason]
}

/** The first error with a cause in it: happy eyeballs collect several, undici wraps some. */
function rootOf(error: unknown): NodeError {
  let current = error as NodeError
  for (let depth = 0; depth < 5; depth++) {
    const inner = current.errors?.[0] ?? (current.code === 'UND_ERR_PRX_TLS' ? current.cause : undefined)
    if (!(inner instanceof Error)) break
    current = inner as NodeError
  }
  return current
}

type CertificateProblem = readonly [words: string, advice: string]

const CHECK_CLOCK = 'tell the operator of the service, and check the clock of this machine'
const NAME_AUTHORITY = 'if you trust its authority, name its PEM with --ca-file FILE'
const OTHER_HOST = ['is for another host name', 'check the host name in the base URL'] as const
const UNKNOWN_AUTHORITY = [
  'is not signed by a known authority; if you trust that authority, name its PEM with --ca-file',
  NAME_AUTHORITY,
] as const
const CERTIFICATE_PROBLEMS: Readonly<Record<string, CertificateProblem>> = {
  CERT_HAS_EXPIRED: ['has expired', CHECK_CLOCK],
  CERT_NOT_YET_VALID: ['is not valid yet', CHECK_CLOCK],
  CERT_REVOKED: ['is revoked', 'tell the operator of the service'],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    'is self-signed; if you trust it, name its PEM with --ca-file',
    NAME_AUTHORITY,
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: OTHER_HOST,
  HOSTNAME_MISMATCH: OTHER_HOST,
}

/** What is wrong with a certificate that Node refuses with `code`, and what to do about it. */
export function certificateProblem(code: string): CertificateProblem {
  return CERTIFICATE_PROBLEMS[code] ?? UNKNOWN_AUTHORITY
}

function tlsReason(cause: NodeError, place: Place): string {
  const code = cause.code ?? ''
  const host = place.proxy === undefined ? place.target : `${place.target} (through proxy ${place.proxy})`
  if (!CERTIFICATE.test(code)) return `TLS with ${host} failed (${code})`
  const [problem] = certificateProblem(code)
  const names = cause.cert?.subjectaltname
  const meant = names === undefined ? '' : `; it names ${sanitizeLine(names.replaceAll('DNS:', ''), 150)}`
  return `the certificate of ${host} ${problem} (${code}${meant})`
}

function addressOf(cause: NodeError, target: string): string {
  if (cause.address === undefined) return target
  const host = cause.address.includes(':') ? `[${cause.address}]` : cause.address
  return cause.port === undefined ? host : `${host}:${cause.port}`
}

/** Milliseconds as `3 s`, rounded to two digits, so that what is left of a limit shortly after its start reads as the limit. */
export function secondsText(milliseconds: number): string {
  return `${Number((Math.max(0, milliseconds) / 1000).toPrecision(2))} s`
}

function inBrackets(code: string): string {
  return code === '' ? '' : ` (${sanitizeLine(code, 60)})`
}
