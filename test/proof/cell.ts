/** One cell of the matrix: one command that meets one fault, and everything that is wrong with what came of it. */
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {openState} from '../../src/state/state.js'
import {type Finished, Home} from '../support/bookctl.js'
import {certificateFile, tlsIdentity} from '../support/tls.js'
import {FaultProxy, type ProxyRequest} from './fault-proxy.js'
import {type Fault, identityOf} from './faults.js'
import type {Errand, Row} from './rows.js'
import {type Expected, expectedOf} from './rules.js'
import type {SandboxSide} from './sandbox-side.js'

/** What all cells share. */
export interface Bench {
  readonly side: SandboxSide
  /** A server that must never hear of anything. */
  readonly other: {readonly origin: string; readonly heard: string[]}
}

export interface Cell {
  readonly row: Row
  readonly fault: Fault
}

export interface Seen {
  readonly finished: Finished
  readonly milliseconds: number
  /** All, and those that were struck. */
  readonly requests: readonly ProxyRequest[]
  readonly struck: readonly ProxyRequest[]
  readonly home: Home
  /** Lets the service work again. */
  readonly mend: () => void
}

export function nameOf({row, fault}: Cell): string {
  return `${row.command.replaceAll(':', ' ')}${row.part ? ` (${row.part})` : ''} × ${fault.name}`
}

