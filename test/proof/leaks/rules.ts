/** What makes a command say more, and where a secret is what was asked for: by README and `--help`, and nowhere else. */
import type {SecretKind} from './canaries.js'

/** Its own switches, and those of Node and of packages. */
export interface Switch {
  readonly name: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly asksForStacks?: boolean
}

const flag = (...argv: string[]): Switch => ({name: argv.join(' '), argv, env: {}})
const variable = (name: string, value: string, asksForStacks = false): Switch => ({
  ...{name: `${name}=${value}`, argv: [], env: {[name]: value}, asksForStacks},
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

/** On stdout of a command that did what it was asked for. */
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
