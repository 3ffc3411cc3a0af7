/**
 * Every command, whatever comes of it: with --json stdout is one document, and the exit code is the same without. The
 * commands are those of the manifest, so a new one is covered by itself; ARGUMENTS helps where made-up ones would not
 * get as far as the service.
 */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {type Finished, Home} from '../support/bookctl.js'
import {COMMANDS as ALL} from '../support/manifest.js'
import {type FixedAnswer, ScriptedService} from '../support/scripted-service.js'
import {GUESTS, SEARCH} from '../support/stay.js'

const COMMANDS = Object.keys(ALL)

const ARGUMENTS: Record<string, readonly string[]> = {
  login: ['--client-id', 'cid_odd', '--client-secret-file', 'secret.txt'],
  reserve: ['off_odd', '--pay', 'account', '--nationality', 'TR', ...GUESTS],
  'hotels:search': SEARCH.slice(2),
  'hotels:price': ['off_odd'],
  'tours:search': ['--city', '101', '--date', '2030-06-01', '--currency', 'EUR'],
  'reservations:update': ['RSV-1', '--contact', 'email=new@example.com', '--yes'],
  'reservations:cancel': ['RSV-1', '--yes'],
  'sandbox:pay': ['RSV-1'],
  'webhooks:create': ['--url', 'https://partner.example/hooks', '--event', 'voucher.ready'],
  'webhooks:update': ['whsub_1', '--active'],
  'webhooks:delete': ['whsub_1', '--yes'],
  'webhooks:test': ['whsub_1'],
  'webhooks:verify': ['body.json', '--signature', 't=1,v1=aa', '--secret-file', 'signing.txt'],
  'webhooks:sign': ['body.json', '--secret-file', 'signing.txt'],
  'voucher:download': ['RSV-1'],
  api: ['GET', '/account'],
}

/** What to type for the command `id`. */
function argumentsOf(id: string): string[] {
  const {args = {}, flags = {}} = ALL[id] ?? {}
  const made = [
    ...Object.values(args)
      .filter(argument => argument.required)
      .map(() => 'X1'),
    ...Object.entries(flags)
      .filter(([, flag]) => flag.required)
      .flatMap(([name]) => [`--${name}`, 'http://127.0.0.1:1/']),
  ]
  return [...id.split(':'), ...(ARGUMENTS[id] ?? made)]
}

const TYPE_CHAOS = {
  data: {
    offers: 7,
    items: {},
    reservation_ref: {a: 1},
    status: ['x'],
    voucher: 'none',
    events: 5,
    id: 9,
    countries: 'x',
    now: {},
  },
}
const SECRETS = /sk_test_|whsec_|odd-access-token|10000000146|node_modules|\/dist\//

interface Case {
  /** What the service answers; undefined: there is none. */
  readonly answer: FixedAnswer | undefined
  /** The exit codes that may follow; more than one where some commands take any JSON. */
  readonly exits: readonly number[]
  /** In their place for what changes something, which may have been done. */
  readonly afterChange?: readonly number[]
}

const DOUBT = {exits: [6], afterChange: [10]}
const OUTCOMES: Record<string, Case> = {
  'a refusal': {
    answer: {status: 422, body: '{"error":{"code":"no","message":"no\\u001b[2J\\r\\u202eno"}}'},
    exits: [5],
  },
  'a 401': {answer: {status: 401, body: '{"error":{"code":"token_expired"}}'}, exits: [4]},
  'a 403': {answer: {status: 403, body: '{"error":{"code":"insufficient_scope"}}'}, exits: [4]},
  'a 500': {answer: {status: 500, body: '{"error":{"code":"oops"}}'}, ...DOUBT},
  'a page': {
    answer: {status: 200, type: 'text/html', body: '<html><title>Welcome</title></html>'},
    ...DOUBT,
  },
  nothing: {answer: {status: 200, body: ''}, ...DOUBT},
  'half a document': {answer: {status: 200, body: '{"data":{"a":', isCut: true}, ...DOUBT},
  'other types': {answer: {status: 200, body: JSON.stringify(TYPE_CHAOS)}, ...DOUBT, exits: [0, 6]},
  'a bare list': {answer: {status: 200, body: '[1,null,"x"]'}, ...DOUBT, exits: [0, 6]},
  'no service': {answer: undefined, exits: [7]},
}
/** Whatever answers these with 2xx is an answer. */
const TAKING_ANYTHING = /^(api|webhooks:test)$/
/** What they ask for may have been done, whatever the answer is if it is no answer to that. */
const CHANGING = /^(reserve|webhooks:(create|test|update))$/

