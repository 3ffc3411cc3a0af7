/** Where a secret is what was asked for, each with the words of the surface (README, `--help`) that say so; and nowhere else. */
import type {SecretKind} from './canaries.js'

interface Rule {
  readonly kinds: readonly SecretKind[]
  /** The words that make it the result. */
  readonly source: string
  /** Whether it is there also when the command fails: what the service says of its own accord, in an answer that is the result. */
  readonly also?: readonly SecretKind[]
  /** What stdout holds where the result is printed though the command failed. */
  readonly besides?: RegExp
}

/** On stdout of a command that did what it was asked for. */
export const RESULTS: Readonly<Record<string, Rule>> = {
  token: {kinds: ['access token'], source: '`token` prints a valid access token'},
  'webhooks:create': {
    kinds: ['signing secret'],
    source: '{subscription: {id, url, events, secret, is_active}, stored_in}',
  },
  'sandbox:env': {kinds: ['client secret'], source: 'prints the exports for the running one'},
  'sandbox:start': {
    kinds: ['client secret'],
    source: 'its first line is {"type":"ready","base_url","origin","client_id","client_secret","pid"}',
  },
  api: {
    kinds: ['payment address', 'voucher link', 'identity number', 'signing secret'],
    also: ['payment address', 'voucher link', 'identity number', 'card number'],
    source: "`api METHOD PATH` → the answer's body",
  },
  reserve: {
    kinds: ['identity number', 'payment address'],
    // Made, and still to be paid when the wait ended, in whichever way.
    besides: /^ {2}"outcome": "pending_payment",$/m,
    source: 'reservation: {…as the service sent it}; on a pending payment it prints the payment address',
  },
  ...Object.fromEntries(
    ['webhooks:events:show', 'webhooks:events:export'].map(name => [
      name,
      {kinds: ['kept voucher link'], source: 'events as they came'} as Rule,
    ]),
  ),
  'sandbox:pay': {
    kinds: ['identity number', 'payment address'],
    source: 'reservation: the one that was paid, as the sandbox has it',
  },
  ...Object.fromEntries(
    ['list', 'show', 'update', 'cancel'].map(name => [
      `reservations:${name}`,
      {
        kinds: ['identity number', 'payment address'],
        source: 'reservations as the service sent them',
      } as Rule,
    ]),
  ),
}

/** Files that hold a secret for a purpose. */
export const STORES: readonly (Rule & {readonly file: RegExp})[] = [
  {
    file: /^config\/tokens\.db(-wal|-shm)?$/,
    kinds: ['access token', 'client secret', 'signing secret'],
    source: 'tokens.db: access tokens and, unless a keychain is chosen, client secrets and signing secrets',
  },
  {
    file: /^(secret|signing)\.txt$/,
    kinds: ['client secret', 'signing secret'],
    source: "the user's own file",
  },
  {
    file: /^config\/state\.db(-wal|-shm)?$/,
    kinds: ['payment address', 'kept payment address', 'kept identity number'],
    source:
      'state.db: the reservation journal, by which a repeat finds where to pay, and the guests and contacts you agreed to keep',
  },
  {
    file: /^config\/events\.db(-wal|-shm)?$/,
    kinds: ['kept voucher link'],
    source: 'events.db: webhook events received, as they came',
  },
  {file: /^v\.pdf$/, kinds: ['identity number'], source: 'the voucher itself'},
]

/** The journal keeps the body, and with it people's data, until the outcome is known. */
export const JOURNAL = /^config\/state\.db(-wal|-shm)?$/

/** What may be on stdout of a command that ended so. */
export function resultsOf(command: string, exit: unknown, stdout: string): readonly SecretKind[] {
  const {kinds = [], also = [], besides} = RESULTS[command] ?? {}
  return exit === 0 || besides?.test(stdout) ? [...kinds, ...also] : also
}
