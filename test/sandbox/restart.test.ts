/** What was answered is there after SIGKILL, and one file has one sandbox. */
import {type ChildProcess, spawn} from 'node:child_process'
import {randomUUID} from 'node:crypto'
import {once} from 'node:events'
import {chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {createInterface} from 'node:readline'
import {fileURLToPath} from 'node:url'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {createSandbox} from '../../src/sandbox/sandbox.js'
import {StorageError} from '../../src/storage/errors.js'
import {connectTo, reservationRequest, startSandbox} from '../support/sandbox.js'

const SCRIPT = fileURLToPath(new URL('../support/sandbox-process.ts', import.meta.url))

let directory: string
const started: ChildProcess[] = []

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bookctl-sandbox-'))
})
afterEach(async () => {
  for (const child of started.splice(0)) await kill(child)
  rmSync(directory, {recursive: true, force: true})
})

/** Starts a sandbox on the test's file; resolves with the first line it prints. */
async function start(): Promise<{child: ChildProcess; said: Record<string, string>}> {
  const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT, join(directory, 'sandbox.db')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  started.push(child)
  const [line] = await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line')
  return {child, said: JSON.parse(String(line))}
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

const SOON = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
const LATER = new Date(Date.now() + 33 * 86_400_000).toISOString().slice(0, 10)

test('a killed sandbox comes back with what it had answered, at another port', async () => {
  const first = await start()
  const client = await connectTo(first.said.origin as string)
  const offers = await client.search({check_in: SOON, check_out: LATER})
  const body = reservationRequest(offers[0].offer_id)
  const key = randomUUID()
  const made = await client.reserve(body, key)
  const pending = await client.reserve(reservationRequest(offers[1].offer_id, {payment: {mode: 'instant'}}))
  await fetch(`${first.said.origin}/_sandbox/clock`, {
    method: 'POST',
    headers: {'content-type': 'application/json'},
    body: '{"advance_seconds":600}',
  })
  await kill(first.child)

  const second = await start()
  const origin = second.said.origin as string
  const again = await connectTo(origin)
  const shown = await again.call('GET', `/reservations/${made.json.data.reservation_ref}`)
  expect(shown.json.data).toEqual(made.json.data)
  const replayed = await again.reserve(body, key)
  expect([replayed.status, replayed.json]).toEqual([201, made.json])
  const waiting = await again.call('GET', `/reservations/${pending.json.data.reservation_ref}`)
  expect(waiting.json.data.payment.url.startsWith(`${origin}/pay/`)).toBe(true)
  const {balance} = (await again.call('GET', '/account')).json.data
  expect(balance).toBe((100_000 - Number(made.json.data.price.total)).toFixed(2))
  const clock = (await (await fetch(`${origin}/_sandbox/clock`)).json()) as {now: string}
  expect(Date.parse(clock.now) - Date.now()).toBeGreaterThan(590_000)
})

test('a second sandbox on the same file is refused, and says what to do', async () => {
  const {child} = await start()
  const second = await start()
  expect(second.said).toMatchObject({
    fault: 'busy',
    message: expect.stringContaining('another local sandbox'),
    hint: expect.stringContaining('--db'),
  })
  const database = join(directory, 'sandbox.db')
  expect(() => createSandbox({database})).toThrow(StorageError)
  await kill(child)
  createSandbox({database}).close()
})

test("a file the user names leaves its directory's permissions alone", () => {
  chmodSync(directory, 0o755)
  createSandbox({database: join(directory, 'sandbox.db')}).close()
  expect(statSync(directory).mode & 0o777).toBe(0o755)
  expect(statSync(join(directory, 'sandbox.db')).mode & 0o777).toBe(0o600)
})

test('no secret or token lies in the files', async () => {
  const database = join(directory, 'sandbox.db')
  const sandbox = await startSandbox({database})
  const client = await sandbox.client()
  await sandbox.close()
  // What is not yet in the file itself is in its log.
  const bytes = Buffer.concat(readdirSync(directory).map(name => readFileSync(join(directory, name))))
  expect(bytes.includes('cid_sandbox')).toBe(true)
  expect(bytes.includes('sk_test_sandbox')).toBe(false)
  expect(bytes.includes(client.token)).toBe(false)
})
