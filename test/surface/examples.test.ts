/**
 * Runs every example in the help of every command against a local sandbox. One example of each command runs with --json, and the
 * keys of its document are compared with the committed list; the others run unchanged. After an intended change: `npx vitest run
 * test/surface/examples.test.ts --update`.
 */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, expect, test} from 'vitest'
import {type ForwardTarget, type ListenProcess, startListening, startTarget} from '../support/listening.js'
import {COMMANDS} from '../support/manifest.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {Shell} from '../support/shell.js'
import {firstOffer, GUESTS, searchWith} from '../support/stay.js'
import {waitUntil} from '../support/wait.js'
import {makeWebhookFiles, startReceiver} from '../support/webhook-files.js'
import {SECRET, sendEvent} from '../support/webhook-load.js'

/** With this flag a command runs until it is stopped. */
const UNTIL_STOPPED = '--follow'
const examples = Object.entries(COMMANDS).flatMap(([id, command]) =>
  command.examples.filter(example => !example.includes(UNTIL_STOPPED)).map(example => [id, example] as const),
)
/** Commands that run until they are stopped, or have a test of their own. */
const ELSEWHERE = new Set([
  'mcp:approve',
  'sandbox:run',
  'sandbox:start',
  'demo',
  'webhooks:listen',
  'webhooks:tap',
])

/**
 * `events export` writes a capture, a record a line, as `webhooks listen` prints it; `sandbox run` what its command prints. `mcp
 * approve` needs a terminal, and answers nothing with --json.
 */
const NO_DOCUMENT = ['mcp', 'mcp approve', 'webhooks events export', 'sandbox run']

const SUBSCRIPTION = '{"url":"https://partner.example/hooks","events":["voucher.ready"]}'

const sandbox = await sandboxOfFile()
const {home} = sandbox
const shell = new Shell(home)
/** The id of a received event, and a target to which it can be sent again. */
let event: string | undefined
let target: ForwardTarget | undefined
let listener: ListenProcess | undefined
let explained = 0

await sandbox.recordIn(home)
// The example overwrites this setting.
await home.run(['config', 'set', 'currency', 'TRY'])
shell.env.SECRET = 'sk_test_sandbox'
writeFileSync(join(home.directory, 'secret.txt'), 'sk_test_sandbox\n')
writeFileSync(join(home.directory, 'subscription.json'), SUBSCRIPTION)
afterAll(() => Promise.all([target?.close(), listener?.stop()]))

/** Runs an example, whose placeholders (off_…, RSV-…) are replaced by real ids. */
async function run(example: string) {
  const made = Object.entries(await prepare(example))
  const isVariable = ([name]: [string, string]) => /^[A-Z_]+$/.test(name)
  const written = made
    .filter(one => !isVariable(one))
    .reduce((text, [open, value]) => text.replaceAll(open, value), example)
  return shell.type(written, Object.fromEntries(made.filter(isVariable)))
}

/** Sends the client secret where it does not belong, so that a certificate has evidence of a broken rule. */
async function breakRule() {
  const authorization = `Basic ${Buffer.from('cid_sandbox:sk_test_sandbox').toString('base64')}`
  await fetch(`${sandbox.baseUrl}/oauth/token`, {method: 'POST', headers: {authorization}})
}

/** The URL of a receiver in the examples. */
const RECEIVER = 'http://127.0.0.1:3000/hooks'

/**
 * Creates what `example` needs: offers, reservations, an input file, profiles; and returns the placeholders and variables with
 * their values.
 */
async function prepare(example: string): Promise<Record<string, string>> {
  if (/profiles|reader/.test(example)) await logIn()
  if (/webhooks (verify|sign|probe)|explain request/.test(example)) return makeWebhooks()
  if (example.includes('webhooks status')) {
    event ??= await receiveEvent()
    listener ??= await startListening(home, ['--port', '0'])
    return {}
  }
  if (/webhooks events (wait|backup)/.test(example)) {
    event ??= await receiveEvent()
    return {'RSV-…': 'RSV-EXAMPLE'}
  }
  if (example.includes('evt_…')) {
    event ??= await receiveEvent()
    target ??= await startTarget(200)
    return {'evt_…': event, [RECEIVER]: target.url}
  }
  if (example.includes('req_…')) {
    await home.run(['account'])
    return {'req_…': (await sandbox.listed('requests')).at(-1).request_id}
  }
  if (example.includes('whsub_…')) {
    const id = await subscribe()
    if (example.includes('--finish')) await home.run(['webhooks', 'rotate', id])
    return {'whsub_…': id}
  }
  if (example.includes('sandbox drill')) {
    await subscribe()
    return {}
  }
  if (example.includes('sandbox certify')) await breakRule()
  if (example.includes('--check certificate')) {
    await home.run(['sandbox', 'certify', '--html', 'certificate.html'])
    return {}
  }
  if (example.includes('january.csv')) {
    const ledger = 'Booking,Total,Currency,State\nJAN-1,"1.250,00",EUR,cancelled\n'
    writeFileSync(join(home.directory, 'january.csv'), ledger)
    return {}
  }
  if (example.includes('trips.csv')) {
    const template = await home.run(['reserve', 'batch', '--template', 'csv'])
    writeFileSync(join(home.directory, 'trips.csv'), template.stdout)
    return {}
  }
  if (!/off_…|RSV-…|trip-…|--input/.test(example)) return {}
  // What is explained must not look like a second booking of the same trip.
  const isExplained = example.startsWith('bookctl explain')
  if (isExplained) explained += 1
  const day = isExplained ? `2030-07-${10 + explained}` : '2030-06-01'
  const OFFER = await firstOffer(home, searchWith({'--check-in': day}))
  const reserve = (...more: string[]) => home.run(['reserve', OFFER, ...GUESTS, '--quiet', ...more])
  const made = async (pay: string) => (await reserve('--pay', pay)).stdout.trim()
  if (example.includes('RSV-…'))
    return {'RSV-…': await made(example.includes('sandbox pay') ? 'instant' : 'account')}
  if (example.includes('off_…')) return {'off_…': OFFER}
  if (example.includes('trip-…')) {
    const reference = `trip-${Date.now()}`
    await reserve('--pay', 'account', '--client-reference', reference)
    return {'trip-…': reference}
  }
  const dry = await home.json<{body: object}>(['reserve', OFFER, ...GUESTS, '--pay', 'account', '--dry-run'])
  writeFileSync(join(home.directory, 'reservation.json'), JSON.stringify(dry.result.body))
  return {}
}

