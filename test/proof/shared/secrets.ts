/**
 * The secrets to search for, by kind and in every spelling. They are collected from every request and answer, or planted, so that
 * a secret is found whatever it looks like. Also the debug switches that make commands print more, and the places where README
 * and `--help` allow a secret.
 */
import type {Finished} from '../../support/bookctl.js'
import type {Reply, WireRequest} from '../../support/wire.js'
import {type Home, textsIn} from './scene.js'

/** `kept …` are secrets that the machine stored earlier, each in its own place. */
export type SecretKind =
  | ('client secret' | 'access token' | 'signing secret' | 'voucher link' | 'payment address')
  | ('identity number' | 'card number' | 'proxy password')
  | ('kept identity number' | 'kept payment address' | 'kept voucher link')

/** Values that every cell sets and every echo contains. */
export const PLANTED = {
  proxyPassword: 'canaryProxyPass77',
  signingSecret: 'whsec_Y2FuYXJ5T2ZUaGVFbnZpcm9ubWVudA',
  card: '4111111111111111',
} as const

const TYPED: readonly (readonly [string, SecretKind])[] = [
  ['sk_test_sandbox', 'client secret'],
  ['10000000146', 'identity number'],
  ['U1234567', 'identity number'],
  [PLANTED.proxyPassword, 'proxy password'],
  [PLANTED.signingSecret, 'signing secret'],
  [PLANTED.card, 'card number'],
  ['4111 1111 1111 1111', 'card number'],
]

const ON_THE_WIRE: readonly (readonly [SecretKind, RegExp])[] = [
  ['access token', /"access_token":\s*"([^"]+)"/g],
  ['access token', /^authorization: Bearer (.+)$/gim],
  ['signing secret', /(whsec_[\w+/=-]{8,})/g],
  ['voucher link', /\/vouchers\/([\w.~%-]{8,})/g],
  ['payment address', /\/pay\/([\w.~%-]{8,})/g],
]

/** If a secret is at least this long, each half is searched for, too. */
const LEAST_LENGTH_HALVED = 24

export class Canaries {
  private readonly kinds = new Map<string, SecretKind>()
  /** The same secrets, each in every spelling. */
  private readonly spelled = new Map<string, SecretKind>()

  constructor(known: Iterable<readonly [string, SecretKind]> = TYPED) {
    for (const [secret, kind] of known) this.add(secret, kind)
  }

  /** A secret keeps the kind under which it was added first. */
  add(secret: string, kind: SecretKind): void {
    if (this.kinds.has(secret)) return
    this.kinds.set(secret, kind)
    for (const spelling of spellings(secret)) this.spelled.set(spelling, kind)
  }

  /** Returns a copy that can learn more, with the kinds in `renamed` under other names. */
  copy(renamed: Partial<Record<SecretKind, SecretKind>> = {}): Canaries {
    return new Canaries([...this.kinds].map(([secret, kind]) => [secret, renamed[kind] ?? kind] as const))
  }

  /** Learns the secrets in a text that went over the wire. */
  harvest(text: string): void {
    for (const [kind, pattern] of ON_THE_WIRE)
      for (const [, secret] of text.matchAll(pattern)) if (secret) this.add(secret, kind)
  }

  /** Learns from a request and its answer. */
  readonly exchange = ({head, body}: WireRequest, reply: Reply): void => {
    this.harvest(`${head}\n${body}`)
    this.harvest(reply.body.toString('latin1'))
  }

  /** Returns the kinds of secrets that `text` shows, except those in `allowed`. */
  seenIn(text: string, allowed: readonly SecretKind[] = []): SecretKind[] {
    const kinds = new Set<SecretKind>()
    for (const [spelling, kind] of this.spelled)
      if (!kinds.has(kind) && !allowed.includes(kind) && text.includes(spelling)) kinds.add(kind)
    return [...kinds]
  }
}

/** Returns the secret, and the halves of a long one, in every encoding. */
function spellings(secret: string): string[] {
  const middle = Math.ceil(secret.length / 2)
  const halves = secret.length < LEAST_LENGTH_HALVED ? [] : [secret.slice(0, middle), secret.slice(middle)]
  return [...new Set([secret, ...halves].flatMap(encodings))]
}

/** Returns the secret unchanged, percent-encoded in both cases, escaped in JSON, in hex, and in base64 at each alignment. */
function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const percent = encodeURIComponent(secret)
  const hex = bytes.toString('hex')
  const escaped = JSON.stringify(secret).slice(1, -1)
  const lower = percent.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase())
  const base64 = [0, 1, 2].flatMap(before => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    // The first characters depend on the bytes before, the last on the bytes after.
    const cut = (text: string) => text.replace(/=+$/, '').slice(before === 0 ? 0 : before + 1, -1)
    return [cut(padded.toString('base64')), cut(padded.toString('base64url'))]
  })
  return [secret, escaped, escaped.replaceAll('/', '\\/'), percent, lower, hex, hex.toUpperCase(), ...base64]
}

/** A debug switch of bookctl, of Node or of a package. */
export interface Switch {
  readonly name: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly asksForStacks?: boolean
}

const flag = (...argv: string[]): Switch => ({name: argv.join(' '), argv, env: {}})
const variable = (name: string, value: string, asksForStacks = false): Switch => ({
  name: `${name}=${value}`,
  argv: [],
  env: {[name]: value},
  asksForStacks,
})

const TRACES =
  '--trace-warnings --trace-deprecation --trace-uncaught --trace-exit --trace-sigint --stack-trace-limit=200'

