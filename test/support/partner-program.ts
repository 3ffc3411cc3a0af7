/**
 * A partner's program in a process of its own, and the sandbox that judges it. The program receives events at PARTNER_PORT from the
 * start, and for each line of its standard input does one errand, then prints a line: `trip` searches, books, fetches the voucher
 * and cancels.
 */
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {createInterface} from 'node:readline'
import {onTestFinished} from 'vitest'
import {findFreePort} from '../../src/cli/features/sandbox/port.js'
import {judge} from '../../src/sandbox/certify/judge.js'
import {closing, ownDirectory} from './own.js'
import {reservationRequest, searchRequest, startSandbox, type TestSandbox} from './sandbox.js'
import {waitUntil} from './wait.js'

const CLIENT = 'cid_sandbox'
const EVENTS = ['reservation.confirmed', 'reservation.updated', 'reservation.cancelled', 'voucher.ready']

/** Starts the program, which is in no process yet, against a sandbox of its own. */
export async function startPartnerProgram(command: string, argv: readonly string[]) {
  const sandbox = closing(await startSandbox({clock: () => Date.now() / 1000, allowHttpLoopback: true}))
  const port = await findFreePort()
  const {call} = await sandbox.client('', 'webhooks:write')
  const url = `http://127.0.0.1:${port}/hooks`
  const {json} = await call('POST', '/webhooks/subscriptions', {url, events: EVENTS})
  const {offer_id, client_reference_id, ...trip} = reservationRequest('')
  const child = spawn(command, argv, {
    cwd: ownDirectory(),
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PARTNER_BASE_URL: sandbox.baseUrl,
      PARTNER_CLIENT_ID: CLIENT,
      PARTNER_CLIENT_SECRET: 'sk_test_sandbox',
      PARTNER_SIGNING_SECRET: json.data.secret,
      PARTNER_PORT: String(port),
      PARTNER_SEARCH: JSON.stringify(searchRequest()),
      PARTNER_TRIP: JSON.stringify(trip),
    },
  })
  onTestFinished(() => stop(child))
  const lines = createInterface({input: child.stdout})[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    const {value, done} = await lines.next()
    if (done) throw new Error(`${argv.join(' ')} has ended`)
    return value
  }
  await next()
  return {
    ...sandbox,
    /** Lets it do an errand, and returns the line that it prints then. */
    async errand(line: string): Promise<string> {
      child.stdin.write(`${line}\n`)
      return next()
    },
    drill: async (...drills: string[]) => {
      const {status, json} = await sandbox.control('POST', '/_sandbox/drills', {client_id: CLIENT, drills})
      if (status >= 300) throw new Error(JSON.stringify(json))
    },
    /** Returns the verdict of each rule. */
    verdicts(): Record<string, string> {
      const {rules} = judge(sandbox.sandbox.evidence(CLIENT, 0), CLIENT)
      return Object.fromEntries(rules.map(({rule, verdict}) => [rule, verdict]))
    },
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGKILL')
  await ended
}

/** Resolves when the sandbox has refused a voucher because it is not ready. */
export const refusedVoucher = ({listed}: Pick<TestSandbox, 'listed'>) =>
  waitUntil(async () => {
    const requests = await listed('requests')
    return requests.some(({operation, status}) => operation === 'voucher.show' && status === 409)
  }, 'a voucher that is not ready')

/** Puts it through every drill but `slow`, which takes a minute. */
export async function drillAll(program: Awaited<ReturnType<typeof startPartnerProgram>>): Promise<void> {
  const {drill, errand} = program
  for (const name of ['lost-answer', 'failing', 'busy', 'expired-token', 'used-offer', 'sold-out']) {
    await drill(name)
    await errand('trip')
  }
  await drill('duplicate-event', 'disorder', 'forged-event', 'old-event')
  await drill('slow-voucher')
  const trip = errand('trip')
  await refusedVoucher(program)
  await program.advance(31)
  await trip
}
