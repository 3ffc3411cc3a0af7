/**
 * Leaks: every command, with every debug switch, meets answers that echo its request and answers that break off. No secret is in
 * a stream, a file outside its store, a trace, the process list, or the environment of a child process. shared/secrets.ts lists
 * the secrets and where they may be, home.ts has the home and the search, and special.ts covers local commands, crashes, the
 * browser, and a typed secret.
 */
import {hasStack} from '../../support/stack.js'
import {type Place, type Reply, replyBytes, type Step, type WireRequest} from '../../support/wire.js'
import {exitsOf} from '../faults/checks.js'
import {nameOfRow, ROWS, type Row} from '../faults/commands.js'
import {type Conclusion, CUT, type Fault, faults, LOST, TIMED_OUT} from '../faults/connections.js'
import {isMeant} from '../faults/faults.js'
import {FAULTS} from '../faults/list.js'
import {expectedOf} from '../faults/rules.js'
import {type Cell, type Own, part} from '../shared/part.js'
import {explained} from '../shared/scene.js'
import {ALL, findLeaks, PLANTED, SWITCHES, type Switch} from '../shared/secrets.js'
import {type Bench, type LeakCell, openBench, runRow} from './home.js'
import {SPECIAL_CELLS} from './special.js'

/** A fault that answers with the request. `isResult`: the echo is in the requested record. */
type Echo = Fault & {readonly isResult?: boolean}

/** Returns everything that was sent, unchanged and in base64. */
function echoOf({head, body}: WireRequest): string {
  const sent = `${head}\n${body}`.replaceAll(/\r?\n/g, ' ')
  return `card ${PLANTED.card}, 4111 1111 1111 1111 ${sent} ${Buffer.from(sent).toString('base64')}`
}

function echo(
  name: string,
  conclusion: Conclusion,
  status: number,
  answer: (echoed: string, reply: Reply) => {headers?: Record<string, string>; text: string},
  more: {forwards?: boolean; isResult?: boolean; ends?: Step[]} = {},
): Echo {
  const {forwards = false, isResult = false, ends = []} = more
  const play = (reply: Reply, {request}: Place): Step[] => {
    const {headers = {'content-type': 'application/json'}, text} = answer(echoOf(request), reply)
    return [replyBytes({status, headers, body: Buffer.from(text)}), ...ends]
  }
  return {name, conclusion, isResult, wire: {forwards, play}}
}

const html = {'content-type': 'text/html'}
/** The answer also lacks the header of a local sandbox. */
const NOT_JSON: Conclusion = {kind: 'page', saysJson: true}
const A_PAGE: Conclusion = {kind: 'page', saysJson: false}
const A_RECORD: Conclusion = {kind: 'shape', isObject: true}
const after = {forwards: true}
const result = {isResult: true}

/** Moves personal data to the start of the answer, because messages quote the start. */
function peopleFirst({body}: Reply): string {
  const text = body.toString()
  const people = JSON.stringify({
    guests: [{identity: {number: 'U1234567', type: 'PASSPORT'}}, {identity: {number: 10000000146}}],
    payment: {url: /\/pay\/[\w.~%-]+/.exec(text)?.[0], card: {number: PLANTED.card}},
    voucher: {url: /\/vouchers\/[\w.~%-]+/.exec(text)?.[0]},
    token: /"access_token":"([^"]+)/.exec(text)?.[1],
  })
  return people.slice(0, -1)
}

const ECHOES: readonly Echo[] = [
  ...[400, 401, 403, 409, 429, 500].map(status =>
    echo(`refused-${status}`, {kind: 'status', status}, status, echoed => {
      const details = [{field: echoed.slice(-80), message: echoed, rejected_value: echoed}]
      return {
        text: JSON.stringify({error: {code: `bad ${echoed}`, message: echoed, details, request_id: echoed}}),
      }
    }),
  ),
  echo('page-502', {kind: 'status', status: 502}, 502, echoed => ({
    headers: html,
    text: `<title>${echoed}</title><h1>${echoed}</h1>`,
  })),
  echo('page-200', A_PAGE, 200, text => ({headers: html, text: `<title>${text}</title>`}), result),
  echo('record-200', A_RECORD, 200, text => ({text: JSON.stringify({data: {text}, text})}), result),
  echo('redirect', {kind: 'redirect', status: 307, to: 'odd'}, 307, echoed => {
    const line = encodeURIComponent(echoed)
    return {headers: {location: `https://user:${line}@elsewhere.example/${line}?token=${line}`}, text: ''}
  }),
  echo('headers', {kind: 'status', status: 422}, 422, echoed => {
    const line = encodeURIComponent(echoed)
    const headers = {'x-request-id': line, 'www-authenticate': `Bearer scope="${line}"`, 'retry-after': line}
    return {headers: {...headers, 'set-cookie': `a=${line}`, server: line}, text: '{}'}
  }),
  echo('answer-not-json', NOT_JSON, 200, (_, {body}) => ({text: `${body.toString().slice(0, -1)},,`}), after),
  echo('people-first', NOT_JSON, 200, (_, reply) => ({text: `${peopleFirst(reply)},,${reply.body}`}), after),
  ...faults(CUT, undefined, {
    cut: ({status, headers, body}) => [
      replyBytes({status, headers: {...headers, 'content-length': String(body.length + 50)}, body}),
      'reset',
    ],
  }),
  ...faults(LOST, undefined, {reset: () => ['reset']}),
  ...faults({kind: 'answered'}, undefined, {nothing: reply => [replyBytes(reply)]}),
]

