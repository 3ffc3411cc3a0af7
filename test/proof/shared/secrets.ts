/**
 * The secrets that are looked for, by kind: harvested from every request and answer, or planted, so that nothing has to
 * look like a secret to be found, and each in every spelling; what makes a command say more; and where a secret is what
 * was asked for, by README and `--help`, and nowhere else.
 */
import type {Finished} from '../../support/bookctl.js'
import type {Reply, WireRequest} from '../../support/wire.js'
import {type Home, textsIn} from './scene.js'

/** `kept …`: remembered by the machine from before, in a place of its own. */
export type SecretKind =
  | ('client secret' | 'access token' | 'signing secret' | 'voucher link' | 'payment address')
  | ('identity number' | 'card number' | 'proxy password')
  | ('kept identity number' | 'kept payment address' | 'kept voucher link')

/** What every cell sets, and what every echo adds. */
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

/** Of a secret this long, each half is looked for, too. */
const LEAST_LENGTH_HALVED = 24

export class Canaries {
  private readonly kinds = new Map<string, SecretKind>()
  /** The same, in every spelling. */
  private readonly spelled = new Map<string, SecretKind>()

  constructor(known: Iterable<readonly [string, SecretKind]> = TYPED) {
    for (const [secret, kind] of known) this.add(secret, kind)
  }

  /** A secret keeps the kind it was first known as. */
  add(secret: string, kind: SecretKind): void {
    if (this.kinds.has(secret)) return
    this.kinds.set(secret, kind)
    for (const spelling of spellings(secret)) this.spelled.set(spelling, kind)
  }

  /** One that knows the same, with the kinds of `renamed` under other names, and may learn more. */
  copy(renamed: Partial<Record<SecretKind, SecretKind>> = {}): Canaries {
    return new Canaries([...this.kinds].map(([secret, kind]) => [secret, renamed[kind] ?? kind] as const))
  }

  /** Learns the secrets in something that went over the wire. */
  harvest(text: string): void {
    for (const [kind, pattern] of ON_THE_WIRE)
      for (const [, secret] of text.matchAll(pattern)) if (secret) this.add(secret, kind)
  }

  /** Learns what a wire sees. */
  readonly exchange = ({head, body}: WireRequest, reply: Reply): void => {
    this.harvest(`${head}\n${body}`)
    this.harvest(reply.body.toString('latin1'))
  }

  /** The kinds that `text` shows, without those in `allowed`. */
  seenIn(text: string, allowed: readonly SecretKind[] = []): SecretKind[] {
    const kinds = new Set<SecretKind>()
    for (const [spelling, kind] of this.spelled)
      if (!kinds.has(kind) && !allowed.includes(kind) && text.includes(spelling)) kinds.add(kind)
    return [...kinds]
  }
}

/** As it is, and each half of a long one, in every encoding. */
function spellings(secret: string): string[] {
  const middle = Math.ceil(secret.length / 2)
  const halves = secret.length < LEAST_LENGTH_HALVED ? [] : [secret.slice(0, middle), secret.slice(middle)]
  return [...new Set([secret, ...halves].flatMap(encodings))]
}

/** As it is, percent-encoded in either case, escaped in JSON, in hex, and in base64 at each place it may begin. */
function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const percent = encodeURIComponent(secret)
  const hex = bytes.toString('hex')
  const escaped = JSON.stringify(secret).slice(1, -1)
  const lower = percent.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase())
  const base64 = [0, 1, 2].flatMap(before => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    // The first characters mix with what is before, the last with what follows.
    const cut = (text: string) => text.replace(/=+$/, '').slice(before === 0 ? 0 : before + 1, -1)
    return [cut(padded.toString('base64')), cut(padded.toString('base64url'))]
  })
  return [secret, escaped, escaped.replaceAll('/', '\\/'), percent, lower, hex, hex.toUpperCase(), ...base64]
}

/** A debug switch of bookctl, of Node or of packages. */
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

/** All of them together. */
export const ALL: Switch = {
  name: 'all',
  argv: ['-vv', '--print-curl', '--har', 'trace.har'],
  env: {BOOKCTL_DEBUG: '1', NODE_DEBUG: '*', DEBUG: '*', NODE_OPTIONS: TRACES},
  asksForStacks: true,
}

