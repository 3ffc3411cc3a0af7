/**
 * The fault matrix: every command that sends requests meets every fault of the wire, and every command that sends events meets
 * every fault of a receiver. The exit code tells what happened to the request, only safe requests are repeated, the state on disk
 * is right, and the message names the cause. The commands are in commands.ts, the faults in connections.ts and list.ts, the
 * expected results in rules.ts, and their checks in checks.ts. Commands that send events are in receivers.ts.
 */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {startSubscriber} from '../../support/subscriber.js'
import {tlsIdentity} from '../../support/tls.js'
import {startReceiver} from '../../support/webhook-files.js'
import {SECRET} from '../../support/webhook-load.js'
import {openSandbox} from '../shared/home.js'
import {type Own, part} from '../shared/part.js'
import {CREDENTIALS, openScene, Side, shown} from '../shared/scene.js'
import {Canaries} from '../shared/secrets.js'
import {type Cell, checkOutput, checkReport, checkRequests, checkState, type Seen} from './checks.js'
import {errandOf, nameOfRow, ROWS, type Row} from './commands.js'
import {type Fault, identityOf, stalls, strike, trustOf} from './connections.js'
import {FAULTS} from './list.js'
import {RECEIVER_CELLS, type ReceiverBench} from './receivers.js'
import {expectedOf} from './rules.js'

interface Bench extends ReceiverBench {
  readonly side: Side
  /** Requests that must not reach the other server: anything but a plain GET. */
  readonly heard: string[]
}

/** Time limits of a command, in seconds: if only a time limit can end it, and otherwise. */
const STALLED_SECONDS = [3, 20, 80]
const QUICK_SECONDS = 60
/** No command that ends by itself takes this long. */
const STOPPED_AFTER_MILLISECONDS = 400_000

async function runCell(bench: Bench, own: Own, cell: Cell): Promise<string[]> {
  if (!stalls(cell.fault)) return (await runOnce(bench, own, cell, QUICK_SECONDS)).wrong
  const isReached = cell.fault.conclusion.kind !== 'unreached'
  let result = {wrong: [''], struck: 0}
  // If the time limit passed before the request that should stall was sent, the machine was too slow, and the cell is tried with
  // more time.
  for (const seconds of STALLED_SECONDS) {
    result = await runOnce(bench, own, cell, seconds)
    if (result.wrong.length === 0 || result.struck > 0 || !isReached) break
  }
  return result.wrong
}

async function runOnce({side, other, heard}: Bench, own: Own, cell: Cell, seconds: number) {
  const {row, fault} = cell
  const identity = identityOf(fault)
  const env = {...(row.usesProfile ? {} : CREDENTIALS), BOOKCTL_NO_HISTORY: '1'}
  const canaries = new Canaries()
  const tls = identity && tlsIdentity('good')
  const scene = {env, other, tls, onExchange: canaries.exchange}
  const {home, wire} = own(await openScene(side.origin, scene))
  writeFileSync(join(home.directory, 'secret.txt'), 'sk_test_sandbox\n')
  const errand = await errandOf(row, side)
  for (const line of row.first ?? [])
    await home.run([...line.split(' '), ...trustOf({isTrusted: identity !== undefined})])
  wire.requests.length = 0
  Object.assign(home.env, await strike(wire, row, fault))
  const argv = [...errand.argv, '--json', '--timeout', String(seconds), ...trustOf(fault)]
  const finished = await home.run(argv, {limitMilliseconds: STOPPED_AFTER_MILLISECONDS})
  const requests = [...wire.requests]
  const struck = requests.filter(request => request.struck && request.method !== 'CONNECT')
  const mend = () => {
    wire.strike = undefined
  }
  const seen: Seen = {finished, seconds, requests, struck, home, canaries, mend}
  const expected = expectedOf(row.nature, fault.conclusion, row)
  const wrong = [
    ...checkOutput(cell, expected, seen),
    ...checkRequests(cell, expected, errand, seen),
    ...(row.reports ? checkReport(cell, expected, seen) : []),
    ...(await checkState(cell, errand, seen)),
    ...heard.splice(0).map(request => `another server got ${request}`),
  ]
  const sent = requests.map(
    request => `${request.struck ? '*' : ''}${request.method} ${request.path.slice(0, 60)}`,
  )
  if (wrong.length > 0) wrong.push(shown(finished), sent.join(', '))
  return {wrong, struck: struck.length}
}

export function isMeant(row: Row, fault: Fault): boolean {
  // A link leads to bytes, not text.
  if (fault.isOfText && row.nature === 'link') return false
  // This machine has no token of another service to revoke, and a sandbox is always on this machine.
  if (fault.away && (row.nature === 'revoke' || row.isControl)) return false
  // A report sends its request twice, without and with a token, so the fault after the first request would not apply.
  if (row.reports && fault.wire?.afterwards) return false
  return !row.leavesOut?.(fault)
}

/** Each with the request that shows the most about the fault. */
const SAMPLE = [
  'reserve (account) × reset-after-service',
  'account × tls-expired',
  'token × redirect-307-other',
  'doctor × proxy-407',
]

const CELLS = ROWS.flatMap(row =>
  FAULTS.filter(fault => isMeant(row, fault)).map(fault => {
    const name = `${nameOfRow(row)} × ${fault.name}`
    const run = (bench: Bench, _: number, own: Own) => runCell(bench, own, {row, fault})
    return {name, group: row.command.replaceAll(':', ' '), isSample: SAMPLE.includes(name), run}
  }),
)

async function open() {
  const sandbox = await openSandbox()
  const receiver = await startReceiver(SECRET)
  const heard: string[] = []
  const other = await startSubscriber((answer, {method, path, headers, body}) => {
    // A voucher link may lead to any server, but the request must contain nothing but the link.
    if (method !== 'GET' || headers.authorization || body.length > 0) heard.push(`${method} ${path}`)
    answer.writeHead(404).end()
  })
  const close = () => Promise.all([other.close(), receiver.close(), sandbox.close()])
  return {side: new Side(sandbox.origin), receiver: receiver.origin, other: other.origin, heard, close}
}

export const faults = part<Bench>({title: 'Fault matrix', cells: [...CELLS, ...RECEIVER_CELLS], open})
