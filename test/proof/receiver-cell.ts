/**
 * The fault matrix of what sends events: `webhooks probe`, `webhooks events replay` and `webhooks listen --forward-to`, where
 * the fault is the receiver's.
 */
import {Home} from '../support/bookctl.js'
import {startListening, startTarget} from '../support/listening.js'
import {tlsIdentity} from '../support/tls.js'
import {waitUntil} from '../support/wait.js'
import {exchangeRaw, SECRET, signedRequest} from '../support/webhook-load.js'
import {Wire} from '../support/wire.js'
import {type Fault, identityOf, stalls} from './fault.js'
import {parse, trustOf} from './fault-seen.js'
import {FAULTS} from './faults.js'
import {errorNamed, probeExit, replayExit, statusSeen} from './receiver-rules.js'
import type {ReceiverSide} from './receiver-side.js'

const SENDERS = ['webhooks probe', 'webhooks events replay', 'webhooks listen --forward-to'] as const

export interface ReceiverCell {
  readonly sender: (typeof SENDERS)[number]
  readonly fault: Fault
}

export const receiverName = ({sender, fault}: ReceiverCell) => `${sender} × ${fault.name}`

/** Every sender with every fault; no proxy stands before a receiver, and no event is sent again by itself. */
export function allReceiverCells(): ReceiverCell[] {
  const faults = FAULTS.filter(fault => !(fault.away || fault.wire?.afterwards))
  return SENDERS.flatMap(sender => faults.map(fault => ({sender, fault})))
}

/** Each sender with a few of them. */
export function shortReceiverCells(): ReceiverCell[] {
  return allReceiverCells().filter((_, n) => n % 61 === 0)
}

/** Runs it; returns what is wrong, one line each. */
export async function runReceiverCell(
  side: ReceiverSide,
  other: string,
  cell: ReceiverCell,
): Promise<string[]> {
  const {sender, fault} = cell
  const identity = identityOf(fault)
  const proxy = await Wire.start({upstream: side.origin, other, tls: identity && tlsIdentity('good')})
  const home = new Home({BOOKCTL_WEBHOOK_SECRET: SECRET, BOOKCTL_NO_HISTORY: '1'})
  const url = `${proxy.origin}/hooks`
  const break_ = async () => {
    if (identity) proxy.showInstead(identity)
    if (fault.wire) proxy.strike = {fault: fault.wire, method: 'POST', path: /./}
    if (fault.connection === 'refused') await proxy.close()
    else proxy.connection = fault.connection
  }
  const open: (() => Promise<unknown>)[] = []
  const parts = {home, proxy, fault, url, isTls: identity !== undefined, open}
  try {
    if (sender === 'webhooks listen --forward-to') return await forwarding(parts, break_)
    if (sender === 'webhooks events replay') return await replaying(parts, break_)
    await break_()
    return await probing(parts)
  } finally {
    await Promise.all(open.map(end => end()))
    if (fault.connection !== 'refused') await proxy.close()
    home.remove()
  }
}

interface Parts {
  readonly home: Home
  readonly proxy: Wire
  readonly fault: Fault
  readonly url: string
  readonly isTls: boolean
  /** What ends each process and server that was started, also when a wait for it was in vain. */
  readonly open: (() => Promise<unknown>)[]
}

async function probing({home, fault, url}: Parts): Promise<string[]> {
  const timeout = ['--timeout', stalls(fault) ? '2' : '60']
  const argv = ['webhooks', 'probe', url, '--json', ...timeout, ...trustOf(fault)]
  const {exit, stdout, stderr} = await home.run(argv)
  const wrong: string[] = []
  const wanted = probeExit(fault)
  if (exit !== wanted) wrong.push(`exit ${exit}, not ${wanted}`)
  const document = parse(stdout)
  const cause = document?.error?.cause ?? ''
  if (wanted === 7 && !errorNamed(fault, stalls(fault)).test(cause))
    wrong.push(`the cause is not named: ${cause}`)
  if (`${stdout}${stderr}`.includes(SECRET)) wrong.push('shows the signing secret')
  const {cases = []} = (document ?? {}) as {cases?: {ok: boolean}[]}
  return wrong.length === 0
    ? []
    : [...wrong, `  ${JSON.stringify(cases.filter(({ok}) => !ok)).slice(0, 500)}`]
}

const BODY = '{"id":"evt_1","type":"voucher.ready","data":{"object":"reservation"}}'
const LATER = BODY.replace('evt_1', 'evt_2')

