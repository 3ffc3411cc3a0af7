/** Checks what a command printed and sent, and what it left on the disk, in the journal and at the service. */
import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {isNeverSent, NOT_SENT} from '../../../src/contract/journal.js'
import type {State} from '../../../src/state/state.js'
import type {Finished, Home} from '../../support/bookctl.js'
import {hasStack} from '../../support/stack.js'
import type {WireRequest} from '../../support/wire.js'
import {isPdf} from '../shared/home.js'
import {parse, textsIn, withState} from '../shared/scene.js'
import {type Canaries, findLeaks} from '../shared/secrets.js'
import type {Errand, Row} from './commands.js'
import {type Fault, type RedirectTarget, statusOf, timesOut, trustOf} from './connections.js'
import {type Expected, isAnswered} from './rules.js'

export interface Cell {
  readonly row: Row
  readonly fault: Fault
}

export interface Seen {
  readonly finished: Finished
  /** The value of --timeout. */
  readonly seconds: number
  /** All requests, and the ones that the fault applied to. */
  readonly requests: readonly WireRequest[]
  readonly struck: readonly WireRequest[]
  readonly home: Home
  readonly canaries: Canaries
  /** Makes the service work again. */
  readonly mend: () => void
}

/**
 * Returns the allowed exit codes. A support bundle is created whatever it finds; doctor ends like a command that met the fault.
 */
export const exitsOf = ({reports}: Row, {exits}: Expected) => (reports === 'always 0' ? [0] : exits)

const WHERE: Readonly<Partial<Record<RedirectTarget, RegExp>>> = {
  same: / to another path/,
  loop: / to another path/,
  weaker: / to http:/,
  relative: / to another path/,
  nowhere: / without saying where/,
  odd: / to what is no address/,
}

/** Returns what `words` should say about the fault and do not. */
function unnamed(fault: Fault, words: string, seconds: number): string[] {
  const {conclusion} = fault
  const wrong = fault.names?.test(words) === false ? [`the cause is not named: ${fault.names}`] : []
  if (conclusion.kind === 'redirect' && !(WHERE[conclusion.to] ?? / to https?:/).test(words))
    wrong.push('where the redirect leads is not named')
  if (!timesOut(fault)) return wrong
  // The command measures this itself, so the speed of the machine does not matter.
  const [, waited] = /timed out .*?\((\d+(?:\.\d+)?) s(?: in all| without progress)?\)/.exec(words) ?? []
  // The last of several attempts may have almost no time left.
  const isPatient = waited !== undefined && Number(waited) <= seconds
  return isPatient ? wrong : [...wrong, `waited ${waited} s, with --timeout ${seconds}`]
}

export function checkOutput({row, fault}: Cell, expected: Expected, seen: Seen): string[] {
  const {exit, stdout, stderr} = seen.finished
  const wrong: string[] = []
  const exits = exitsOf(row, expected)
  if (!exits.includes(Number(exit))) wrong.push(`exit ${exit}, not ${exits.join(' or ')}`)
  const document = parse(stdout)
  if (document === undefined) wrong.push('stdout is not one JSON document')
  const error = document?.error
  // A report (doctor or support bundle) prints a result even if it found errors.
  if ((error === undefined) !== (exit === 0 || row.reports !== undefined))
    wrong.push('error document and exit code disagree')
  if (exit !== 0 && error && !(error.code && error.message && error.hint))
    wrong.push('no code, message or hint')
  if (expected.namesCause && exit !== 0 && !row.reports)
    wrong.push(...unnamed(fault, `${error?.message} ${error?.cause}`, seen.seconds))
  if (hasStack(stdout + stderr)) wrong.push('a stack trace')
  return [...wrong, ...findLeaks(seen.home, seen.canaries, row.command, seen.finished)]
}

export function checkRequests(
  {row, fault}: Cell,
  {sent: [fewest, most]}: Expected,
  {sends}: Errand,
  {struck, requests}: Seen,
): string[] {
  const wrong: string[] = []
  // Each page of a list is a request of its own.
  const forms = struck.map(({path, body}) => `${path} ${body}`)
  const pages = row.nature === 'read' ? [...new Set(forms)] : ['']
  const counts = pages.map(page => (page === '' ? forms.length : forms.filter(form => form === page).length))
  const isOff = (counts.length === 0 ? [0] : counts).some(count => count < fewest || count > most)
  if (!row.reports && isOff) wrong.push(`sent ${counts.join(', ')} times, not ${fewest} to ${most}`)
  if (new Set(forms).size > 1 && row.nature !== 'read' && row.nature !== 'link')
    wrong.push('repeated with other bytes')
  const keys = [...new Set(struck.map(({headers}) => headers['idempotency-key']))]
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(keys[0] ?? '')
  if (row.nature === 'keyed' && struck.length > 0 && (keys.length !== 1 || !isUuid))
    wrong.push(`Idempotency-Keys: ${keys.join(', ')}`)
  if (fault.away && requests.some(({method}) => method !== 'CONNECT'))
    wrong.push('sent the proxy more than the name of the service')
  if (requests.some(({method, headers, body}) => method === 'CONNECT' && (headers.authorization || body)))
    wrong.push('sent the proxy more than a proxy needs')
  for (const request of struck) wrong.push(...checkContent(row, request, sends))
  const oauth = requests.filter(({path}) => path.includes('/oauth/'))
  if (oauth.some(({headers}) => headers.authorization)) wrong.push('Authorization went to an OAuth endpoint')
  const asked = oauth.filter(({path, struck}) => path.endsWith('/token') && !struck).length
  // Some commands need scopes of two kinds, and doctor tries all.
  if (asked > 3 + (statusOf(fault.conclusion) === 401 ? 1 : 0)) wrong.push(`asked for ${asked} tokens`)
  return wrong
}