const CREDENTIALS = {BOOKCTL_CLIENT_ID: 'cid_sandbox', BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox'}

/** Runs it; returns what is wrong, one line each. */
export async function runCell(bench: Bench, cell: Cell): Promise<string[]> {
  const {row, fault} = cell
  const {side, other} = bench
  const identity = identityOf(fault)
  const options = {upstream: side.origin, other: other.origin, tls: identity && tlsIdentity('good')}
  const proxy = await FaultProxy.start(options)
  const home = new Home(row.usesProfile ? {} : {...CREDENTIALS})
  Object.assign(home.env, {BOOKCTL_BASE_URL: `${proxy.origin}/partner-api/v1`, BOOKCTL_NO_HISTORY: '1'})
  writeFileSync(join(home.directory, 'secret.txt'), 'sk_test_sandbox\n')
  try {
    const errand = await row.errand(side)
    const trusting = trustOf({isTrusted: identity !== undefined})
    for (const argv of row.first ?? []) await home.run([...argv, ...trusting])
    proxy.requests.length = 0
    if (identity) proxy.showInstead(identity)
    if (fault.wire) proxy.strike = {fault: fault.wire, method: row.method, path: row.path}
    if (fault.connection === 'refused') await proxy.close()
    else proxy.connection = fault.connection
    const seen = await run(home, proxy, errand, cell)
    const expected = expectedOf(row.nature, fault.conclusion, row)
    const wrong = [...checkOutput(cell, expected, seen), ...checkRequests(cell, expected, seen)]
    wrong.push(...(await checkState(cell, errand, seen)))
    return wrong.length === 0 ? [] : [...wrong, told(seen)]
  } finally {
    if (fault.connection !== 'refused') await proxy.close()
    home.remove()
  }
}

function trustOf({isTrusted}: Pick<Fault, 'isTrusted'>): string[] {
  return isTrusted ? ['--ca-file', certificateFile('ca')] : []
}

async function run(home: Home, proxy: FaultProxy, errand: Errand, {fault}: Cell): Promise<Seen> {
  const began = Date.now()
  const stalls = fault.connection === 'hold' || (fault.conclusion.kind === 'lost' && fault.conclusion.stalls)
  const timeout = ['--timeout', stalls ? '2' : '10']
  const finished = await home.run([...errand.argv, '--json', ...timeout, ...trustOf(fault)])
  const requests = [...proxy.requests]
  return {
    ...{finished, requests, home, struck: requests.filter(each => each.struck)},
    mend: () => {
      proxy.strike = undefined
    },
    milliseconds: Date.now() - began,
  }
}

/** Ours: a command may take this much longer than its --timeout, on a machine that does other things beside. */
const SLACK_MILLISECONDS = 12_000

function checkOutput({row, fault}: Cell, expected: Expected, seen: Seen): string[] {
  const {exit, stdout, stderr} = seen.finished
  const wrong: string[] = []
  const exits = row.reports === 'always 0' ? [0] : row.reports ? reportExits(expected) : expected.exits
  if (!exits.includes(Number(exit))) wrong.push(`exit ${exit}, not ${exits.join(' or ')}`)
  const document = parse(stdout)
  if (document === undefined) wrong.push('stdout is not one JSON document')
  const error = document?.error
  if (!row.reports && (error === undefined) !== (exit === 0))
    wrong.push('error document and exit code disagree')
  if (exit !== 0 && error !== undefined && !(error.code && error.message && error.hint))
    wrong.push('the error lacks code, message or hint')
  const words = `${error?.message} ${error?.cause}`
  const mustName = expected.namesCause && fault.names && exit !== 0 && !row.reports
  if (mustName && !fault.names?.test(words)) wrong.push(`the cause is not named: ${fault.names}`)
  if (mustName && fault.conclusion.kind === 'redirect' && !/ to https?:/.test(words))
    wrong.push('where the redirect leads is not named')
  wrong.push(...leaks(row, seen))
  if (/^\s+at .+[:(]/m.test(stdout + stderr) || /node_modules|dist\/chunks/.test(stdout + stderr))
    wrong.push('a stack trace')
  if (seen.milliseconds > SLACK_MILLISECONDS + 10_000) wrong.push(`took ${seen.milliseconds} ms`)
  return wrong
}

/** A report ends with the exit code of the first thing it found; credentials that cannot be tried are one. */
function reportExits({exits}: Expected): readonly number[] {
  return exits.includes(0) ? exits : [4, 5, 6, 7]
}

/** Secrets, and what identifies people, wherever they should not be: what was asked for is printed, when all went well. */
function leaks({command}: Row, {finished, requests}: Seen): string[] {
  const {exit, stdout, stderr} = finished
  const told = exit === 0 ? stderr : stdout + stderr
  const tokens = requests.flatMap(({headers}) => headers.authorization?.replace('Bearer ', '') ?? [])
  const patterns: [string, RegExp, string][] = [
    ['the client secret', /sk_test_sandbox/, command === 'sandbox:env' ? told : stdout + stderr],
    ['an identity number', /10000000146|U1234567/, told],
    ['a signing secret', /whsec_\w/, command === 'webhooks:create' ? told : stdout + stderr],
    ['a signed link', /\/vouchers\/\w{8}/, stdout + stderr],
  ]
  const found = patterns.filter(([, pattern, text]) => pattern.test(text)).map(([name]) => `shows ${name}`)
  const where = command === 'token' ? told : stdout + stderr
  return tokens.some(token => where.includes(token)) ? [...found, 'shows an access token'] : found
}

function checkRequests({row, fault}: Cell, {sent}: Expected, {struck, requests}: Seen): string[] {
  const wrong: string[] = []
  const [fewest, most] = sent
  // The pages of a list are requests of their own.
  const pages = new Map<string, number>(struck.length === 0 ? [['', 0]] : [])
  for (const {path, body} of struck) {
    const page = row.nature === 'read' ? `${path} ${body}` : ''
    pages.set(page, (pages.get(page) ?? 0) + 1)
  }
  const counts = [...pages.values()]
  const isOff = counts.some(count => count < fewest || count > most)
  if (!row.reports && isOff) wrong.push(`sent ${counts.join(', ')} times, not ${fewest} to ${most}`)
  const bytes = new Set(struck.map(({path, body}) => `${path} ${body}`))
  if (bytes.size > 1 && row.nature !== 'read' && row.nature !== 'link')
    wrong.push('repeated with other bytes')
  const keys = new Set(struck.map(({headers}) => headers['idempotency-key']))
  if (row.nature === 'keyed' && struck.length > 0 && (keys.size !== 1 || !uuid([...keys][0])))
    wrong.push(`Idempotency-Keys: ${[...keys].join(', ')}`)
  if (row.nature === 'link' && struck.some(({headers}) => headers.authorization))
    wrong.push('Authorization went to the link')
  const oauth = requests.filter(({path}) => path.includes('/oauth/'))
  if (oauth.some(({headers}) => headers.authorization)) wrong.push('Authorization went to an OAuth endpoint')
  const tokenRequests = oauth.filter(
    ({path, struck: isStruck}) => path.endsWith('/token') && !isStruck,
  ).length
  const renews = fault.conclusion.kind === 'status' && fault.conclusion.status === 401 ? 1 : 0
  // A voucher, a cancellation and the like need scopes of two kinds; doctor tries all.
  if (tokenRequests > 3 + renews) wrong.push(`asked for ${tokenRequests} tokens`)
  return wrong
}

const uuid = (text: string | undefined) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text ?? '')

async function checkState({row, fault}: Cell, errand: Errand, seen: Seen): Promise<string[]> {
  const {home, finished, requests} = seen
  const wrong = checkFiles(row, seen)
  const effects = await errand.effects?.()
  const struckFirst = row.part === 'quote' || row.reports
  if (effects !== undefined && !struckFirst) {
    const allowed = finished.exit === 0 ? [1] : finished.exit === 10 ? [0, 1] : [0]
    const isShape = fault.conclusion.kind === 'shape' && finished.exit === 0
    if (!allowed.includes(effects) && !isShape)
      wrong.push(`was made ${effects} times, with exit ${finished.exit}`)
  }
  const state = openState(home.configDirectory)
  try {
    if (errand.reference) wrong.push(...(await checkJournal(state, errand, seen)))
    const got = requests.some(({path, struck}) => path.endsWith('/oauth/token') && !struck)
    const kept = state.tokens.listAll().length
    const refused = fault.conclusion.kind === 'status' && fault.conclusion.status === 401
    if (got && kept === 0 && !refused && row.nature !== 'revoke' && !row.reports)
      wrong.push('the token was lost')
  } finally {
    state.close()
  }
  if (errand.reference && finished.exit === 10) wrong.push(...(await checkResume(errand, seen)))
  return wrong
}

type State = ReturnType<typeof openState>

async function checkJournal(state: State, {reference}: Errand, {finished, struck}: Seen): Promise<string[]> {
  const entry = state.journal.list().find(each => each.clientReferenceId === reference)
  const wrong: string[] = []
  const open = entry?.outcome === 'unknown' || entry?.outcome === 'unresolved'
  if (finished.exit === 0 && !entry?.reservationRef) wrong.push('the journal does not name the reservation')
  if (finished.exit === 10 && !open) wrong.push(`the journal calls it ${entry?.outcome}`)
  if (finished.exit !== 0 && finished.exit !== 10 && struck.length > 0 && open)
    wrong.push(`the journal calls it ${entry?.outcome}, with exit ${finished.exit}`)
  if (entry && entry.attempts !== struck.length)
    wrong.push(`the journal counts ${entry.attempts} attempts, of ${struck.length}`)
  return wrong
}

/** Once the service works again, the command named by the message finds out, and there is one reservation. */
async function checkResume(errand: Errand, {home, finished, struck, mend}: Seen): Promise<string[]> {
  const resume = ['reserve', '--resume', errand.reference ?? '']
  const {hint = ''} = parse(finished.stdout)?.error ?? {}
  if (!hint.includes(`bookctl ${resume.join(' ')}`)) return ['the hint does not say how to resume']
  mend()
  const again = await home.run([...resume, '--json', ...trustOf({isTrusted: struck.length > 0})])
  const effects = await errand.effects?.()
  if (again.exit === 0 && effects === 1) return []
  return [`resumed, it ends with ${again.exit} and ${effects} reservations: ${again.stdout.slice(0, 300)}`]
}

function checkFiles({writes}: Row, {home, finished}: Seen): string[] {
  const wrong: string[] = []
  const known = ['config', 'secret.txt', ...(writes && finished.exit === 0 ? [writes] : [])]
  const there = readdirSync(home.directory)
  for (const name of there) if (!known.includes(name)) wrong.push(`left ${name}`)
  if (writes && finished.exit === 0 && !there.includes(writes)) wrong.push(`did not write ${writes}`)
  if (existsSync(home.configDirectory)) {
    const temporary = home
      .kept()
      .filter(name => !/^(locks[/\\][\w.-]+|[\w-]+\.(db(-wal|-shm)?|json|jsonl))$/.test(name))
    if (temporary.length > 0) wrong.push(`left ${temporary.join(', ')}`)
  }
  const path = join(home.directory, writes ?? '')
  if (writes?.endsWith('.pdf') && there.includes(writes)) {
    const text = readFileSync(path).toString('latin1')
    if (!text.startsWith('%PDF-') || !text.trimEnd().endsWith('%%EOF')) wrong.push('saved half a PDF')
  }
  return wrong
}

interface Document {
  readonly error?: {
    readonly code?: string
    readonly message?: string
    readonly hint?: string
    readonly cause?: string
  }
}

function parse(text: string): Document | undefined {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return undefined
  }
}

function told({finished, requests}: Seen): string {
  const asked = requests.map(({method, path, struck}) => `${struck ? '*' : ''}${method} ${path.slice(0, 60)}`)
  return `  ${finished.stdout.replaceAll(/\s+/g, ' ').slice(0, 500)} | ${finished.stderr.slice(0, 200)} | ${asked.join(', ')}`
}
