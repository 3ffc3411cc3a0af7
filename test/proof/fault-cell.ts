/** Runs one cell of the matrix: one command that meets one fault, and finds everything that is wrong with what came of it. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {Home} from '../support/bookctl.js'
import {tlsIdentity} from '../support/tls.js'
import {Wire} from '../support/wire.js'
import {type Fault, identityOf, stalls} from './fault.js'
import {checkOutput, checkRequests} from './fault-checks.js'
import type {Errand} from './fault-errands.js'
import {checkReport} from './fault-report-checks.js'
import {expectedOf} from './fault-rules.js'
import {type Cell, type Seen, trustOf} from './fault-seen.js'
import {checkState} from './fault-state-checks.js'
import type {SandboxSide} from './sandbox-side.js'

/** What all cells share. */
export interface Bench {
  readonly side: SandboxSide
  /** Another server, and what it was told that it must not hear: more than a bare GET. */
  readonly other: {readonly origin: string; readonly heard: string[]}
}

export function nameOf({row, fault}: Cell): string {
  return `${row.command.replaceAll(':', ' ')}${row.part ? ` (${row.part})` : ''} × ${fault.name}`
}

const CREDENTIALS = {BOOKCTL_CLIENT_ID: 'cid_sandbox', BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox'}

/** Seconds a command is given where nothing but the clock ends it, and where something else does. */
const STALLED_SECONDS = [3, 20, 80]
const QUICK_SECONDS = 60

/** Runs it; returns what is wrong, one line each. */
export async function runCell(bench: Bench, cell: Cell): Promise<string[]> {
  if (!stalls(cell.fault)) return (await runOnce(bench, cell, QUICK_SECONDS)).wrong
  const isReached = cell.fault.conclusion.kind !== 'unreached'
  let wrong: string[] = []
  for (const seconds of STALLED_SECONDS) {
    const result = await runOnce(bench, cell, seconds)
    wrong = result.wrong
    // Where the time was over before the request that is to stall went out, that was the machine's fault.
    if (wrong.length === 0 || result.struck > 0 || !isReached) break
  }
  return wrong
}

async function runOnce(
  bench: Bench,
  cell: Cell,
  seconds: number,
): Promise<{wrong: string[]; struck: number}> {
  const {row, fault} = cell
  const {side, other} = bench
  const identity = identityOf(fault)
  const options = {upstream: side.origin, other: other.origin, tls: identity && tlsIdentity('good')}
  const proxy = await Wire.start(options)
  const home = new Home(row.usesProfile ? {} : {...CREDENTIALS})
  Object.assign(home.env, {BOOKCTL_BASE_URL: `${proxy.origin}/partner-api/v1`, BOOKCTL_NO_HISTORY: '1'})
  writeFileSync(join(home.directory, 'secret.txt'), 'sk_test_sandbox\n')
  try {
    const errand = await row.errand(side)
    const trusting = trustOf({isTrusted: identity !== undefined})
    for (const argv of row.first ?? []) await home.run([...argv, ...trusting])
    proxy.requests.length = 0
    if (identity) proxy.showInstead(identity)
    if (fault.away) Object.assign(home.env, awayFrom(proxy, fault.away))
    const struck = fault.away ? {method: 'CONNECT', path: /./} : {method: row.method, path: row.path}
    if (fault.wire) proxy.strike = {fault: fault.wire, ...struck}
    if (isRefused(fault)) await proxy.close()
    else proxy.connection = fault.connection as Exclude<Fault['connection'], 'refused'>
    const seen = await run(home, proxy, errand, cell, seconds)
    const expected = expectedOf(row.nature, fault.conclusion, row)
    const wrong = [...checkOutput(cell, expected, seen), ...checkRequests(cell, expected, errand, seen)]
    if (row.reports) wrong.push(...checkReport(cell, expected, seen))
    wrong.push(...(await checkState(cell, errand, seen)))
    return {wrong: wrong.length === 0 ? [] : [...wrong, told(seen)], struck: seen.struck.length}
  } finally {
    if (!isRefused(fault)) await proxy.close()
    home.remove()
  }
}

const isRefused = ({connection, away}: Fault) => connection === 'refused' || away?.proxy === 'refused'

/** Variables that name a service of no machine at all (RFC 6761), and the proxy as the way to it. */
export function awayFrom({origin}: Wire, {proxy}: NonNullable<Fault['away']>): Record<string, string> {
  return {
    BOOKCTL_BASE_URL: 'https://service.invalid/partner-api/v1',
    ...(proxy === undefined ? {} : {HTTPS_PROXY: origin}),
  }
}

async function run(home: Home, proxy: Wire, errand: Errand, {fault}: Cell, seconds: number): Promise<Seen> {
  const timeout = ['--timeout', String(seconds)]
  const finished = await home.run([...errand.argv, '--json', ...timeout, ...trustOf(fault)], {
    limitMilliseconds: STOPPED_AFTER_MILLISECONDS,
  })
  const requests = [...proxy.requests]
  return {
    ...{finished, requests, home, struck: requests.filter(each => each.struck && each.method !== 'CONNECT')},
    mend: () => {
      proxy.strike = undefined
    },
    ...{seconds, isStopped: finished.exit === 'SIGKILL'},
  }
}

/** Ours: nothing that ends by itself takes as long, on any machine; the verdict on its own time is in what it tells. */
const STOPPED_AFTER_MILLISECONDS = 400_000

function told({finished, requests}: Seen): string {
  const asked = requests.map(({method, path, struck}) => `${struck ? '*' : ''}${method} ${path.slice(0, 60)}`)
  return `  ${finished.stdout.replaceAll(/\s+/g, ' ').slice(0, 500)} | ${finished.stderr.slice(0, 200)} | ${asked.join(', ')}`
}
