/** What is wrong with what a command said and sent. */
import {hasStack} from '../support/stack.js'
import type {WireRequest} from '../support/wire.js'
import {type Fault, type RedirectTarget, statusOf, timesOut} from './fault.js'
import type {Errand} from './fault-errands.js'
import type {Row} from './fault-rows.js'
import type {Expected} from './fault-rules.js'
import {type Cell, parse, type Seen} from './fault-seen.js'

export function checkOutput({row, fault}: Cell, expected: Expected, seen: Seen): string[] {
  const {exit, stdout, stderr} = seen.finished
  const wrong: string[] = []
  const exits = exitsOf(row, expected)
  if (!exits.includes(Number(exit))) wrong.push(`exit ${exit}, not ${exits.join(' or ')}`)
  const document = parse(stdout)
  if (document === undefined) wrong.push('stdout is not one JSON document')
  const error = document?.error
  // A report is a result, whatever it found.
  if ((error === undefined) !== (exit === 0 || row.reports !== undefined))
    wrong.push('error document and exit code disagree')
  if (exit !== 0 && error !== undefined && !(error.code && error.message && error.hint))
    wrong.push('the error lacks code, message or hint')
  const words = `${error?.message} ${error?.cause}`
  const mustName = expected.namesCause && fault.names && exit !== 0 && !row.reports
  if (mustName && !fault.names?.test(words)) wrong.push(`the cause is not named: ${fault.names}`)
  if (mustName && !namesWhere(fault, words)) wrong.push('where the redirect leads is not named')
  if (mustName && timesOut(fault)) wrong.push(...checkPatience(words, seen))
  wrong.push(...leaks(row, seen))
  if (hasStack(stdout + stderr)) wrong.push('a stack trace')
  if (seen.isStopped) wrong.push('did not end by itself')
  return wrong
}

/**
 * Where only the clock ends it, the message tells how long it waited, by its own clock; whoever did not heed --timeout
 * tells of more. How fast the machine is has no say in it.
 */
export function checkPatience(words: string, {seconds}: Seen): string[] {
  const [, told] = /timed out .*?\((\d+(?:\.\d+)?) s(?: in all| without progress)?\)/.exec(words) ?? []
  if (told === undefined) return ['does not tell how long it waited']
  // For the last of several attempts next to nothing may be left.
  return Number(told) <= seconds ? [] : [`waited ${told} s, with --timeout ${seconds}`]
}

/** Whether `words` say where a redirect leads; true of any other fault. */
export function namesWhere({conclusion}: Fault, words: string): boolean {
  return conclusion.kind !== 'redirect' || WHERE[conclusion.to].test(words)
}

const WHERE: Readonly<Record<RedirectTarget, RegExp>> = {
  ...{same: / to https?:/, loop: / to https?:/, other: / to https?:/, weaker: / to http:/},
  ...{relative: / to another path/, nowhere: / without saying where/, odd: / to what is no address/},
}

/** With what a command may end: a bundle is made whatever is found, and a report ends as a command that met it. */
export function exitsOf({reports}: Row, {exits}: Expected): readonly number[] {
  return reports === 'always 0' ? [0] : exits
}

/** Secrets, and what identifies people, wherever they should not be: what was asked for is printed, when all went well. */
function leaks({command, nature}: Row, {finished, requests}: Seen): string[] {
  const {exit, stdout, stderr} = finished
  // A reservation that is made is the result, whether or not it is paid before the wait ends.
  const told = exit === 0 || nature === 'wait' ? stderr : stdout + stderr
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

export function checkRequests(
  {row, fault}: Cell,
  {sent}: Expected,
  {sends}: Errand,
  {struck, requests}: Seen,
): string[] {
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
  if (fault.away && requests.some(({method}) => method !== 'CONNECT'))
    wrong.push('told the proxy more than the name of the service')
  if (requests.some(({method, headers, body}) => method === 'CONNECT' && (headers.authorization || body)))
    wrong.push('told the proxy more than a proxy needs')
  for (const request of struck) wrong.push(...checkContent(row, request, sends))
  const oauth = requests.filter(({path}) => path.includes('/oauth/'))
  if (oauth.some(({headers}) => headers.authorization)) wrong.push('Authorization went to an OAuth endpoint')
  const tokenRequests = oauth.filter(
    ({path, struck: isStruck}) => path.endsWith('/token') && !isStruck,
  ).length
  const renews = statusOf(fault.conclusion) === 401 ? 1 : 0
  // A voucher, a cancellation and the like need scopes of two kinds; doctor tries all.
  if (tokenRequests > 3 + renews) wrong.push(`asked for ${tokenRequests} tokens`)
  return wrong
}

/** What every request carries, by what it is. */
function checkContent(row: Row, {method, headers, body}: WireRequest, sends: object | undefined): string[] {
  const wrong: string[] = []
  const isSigned = !row.isControl && !['token', 'revoke', 'link'].includes(row.nature)
  // A report also looks whether anything answers at all, without a token.
  const isBare = row.reports && headers.authorization === undefined
  if (!isBare && isSigned !== /^Bearer [\w.~+/-]+=*$/.test(headers.authorization ?? ''))
    wrong.push(`Authorization ${isSigned ? 'is missing' : 'was sent'}`)
  if (body !== '' && !headers['content-type']?.startsWith('application/json'))
    wrong.push(`the body is called ${headers['content-type']}`)
  if (body !== '' && (method === 'GET' || method === 'DELETE')) wrong.push(`a ${method} has a body`)
  if (row.nature !== 'keyed' && headers['idempotency-key'])
    wrong.push('an Idempotency-Key where §4 shows none')
  if (sends && row.nature !== 'wait' && !holds(parse(body), sends))
    wrong.push(`the body does not say what was typed: ${body.slice(0, 300)}`)
  return wrong
}

/** Whether `value` says all that `wanted` says. */
function holds(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(wanted).every(([key, inner]) => holds((value as Record<string, unknown>)[key], inner))
}

const uuid = (text: string | undefined) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text ?? '')
