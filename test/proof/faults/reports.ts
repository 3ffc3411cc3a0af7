/** What is wrong with a report of faults: `doctor`, and `support bundle` with the same report in it. */
import {parse, textsIn} from '../scene.js'
import {type Cell, type Seen, unnamed} from './checks.js'
import {type Expected, isAnswered} from './rules.js'

interface Check {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped'
  readonly detail: string
  readonly fix: string | null
}

/** What doctor checks of the connection and the service, and what a support bundle contains. */
const REMOTE = 'login trust proxy dns connection tls service clock token scopes account'.split(' ')
const FILES =
  'manifest.txt versions.json environment.json config.json doctor.json journal.json requests.json'.split(' ')
const SECRET =
  /sk_test_sandbox|whsec_\w|\/vouchers\/\w{8}|10000000146|U1234567|Bearer (?!\[|<|…)[\w.~+/-]{20,}/

/** What ends other commands is a failed check here. */
export function checkReport({row, fault}: Cell, expected: Expected, seen: Seen): string[] {
  const {conclusion} = fault
  const {exit, stdout} = seen.finished
  const wrong: string[] = []
  // It asks without a token whether anything answers, and only then with one.
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
    wrong.push(...checkBundle(files, seen))
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
    // An account may look like anything; an answer of it without a token is doubted.
    const isDoubted = checks.some(({name, status}) => name === 'service' && status === 'warn')
    return isDoubted ? wrong : [...wrong, 'an answer without a token is not doubted']
  }
  const naming = failed.map(({detail}) => unnamed(fault, detail, seen.seconds))
  return naming.some(each => each.length === 0) ? wrong : [...wrong, ...(naming[0] ?? ['nothing failed'])]
}

function checkBundle(files: Readonly<Record<string, string>>, {requests}: Seen): string[] {
  const tokens = requests.flatMap(({headers}) => headers.authorization?.replace('Bearer ', '') ?? [])
  const isOpen = (text: string) => SECRET.test(text) || tokens.some(token => text.includes(token))
  return [
    ...FILES.filter(name => !files[name]).map(name => `the bundle has no ${name}`),
    ...Object.entries(files).flatMap(([name, text]) => [
      ...(name.endsWith('.json') && parse(text) === undefined ? [`${name} of the bundle is no JSON`] : []),
      ...(isOpen(text) ? [`${name} shows a secret`] : []),
    ]),
  ]
}