/** All switches together. */
export const ALL: Switch = {
  name: 'all',
  argv: ['-vv', '--print-curl', '--har', 'trace.har'],
  env: {BOOKCTL_DEBUG: '1', NODE_DEBUG: '*', DEBUG: '*', NODE_OPTIONS: TRACES},
  asksForStacks: true,
}

export const SWITCHES: readonly Switch[] = [
  flag('-v'),
  flag('-vv'),
  flag('--print-curl'),
  flag('--har', 'trace.har'),
  variable('BOOKCTL_DEBUG', '1', true),
  variable('NODE_DEBUG', '*'),
  variable('DEBUG', '*'),
  {...variable('NODE_OPTIONS', TRACES, true), name: 'NODE_OPTIONS=--trace-*'},
  ALL,
]

interface Rule {
  readonly kinds: readonly SecretKind[]
  /** Kinds that are shown even if the command fails, because the service's own answer is the result. */
  readonly always?: readonly SecretKind[]
  /** Matches stdout if the result is printed although the command failed. */
  readonly besides?: RegExp
}

const RESERVATIONS: Rule = {kinds: ['identity number', 'payment address']}
const EVENTS: Rule = {kinds: ['kept voucher link']}

/** Secrets that a successful command may show on stdout. */
export const RESULTS: Readonly<Record<string, Rule>> = {
  token: {kinds: ['access token']},
  'webhooks:create': {kinds: ['signing secret']},
  'webhooks:rotate': {kinds: ['signing secret']},
  'sandbox:env': {kinds: ['client secret']},
  'sandbox:start': {kinds: ['client secret']},
  api: {
    kinds: ['payment address', 'voucher link', 'identity number', 'signing secret'],
    always: ['payment address', 'voucher link', 'identity number', 'card number'],
  },
  // The payment address is also shown if the payment is still pending when the wait ends.
  reserve: {...RESERVATIONS, besides: /^ {2}"outcome": "pending_payment",$/m},
  'webhooks:events:show': EVENTS,
  'webhooks:events:wait': EVENTS,
  'webhooks:events:export': EVENTS,
  'sandbox:pay': RESERVATIONS,
  'reservations:list': RESERVATIONS,
  'reservations:show': RESERVATIONS,
  'reservations:update': RESERVATIONS,
  'reservations:cancel': RESERVATIONS,
}

/** Returns stderr without the address at which the customer of a pending reservation pays now. */
const talkOf = (command: string, stderr: string) =>
  command === 'reserve' ? stderr.replace(/^Pay at https?:\/\/\S+$/gm, 'Pay at …') : stderr

/** Files that are meant to contain a secret: the stores, the user's own files, and the voucher. */
const STORES: readonly (readonly [RegExp, readonly SecretKind[]])[] = [
  [/^config\/tokens\.db(-wal|-shm)?$/, ['access token', 'client secret', 'signing secret']],
  [/^(secret|signing)\.txt$/, ['client secret', 'signing secret']],
  [/^config\/state\.db(-wal|-shm)?$/, ['payment address', 'kept payment address', 'kept identity number']],
  [/^(config\/events\.db(-wal|-shm)?|backup\.db)$/, ['kept voucher link']],
  [/^v\.pdf$/, ['identity number']],
]

/** Returns the kinds that stdout may contain after `command` ended with `exit`. */
export function resultsOf(command: string, exit: unknown, stdout: string): readonly SecretKind[] {
  const {kinds = [], always = [], besides} = RESULTS[command] ?? {}
  return exit === 0 || besides?.test(stdout) ? [...kinds, ...always] : always
}

/** Returns the kinds that a file may contain after `command` ended with `exit`. */
export function allowedIn(name: string, command: string, exit: unknown): readonly SecretKind[] {
  const kinds = STORES.flatMap(([file, each]) => (file.test(name) ? each : []))
  // Until the outcome is known, the journal keeps the body with personal data.
  const isOpen = command === 'reserve' && exit === 10 && /^config\/state\.db/.test(name)
  return isOpen ? [...kinds, 'identity number'] : kinds
}

export interface Watched extends Finished {
  /** The command lines of the command and its children, without the typed arguments, which everybody can see. */
  readonly commandLines: string
  /** The environments of the children. */
  readonly environments: string
}

/** Exceptions to the secrets that `command` may usually show. */
interface Allowed {
  readonly stdout?: readonly SecretKind[]
  readonly commandLines?: readonly SecretKind[]
  readonly file?: (name: string) => readonly SecretKind[] | undefined
}

/** Returns where secrets are shown that must not be: streams, the process list, the environment of children, and every file. */
export function findLeaks(
  home: Home,
  canaries: Canaries,
  command: string,
  {exit, stdout = '', stderr = '', commandLines = '', environments = ''}: Partial<Watched>,
  allowed: Allowed = {},
): string[] {
  const places: [string, string, (readonly SecretKind[] | undefined)?][] = [
    ['stdout', stdout, allowed.stdout ?? resultsOf(command, exit, stdout)],
    ['stderr', talkOf(command, stderr)],
    ['the process list', commandLines, allowed.commandLines],
    ['the environment of a child', environments],
  ]
  for (const {name, text} of textsIn(home.directory))
    places.push([name, text, allowed.file?.(name) ?? allowedIn(name, command, exit)])
  return places.flatMap(([place, text, kinds]) =>
    canaries.seenIn(text, kinds).map(kind => `${place} shows: ${kind}`),
  )
}
