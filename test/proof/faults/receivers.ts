/**
 * Faults of a receiver of events: `webhooks probe`, `webhooks events replay`, `webhooks listen --forward-to` and `webhooks tap`
 * meet every fault that has a meaning for them.
 */
import {once} from 'node:events'
import {request} from 'node:http'
import {startListening, startTarget} from '../../support/listening.js'
import {tlsIdentity} from '../../support/tls.js'
import {waitUntil} from '../../support/wait.js'
import {signatureOf} from '../../support/webhook-files.js'
import {SECRET, sendEvent} from '../../support/webhook-load.js'
import type {Cell, Own} from '../shared/part.js'
import {openScene, parse, type Scene} from '../shared/scene.js'
import {type Fault, identityOf, isRefused, stalls, strike, trustOf} from './connections.js'
import {FAULTS} from './list.js'
import {eventErrorOf, probeExit, replayExit, statusSeen} from './rules.js'

export interface ReceiverBench {
  /** The origins of a receiver that checks signatures, and of another server. */
  readonly receiver: string
  readonly other: string
}

interface Parts extends Scene {
  readonly fault: Fault
  readonly url: string
  /** Starts the fault. */
  readonly strike: () => Promise<unknown>
  readonly own: Own
}

const SENDERS: Readonly<Record<string, (parts: Parts) => Promise<string[]>>> = {
  'webhooks probe': probe,
  'webhooks events replay': replay,
  'webhooks listen --forward-to': forward,
  'webhooks tap': tap,
}

/** Receivers have no proxy in front of them, and events are not sent again automatically. */
const MEANT = FAULTS.filter(fault => !(fault.away || fault.wire?.afterwards))

export const RECEIVER_CELLS: readonly Cell<ReceiverBench>[] = Object.entries(SENDERS).flatMap(
  ([sender, run]) =>
    MEANT.map(fault => ({
      name: `${sender} × ${fault.name}`,
      group: sender,
      isSample: sender.endsWith('--forward-to') && fault.name === 'status-500',
      run: (bench: ReceiverBench, _: number, own: Own) => runCell(bench, own, fault, run),
    })),
)

async function runCell(
  {receiver, other}: ReceiverBench,
  own: Own,
  fault: Fault,
  run: (parts: Parts) => Promise<string[]>,
) {
  const identity = identityOf(fault)
  const env = {BOOKCTL_WEBHOOK_SECRET: SECRET, BOOKCTL_NO_HISTORY: '1'}
  const scene = own(await openScene(receiver, {env, other, tls: identity && tlsIdentity('good')}))
  const {wire} = scene
  const start = () => strike(wire, {method: 'POST', path: /^/}, fault)
  return await run({...scene, fault, url: `${wire.origin}/hooks`, strike: start, own})
}

const limitsOf = (fault: Fault) => ['--json', '--timeout', stalls(fault) ? '2' : '60', ...trustOf(fault)]

async function probe({home, fault, url, strike}: Parts): Promise<string[]> {
  await strike()
  const {exit, stdout, stderr} = await home.run(['webhooks', 'probe', url, ...limitsOf(fault)])
  const wanted = probeExit(fault)
  const document = parse(stdout)
  const cause = document?.error?.cause ?? ''
  const wrong = exit === wanted ? [] : [`exit ${exit}, not ${wanted}: ${stdout.slice(0, 500)}`]
  if (wanted === 7 && !eventErrorOf(fault, stalls(fault)).test(cause))
    wrong.push(`the cause is not named: ${cause}`)
  return `${stdout}${stderr}`.includes(SECRET) ? [...wrong, 'shows the signing secret'] : wrong
}

const FIRST = '{"id":"evt_1","type":"voucher.ready","data":{"object":"reservation"}}'
const SECOND = FIRST.replace('evt_1', 'evt_2')

const receive = (port: number, body: string) => sendEvent(port, body, JSON.parse(body).id)

async function replay({home, wire, fault, url, strike, own}: Parts): Promise<string[]> {
  const listening = own(await startListening(home))
  await receive(listening.port, FIRST)
  await listening.stop()
  await strike()
  const argv = ['webhooks', 'events', 'replay', 'evt_1', '--to', url, ...limitsOf(fault)]
  const {exit, stdout} = await home.run(argv)
  const status = statusSeen(fault, 200)
  const wrong: string[] = []
  if (exit !== replayExit(status))
    wrong.push(`exit ${exit}, not ${replayExit(status)}: ${stdout.slice(0, 500)}`)
  const one = parse(stdout)?.replayed?.[0]
  if (one?.status !== status) wrong.push(`status ${one?.status}, not ${status}`)
  if (status === null && !eventErrorOf(fault, stalls(fault)).test(one?.error ?? ''))
    wrong.push(`the cause is not named: ${one?.error}`)
  const sent = wire.requests.filter(({struck}) => struck)
  if (fault.wire && sent.length !== 1) wrong.push(`sent ${sent.length} times`)
  if (sent.some(({body}) => body !== FIRST)) wrong.push('sent other bytes than came')
  return wrong
}

