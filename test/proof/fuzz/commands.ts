/**
 * Hostile input of four kinds for the built command. Whatever the input, the command ends in time with a documented exit code
 * other than 1, prints no stack trace, and with --json prints one document.
 */
import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import fc from 'fast-check'
import type {Finished} from '../../support/bookctl.js'
import {ScriptedService} from '../../support/scripted-service.js'
import {hasStack} from '../../support/stack.js'
import {captureLine, EVENT, isSigned, SIGNING_SECRET, signatureOf} from '../../support/webhook-files.js'
import {FORMS} from '../../webhooks/captures/forms.js'
import {MADE_UP} from '../faults/commands.js'
import {Home, parse} from '../shared/scene.js'
import {
  type Checked,
  checkAll,
  httpRequests,
  lines,
  mutated,
  mutatedJson,
  signatureHeaders,
} from './inputs.js'
import {largeOf} from './large.js'

/** Far more than any of the commands needs, even on a busy machine. */
const LIMIT_MILLISECONDS = 30_000
/** Limit of the heap. A command that needs more ends with a signal instead of an exit code. */
const MOST_MEGABYTES = 160
/** Unix seconds at which everything was signed. */
export const T = 1_700_000_000

export interface Kind {
  /** The allowed exit codes. */
  readonly exits: readonly number[]
  /** Bytes that are similar to valid input, and bytes that are not. */
  readonly input: fc.Arbitrary<Uint8Array>
  /** Runs the command on the bytes. `pick` selects one of the commands that read this kind. */
  run(home: Home, bytes: Uint8Array, pick: number): Promise<Finished>
}

const SIGNATURE = signatureOf(EVENT, T)
const HTTP = `POST /hook HTTP/1.1\r\nHost: x\r\nX-Service-Signature: ${SIGNATURE}\r\nContent-Length: ${EVENT.length}\r\n\r\n${EVENT}`
const WRITTEN = {signature: SIGNATURE, eventId: 'evt_01', body: Buffer.from(EVENT)}
const SIGNED = [{name: 'X-Service-Signature', value: SIGNATURE}]
const POSTED = {method: 'POST', url: 'https://x.example/hook', headers: SIGNED, postData: {text: EVENT}}
const ENTRY = {startedDateTime: '2023-11-14T22:13:20Z', request: POSTED}
const HAR = JSON.stringify({log: {version: '1.2', entries: [ENTRY]}})
const CAPTURES = `${captureLine(EVENT, T)}\n${captureLine(EVENT, T + 1)}\n`
const SERVICE = {base_url: 'https://x.example/v1', client_id: 'cid_x', scopes: ['hotels:read']}
const PROFILE = {...SERVICE, timeout: 5, paths: {}}
const CONFIG = JSON.stringify({
  current_profile: 'default',
  profiles: {default: PROFILE},
  defaults: {currency: 'EUR', contact: {name: 'A', email: 'a@b.example'}, ca_file: 'x'},
})
const ANSWERS = lines(`
  {"data":{"account":{"id":"acc","name":"A","balance":{"total":"1.00","currency":"EUR"}}}}
  {"data":{"offers":[{"offer_id":"o","hotel_name":"H","price":{"total":"1.00","currency":"EUR"},"expires_at":"2030-01-01T00:00:00Z"}]}}
  {"data":[{"reservation_ref":"RSV-1","status":"CONFIRMED","check_in":"2030-01-01","total":{"amount":1,"currency":"EUR"}}],"meta":{"next_cursor":"a"}}
  {"data":{"id":"whsub_1","url":"https://a.example","events":["voucher.ready"],"secret":"s","is_active":true}}
  {"error":{"code":"a","message":"b","details":[{"field":"x","message":"y"}],"request_id":"r"}}`)

/** Generates inputs that are close to valid ones, and any JSON and any bytes. */
const near = (...close: fc.Arbitrary<Uint8Array>[]) =>
  fc.oneof(
    {weight: 4, arbitrary: fc.oneof(...close)},
    fc.json({maxDepth: 6}).map(text => Buffer.from(text)),
    fc.uint8Array({maxLength: 400}),
  )

const SETTINGS_READERS = ['config list', 'profiles list', 'config get currency', 'whoami']
/** Reports whether the command only reads. Commands that need a file, print a token, wait or write an archive are left out. */
const isReader = ({row: {line, nature, isControl}}: (typeof MADE_UP)[number]) =>
  !isControl && nature !== 'token' && !/ remove | listen | bundle /.test(line)
const ANSWER_READERS = [
  ...MADE_UP.filter(isReader).map(({argv}) => argv),
  ...['sandbox deliveries', 'voucher download RSV-1 --file -'].map(line => line.split(' ')),
]

const VERIFY = ['--secret-file', 'signing.txt', '--at', String(T), '--json']

