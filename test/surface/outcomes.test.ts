/**
 * With --json, stdout is one document whatever the outcome, and the exit code is the same as without. Each command that sends
 * requests gets two kinds of answers in turn, and every command of the manifest gets wrong input. The fault matrix tests the
 * result for each kind of answer.
 */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {MADE_UP, SILENT} from '../proof/faults/commands.js'
import type {Home} from '../support/bookctl.js'
import {COMMANDS as ALL} from '../support/manifest.js'
import {ownHome} from '../support/own.js'
import {type FixedAnswer, ScriptedService} from '../support/scripted-service.js'

const COMMANDS = Object.keys(ALL)

/** Returns the arguments for the command `id`. */
function argumentsOf(id: string): readonly string[] {
  const typed = MADE_UP.find(({row}) => row.command === id)?.argv ?? SILENT[id]?.split(' ')
  const {args = {}, flags = {}} = ALL[id] ?? {}
  const required = <T extends {readonly required?: boolean}>(all: Readonly<Record<string, T>>) =>
    Object.keys(all).filter(name => all[name]?.required)
  const given = required(flags).flatMap(name => [`--${name}`, 'http://127.0.0.1:1/'])
  return typed ?? [...id.split(':'), ...required(args).map(() => 'X1'), ...given]
}

const ODD_LISTS = {offers: 7, items: {}, events: 5, countries: 'x'}
const TYPE_CHAOS = {
  data: {...ODD_LISTS, reservation_ref: {a: 1}, status: ['x'], voucher: 'none', id: 9, now: {}},
}
const SECRETS = /sk_test_|whsec_|odd-access-token|10000000146|node_modules|\/dist\//

const OUTCOMES: Record<string, FixedAnswer | undefined> = {
  'a refusal': {status: 422, body: '{"error":{"code":"no","message":"no\\u001b[2J\\r\\u202eno"}}'},
  'a 401': {status: 401, body: '{"error":{"code":"token_expired"}}'},
  'a 403': {status: 403, body: '{"error":{"code":"insufficient_scope"}}'},
  'a 500': {status: 500, body: '{"error":{"code":"oops"}}'},
  'a page': {status: 200, type: 'text/html', body: '<html><title>Welcome</title></html>'},
  nothing: {status: 200, body: ''},
  'half a document': {status: 200, body: '{"data":{"a":', isCut: true},
  'other types': {status: 200, body: JSON.stringify(TYPE_CHAOS)},
  'a bare list': {status: 200, body: '[1,null,"x"]'},
  'no service': undefined,
}

/** Commands that send requests and then end. */
const ASKING = new Set(
  MADE_UP.flatMap(({row}) =>
    row.isControl || row.reports || /^(webhooks:listen|log|token|whoami|profiles)/.test(row.command)
      ? []
      : row.command,
  ),
)

const CREDENTIALS = {BOOKCTL_CLIENT_ID: 'cid_odd', BOOKCTL_CLIENT_SECRET: 'sk_test_odd'}

function freshHome(baseUrl: string): Home {
  const home = ownHome({...CREDENTIALS, BOOKCTL_BASE_URL: baseUrl})
  writeFileSync(join(home.directory, 'secret.txt'), 'sk_test_odd\n')
  writeFileSync(join(home.directory, 'signing.txt'), 'whsec_abcdefghijklmnopqrstuvwxyz0123456789\n')
  writeFileSync(join(home.directory, 'body.json'), '{}')
  return home
}

/** Runs with --json and without, each time in a new home. */
async function run(baseUrl: string, argv: readonly string[]) {
  const json = await freshHome(baseUrl).run([...argv, '--json'])
  return {json, text: await freshHome(baseUrl).run(argv)}
}

/** Expects that the text contains no cursor movement, no invisible characters, no secrets and no stack trace. */
function expectClean(text: string): void {
  expect(text.replaceAll('\n', '')).toMatch(/^[^\p{Cc}\p{Cf}]*$/u)
  expect(text).not.toMatch(SECRETS)
  expect(text).not.toMatch(/^ +at /m)
}

function expectOneOutcome({json, text}: Awaited<ReturnType<typeof run>>): void {
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
  // Each line of `webhooks listen` begins with its time.
  expect(text.stderr.replace(/^\S+Z (?=Error|Hint)/gm, '')).toMatch(/^Error: .*\n(.*\n)*Hint: ./m)
}

describe('the service answers', () => {
  const services = new Map<string, ScriptedService>()
  beforeAll(async () => {
    for (const [name, answer] of Object.entries(OUTCOMES))
      if (answer) services.set(name, await ScriptedService.answering(answer))
  })
  afterAll(async () => {
    for (const service of services.values()) await service.close()
  })
  const names = Object.keys(OUTCOMES)
  const cases = [...ASKING].flatMap((id, turn) =>
    [2 * turn, 2 * turn + 1].map(n => ({id, name: names[n % names.length] ?? ''})),
  )

  test.for(cases)('$id with $name', async ({id, name}) => {
    const baseUrl = services.get(name)?.baseUrl ?? 'http://127.0.0.1:1/v1'
    expectOneOutcome(await run(baseUrl, [...argumentsOf(id), '--timeout', '3']))
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