interface EchoCell extends LeakCell {
  readonly fault: Echo
}

/** Commands whose request or answer contains more secrets than the token. */
const WITH_SECRETS =
  /^(login|token|logout|profiles:remove|reserve$|voucher:download|webhooks:create|webhooks:rotate|api$)/
/** Faults whose messages name a URL, a certificate, or a proxy with its password. */
const WAYS = FAULTS.filter(({name}) => /^(proxy-(407|garbage)|tls-expired|redirect-302-other)$/.test(name))

/**
 * Returns all cells. Commands with secrets have every switch with every echo; for the others the switches take turns, so that
 * each command and each fault meets each switch.
 */
export function allLeakCells(): EchoCell[] {
  return ROWS.flatMap((row, r) => {
    const inTurn = (fault: Echo, f: number): EchoCell => {
      const turn = r + f
      return {row, debug: SWITCHES[turn % SWITCHES.length] as Switch, fault, isJson: turn % 2 === 0}
    }
    const withAll = (fault: Echo, f: number) =>
      SWITCHES.map((debug, d): EchoCell => ({row, debug, fault, isJson: (r + d + f) % 2 === 0}))
    const echoes = ECHOES.filter(each => allows(row, each))
    // A guessed path is not called on other services (§4.9).
    const ways = WAYS.filter(fault => isMeant(row, fault) && !(row.isGuessed && fault.away))
    const isOpen = WITH_SECRETS.test(row.command)
    return isOpen ? [...echoes.flatMap(withAll), ...ways.map(inTurn)] : [...echoes, ...ways].map(inTurn)
  })
}

/**
 * Some cells are left out: `listen --subscribe` waits once it is subscribed, a reset would delete what the other cells need, and
 * nothing answers events that are played.
 */
function allows({command, part}: Row, {name, wire}: Echo): boolean {
  if (command === 'webhooks:listen') return !['nothing', 'record-200'].includes(name)
  const isLeftOut = command === 'sandbox:reset' || part === 'chaos'
  return !isLeftOut || !wire?.forwards
}

/** Time limits in seconds. The next one is used if the time was over before the request met the fault. */
const SECONDS = [2, 20, 80]

async function runCell(bench: Bench, own: Own, cell: EchoCell): Promise<string[]> {
  const {row, debug, fault} = cell
  for (const seconds of SECONDS) {
    const {home, canaries, seen, isMet} = await runRow(bench, own, cell, seconds)
    const {exit, stdout, stderr} = seen
    const isRecord = fault.isResult === true && exit === 0
    const isPossible = possibleExits(row, fault, stdout + stderr).includes(Number(exit))
    const found = [
      ...findLeaks(home, canaries, row.command, isRecord ? {...seen, stdout: ''} : seen),
      ...(!debug.asksForStacks && hasStack(stdout + stderr) ? ['a stack trace'] : []),
      ...(exit === 1 || (isMet && !isPossible) ? [`exit ${exit}`] : []),
    ]
    if (isMet || found.length > 0) return explained(found, seen)
  }
  return ['its request never met the fault']
}

/** Returns the possible exit codes. The fault matrix checks exit codes exactly, with more time. */
function possibleExits(row: Row, {name, conclusion}: Fault, text: string): number[] {
  const isLink = row.nature === 'link'
  return [
    ...exitsOf(row, expectedOf(row.nature, conclusion, row)),
    // The time limit may end the command at any point.
    ...(TIMED_OUT.test(text) ? [7, 8, 10] : []),
    // A PDF is recognised by its content, and its end by its last bytes, whatever follows.
    ...(isLink && name === 'answer-not-json' ? [0] : []),
    // A voucher link is followed to the other server, which does not exist here.
    ...(isLink && name.endsWith('-other') ? [7] : []),
  ]
}

const nameOfLeak = ({row, debug, fault, isJson}: EchoCell) =>
  `leak: ${nameOfRow(row)}${isJson ? ' --json' : ''} × ${debug.name} × ${fault.name}`

const SAMPLE = /^leak: (api( --json)? × .* × page-502|reserve \(instant\).* × refused-409)$/

const CELLS = allLeakCells().map(
  (cell): Cell<Bench> => ({
    name: nameOfLeak(cell),
    group: nameOfRow(cell.row).split(' (')[0] ?? '',
    isSample: cell.debug === ALL && SAMPLE.test(nameOfLeak(cell)),
    run: (bench, _, own) => runCell(bench, own, cell),
  }),
)

export const leaks = part<Bench>({title: 'Leaks', cells: [...CELLS, ...SPECIAL_CELLS], open: openBench})
