/** The ends of a pipe: a reader that closes early, a full disk, a signal. */
import {type ChildProcess, execFileSync} from 'node:child_process'
import {closeSync, constants, existsSync, openSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {expect, test} from 'vitest'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {GUESTS, offerIn, SEARCH} from '../support/stay.js'
import {waitUntil} from '../support/wait.js'

const sandbox = await sandboxOfFile()
const {home} = sandbox
/** Runs a line of bash. Returns the exit codes of the parts of its pipe, and stderr. */
async function shell(line: string): Promise<{codes: string; stderr: string}> {
  const bookctl = 'node="$0" script="$1"; bookctl() { "$node" "$script" "$@"; }'
  const before = ['bash', '-c', `${bookctl}; ${line}; printf '\\1%s' "\${PIPESTATUS[*]}" >&2`]
  const [stderr = '', codes = ''] = (await home.spawn([], {before})).stderr.split('\u0001')
  return {codes, stderr}
}

const PEOPLE = GUESTS.map(word => `'${word}'`).join(' ')

test.each([
  ['sk_test_sandbox', 'bookctl login --client-id cid_sandbox --client-secret-stdin --profile slow'],
  [
    '{"payment": {"mode": "account"}}',
    `bookctl reserve off_1 --input - ${PEOPLE} --nationality TR --dry-run`,
  ],
])('an input that comes later than the command starts is waited for: %s', async (text, command) => {
  expect(await shell(`(sleep 1; printf '%s' '${text}') | ${command}`)).toEqual({
    codes: '0 0',
    stderr: expect.not.stringContaining('Error'),
  })
})

const LINE = `bookctl ${SEARCH.join(' ')}`

test.each([`${LINE} | true`, 'bookctl reserve --help | true', `${LINE} --json | true`, `${LINE} | head -1`])(
  '%s: a reader that closes early makes no failure',
  async line => {
    expect(await shell(line)).toEqual({codes: '0 0', stderr: ''})
  },
)

test('a listener whose reader closes early ends in order, although no event comes', async () => {
  const listen = 'BOOKCTL_WEBHOOK_SECRET=whsec_x bookctl webhooks listen --port 0 --json | head -1'
  const {codes, stderr} = await shell(listen)
  expect(codes).toBe('0 0')
  const said = stderr.trimEnd().split('\n')
  const words = [' Ready: http', ' Stopping', ' Stopped: 0 valid (0 of them duplicates), 0 refused']
  expect(said).toEqual(words.map(each => expect.stringContaining(each)))
})

test.skipIf(!existsSync('/dev/full')).each([
  ['bookctl whoami', '1', /ENOSPC.*\nHint: run the command again where its output can be written\n$/],
  [
    'bookctl config set timeout 30',
    '1',
    /ENOSPC.*\nHint: the command itself was completed: check what it changed/,
  ],
  ['bookctl config set timeout 30 --dry-run', '1', /ENOSPC.*\nHint: run the command again/],
  // A refusal that prints nothing on stdout is reported as usual.
  ['bookctl reserve </dev/null', '2', /^(?!.*could not be written)/s],
  ['bookctl hotels serch --json', '2', /^(?!.*(done|journal)).*unknown command `hotels serch`/s],
])(
  '%s where nothing can be written: the failure is reported, and nothing claims to be done',
  async (line, exit, said) => {
    const {codes, stderr} = await shell(`${line} > /dev/full`)
    expect([codes, stderr]).toEqual([exit, expect.stringMatching(said)])
  },
)

test('a query that does not fit the result never reads as nothing done', async () => {
  const message = expect.stringContaining('the command succeeded')
  const argv = ['config', 'set', 'nationality', 'TR', '--query', 'length(`1`)']
  expect(await home.refusal(argv)).toMatchObject({exit: 6, code: 'query_failed', message})
  expect((await home.run(['config', 'get', 'nationality'])).stdout).toBe('TR\n')
})

test.skipIf(process.platform === 'win32')('a pipe without a writer lets a signal end it', async () => {
  execFileSync('mkfifo', [join(home.directory, 'pipe')])
  const env = {BOOKCTL_WEBHOOK_SECRET: 'whsec_pipe'}
  for (const [signal, ...argv] of [
    ['SIGINT', 'webhooks', 'verify', 'pipe', '--signature', 't=1,v1=00'],
    ['SIGTERM', 'reserve', '--input', 'pipe'],
    ['SIGINT', 'webhooks', 'sign', '--secret-file', 'pipe'],
    ['SIGTERM', 'webhooks', 'listen', '--cert', 'pipe', '--key', 'pipe'],
    ['SIGINT', 'account', '--ca-file', 'pipe'],
  ] as const) {
    let child: ChildProcess | undefined
    const ended = home.run(argv, {env, onStart: started => (child = started)})
    const writing = await opened(join(home.directory, 'pipe'))
    child?.kill(signal)
    expect([argv, (await ended).exit]).toEqual([argv, signal])
    closeSync(writing)
  }
})

/** Opens the writing end of a pipe once a reader has opened it. Nothing is written. */
async function opened(path: string): Promise<number> {
  let file: number | undefined
  await waitUntil(() => {
    try {
      file = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error
    }
    return file !== undefined
  }, `${path} is read`)
  return file as number
}

test.skipIf(!existsSync('/dev/full'))('talk that cannot be written changes no exit code', async () => {
  const unreachable = '--base-url http://127.0.0.1:1/v1 --timeout 1'
  expect((await shell(`bookctl account ${unreachable} -v 2> /dev/full`)).codes).toBe('7')
  expect((await shell('bookctl voucher download 2> /dev/full')).codes).toBe('2')
  expect((await shell('bookctl account -v 2> /dev/full')).codes).toBe('0')
})

test('a reservation is made and printed even if stderr is not read', async () => {
  const offer = await offerIn(home)
  const unread = {onStart: (child: ChildProcess) => void child.stderr?.destroy()}
  const made = await home.json(['reserve', offer, '--pay', 'account', '--verbose', ...GUESTS], unread)
  expect(made).toMatchObject({exit: 0, result: {outcome: 'confirmed'}})
  const refused = await home.run(['reserve', offer, '--pay', 'instant', ...GUESTS], unread)
  expect(refused).toMatchObject({exit: 2, stdout: ''})
})

/** Runs `argv` until the sandbox handles `operation`, whose path ends in `path`, then sends `signal`. */
async function stopped(
  argv: string[],
  operation: string,
  path: string,
  signal: NodeJS.Signals,
  seconds = 20,
) {
  await sandbox.fault({operation, kind: 'latency', latency_ms: seconds * 1000, times: 4})
  const asked = async () => (await sandbox.requests()).filter(line => line.endsWith(path)).length
  const before = await asked()
  const finished = await home.run(argv, {
    onStart: async child => {
      while ((await asked()) === before) await new Promise(resolve => setTimeout(resolve, 50))
      child.kill(signal)
    },
  })
  await sandbox.control('DELETE', '/_sandbox/faults')
  return finished
}

test('SIGINT ends a waiting command with 130 and no words, SIGTERM one with --json with 143 and one document', async () => {
  const ended = await stopped(['account'], 'account.show', '/account', 'SIGINT')
  expect(ended).toEqual({exit: 130, stdout: '', stderr: ''})
  const other = await stopped(['account', '--json'], 'account.show', '/account', 'SIGTERM')
  expect(other).toMatchObject({exit: 143, stderr: ''})
  const error = {code: 'terminated', message: 'stopped by SIGTERM before it ended'}
  expect(JSON.parse(other.stdout)).toEqual({error})
})

test('a stopped reservation says how to find out its state', async () => {
  const offer = await offerIn(home)
  const reference = "it's;$HOME"
  const argv = ['reserve', offer, '--pay', 'account', '--client-reference', reference, '--json', ...GUESTS]
  const ended = await stopped(argv, 'reservations.create', '/reservations/hotel', 'SIGTERM', 2)
  const command = `bookctl reserve --resume 'it'\\''s;$HOME'`
  expect(ended.exit).toBe(143)
  expect(ended.stderr).toContain(
    `Stopped before it ended: the request was sent, so a reservation may exist; ${command}\n`,
  )
  expect(JSON.parse(ended.stdout)).toMatchObject({error: {code: 'terminated', hint: command}})
  expect((await shell(command)).codes).toBe('0')
})
