/** One exchange on one connection: its phases, their time limits, and whether a byte may have left. */
import {ExchangeError, type ExchangeLimits, type WireAnswer} from '../types.js'
import type {Place} from './connection.js'
import {type Diagnosis, diagnoseConnecting, diagnoseExchange, secondsText} from './faults.js'

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