/** Checks what every request of its kind must contain. */
function checkContent(row: Row, {method, headers, body}: WireRequest, sends: object | undefined): string[] {
  const wrong: string[] = []
  const isSigned = !row.isControl && !['token', 'revoke', 'link'].includes(row.nature)
  // A report also sends a request without a token, to see whether anything answers.
  const isBare = row.reports && headers.authorization === undefined
  if (!isBare && isSigned !== /^Bearer [\w.~+/-]+=*$/.test(headers.authorization ?? ''))
    wrong.push(`Authorization ${isSigned ? 'is missing' : 'was sent'}`)
  if (body !== '' && !headers['content-type']?.startsWith('application/json'))
    wrong.push(`the body has the type ${headers['content-type']}`)
  if (body !== '' && (method === 'GET' || method === 'DELETE')) wrong.push(`a ${method} has a body`)
  if (row.nature !== 'keyed' && headers['idempotency-key'])
    wrong.push('an Idempotency-Key where §4 shows none')
  if (sends && row.nature !== 'wait' && !contains(parse(body), sends))
    wrong.push(`the body does not say what was typed: ${body.slice(0, 300)}`)
  return wrong
}

function contains(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(wanted).every(([key, inner]) =>
    contains((value as Record<string, unknown>)[key], inner),
  )
}

export async function checkState({row, fault}: Cell, errand: Errand, seen: Seen): Promise<string[]> {
  const {exit} = seen.finished
  const wrong = checkFiles(row, seen)
  const effects = await errand.effects?.()
  if (effects !== undefined) {
    const isMade = exit === 0 || (row.nature === 'wait' && seen.struck.length > 0)
    const allowed = isMade ? [1] : exit === 10 ? [0, 1] : [0]
    // If any success is accepted, or `api` prints the answer unchanged, the answer may come from something other than the
    // service.
    const isAnySuccess = ['shape', 'page'].includes(fault.conclusion.kind) && exit === 0
    if (!allowed.includes(effects) && !isAnySuccess)
      wrong.push(`was made ${effects} times, with exit ${exit}`)
  }
  const {entry, tokens} = await withState(seen.home.configDirectory, async state => ({
    entry: (await state.journal.list()).find(each => each.clientReferenceId === errand.reference),
    tokens: (await state.tokens.listAll()).length,
  }))
  const got = seen.requests.some(({path, struck}) => path.endsWith('/oauth/token') && !struck)
  if (got && tokens === 0 && statusOf(fault.conclusion) !== 401 && row.nature !== 'revoke')
    wrong.push('the token was lost')
  if (errand.reference) wrong.push(...checkJournal(entry, row, seen))
  if (errand.reference && exit === 10) wrong.push(...(await checkResume(errand, seen)))
  return wrong
}

type Entry = Awaited<ReturnType<State['journal']['list']>>[number]

function checkJournal(entry: Entry | undefined, {nature}: Row, {finished, struck}: Seen): string[] {
  const exit = Number(finished.exit)
  const isOpen = entry?.outcome === 'unknown' || entry?.outcome === 'unresolved'
  const isUnsent = entry !== undefined && isNeverSent(entry)
  const sent = nature === 'wait' && !isUnsent ? 1 : struck.length
  const isMade = nature === 'wait' && struck.length > 0
  const problems: [unknown, string][] = [
    [exit === 0 && !entry?.reservationRef, 'does not name the reservation'],
    [
      exit === 10 ? !isOpen : exit !== 0 && struck.length > 0 && isOpen,
      `says ${entry?.outcome}, exit ${exit}`,
    ],
    // If the reservation was never sent, there is nothing to wait for.
    [isUnsent && entry.outcome !== NOT_SENT, `says ${entry?.outcome}, not ${NOT_SENT}`],
    [isUnsent && [0, 8, 10].includes(exit), `has nothing sent, with exit ${exit}`],
    [entry && entry.attempts !== sent, `counts ${entry?.attempts} attempts, of ${sent}`],
    [
      isMade && !finished.stdout.includes(`"${entry?.reservationRef}"`),
      'has a reservation that is not shown',
    ],
  ]
  return problems.flatMap(([isWrong, text]) => (isWrong ? [`the journal ${text}`] : []))
}