export const SWITCHES: readonly Switch[] = [
  ...[flag('-v'), flag('-vv'), flag('--print-curl'), flag('--har', 'trace.har')],
  ...[variable('BOOKCTL_DEBUG', '1', true), variable('NODE_DEBUG', '*'), variable('DEBUG', '*')],
  {...variable('NODE_OPTIONS', TRACES, true), name: 'NODE_OPTIONS=--trace-*'},
  ALL,
]

interface Rule {
  readonly kinds: readonly SecretKind[]
  /** Shown also when the command fails: what the service itself says in an answer that is the result. */
  readonly always?: readonly SecretKind[]
  /** What stdout contains if the result is printed though the command failed. */
  readonly besides?: RegExp
}

const RESERVATIONS: Rule = {kinds: ['identity number', 'payment address']}
const EVENTS: Rule = {kinds: ['kept voucher link']}

/** Secrets that a successful command may show on stdout. */
export const RESULTS: Readonly<Record<string, Rule>> = {
  token: {kinds: ['access token']},
  'webhooks:create': {kinds: ['signing secret']},
  'sandbox:env': {kinds: ['client secret']},
  'sandbox:start': {kinds: ['client secret']},
  api: {
    kinds: ['payment address', 'voucher link', 'identity number', 'signing secret'],
    always: ['payment address', 'voucher link', 'identity number', 'card number'],
  },
  // Also one that is still to be paid when the wait ended.
  reserve: {...RESERVATIONS, besides: /^ {2}"outcome": "pending_payment",$/m},
  'webhooks:events:show': EVENTS,
  'webhooks:events:export': EVENTS,
  'sandbox:pay': RESERVATIONS,
  'reservations:list': RESERVATIONS,
  'reservations:show': RESERVATIONS,
  'reservations:update': RESERVATIONS,
  'reservations:cancel': RESERVATIONS,
}

/** What a command said on stderr, but for where the customer of a reservation that waits has to pay now. */
const talkOf = (command: string, stderr: string) =>
  command === 'reserve' ? stderr.replace(/^Pay at https?:\/\/\S+$/gm, 'Pay at …') : stderr

/** Files that contain a secret for a purpose: the stores, the user's own, and the voucher itself. */
const STORES: readonly (readonly [RegExp, readonly SecretKind[]])[] = [
  [/^config\/tokens\.db(-wal|-shm)?$/, ['access token', 'client secret', 'signing secret']],
  [/^(secret|signing)\.txt$/, ['client secret', 'signing secret']],
  [/^config\/state\.db(-wal|-shm)?$/, ['payment address', 'kept payment address', 'kept identity number']],
  [/^config\/events\.db(-wal|-shm)?$/, ['kept voucher link']],
  [/^v\.pdf$/, ['identity number']],
]

/** What may be on stdout of a command that ended so. */
export function resultsOf(command: string, exit: unknown, stdout: string): readonly SecretKind[] {
  const {kinds = [], always = [], besides} = RESULTS[command] ?? {}
  return exit === 0 || besides?.test(stdout) ? [...kinds, ...always] : always
}

/** What a file may contain after a command that ended so. */
export function allowedIn(name: string, command: string, exit: unknown): readonly SecretKind[] {
  const kinds = STORES.flatMap(([file, each]) => (file.test(name) ? each : []))
  // The journal keeps the body, and with it people's data, until the outcome is known.
  const isOpen = command === 'reserve' && exit === 10 && /^config\/state\.db/.test(name)
  return isOpen ? [...kinds, 'identity number'] : kinds
}

export interface Watched extends Finished {
  /** Of the command and its children, without what was typed, which is there for all to see. */
  readonly commandLines: string
  /** Of its children. */
  readonly environments: string
}

/** What may be shown besides, or in place of what `command` may show by itself. */
interface Allowed {
  readonly stdout?: readonly SecretKind[]
  readonly commandLines?: readonly SecretKind[]
  readonly file?: (name: string) => readonly SecretKind[] | undefined
}

/** Where secrets are shown that may not be: streams, the process list, what children were given, and every file. */
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
