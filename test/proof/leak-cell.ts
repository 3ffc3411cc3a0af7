/** One command, with one debug switch, and one thing that befalls its request: where is a secret that should not be there? */
import {Home} from '../support/bookctl.js'
import {tlsIdentity} from '../support/tls.js'
import type {Canaries, SecretKind} from './canaries.js'
import {type Echo, EchoService} from './echo-service.js'
import {type Fault, identityOf} from './fault.js'
import {FaultProxy} from './fault-proxy.js'
import type {Row} from './fault-rows.js'
import {trustOf} from './fault-seen.js'
import {runWatched, type Watched} from './fault-watched.js'
import {filesIn} from './files-in.js'
import {commonEnvironment, furnish, type KnowingHome} from './leak-home.js'
import {JOURNAL, resultsOf, STORES} from './leak-rules.js'
import type {Switch} from './leak-switches.js'
import type {SandboxSide} from './sandbox-side.js'

/** What befalls the request: an answer that echoes it, or a fault of the wire. */
export type Strike = {readonly echo: Echo} | {readonly fault: Fault}

export interface LeakCell {
  readonly row: Row
  readonly with: Switch
  readonly strike: Strike
  readonly isJson: boolean
}

/** What all cells share. */
export interface LeakBench {
  readonly side: SandboxSide
  readonly knowing: KnowingHome
}

export interface LeakResult {
  /** One line each. */
  readonly wrong: readonly string[]
  /** How many canaries were looked for, each in every place and spelling. */
  readonly canaries: number
}

export function leakName({row, with: debug, strike, isJson}: LeakCell): string {
  const part = row.part ? ` (${row.part})` : ''
  const what = 'echo' in strike ? strike.echo.name : `fault ${strike.fault.name}`
  return `leak: ${row.command.replaceAll(':', ' ')}${part}${isJson ? ' --json' : ''} × ${debug.name} × ${what}`
}

export async function runLeakCell({side, knowing}: LeakBench, cell: LeakCell): Promise<LeakResult> {
  const {row, strike} = cell
  const canaries = knowing.canaries.copy()
  const service = await EchoService.start(side.origin, canaries)
  const proxy = 'fault' in strike ? await startProxy(strike.fault, service.origin) : undefined
  const origin = proxy?.origin ?? service.origin
  const credentials = {BOOKCTL_CLIENT_ID: 'cid_sandbox', BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox'}
  const home = new Home(row.usesProfile ? {} : credentials)
  Object.assign(home.env, commonEnvironment(home.directory), {
    BOOKCTL_BASE_URL: `${origin}/partner-api/v1`,
  })
  furnish(home, knowing)
  try {
    const {argv} = await row.errand(side)
    const trust = 'fault' in strike ? trustOf({isTrusted: strike.fault.identity !== undefined}) : []
    for (const first of row.first ?? []) await home.run([...first, ...trust])
    if ('echo' in strike) service.strike = {echo: strike.echo, method: row.method, path: row.path}
    else if (proxy) await strikeProxy(proxy, strike.fault, row)
    const typed = [...argv, ...cell.with.argv, ...(cell.isJson ? ['--json'] : []), '--timeout', '2']
    const trusting = 'fault' in strike ? trustOf(strike.fault) : []
    const seen = await runWatched(home, [...typed, ...trusting], cell.with.env)
    for (const {method, path, headers, body} of proxy?.requests ?? [])
      canaries.harvest(
        [`${method} ${path}`, ...Object.entries(headers).map(h => h.join(': ')), body].join('\n'),
      )
    return {wrong: wrongIn(cell, home, canaries, seen), canaries: canaries.size}
  } finally {
    if (!('fault' in strike && strike.fault.connection === 'refused')) await proxy?.close()
    await service.close()
    home.remove()
  }
}

function startProxy(fault: Fault, upstream: string): Promise<FaultProxy> {
  const tls = identityOf(fault) && tlsIdentity('good')
  return FaultProxy.start({upstream, other: 'http://127.0.0.1:1', tls})
}

async function strikeProxy(proxy: FaultProxy, fault: Fault, {method, path}: Row): Promise<void> {
  const identity = identityOf(fault)
  if (identity) proxy.showInstead(identity)
  if (fault.wire) proxy.strike = {fault: fault.wire, method, path}
  if (fault.connection === 'refused') await proxy.close()
  else proxy.connection = fault.connection
}

function wrongIn(
  {row, with: debug, strike}: LeakCell,
  home: Home,
  canaries: Canaries,
  seen: Watched,
): string[] {
  const {exit, stdout, stderr} = seen
  // The record that was asked for is what the echo said.
  const isRecord = 'echo' in strike && strike.echo.isResult === true && exit === 0
  const wrong = [
    ...leaksIn('stdout', isRecord ? '' : stdout, canaries, resultsOf(row.command, exit)),
    ...leaksIn('stderr', stderr, canaries),
    ...leaksOutside(home, canaries, seen, name => allowedIn(name, row.command, exit)),
  ]
  // With BOOKCTL_DEBUG or one of Node's own switches a stack is what was asked for.
  if (!debug.asksForStacks && /^\s+at .+:\d+:\d+\)?$/m.test(stdout + stderr)) wrong.push('a stack trace')
  if (exit === 1) wrong.push('exit 1')
  return wrong.length === 0 ? [] : [...wrong, `  ${stdout.slice(0, 1500)} | ${stderr.slice(0, 1500)}`]
}

/** One line for each kind of secret in `text` beyond those of `allowed`. */
export function leaksIn(
  place: string,
  text: string,
  canaries: Canaries,
  allowed: readonly SecretKind[] = [],
): string[] {
  return canaries.seenIn(text, allowed).map(kind => `${place} shows: ${kind}`)
}

/** Everywhere but in its streams: the process list, what its children were given, and every file. */
export function leaksOutside(
  home: Home,
  canaries: Canaries,
  {commandLines, environments}: Pick<Watched, 'commandLines' | 'environments'>,
  allowedFor: (name: string) => readonly SecretKind[],
  inCommandLines: readonly SecretKind[] = [],
): string[] {
  return [
    ...leaksIn('the process list', commandLines, canaries, inCommandLines),
    ...leaksIn('the environment of a child', environments, canaries),
    ...filesIn(home.directory).flatMap(({name, text}) => leaksIn(name, text, canaries, allowedFor(name))),
  ]
}

export function allowedIn(name: string, command: string, exit: unknown): readonly SecretKind[] {
  const kinds = STORES.filter(({file}) => file.test(name)).flatMap(store => store.kinds)
  const isOpen = command === 'reserve' && exit === 10 && JOURNAL.test(name)
  return isOpen ? [...kinds, 'identity number'] : kinds
}
