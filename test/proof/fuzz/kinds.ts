/**
 * Hostile input of four kinds for the built command. Whatever comes, the command ends in time, with an exit code of the
 * table that is not 1, without a stack trace, and with --json prints one document.
 */
import {readdirSync, readFileSync} from 'node:fs'
import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import fc from 'fast-check'
import {ScriptedService} from '../../support/scripted-service.js'
import {hasStack} from '../../support/stack.js'
import {captureLine, EVENT, SIGNING_SECRET, signatureOf} from '../../support/webhook-files.js'
import {Home, parse} from '../scene.js'
import {httpRequests, mutated, mutatedJson, signatureHeaders} from './mutate.js'
import {type Checked, ENDING, failureOf, lines} from './property.js'
import {isSigned} from './signed.js'

/** Ours: far more than any of them takes, on a machine that does other things beside. */
const LIMIT_MILLISECONDS = 30_000
/** Ours, of the heap. */
const MOST_MEGABYTES = 160
const T = 1_700_000_000

export interface Kind {
  readonly name: string
  /** The exit codes that may come of it. */
  readonly exits: readonly number[]
  /** Bytes near to what is read, and far from it. */
  readonly input: fc.Arbitrary<Uint8Array>
  /** Runs the command on them. `pick` chooses among the commands that read the kind. */
  run(home: Home, bytes: Uint8Array, pick: number): ReturnType<Home['run']>
  /** What is wrong with the document that was printed. */
  check?(bytes: Uint8Array, document: object): string[]
}

const json = fc.json({maxDepth: 6}).map(text => Buffer.from(text))
const noise = fc.uint8Array({maxLength: 400}).map(bytes => Buffer.from(bytes))

const SIGNATURE = signatureOf(EVENT, T)
const HTTP = `POST /hook HTTP/1.1\r\nHost: x\r\nX-Service-Signature: ${SIGNATURE}\r\nContent-Length: ${EVENT.length}\r\n\r\n${EVENT}`
const SIGNED = [{name: 'X-Service-Signature', value: SIGNATURE}]
const POSTED = {method: 'POST', url: 'https://x.example/hook', headers: SIGNED, postData: {text: EVENT}}
const HAR = JSON.stringify({
  log: {version: '1.2', entries: [{startedDateTime: '2023-11-14T22:13:20Z', request: POSTED}]},
})
const CAPTURES = `${captureLine(EVENT, T)}\n${captureLine(EVENT, T + 1)}\n`

const captures = fc.oneof(
  mutated([HTTP, HAR, CAPTURES]),
  mutatedJson([HAR, captureLine(EVENT, T)]),
  httpRequests([`X-Service-Signature: ${SIGNATURE}`, 'X-Service-Event-Id: evt_01'], EVENT),
)

const PROFILE = {
  base_url: 'https://x.example/v1',
  client_id: 'cid_x',
  scopes: ['hotels:read'],
  timeout: 5,
  paths: {},
}
const CONFIG = JSON.stringify({
  current_profile: 'default',
  profiles: {default: PROFILE},
  defaults: {currency: 'EUR', contact: {name: 'A', email: 'a@b.example'}, ca_file: 'x'},
})

const ANSWERS = [
  '{"data":{"account":{"id":"acc","name":"A","balance":{"total":"1.00","currency":"EUR"}}}}',
  '{"data":{"offers":[{"offer_id":"o","hotel_name":"H","price":{"total":"1.00","currency":"EUR"},"expires_at":"2030-01-01T00:00:00Z"}]}}',
  '{"data":[{"reservation_ref":"RSV-1","status":"CONFIRMED","check_in":"2030-01-01","total":{"amount":1,"currency":"EUR"}}],"meta":{"next_cursor":"a"}}',
  '{"data":{"id":"whsub_1","url":"https://a.example","events":["voucher.ready"],"secret":"s","is_active":true}}',
  '{"error":{"code":"a","message":"b","details":[{"field":"x","message":"y"}],"request_id":"r"}}',
]

const READERS: readonly (readonly string[])[] = lines(`account
  hotels search --city 101 --check-in 2030-06-01 --nights 1 --room 2 --nationality TR --currency EUR
  hotels show h1
  hotels price off_1
  tours search --city 101 --date 2030-06-01 --currency EUR
  tours show t1
  content cities
  content countries
  content currencies
  reservations list
  reservations show RSV-1
  reservations cancel RSV-1 --yes
  reservations update RSV-1 --contact email=a@b.example
  voucher download RSV-1 --file -
  webhooks list
  webhooks create --url https://a.example/ --event voucher.ready
  webhooks test whsub_1
  webhooks update whsub_1 --passive
  webhooks delete whsub_1 --yes
  sandbox deliveries
  api GET /account
  logout
  doctor`).map(text => text.split(' '))

/** An argument can hold no NUL, and one is no input. */
function headerOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString().replaceAll('\0', '\u0001')
}

const VERIFY = ['--secret-file', 'signing.txt', '--at', String(T), '--json']

