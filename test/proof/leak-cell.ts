/** One command, with one debug switch, and one thing that befalls its request: where is a secret that should not be there? */
import {Home} from '../support/bookctl.js'
import {hasStack} from '../support/stack.js'
import type {Canaries, SecretKind} from './canaries.js'
import type {Row} from './fault-rows.js'
import {trustOf} from './fault-seen.js'
import {runWatched, type Watched} from './fault-watched.js'
import {filesIn} from './files-in.js'
import {commonEnvironment, done, furnish, type KnowingHome} from './leak-home.js'
import {JOURNAL, resultsOf, STORES} from './leak-rules.js'
import {checkExit, nameOfStrike, type Strike, StruckService} from './leak-strike.js'
import type {Switch} from './leak-switches.js'
import type {SandboxSide} from './sandbox-side.js'

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
  /** How many canaries the command could have shown; each is looked for in every place and spelling. */
  readonly canaries: number
}

export function leakName({row, with: debug, strike, isJson}: LeakCell): string {
  const part = row.part ? ` (${row.part})` : ''
  const json = isJson ? ' --json' : ''
  return `leak: ${row.command.replaceAll(':', ' ')}${part}${json} × ${debug.name} × ${nameOfStrike(strike)}`
}

/** Seconds a command is given; more where the time was over before its request met what was to befall it. */
const SECONDS = [2, 20, 80]

export async function runLeakCell(bench: LeakBench, cell: LeakCell): Promise<LeakResult> {
  let result: LeakResult & {isMet: boolean} = {isMet: false, wrong: [], canaries: 0}
  for (const seconds of SECONDS) {
    result = await attempt(bench, cell, seconds)
    if (result.isMet || result.wrong.length > 0) return result
  }
  return {...result, wrong: ['its request never met what was to befall it']}
}

async function attempt(
  {side, knowing}: LeakBench,
  cell: LeakCell,
  seconds: number,
): Promise<LeakResult & {isMet: boolean}> {
  const {row, strike} = cell
  const canaries = knowing.canaries.copy()
  const service = await StruckService.start(strike, side.origin, canaries)
  const credentials = {BOOKCTL_CLIENT_ID: 'cid_sandbox', BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox'}
  const home = new Home(row.usesProfile ? {} : credentials)
  Object.assign(home.env, commonEnvironment(home.directory), {
    BOOKCTL_BASE_URL: `${service.origin}/partner-api/v1`,
  })
  furnish(home, knowing)
  try {
    const {argv} = await row.errand(side)
    const trust = 'fault' in strike ? trustOf({isTrusted: strike.fault.identity !== undefined}) : []
    for (const first of row.first ?? []) await done(home.run([...first, ...trust]))
    Object.assign(home.env, await service.begin(row))
    const typed = [...argv, ...cell.with.argv, ...(cell.isJson ? ['--json'] : [])]
    const trusting = 'fault' in strike ? trustOf(strike.fault) : []
    const limit = ['--timeout', String(seconds)]
    const seen = await runWatched(home, [...typed, ...limit, ...trusting], cell.with.env)
    service.harvest()
    const isMet = service.isMet(seen, home.directory)
    return {isMet, wrong: wrongIn(cell, home, canaries, seen, isMet), canaries: canaries.size}
  } finally {
    await service.close()
    home.remove()
  }
}

function wrongIn(
  {row, with: debug, strike}: LeakCell,
  home: Home,
  canaries: Canaries,
  seen: Watched,
  isMet: boolean,
): string[] {
  const {exit, stdout, stderr} = seen
  // The record that was asked for is what the echo said.
  const isRecord = 'echo' in strike && strike.echo.isResult === true && exit === 0
  const wrong = [
    ...leaksIn('stdout', isRecord ? '' : stdout, canaries, resultsOf(row.command, exit, stdout)),
    ...leaksIn('stderr', stderr, canaries),
    ...leaksOutside(home, canaries, seen, name => allowedIn(name, row.command, exit)),
  ]
  // With BOOKCTL_DEBUG or one of Node's own switches a stack is what was asked for.
  if (!debug.asksForStacks && hasStack(stdout + stderr)) wrong.push('a stack trace')
  if (exit === 1) wrong.push('exit 1')
  else if (isMet) wrong.push(...checkExit(row, strike, seen))
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