async function makeWebhooks(): Promise<Record<string, string>> {
  const files = makeWebhookFiles(home.directory, Math.floor(Date.now() / 1000))
  const {SIGNATURE = '', ...variables} = files
  return {...variables, 't=…,v1=…': SIGNATURE, [RECEIVER]: (await startReceiver()).url}
}

/** Receives an event with `listen` and returns its id. */
async function receiveEvent(): Promise<string> {
  writeFileSync(join(home.directory, 'signing-secret.txt'), SECRET)
  const receiver = await startListening(home, ['--exit-after', '1'])
  const id = `evt_${receiver.port}`
  const data = {status: 'CONFIRMED', reservation_ref: 'RSV-EXAMPLE'}
  await sendEvent(receiver.port, JSON.stringify({id, type: 'voucher.ready', data}), id)
  await receiver.ended
  return id
}

async function subscribe(): Promise<string> {
  const create = ['webhooks', 'create', '--url', 'https://partner.example/test', '--event', 'voucher.ready']
  return (await home.run([...create, '--quiet'])).stdout.trim()
}

async function logIn(): Promise<void> {
  for (const profile of ['default', 'reader']) {
    const login = ['login', '--profile', profile, '--client-secret-stdin']
    await home.run(login, {stdin: 'sk_test_sandbox', env: {BOOKCTL_CLIENT_SECRET: undefined}})
  }
}

/** For each document, the paths of its values (such as `offers[].price.total`) with the types that occurred there. */
const shapes = new Map<string, Map<string, Set<string>>>()

/** Below these keys is what the service sent, or a request to it. The form of either is not promised. */
const FOREIGN = new Set([
  ...['raw', 'reservation', 'reservations', 'account', 'answer', 'body', 'data', 'event', 'headers', 'quote'],
  // These keys contain names of paths or schemas as keys.
  ...['paths', 'components', 'webhooks', 'inputSchema', 'outputSchema'],
  // The documents of the commands that `demo` runs. Each is listed on its own.
  'result',
])

/** Adds a document to the shape of that name. The items of a list are combined. */
function record(name: string, document: unknown): void {
  const shape = shapes.get(name) ?? new Map<string, Set<string>>()
  shapes.set(name, shape)
  const add = (path: string, value: unknown) => {
    const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
    shape.set(path, (shape.get(path) ?? new Set()).add(type))
    const key = path.split('.').at(-1)?.replaceAll('[]', '') ?? ''
    if (Array.isArray(value)) for (const item of value) add(`${path}[]`, item)
    else if (typeof value === 'object' && value !== null && !FOREIGN.has(key)) addKeys(`${path}.`, value)
  }
  const addKeys = (before: string, value: object) => {
    for (const [key, inner] of Object.entries(value)) add(before + key, inner)
  }
  addKeys('', Object(document))
}

/** Returns the name of a document in the list. A --dry-run has a name of its own. */
const nameOf = (id: string, example: string) =>
  `${id.replaceAll(':', ' ')}${example.includes('--dry-run') ? ' --dry-run' : ''}`

/**
 * A comparison of the reservations that the examples make finds that some are for the same trip, and not every scope that they
 * log in with is used. Nothing answers the events that are played.
 */
const exitsOf = (example: string) => (/reconcile|certify|chaos/.test(example) ? [0, 3] : [0])

/** Adds --json to an example, and removes other output flags. */
const withJson = (example: string) =>
  `${example
    .replace(/ --(query|format) ("[^"]*"|'[^']*'|\S+)/g, '')
    .replace(/ --(json|quiet)/g, '')
    .replace(/^(eval "\$|source <)\((.*?)\)"?$/, '$2')
    .replace(/ (>|\| wc) .*/, '')} --json`