function exitsOf(id: string, {answer, exits, afterChange = exits}: Case): readonly number[] {
  const codes = CHANGING.test(id) ? afterChange : exits
  return answer?.status === 200 && !answer.isCut && TAKING_ANYTHING.test(id) ? [0, ...codes] : codes
}

/** Commands that ask the service. */
const ASKING = COMMANDS.filter(id =>
  /^(account|reserve|api|hotels:|tours:|reservations:(list|show)|content:|voucher:|webhooks:(create|list|test|update)$)/.test(
    id,
  ),
)

const homes: Home[] = []
const CREDENTIALS = {BOOKCTL_CLIENT_ID: 'cid_odd', BOOKCTL_CLIENT_SECRET: 'sk_test_odd'}

function freshHome(baseUrl: string): Home {
  const home = new Home({...CREDENTIALS, BOOKCTL_BASE_URL: baseUrl})
  homes.push(home)
  writeFileSync(join(home.directory, 'secret.txt'), 'sk_test_odd\n')
  writeFileSync(join(home.directory, 'signing.txt'), 'whsec_abcdefghijklmnopqrstuvwxyz0123456789\n')
  writeFileSync(join(home.directory, 'body.json'), '{}')
  return home
}

/** Runs with --json and without, each time in a home of its own. */
async function run(baseUrl: string, argv: readonly string[]): Promise<Outcome> {
  return {
    json: await freshHome(baseUrl).run([...argv, '--json']),
    text: await freshHome(baseUrl).run(argv),
  }
}

interface Outcome {
  readonly json: Finished
  readonly text: Finished
}

/** Nothing in it moves a cursor, is invisible, is a secret or comes from our insides. */
function expectClean(text: string): void {
  expect(text.replaceAll('\n', '')).toMatch(/^[^\p{Cc}\p{Cf}]*$/u)
  expect(text).not.toMatch(SECRETS)
  expect(text).not.toMatch(/^ +at /m)
}

function expectOneOutcome({json, text}: Outcome): void {
  expect(text.exit, json.stdout).toBe(json.exit)
  expect(json.exit, json.stdout).not.toBe(1)
  expectClean(json.stderr)
  const document = JSON.parse(json.stdout) as {error?: object} | null
  expect(document?.error === undefined).toBe(json.exit === 0)
  if (json.exit === 0) return
  const words = {code: expect.any(String), message: expect.any(String), hint: expect.any(String)}
  expect(document?.error).toMatchObject(words)
  expect(Buffer.byteLength(json.stdout)).toBeLessThan(4096)
  expectClean(json.stdout)
  expectClean(text.stderr)
  expect(text.stderr).toMatch(/^Error: .*\n(.*\n)*Hint: ./m)
}

afterAll(() => {
  for (const home of homes) home.remove()
})

describe('the service answers', () => {
  const services = new Map<string, ScriptedService>()
  beforeAll(async () => {
    for (const [name, {answer}] of Object.entries(OUTCOMES))
      if (answer) services.set(name, await ScriptedService.answering(answer))
  })
  afterAll(async () => {
    for (const service of services.values()) await service.close()
  })
  const cases = ASKING.flatMap(id => Object.entries(OUTCOMES).map(([name, outcome]) => ({id, name, outcome})))

  test.for(cases)('$id with $name', async ({id, name, outcome}) => {
    const baseUrl = services.get(name)?.baseUrl ?? 'http://127.0.0.1:1/v1'
    const done = await run(baseUrl, [...argumentsOf(id), '--timeout', '3'])
    expectOneOutcome(done)
    expect(exitsOf(id, outcome), `${done.json.stdout}${done.json.stderr}`).toContain(done.json.exit)
  })
})

const WRONG = [['--nonsense'], ['--format', 'xml'], ['--profile']]

test.for(COMMANDS.map((id, turn) => [id, WRONG[turn % WRONG.length] ?? []] as const))(
  '%s with %j',
  async ([id, wrong]) => {
    const outcome = await run('http://127.0.0.1:1/v1', [...argumentsOf(id), ...wrong])
    expectOneOutcome(outcome)
    expect(outcome.json.exit).toBe(2)
  },
)

test.for([...new Set(COMMANDS.filter(id => id.includes(':')).map(id => id.split(':')[0] ?? ''))])(
  'a command that %s does not have',
  async topic => {
    const outcome = await run('http://127.0.0.1:1/v1', [topic, 'nonsense'])
    expectOneOutcome(outcome)
    expect(outcome.json.exit).toBe(2)
  },
)
