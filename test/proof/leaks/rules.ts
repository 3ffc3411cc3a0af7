/** Where a secret is what was asked for, with the words of the README or `--help` that say so; and nowhere else. */
import type {SecretKind} from './canaries.js'

interface Rule {
  readonly kinds: readonly SecretKind[]
  readonly source: string
  /** Shown also when the command fails: what the service itself says in an answer that is the result. */
  readonly always?: readonly SecretKind[]
  /** What stdout contains if the result is printed though the command failed. */
  readonly besides?: RegExp
}

const RESERVATIONS: Rule = {
  kinds: ['identity number', 'payment address'],
  source: 'reservations as the service sent them',
}
const EVENTS: Rule = {kinds: ['kept voucher link'], source: 'events as they came'}

/** On stdout of a command that did what it was asked for. */
export const RESULTS: Readonly<Record<string, Rule>> = {
  token: {kinds: ['access token'], source: '`token` prints a valid access token'},
  'webhooks:create': {
    kinds: ['signing secret'],
    source: '{subscription: {id, url, events, secret, is_active}}',
  },
  'sandbox:env': {kinds: ['client secret'], source: 'prints the exports for the running one'},
  'sandbox:start': {kinds: ['client secret'], source: 'its first line has "client_id","client_secret","pid"'},
  api: {
    kinds: ['payment address', 'voucher link', 'identity number', 'signing secret'],
    always: ['payment address', 'voucher link', 'identity number', 'card number'],
    source: "`api METHOD PATH` → the answer's body",
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

/** Files that contain a secret for a purpose. */
const STORES: readonly (Rule & {readonly file: RegExp})[] = [
  {
    file: /^config\/tokens\.db(-wal|-shm)?$/,
    kinds: ['access token', 'client secret', 'signing secret'],
    source: 'tokens.db: access tokens, client secrets and signing secrets',
  },
  {
    file: /^(secret|signing)\.txt$/,
    kinds: ['client secret', 'signing secret'],
    source: "the user's own file",
  },
  {
    file: /^config\/state\.db(-wal|-shm)?$/,
    kinds: ['payment address', 'kept payment address', 'kept identity number'],
    source: 'state.db: the reservation journal, and the guests and contacts you agreed to keep',
  },
  {
    file: /^config\/events\.db(-wal|-shm)?$/,
    kinds: ['kept voucher link'],
    source: 'events.db: webhook events',
  },
  {file: /^v\.pdf$/, kinds: ['identity number'], source: 'the voucher itself'},
]

/** What may be on stdout of a command that ended so. */
export function resultsOf(command: string, exit: unknown, stdout: string): readonly SecretKind[] {
  const {kinds = [], always = [], besides} = RESULTS[command] ?? {}
  return exit === 0 || besides?.test(stdout) ? [...kinds, ...always] : always
}

/** What a file may contain after a command that ended so. */
export function allowedIn(name: string, command: string, exit: unknown): readonly SecretKind[] {
  const kinds = STORES.filter(({file}) => file.test(name)).flatMap(store => store.kinds)
  // The journal keeps the body, and with it people's data, until the outcome is known.
  const isOpen = command === 'reserve' && exit === 10 && /^config\/state\.db/.test(name)
  return isOpen ? [...kinds, 'identity number'] : kinds
}
