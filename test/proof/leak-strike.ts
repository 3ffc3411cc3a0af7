/**
 * What befalls the request of a cell that looks for leaks: an answer that echoes it, or a fault of the wire. Whether it
 * truly did, and how the command may end then, so that no cell is green in which nothing was tried.
 */
import type {Finished} from '../support/bookctl.js'
import {tlsIdentity} from '../support/tls.js'
import {Wire} from '../support/wire.js'
import type {Canaries} from './canaries.js'
import {PLANTED} from './canaries.js'
import {type Echo, EchoService} from './echo-service.js'
import {type Fault, identityOf, TIMED_OUT} from './fault.js'
import {awayFrom} from './fault-cell.js'
import {exitsOf} from './fault-checks.js'
import type {Row} from './fault-rows.js'
import {expectedOf} from './fault-rules.js'
import {filesIn} from './files-in.js'

export type Strike = {readonly echo: Echo} | {readonly fault: Fault}

/** Faults that no service and no proxy of ours can see strike, and why: what the command tells of them must name them. */
const UNSEEN: Readonly<Record<string, string>> = {
  refused: 'nobody listens there',
  dns: 'the name leads to nobody',
  'proxy-refused': 'nobody listens where the proxy should be',
}

export function nameOfStrike(strike: Strike): string {
  return 'echo' in strike ? strike.echo.name : `fault ${strike.fault.name}`
}

/** The service of one cell, and what stands in front of it where the fault is one of the wire. */
export class StruckService {
  private connectionsBefore = 0

  private constructor(
    private readonly strike: Strike,
    private readonly service: EchoService,
    private readonly proxy: Wire | undefined,
    private readonly canaries: Canaries,
  ) {}

  static async start(strike: Strike, upstream: string, canaries: Canaries): Promise<StruckService> {
    const service = await EchoService.start(upstream, canaries)
    if ('echo' in strike) return new StruckService(strike, service, undefined, canaries)
    const tls = identityOf(strike.fault) && tlsIdentity('good')
    const proxy = await Wire.start({upstream: service.origin, other: 'http://127.0.0.1:1', tls})
    return new StruckService(strike, service, proxy, canaries)
  }

  get origin(): string {
    return (this.proxy ?? this.service).origin
  }

  /** From now on the request of `row` is struck; returns variables that the command needs for it. */
  async begin({method, path}: Row): Promise<Record<string, string>> {
    const {strike, proxy} = this
    if ('echo' in strike) this.service.strike = {echo: strike.echo, method, path}
    if (!('fault' in strike) || !proxy) return {}
    const {fault} = strike
    const identity = identityOf(fault)
    if (identity) proxy.showInstead(identity)
    const struck = fault.away ? {method: 'CONNECT', path: /./} : {method, path}
    if (fault.wire) proxy.strike = {fault: fault.wire, ...struck}
    this.connectionsBefore = proxy.connections
    if (isRefused(fault)) await proxy.close()
    else proxy.connection = fault.connection as Exclude<Fault['connection'], 'refused'>
    if (!fault.away) return {}
    // With the user's own way to the proxy; without one the name itself is looked for.
    const {HTTPS_PROXY = '', ...away} = awayFrom(proxy, fault.away)
    return {...away, HTTPS_PROXY: HTTPS_PROXY.replace('//', `//canary:${PLANTED.proxyPassword}@`)}
  }

  /** Whether the request met what was to befall it. */
  isMet({stdout, stderr}: Finished, directory: string): boolean {
    const {strike, proxy} = this
    if ('echo' in strike || !proxy) return this.service.struck > 0
    const {fault} = strike
    if (fault.name in UNSEEN) {
      const told = [stdout, stderr, ...filesIn(directory).map(({text}) => text)]
      return told.some(text => fault.names?.test(text))
    }
    if (fault.wire) return proxy.requests.some(({struck}) => struck)
    return proxy.connections > this.connectionsBefore
  }

  /** Takes note of what the proxy saw. */
  harvest(): void {
    for (const {method, path, headers, body} of this.proxy?.requests ?? []) {
      const lines = Object.entries(headers).map(header => header.join(': '))
      this.canaries.harvest([`${method} ${path}`, ...lines, body].join('\n'))
    }
  }

  async close(): Promise<void> {
    if (!('fault' in this.strike && isRefused(this.strike.fault))) await this.proxy?.close()
    await this.service.close()
  }
}

/** What is wrong with how a command ended that met `strike`; the fault matrix asks the same with more time to answer. */
export function checkExit(row: Row, strike: Strike, {exit, stdout, stderr}: Finished): string[] {
  const conclusion = 'echo' in strike ? strike.echo.conclusion : strike.fault.conclusion
  const exits = exitsOf(row, expectedOf(row.nature, conclusion, row))
  // A PDF is known by what it is, and its end by its end, whatever follows it.
  const isStillPdf = row.nature === 'link' && 'echo' in strike && strike.echo.name === 'not-json'
  // A cell gives little time, which may be over in the middle of anything.
  const late = TIMED_OUT.test(stdout + stderr) ? [7, 8, 10] : []
  // A voucher's link is followed to the other server, and here nobody is there.
  const isElsewhere = row.nature === 'link' && nameOfStrike(strike).endsWith('-other')
  const possible = [...exits, ...late, ...(isStillPdf ? [0] : []), ...(isElsewhere ? [7] : [])]
  return possible.includes(Number(exit)) ? [] : [`exit ${exit}, not ${exits.join(' or ')}`]
}

const isRefused = ({connection, away}: Fault) => connection === 'refused' || away?.proxy === 'refused'