/** Once the service works again, the command that the message names must find the outcome, and there is one reservation. */
async function checkResume(errand: Errand, {home, finished, struck, mend}: Seen): Promise<string[]> {
  const resume = ['reserve', '--resume', errand.reference ?? '']
  const hint: string = parse(finished.stdout)?.error?.hint ?? ''
  if (!hint.includes(`bookctl ${resume.join(' ')}`)) return ['the hint does not say how to resume']
  mend()
  const again = await home.run([...resume, '--json', ...trustOf({isTrusted: struck.length > 0})])
  const effects = await errand.effects?.()
  if (again.exit === 0 && effects === 1) return []
  return [`resumed, it ends with ${again.exit} and ${effects} reservations: ${again.stdout.slice(0, 300)}`]
}

function checkFiles({writes = ''}: Row, {home, finished}: Seen): string[] {
  const isWritten = writes !== '' && finished.exit === 0
  // Newer versions of Node cache compiled code there.
  const known = ['config', 'secret.txt', '.cache', ...(isWritten ? [writes] : [])]
  const there = readdirSync(home.directory)
  const strays = existsSync(home.configDirectory) ? home.strays() : []
  const wrong = [...there.filter(name => !known.includes(name)), ...strays].map(name => `left ${name}`)
  if (isWritten && !there.includes(writes)) wrong.push(`did not write ${writes}`)
  const isHalf =
    writes.endsWith('.pdf') && there.includes(writes) && !isPdf(readFileSync(join(home.directory, writes)))
  return isHalf ? [...wrong, 'saved half a PDF'] : wrong
}

interface Check {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped'
  readonly detail: string
  readonly fix: string | null
}

/** The checks of doctor that need the connection or the service, and the files of a support bundle. */
const REMOTE = [
  'login',
  'trust',
  'proxy',
  'dns',
  'connection',
  'tls',
  'service',
  'clock',
  'token',
  'scopes',
  'account',
]
const FILES = [
  'manifest.txt',
  'versions.json',
  'environment.json',
  'config.json',
  'doctor.json',
  'journal.json',
  'requests.json',
]

/** A fault that ends other commands is a failed check of a report. */
export function checkReport({row, fault}: Cell, expected: Expected, seen: Seen): string[] {
  const {conclusion} = fault
  const {exit, stdout} = seen.finished
  const wrong: string[] = []
  // A report first sends a request without a token, to see whether anything answers, and then one with a token.
  const isDenied = conclusion.kind === 'status' && conclusion.status === 401
  const asked = [
    {who: 'without a token', isSigned: false, range: isDenied ? [1, 1] : expected.sent},
    {who: 'with a token', isSigned: true, range: isAnswered(conclusion) ? expected.sent : [0, 0]},
  ] as const
  for (const {who, isSigned, range} of asked) {
    const count = seen.struck.filter(({headers}) => (headers.authorization !== undefined) === isSigned).length
    if (count < range[0] || count > range[1]) wrong.push(`asked ${count} times ${who}, not ${range}`)
  }
  let report = parse(stdout)
  if (row.writes !== undefined) {
    const prefix = `${row.writes}:`
    const packed = textsIn(seen.home.directory).filter(({name}) => name.startsWith(prefix))
    const files = Object.fromEntries(packed.map(({name, text}) => [name.slice(prefix.length), text]))
    wrong.push(...checkBundle(files))
    report = parse(files['doctor.json'] ?? '')
  }
  const checks: readonly Check[] = report?.checks ?? []
  const names = checks.map(({name}) => name)
  const missing = REMOTE.filter(name => names.filter(each => each === name).length !== 1)
  if (missing.length > 0) wrong.push(`the report does not have one check each of ${missing.join(', ')}`)
  const failed = checks.filter(({status}) => status === 'fail')
  const isWell = expected.exits.includes(0)
  const account = checks.find(({name}) => name === 'account')?.status
  if (failed.some(({detail, fix}) => !(detail && fix))) wrong.push('a failed check lacks detail or fix')
  if ((failed.length === 0) !== isWell)
    wrong.push(`failed checks: ${failed.map(({name}) => name).join(', ')}`)
  if ((account === 'ok') !== isWell) wrong.push(`the report says that account is ${account}`)
  if (row.reports === 'exit' && failed.length > 0 === (exit === 0))
    wrong.push(`exit ${exit}, and ${failed.length} checks failed`)
  if (!expected.namesCause) return wrong
  if (isWell) {
    // An account may have any form. An answer without a token is doubtful.
    const isDoubted = checks.some(({name, status}) => name === 'service' && status === 'warn')
    return isDoubted ? wrong : [...wrong, 'an answer without a token is not doubted']
  }
  const naming = failed.map(({detail}) => unnamed(fault, detail, seen.seconds))
  return naming.some(each => each.length === 0) ? wrong : [...wrong, ...(naming[0] ?? ['nothing failed'])]
}

function checkBundle(files: Readonly<Record<string, string>>): string[] {
  const broken = Object.entries(files).filter(
    ([name, text]) => name.endsWith('.json') && parse(text) === undefined,
  )
  return [
    ...FILES.filter(name => !files[name]).map(name => `the bundle has no ${name}`),
    ...broken.map(([name]) => `${name} of the bundle is no JSON`),
  ]
}