async function receive(port: number, body: string, id: string): Promise<number> {
  const answer = await exchangeRaw(port, signedRequest(body, id, {headers: 'Connection: close\r\n'}))
  return Number(answer.slice(9, 12))
}

async function replaying(parts: Parts, break_: () => Promise<void>): Promise<string[]> {
  const {home, proxy, fault, url, open} = parts
  const receiver = await startListening(home)
  open.push(receiver.stop)
  await receive(receiver.port, BODY, 'evt_1')
  await receiver.stop()
  await break_()
  const timeout = ['--timeout', stalls(fault) ? '2' : '60']
  const argv = ['webhooks', 'events', 'replay', 'evt_1', '--to', url, '--json', ...timeout, ...trustOf(fault)]
  const {exit, stdout} = await home.run(argv)
  const status = statusSeen(fault, 200)
  const wrong: string[] = []
  if (exit !== replayExit(status)) wrong.push(`exit ${exit}, not ${replayExit(status)}`)
  const replayed = (parse(stdout) as {replayed?: {status: unknown; error: string | null}[]} | undefined)
    ?.replayed
  const [one] = replayed ?? []
  if (one?.status !== status) wrong.push(`status ${one?.status}, not ${status}`)
  if (status === null && !errorNamed(fault, stalls(fault)).test(one?.error ?? ''))
    wrong.push(`the cause is not named: ${one?.error}`)
  const sent = proxy.requests.filter(({struck}) => struck)
  if (fault.wire && sent.length !== 1) wrong.push(`sent ${sent.length} times`)
  if (sent.some(({body}) => body !== BODY)) wrong.push('sent other bytes than came')
  return wrong.length === 0 ? [] : [...wrong, `  ${stdout.slice(0, 500)}`]
}

/** What was acknowledged reaches the receiver once it works again; what it took is not sent to it twice. */
async function forwarding(parts: Parts, break_: () => Promise<void>): Promise<string[]> {
  const {home, proxy, fault, url, isTls, open} = parts
  const wrong: string[] = []
  await break_()
  const first = await startListening(home, ['--forward-to', url, ...trustOf(fault)])
  open.push(first.stop)
  const acknowledged = await receive(first.port, BODY, 'evt_1')
  if (acknowledged !== 200) wrong.push(`the service is answered ${acknowledged}`)
  const reports = () => first.lines.filter(({type}) => type === 'forward')
  const status = statusSeen(fault, 200)
  const isHeldUp = () => stalls(fault) && status === null && proxy.connections > 0
  await waitUntil(() => reports().length > 0 || isHeldUp(), 'an attempt')
  const [report] = reports()
  if (report && report.status !== status) wrong.push(`status ${report.status}, not ${status}`)
  if (report && status === null && !errorNamed(fault, stalls(fault)).test(String(report.error)))
    wrong.push(`the cause is not named: ${report.error}`)
  const {exit, stderr} = await first.stop()
  if (exit !== 143) wrong.push(`exit ${exit}: ${stderr.slice(0, 200)}`)

  const isDone = report !== undefined && status !== null && status >= 200 && status < 300
  const target =
    fault.connection === 'refused' ? await startTarget(200, Number(new URL(url).port)) : undefined
  if (target) open.push(target.close)
  proxy.strike = undefined
  proxy.connection = undefined
  if (isTls) proxy.showInstead(tlsIdentity('good'))
  const before = proxy.requests.length
  const got = () =>
    target?.got ?? proxy.requests.slice(before).map(({headers}) => headers['x-service-event-id'])
  const second = await startListening(home, ['--forward-to', url, ...trustOf({isTrusted: isTls})])
  open.push(second.stop)
  await receive(second.port, LATER, 'evt_2')
  const wanted = isDone ? ['evt_2'] : ['evt_1', 'evt_2']
  await waitUntil(() => wanted.every(id => got().includes(id)), `${wanted.join(' and ')} at the receiver`)
  await second.stop()
  const times = (id: string) => got().filter(each => each === id).length
  if (times('evt_1') !== (isDone ? 0 : 1) || times('evt_2') !== 1)
    wrong.push(`after it works again it gets ${got().join(', ') || 'nothing'}`)
  if (proxy.requests.some(({body, path}) => (body !== BODY && body !== LATER) || path !== '/hooks'))
    wrong.push('handed on other bytes than came')
  return wrong
}