export const KINDS: readonly Kind[] = [
  {
    name: 'signature',
    exits: [0, 2, 9],
    input: fc.oneof(
      {weight: 3, arbitrary: signatureHeaders(T, SIGNATURE.slice(-64)).map(text => Buffer.from(text))},
      mutated([SIGNATURE, `${SIGNATURE}, v1=${'a'.repeat(64)}`]),
      noise,
    ),
    run: (home, bytes) =>
      home.run(['webhooks', 'verify', '-', `--signature=${headerOf(bytes)}`, ...VERIFY], {stdin: EVENT}),
    check(bytes, document) {
      const isRight = isSigned(headerOf(bytes), Buffer.from(EVENT), SIGNING_SECRET, T)
      return 'valid' in document && document.valid === true && !isRight ? ['found valid what is not'] : []
    },
  },
  {
    name: 'captures',
    exits: [0, 2, 9],
    input: fc.oneof({weight: 4, arbitrary: captures}, json, noise),
    async run(home, bytes) {
      await writeFile(join(home.directory, 'input'), bytes)
      return home.run(['webhooks', 'verify', 'input', ...VERIFY])
    },
  },
  {
    name: 'config',
    exits: [0, 2, 4],
    input: fc.oneof({weight: 4, arbitrary: fc.oneof(mutated([CONFIG]), mutatedJson([CONFIG]))}, json, noise),
    async run(home, bytes, pick) {
      await writeFile(join(home.configDirectory, 'config.json'), bytes)
      const readers = [['config', 'list'], ['profiles', 'list'], ['config', 'get', 'currency'], ['whoami']]
      return home.run([...(readers[pick % readers.length] ?? []), '--json'])
    },
  },
  {
    name: 'answers',
    // Not 2: then nothing was sent, and no answer read.
    exits: [0, 4, 5, 6, 7, 8, 10],
    input: fc.oneof({weight: 4, arbitrary: fc.oneof(mutated(ANSWERS), mutatedJson(ANSWERS))}, json, noise),
    async run(home, bytes, pick) {
      const status = [200, 200, 201, 200, 400, 500, 403][pick % 7] ?? 200
      const type = pick % 5 === 0 ? 'text/html' : 'application/json'
      const service = await ScriptedService.answering({status, type, body: bytes})
      const argv = READERS[pick % READERS.length] as string[]
      try {
        const env = {BOOKCTL_CLIENT_ID: 'cid_x', BOOKCTL_CLIENT_SECRET: 'sk_test_x'}
        const typed = [...argv, '--timeout', '2', ...(argv.includes('-') ? [] : ['--json'])]
        return await home.run(typed, {env: {...env, BOOKCTL_BASE_URL: service.baseUrl}})
      } finally {
        await service.close()
      }
    },
  },
]

/** How many commands read the kind, at most: each of the saved inputs goes to one of them at a time. */
const PICKS = READERS.length

/** What is wrong with what the command made of `bytes`; empty when nothing is. */
async function tryInput(kind: Kind, bytes: Uint8Array, pick: number): Promise<string[]> {
  // A command that needs more memory than this ends with a signal, which is no exit code.
  const home = new Home({
    BOOKCTL_NO_HISTORY: '1',
    NODE_OPTIONS: `--max-old-space-size=${MOST_MEGABYTES}`,
  })
  try {
    await mkdir(home.configDirectory, {mode: 0o700})
    await writeFile(join(home.directory, 'signing.txt'), `${SIGNING_SECRET}\n`)
    const began = Date.now()
    const {exit, stdout, stderr} = await kind.run(home, bytes, pick)
    const wrong: string[] = []
    if (!kind.exits.includes(Number(exit))) wrong.push(`exit ${exit}`)
    if (Date.now() - began > LIMIT_MILLISECONDS) wrong.push(`took ${Date.now() - began} ms`)
    if (hasStack(stdout + stderr)) wrong.push('a stack trace')
    if (HARMFUL.test(stderr)) wrong.push('what a terminal would obey')
    const isBytes = kind.name === 'answers' && READERS[pick % READERS.length]?.includes('-')
    const document = parse(stdout)
    if (!isBytes && document === undefined) wrong.push('stdout is not one JSON document')
    if (document !== undefined && kind.check) wrong.push(...kind.check(bytes, document))
    if (!isBytes && HARMFUL.test(stdout)) wrong.push('what a terminal would obey in stdout')
    if (SECRETS.some(secret => (stdout + stderr).includes(secret))) wrong.push('a secret')
    return wrong.length === 0 ? [] : [...wrong, `${stdout.slice(0, 400)} | ${stderr.slice(0, 400)}`]
  } finally {
    home.remove()
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
const HARMFUL = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/

/** What the command was given, and must keep to itself. */
const SECRETS = [SIGNING_SECRET, 'sk_test_x', 'odd-access-token-secret']

const CORPUS = new URL('corpus/', import.meta.url)

/** The saved inputs of a kind: what was found once, and what is known to be hard. */
export function corpusOf(kind: Kind): {name: string; bytes: Uint8Array}[] {
  const directory = new URL(`${kind.name}/`, CORPUS)
  return readdirSync(directory)
    .sort()
    .map(name => ({name, bytes: readFileSync(new URL(name, directory))}))
}

/** What is wrong with what became of a saved input, as one text or none. Which command reads it follows from `seed`. */
export async function trySaved(
  kind: Kind,
  {name, bytes}: {name: string; bytes: Uint8Array},
  seed: number,
): Promise<string[]> {
  const pick = (name.length * 5 + seed) % PICKS
  const wrong = await tryInput(kind, bytes, pick)
  return wrong.length === 0 ? [] : [[`${kind.name}/${name}, pick ${pick}`, ...wrong].join('\n')]
}

/** `count` new inputs from `seed`, up to the first that fails, which is made small. */
export async function fuzz(kind: Kind, seed: number, count: number): Promise<Checked> {
  const property = fc.asyncProperty(kind.input, fc.nat(1000), async (bytes, pick) => {
    const wrong = await tryInput(kind, bytes, pick)
    if (wrong.length > 0) throw new Error(wrong.join('; '))
  })
  const found = await fc.check(property, {seed, numRuns: count, ...ENDING})
  const show = ([bytes, pick]: [Uint8Array, number]) =>
    `pick ${pick}, base64 for test/proof/fuzz/corpus/${kind.name}/: ${Buffer.from(bytes).toString('base64')}`
  return {tried: found.numRuns, failure: failureOf(found, `${kind.name}, seed ${seed}`, show)}
}