export const KINDS = {
  signature: {
    exits: [0, 2, 9],
    input: near(
      signatureHeaders(T, SIGNATURE.slice(-64)).map(text => Buffer.from(text)),
      mutated([SIGNATURE, `${SIGNATURE}, v1=${'a'.repeat(64)}`]),
    ),
    async run(home, bytes) {
      // Arguments cannot contain NUL.
      const header = Buffer.from(bytes).toString().replaceAll('\0', '\u0001')
      const argv = ['webhooks', 'verify', '-', `--signature=${header}`, ...VERIFY]
      const finished = await home.run(argv, {stdin: EVENT})
      const isRight = isSigned(header, Buffer.from(EVENT), SIGNING_SECRET, T)
      if (parse(finished.stdout)?.valid === true && !isRight) throw new Error('found valid what is not')
      return finished
    },
  },
  captures: {
    exits: [0, 2, 9],
    input: near(
      mutated([HTTP, HAR, CAPTURES]),
      mutated(Object.values(FORMS).flatMap(write => write(WRITTEN)?.toString() ?? [])),
      mutatedJson([HAR, captureLine(EVENT, T)]),
      httpRequests([`X-Service-Signature: ${SIGNATURE}`, 'X-Service-Event-Id: evt_01'], EVENT),
    ),
    run(home, bytes) {
      writeFileSync(join(home.directory, 'input'), bytes)
      return home.run(['webhooks', 'verify', 'input', ...VERIFY])
    },
  },
  config: {
    exits: [0, 2, 4],
    input: near(mutated([CONFIG]), mutatedJson([CONFIG])),
    run(home, bytes, pick) {
      writeFileSync(join(home.configDirectory, 'config.json'), bytes)
      return home.run([...(SETTINGS_READERS[pick % SETTINGS_READERS.length] ?? '').split(' '), '--json'])
    },
  },
  answers: {
    // Without 2, because then nothing was sent and no answer was read.
    exits: [0, 4, 5, 6, 7, 8, 10],
    input: near(mutated(ANSWERS), mutatedJson(ANSWERS)),
    async run(home, bytes, pick) {
      const status = [200, 200, 201, 200, 400, 500, 403][pick % 7] ?? 200
      const type = pick % 5 === 0 ? 'text/html' : 'application/json'
      const service = await ScriptedService.answering({status, type, body: bytes})
      const argv = ANSWER_READERS[pick % ANSWER_READERS.length] ?? []
      const env = {BOOKCTL_CLIENT_ID: 'cid_x', BOOKCTL_CLIENT_SECRET: 'sk_test_x'}
      const typed = [...argv, '--timeout', '2', ...(argv.includes('-') ? [] : ['--json'])]
      try {
        const finished = await home.run(typed, {env: {...env, BOOKCTL_BASE_URL: service.baseUrl}})
        // A download to stdout prints bytes, not JSON.
        return argv.includes('-') ? {...finished, stdout: '{}'} : finished
      } finally {
        service.close()
      }
    },
  },
} satisfies Record<string, Kind>

export type KindName = keyof typeof KINDS

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
const HARMFUL = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/
/** Secrets that the command was given and must not show. */
const SECRETS = [SIGNING_SECRET, 'sk_test_x', 'odd-access-token-secret']

/** Throws if the command handled `bytes` wrongly. */
async function tryInput(name: KindName, bytes: Uint8Array, pick: number): Promise<void> {
  const kind: Kind = KINDS[name]
  const home = new Home({BOOKCTL_NO_HISTORY: '1', NODE_OPTIONS: `--max-old-space-size=${MOST_MEGABYTES}`})
  try {
    mkdirSync(home.configDirectory, {mode: 0o700})
    writeFileSync(join(home.directory, 'signing.txt'), `${SIGNING_SECRET}\n`)
    const began = Date.now()
    const {exit, stdout, stderr} = await kind.run(home, bytes, pick)
    const all = stdout + stderr
    const wrong = [
      kind.exits.includes(Number(exit)) ? '' : `exit ${exit}`,
      Date.now() - began > LIMIT_MILLISECONDS ? `took ${Date.now() - began} ms` : '',
      hasStack(all) ? 'a stack trace' : '',
      HARMFUL.test(all) ? 'what a terminal would obey' : '',
      parse(stdout) === undefined ? 'stdout is not one JSON document' : '',
      SECRETS.some(secret => all.includes(secret)) ? 'a secret' : '',
    ].filter(Boolean)
    if (wrong.length > 0)
      throw new Error(`${wrong.join('; ')}: ${stdout.slice(0, 400)} | ${stderr.slice(0, 400)}`)
  } finally {
    home.remove()
  }
}

/** Returns the saved inputs of a kind: those that once failed, and those known to be difficult. */
export function corpusOf(kind: KindName): {name: string; bytes: Uint8Array}[] {
  const directory = new URL(`corpus/${kind}/`, import.meta.url)
  const short = readdirSync(directory).map(name => ({name, bytes: readFileSync(new URL(name, directory))}))
  return [...short, ...largeOf(kind)].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Tries all saved inputs of a kind. `seed` decides which command reads each. */
export async function trySaved(kind: KindName, seed: number): Promise<Checked> {
  const wrong: string[] = []
  const inputs = corpusOf(kind)
  for (const {name, bytes} of inputs) {
    const pick = name.length * 5 + seed
    await tryInput(kind, bytes, pick).catch(error =>
      wrong.push(`${kind}/${name}, pick ${pick}: ${error.message}`),
    )
  }
  return {tried: inputs.length, failure: wrong.length === 0 ? undefined : wrong.join('\n')}
}

/** Tries new inputs made from `seed`, up to the first that fails, which is then shrunk. */
export function tryNew(kind: KindName, seed: number, runs: number): Promise<Checked> {
  const show = ([bytes, pick]: [Uint8Array, number]) =>
    `pick ${pick}, base64 for test/proof/fuzz/corpus/${kind}/: ${Buffer.from(bytes).toString('base64')}`
  const inputs = fc.tuple(KINDS[kind].input, fc.nat(1000))
  return checkAll(kind, inputs, ([bytes, pick]) => tryInput(kind, bytes, pick), {seed, runs}, show)
}
