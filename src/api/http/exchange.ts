/**
 * Runs one exchange on one connection, within a time limit for each phase. Finds out whether a byte of the request may
 * have been sent, and describes faults in words.
 */
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isLoopbackHost} from '../../contract/network.js'
import {ExchangeError, type ExchangeFault, type ExchangeLimits, type WireAnswer} from '../types.js'
import type {Dispatcher, Place} from './connection.js'

type Phase = 'connect' | 'headers' | 'body'

const WAITING_FOR: Readonly<Record<Phase, string>> = {
  connect: 'connecting to',
  headers: 'waiting for an answer from',
  body: 'reading the answer from',
}

/**
 * Runs an exchange until there is an answer, a fault or a timeout. `dispatch` starts it with a handler for undici.
 * Returns the answer; throws an ExchangeError otherwise.
 */
export function exchange(
  place: Place,
  limits: ExchangeLimits,
  dispatch: (handler: Dispatcher.DispatchHandler) => void,
): Promise<WireAnswer> {
  let phase: Phase = 'connect'
  let phaseTimer: NodeJS.Timeout | undefined
  let isOver = false
  let status = 0
  let headers: Record<string, string> = {}
  const pieces: Buffer[] = []
  let bytes = 0
  return new Promise((resolve, reject) => {
    const finish = () => {
      isOver = true
      clearTimeout(phaseTimer)
      clearTimeout(totalTimer)
      limits.signal?.removeEventListener('abort', stop)
    }
    const fail = (...[fault, reason, isRefusedHere]: Diagnosis) => {
      finish()
      reject(new ExchangeError(fault, phase !== 'connect', reason, isRefusedHere))
    }
    const stop = () => fail('stopped', 'the command was stopped')
    const timeOut = (milliseconds: number, how: string) => {
      const through = phase === 'connect' && place.proxy ? ` through proxy ${place.proxy}` : ''
      const what = `timed out ${WAITING_FOR[phase]} ${place.target}${through} (${secondsText(milliseconds)} ${how})`
      fail(phase === 'connect' ? 'connect_timeout' : 'timeout', what)
    }
    const limitPhase = (milliseconds: number) => {
      clearTimeout(phaseTimer)
      if (!isOver) phaseTimer = setTimeout(timeOut, milliseconds, milliseconds, 'without progress')
    }
    const {totalMilliseconds} = limits
    const totalTimer = setTimeout(timeOut, totalMilliseconds, totalMilliseconds, 'in all')
    limitPhase(limits.connectMilliseconds)
    limits.signal?.addEventListener('abort', stop)
    if (limits.signal?.aborted) return stop()
    const tooLarge = `the answer from ${place.target} is larger than ${limits.maxAnswerBytes} bytes`
    const handler: Dispatcher.DispatchHandler = {
      /** undici calls this just before it writes to the connected socket. From now on, bytes may have been sent. */
      onRequestStart() {
        phase = 'headers'
        limitPhase(limits.headersMilliseconds)
      },
      onResponseStart(_controller, statusCode, received) {
        if (statusCode < 200) return
        phase = 'body'
        status = statusCode
        // A repeated header is joined with `, `.
        const joined = Object.entries(received).map(([name, value = '']) => [
          name.toLowerCase(),
          [value].flat().join(', '),
        ])
        headers = Object.fromEntries(joined)
        limitPhase(limits.bodyMilliseconds)
        const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
        if (encoding !== '' && encoding !== 'identity')
          fail('protocol', `${place.target} sent a compressed answer that was not asked for`)
        else if (Number(headers['content-length']) > limits.maxAnswerBytes) fail('too_large', tooLarge)
      },
      onResponseData(_controller, piece) {
        bytes += piece.length
        if (bytes > limits.maxAnswerBytes) return fail('too_large', tooLarge)
        limitPhase(limits.bodyMilliseconds)
        pieces.push(piece)
      },
      onResponseEnd() {
        finish()
        resolve({status, headers, body: Buffer.concat(pieces)})
      },
      onResponseError(_controller, error) {
        if (error instanceof ExchangeError) fail(error.fault, error.reason, error.isRefusedHere)
        else if (phase === 'connect') fail(...diagnoseConnecting(error, place))
        else fail(...diagnoseExchange(error, place, phase === 'body'))
      },
    }
    try {
      dispatch(handler)
    } catch (error) {
      fail('protocol', `the request cannot be sent (${(error as {code?: string}).code ?? 'invalid'})`)
    }
  })
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

/** Returns the fault, and its reason in words, for an error before the first byte was sent. */
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

/** Returns the fault, and its reason in words, for an error after the first byte may have been sent. */
export function diagnoseExchange(error: unknown, place: Place, answerStarted: boolean): Diagnosis {
  const cause = rootOf(error)
  const code = cause.code ?? ''
  const from = `from ${place.target}`
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return ['too_large', `the answer's headers ${from} are too large`]
  // Some parser errors do not have llhttp's codes, so their messages are checked too.
  const isParserError = cause.name === 'HTTPParserError' || code.startsWith('HPE_')
  const endedEarly = isParserError && /EOF/.test(`${code} ${cause.message}`)
  const isWrongLength = code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
  if (endedEarly || (isWrongLength && answerStarted)) return ['cut', `the answer ${from} ended early`]
  // Before the answer has started, a wrong length means that the headers contradict each other, for example with two
  // lengths.
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

/** Returns the underlying error. Node collects the errors of several addresses in one, and undici wraps some errors. */
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

/** Returns what is wrong with a certificate that Node rejects with `code`, and what the user can do. */
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

/**
 * Formats milliseconds as `3 s`, rounded to two digits. What is left of a limit just after the start is therefore shown
 * as the whole limit.
 */
export function secondsText(milliseconds: number): string {
  return `${Number((Math.max(0, milliseconds) / 1000).toPrecision(2))} s`
}

function inBrackets(code: string): string {
  return code === '' ? '' : ` (${sanitizeLine(code, 60)})`
}
