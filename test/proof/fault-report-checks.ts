/**
 * What is wrong with a report of faults: `doctor`, and `support bundle` with the same inside. What ends other commands is a
 * line there, so it is looked for in the report: the zip is opened and read.
 */
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {strFromU8, unzipSync} from 'fflate'
import {type Fault, timesOut} from './fault.js'
import {checkPatience, namesWhere} from './fault-checks.js'
import {type Expected, isAnswered} from './fault-rules.js'
import {type Cell, parse, type Seen} from './fault-seen.js'

interface Check {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped'
  readonly detail: string
  readonly fix: string | null
}

/** What doctor says it looks at, on the way to the service and there. */
const REMOTE = [
  ...['login', 'trust', 'proxy', 'dns', 'connection', 'tls'],
  ...['service', 'clock', 'token', 'scopes', 'account'],
]
/** What a support bundle says is in it. */
const FILES = [
  ...['manifest.txt', 'versions.json', 'environment.json', 'config.json', 'doctor.json'],
  ...['journal.json', 'requests.json'],
]
const SECRET =
  /sk_test_sandbox|whsec_\w|\/vouchers\/\w{8}|10000000146|U1234567|Bearer (?!\[|<|…)[\w.~+/-]{20,}/

export function checkReport({row, fault}: Cell, expected: Expected, seen: Seen): string[] {
  const {exit, stdout} = seen.finished
  const wrong = checkCounts(fault, expected, seen)
  let report: unknown = parse(stdout)
  if (row.writes !== undefined) {
    const files = filesIn(join(seen.home.directory, row.writes))
    wrong.push(...checkBundle(files, report, seen))
    report = parse(files['doctor.json'] ?? '')
  }
  const {checks = []} = (report ?? {}) as {checks?: readonly Check[]}
  wrong.push(...checkChecks(checks, fault, expected, seen))
  const hasFailed = checks.some(({status}) => status === 'fail')
  if (row.reports === 'exit' && hasFailed === (exit === 0))
    wrong.push(`exit ${exit}, and ${hasFailed ? 'a' : 'no'} check failed`)
  return wrong
}

/** It asks without a token whether anything answers, and only where that was answered with one. */
function checkCounts({conclusion}: Fault, {sent}: Expected, {struck}: Seen): string[] {
  const isRefusal = conclusion.kind === 'status' && conclusion.status === 401
  const kinds = [
    {who: 'without a token', isSigned: false, wanted: isRefusal ? ([1, 1] as const) : sent},
    {who: 'with a token', isSigned: true, wanted: isAnswered(conclusion) ? sent : ([0, 0] as const)},
  ]
  return kinds.flatMap(({who, isSigned, wanted: [fewest, most]}) => {
    const count = struck.filter(({headers}) => (headers.authorization !== undefined) === isSigned).length
    return count < fewest || count > most ? [`asked ${count} times ${who}, not ${fewest} to ${most}`] : []
  })
}

function checkChecks(
  checks: readonly Check[],
  fault: Fault,
  {exits, namesCause}: Expected,
  seen: Seen,
): string[] {
  const wrong: string[] = []
  for (const name of REMOTE) {
    const count = checks.filter(each => each.name === name).length
    if (count !== 1) wrong.push(`the report has ${count} checks of ${name}`)
  }
  const failed = checks.filter(({status}) => status === 'fail')
  if (failed.some(({detail, fix}) => !(detail && fix))) wrong.push('a failed check lacks detail or fix')
  if ((failed.length === 0) !== exits.includes(0))
    wrong.push(`in the report failed: ${failed.map(({name}) => name).join(', ') || 'nothing'}`)
  const account = checks.find(({name}) => name === 'account')
  if ((account?.status === 'ok') !== exits.includes(0))
    wrong.push(`in the report account is ${account?.status}`)
  if (!namesCause) return wrong
  if (exits.includes(0)) {
    // An account may look like anything; an answer of it to whoever asks is told.
    const isDoubted = checks.some(({name, status}) => name === 'service' && status === 'warn')
    return isDoubted ? wrong : [...wrong, 'an answer without a token is not doubted in the report']
  }
  const naming = failed.find(({detail}) => fault.names?.test(detail) && namesWhere(fault, detail))
  if (!naming) return [...wrong, `the cause is not named in the report: ${fault.names}`]
  return timesOut(fault) ? [...wrong, ...checkPatience(naming.detail, seen)] : wrong
}

/** Texts by name; none where there is no zip. */
function filesIn(path: string): Readonly<Record<string, string>> {
  try {
    const entries = Object.entries(unzipSync(readFileSync(path)))
    return Object.fromEntries(entries.map(([name, bytes]) => [name, strFromU8(bytes)]))
  } catch {
    return {}
  }
}

function checkBundle(files: Readonly<Record<string, string>>, listed: unknown, {requests}: Seen): string[] {
  const wrong = FILES.filter(name => !files[name]).map(name => `the bundle has no ${name}`)
  for (const [name, text] of Object.entries(files)) {
    if (name.endsWith('.json') && parse(text) === undefined) wrong.push(`${name} of the bundle is no JSON`)
    const tokens = requests.flatMap(({headers}) => headers.authorization?.replace('Bearer ', '') ?? [])
    if (SECRET.test(text) || tokens.some(token => text.includes(token)))
      wrong.push(`${name} of the bundle shows a secret`)
  }
  const told = (listed as {files?: {name: string; bytes: number}[]} | undefined)?.files ?? []
  const sizes = Object.entries(files).map(([name, text]) => `${name} ${Buffer.byteLength(text)}`)
  const toldSizes = told.map(({name, bytes}) => `${name} ${bytes}`)
  if (sizes.sort().join() !== toldSizes.sort().join())
    wrong.push(`the bundle holds ${sizes.join(', ')}, and was said to hold ${toldSizes.join(', ')}`)
  return wrong
}