const here = examples.filter(([id]) => !ELSEWHERE.has(id))
/** The first example for each name, whose document is recorded. */
const documented = new Map(
  here
    .filter(([id, example]) => !example.includes('--file -') && !NO_DOCUMENT.includes(nameOf(id, '')))
    .map(([id, example]) => [nameOf(id, example), example] as const)
    .reverse(),
)

const isDocumented = ([id, example]: (typeof here)[number]) => documented.get(nameOf(id, example)) === example

test.each(here.filter(each => !isDocumented(each)))('%s: %s', async (_, example) => {
  const done = await run(example)
  if (/fault add|sandbox drill/.test(example)) await sandbox.control('DELETE', '/_sandbox/faults')
  expect(exitsOf(example)).toContain(done.exit)
  if (
    !/reserve|reconcile|events missing|cancel|login|logout|profiles use|webhooks create|mcp install/.test(
      example,
    )
  )
    expect(done.stderr).toBe('')
})

// These run after the others, which create something to list.
test.each(here.filter(isDocumented))('%s: the document of %s', async (id, example) => {
  const done = await run(withJson(example))
  if (/fault add|sandbox drill/.test(example)) await sandbox.control('DELETE', '/_sandbox/faults')
  expect([...exitsOf(example), 9]).toContain(done.exit)
  record(nameOf(id, example), JSON.parse(done.stdout))
})

test('streams print documents of known keys', async () => {
  const started = home.serve(['sandbox', 'start', '--db', ':memory:'])
  const ready = await started.started()
  record('sandbox start', {type: 'ready', ...ready})
  await fetch(`${ready.base_url}/account`)
  await waitUntil(() => started.lines.length > 0, 'the line of the request')
  record('sandbox start (request)', started.lines[0])
  await started.stop()
  writeFileSync(join(home.directory, 'signing-secret.txt'), SECRET)
  const receiver = await startListening(home, ['--exit-after', '1'])
  await sendEvent(receiver.port, '{"id":"evt_s","data":{"status":"CONFIRMED"}}', 'evt_s')
  const {stdout} = await receiver.ended
  for (const line of stdout.split('\n').filter(Boolean)) {
    const document = JSON.parse(line)
    record(`webhooks listen (${document.type})`, document)
  }
  const target = await startTarget(500)
  const tap = home.serve([
    'webhooks',
    'tap',
    '--to',
    target.url,
    '--port',
    '0',
    '--secret-file',
    'signing-secret.txt',
  ])
  const tapReady = await tap.started()
  record('webhooks tap (ready)', {type: 'ready', ...tapReady})
  const data = '{"reservation_ref":"RSV-1","status":"CONFIRMED"}'
  await sendEvent(
    Number(new URL(tapReady.url ?? '').port),
    `{"id":"evt_s","type":"voucher.ready","data":${data}}`,
    'evt_s',
  )
  await waitUntil(() => tap.lines.length > 0, 'the line of the event')
  record('webhooks tap (event)', tap.lines[0])
  await tap.stop()
  await target.close()
})

test('doctor and probe print what to do in keys of their own', async () => {
  // Otherwise it would depend on the machine whether there is anything to do.
  const unreachable = {env: {BOOKCTL_BASE_URL: 'http://127.0.0.1:1/v1'}}
  record('doctor', (await home.json(['doctor'], unreachable)).result)
  const failing = await startTarget(500)
  const probe = ['webhooks', 'probe', failing.url, '--secret-file', 'signing-secret.txt']
  record('webhooks probe', (await home.json(probe)).result)
  await failing.close()
})

test('demo --json lists every step', async () => {
  const {exit, result} = await home.json<{steps: {command: string; exit: number}[]}>(['demo'])
  expect(exit).toBe(0)
  expect(result.steps.map(step => step.command.split(' ').slice(0, 3).join(' '))).toEqual([
    'bookctl login --base-url',
    'bookctl account',
    'bookctl hotels search',
    expect.stringMatching('bookctl reserve off_'),
    'bookctl voucher download',
    'bookctl account',
    'bookctl webhooks create',
    'bookctl webhooks test',
    'bookctl webhooks listen',
    expect.stringMatching('bookctl reserve off_'),
    'bookctl sandbox pay',
    expect.stringMatching('bookctl reserve off_'),
    'bookctl voucher download',
    'bookctl logout',
  ])
  record('demo', result)
})

test('keys and types of every document are those of the committed list', async () => {
  const ids = Object.keys(COMMANDS).map(id => id.replaceAll(':', ' '))
  const recorded = [...shapes.keys()].map(name => name.replace(/ (--dry-run|\(.*)$/, ''))
  expect(ids.filter(id => !recorded.includes(id) && !NO_DOCUMENT.includes(id))).toEqual([])
  // Sorted, because the order of keys is not promised.
  const lines = [...shapes]
    .sort(byName)
    .flatMap(([name, shape]) => [
      `bookctl ${name}`,
      ...[...shape].sort(byName).map(([path, types]) => `    ${path} ${[...types].sort().join('|')}`),
    ])
  await expect([...lines, ''].join('\n')).toMatchFileSnapshot('json-keys.txt')
})

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