/** The sender gets the status of the receiver, or 502 or 504 where it has none, and the line says why. */
async function tap({home, wire, fault, url, strike, own}: Parts): Promise<string[]> {
  const wrong: string[] = []
  await strike()
  const flags = ['--to', url, '--port', '0', '--timeout', stalls(fault) ? '2' : '60', ...trustOf(fault)]
  const tapping = own(home.serve(['webhooks', 'tap', ...flags]))
  const {url: address = ''} = await tapping.started()
  const seen = fault.name === 'switching-protocols' ? null : statusSeen(fault, 200)
  const answered = await statusFrom(address, FIRST)
  const wanted = seen ?? (stalls(fault) ? 504 : 502)
  if (answered !== wanted) wrong.push(`the sender is answered ${answered}, not ${wanted}`)
  await waitUntil(() => tapping.lines.length > 0, 'the line of the request')
  const [line] = tapping.lines
  if (line?.answered !== answered) wrong.push(`the line says ${line?.answered}`)
  if (line?.verdict !== 'valid') wrong.push(`the line says ${line?.reason}`)
  const isNamed = typeof line?.error === 'string' && line.error !== ''
  if (seen === null && !isNamed) wrong.push('the cause is not named')
  const sent = wire.requests.filter(({struck}) => struck)
  if (fault.wire && sent.length !== 1) wrong.push(`sent ${sent.length} times`)
  if (sent.some(({body, path}) => body !== FIRST || path !== '/hooks'))
    wrong.push('sent other bytes than came')
  const {exit, stdout, stderr} = await tapping.stop()
  if (exit !== 143) wrong.push(`exit ${exit}: ${stderr.slice(0, 200)}`)
  return `${stdout}${stderr}`.includes(SECRET) ? [...wrong, 'shows the signing secret'] : wrong
}

/** Sends a signed event to `url` and returns the status of the answer, whose body may never end. */
async function statusFrom(url: string, body: string): Promise<number | undefined> {
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = signatureOf(Buffer.from(body), timestamp, SECRET)
  const headers = {'X-Service-Signature': signature, 'X-Service-Event-Id': JSON.parse(body).id}
  const sending = request(url, {method: 'POST', headers, agent: false})
  sending.on('error', () => {})
  sending.end(body)
  const [answer] = await once(sending, 'response')
  sending.destroy()
  return answer.statusCode
}

/**
 * Every acknowledged event reaches the receiver once it works again. Events that the receiver has accepted are not sent twice.
 */
async function forward({home, wire, fault, url, strike, own}: Parts): Promise<string[]> {
  const wrong: string[] = []
  await strike()
  const first = own(await startListening(home, ['--forward-to', url, ...trustOf(fault)]))
  const acknowledged = await receive(first.port, FIRST)
  if (acknowledged !== 200) wrong.push(`the service is answered ${acknowledged}`)
  const reports = () => first.lines.filter(({type}) => type === 'forward')
  const status = statusSeen(fault, 200)
  const isHeldUp = () => stalls(fault) && status === null && wire.connections > 0
  await waitUntil(() => reports().length > 0 || isHeldUp(), 'an attempt')
  const [report] = reports()
  if (report && report.status !== status) wrong.push(`status ${report.status}, not ${status}`)
  if (report && status === null && !eventErrorOf(fault, stalls(fault)).test(String(report.error)))
    wrong.push(`the cause is not named: ${report.error}`)
  const {exit, stderr} = await first.stop()
  if (exit !== 143) wrong.push(`exit ${exit}: ${stderr.slice(0, 200)}`)

  const isDone = report !== undefined && status !== null && status >= 200 && status < 300
  const target = isRefused(fault) ? own(await startTarget(200, wire.port)) : undefined
  wire.strike = undefined
  wire.connection = undefined
  const isTls = fault.identity !== undefined
  if (isTls) wire.showInstead(tlsIdentity('good'))
  const before = wire.requests.length
  const got = () =>
    target?.got ?? wire.requests.slice(before).map(({headers}) => headers['x-service-event-id'])
  const second = own(await startListening(home, ['--forward-to', url, ...trustOf({isTrusted: isTls})]))
  await receive(second.port, SECOND)
  const wanted = isDone ? ['evt_2'] : ['evt_1', 'evt_2']
  await waitUntil(() => wanted.every(id => got().includes(id)), `${wanted.join(' and ')} at the receiver`)
  await second.stop()
  if (got().length !== wanted.length) wrong.push(`after it works again it gets ${got().join(', ')}`)
  if (wire.requests.some(({body, path}) => (body !== FIRST && body !== SECOND) || path !== '/hooks'))
    wrong.push('forwarded other bytes than came')
  return wrong
}
