/**
 * The rows of the matrix: every command that makes a request of the service, with the request that is struck. A command
 * with two requests of different nature has two rows. Those that make none are in fault-silent.ts.
 */
import {randomUUID} from 'node:crypto'
import type {Fault} from './fault.js'
import {
  cancelling,
  downloading,
  type Errand,
  pausing,
  paying,
  reserving,
  subscribing,
} from './fault-errands.js'
import type {Nature, Traits} from './fault-rules.js'
import type {SandboxSide} from './sandbox-side.js'

export interface Row extends Traits {
  /** As in the manifest. */
  readonly command: string
  /** Where a command has several rows. */
  readonly part?: string
  readonly nature: Nature
  readonly method: string
  readonly path: RegExp
  /** What is typed, and what must be there for it. */
  readonly errand: (side: SandboxSide) => Promise<Errand>
  /** Commands to run first, through the proxy, while it breaks nothing. */
  readonly first?: readonly (readonly string[])[]
  /** It tells of faults in a report, and ends with 0 or with the exit code of what it found. */
  readonly reports?: 'exit' | 'always 0'
  /** Credentials come from the profile that `first` made, not from the environment. */
  readonly usesProfile?: boolean
  /** Faults that mean nothing here, and why. */
  readonly leavesOut?: (fault: Fault) => boolean
  /** What it leaves in the working directory when it succeeds. */
  readonly writes?: string
}

const typed =
  (...argv: string[]) =>
  () =>
    Promise.resolve({argv})

const sending =
  (sends: object, ...argv: string[]) =>
  () =>
    Promise.resolve({argv, sends})

const CREDENTIALS = {
  ...{grant_type: 'client_credentials', client_id: 'cid_sandbox', client_secret: 'sk_test_sandbox'},
}
const PLACE = {type: 'CITY', id: 101}
const SEARCHED = {
  ...{destination: PLACE, check_in: '2030-06-01', check_out: '2030-06-02', client_nationality: 'TR'},
  ...{rooms: [{adults: 2, children_ages: []}], currency: 'EUR'},
}
const WHERE = ['--city', '101', '--currency', 'EUR']
const STAY = ['--check-in', '2030-06-01', '--nights', '1', '--room', '2', '--nationality', 'TR']
const LOGIN = ['login', '--client-id', 'cid_sandbox', '--client-secret-file', 'secret.txt']

function read(command: string, path: RegExp, errand: Row['errand'], more: Partial<Row> = {}): Row {
  return {command, nature: 'read', method: 'GET', path, errand, ...more}
}

function change(command: string, part: string | undefined, path: RegExp, errand: Row['errand']): Row {
  const named = part === undefined ? {command} : {command, part}
  return {...named, nature: 'once', isControl: true, method: 'POST', path, errand}
}

const under = (path: string) => new RegExp(`/partner-api/v1${path}(\\?|$)`)

/** Commands whose paths are ours (§4.9). */
const GUESSED = /^(content|hotels:(price|show)|tours|reservations|webhooks:(list|update|delete)$)/

const RESERVE = {
  ...{command: 'reserve', nature: 'keyed' as const, method: 'POST', path: under('/reservations/hotel')},
}

const COMMANDS: readonly Row[] = [
  read('account', under('/account'), typed('account'), {takes: 'object'}),
  read('api', under('/account'), typed('api', 'GET', '/account'), {takes: 'bytes'}),
  {
    ...{command: 'api', part: 'changing', nature: 'once', method: 'POST', takes: 'bytes'},
    path: under('/webhooks/subscriptions/[^/]+/test'),
    errand: async side => ({
      argv: ['api', 'POST', `/webhooks/subscriptions/${await side.subscription()}/test`, '--yes'],
    }),
  },
  {
    ...{command: 'api', part: 'body', nature: 'once', method: 'PATCH', takes: 'bytes'},
    path: under('/webhooks/subscriptions/[^/]+'),
    errand: pausing(id => [
      ...['api', 'PATCH', `/webhooks/subscriptions/${id}`, '--data', '{"is_active":false}', '--yes'],
    ]),
  },
  ...['cities', 'countries', 'currencies'].map(what =>
    read(`content:${what}`, under(`/content/${what}`), typed('content', what)),
  ),
  read('hotels:price', under('/hotels/offers/[^/]+'), async side => ({
    argv: ['hotels', 'price', await side.offer()],
  })),
  read(
    'hotels:show',
    under('/hotels/[^/]+'),
    async side => ({argv: ['hotels', 'show', await side.hotel()]}),
    {takes: 'object'},
  ),
  read('hotels:search', under('/hotels/search'), sending(SEARCHED, 'hotels', 'search', ...WHERE, ...STAY), {
    method: 'POST',
  }),
  read(
    'tours:search',
    under('/tours/search'),
    sending({destination: PLACE, date: '2030-06-01'}, 'tours', 'search', ...WHERE, '--date', '2030-06-01'),
    {
      method: 'POST',
    },
  ),
  read('tours:show', under('/tours/[^/]+'), async side => ({argv: ['tours', 'show', await side.tour()]})),
  ...[LOGIN, ['token'], ['whoami', '--check']].map(
    (argv): Row => ({
      ...{command: argv[0] ?? '', nature: 'token', method: 'POST', path: under('/oauth/token')},
      errand: sending(CREDENTIALS, ...argv),
    }),
  ),
  {
    ...{command: 'logout', nature: 'revoke', method: 'POST', path: under('/oauth/revoke')},
    ...{errand: typed('logout'), first: [['account']]},
  },
  {
    ...{command: 'profiles:remove', nature: 'revoke', method: 'POST', path: under('/oauth/revoke')},
    errand: typed('profiles', 'remove', 'leaving'),
    ...{first: [[...LOGIN, '--profile', 'leaving']], usesProfile: true},
  },
  read('reservations:list', under('/reservations'), typed('reservations', 'list')),
  read('reservations:show', under('/reservations/[^/]+'), async side => ({
    argv: ['reservations', 'show', await side.reservation('account')],
  })),
  {
    ...{
      command: 'reservations:update',
      nature: 'once',
      takes: 'object',
      method: 'PATCH',
      path: under('/reservations/[^/]+'),
    },
    async errand(side) {
      const reference = await side.reservation('account')
      const email = `${randomUUID()}@example.com`
      return {
        sends: {contact: {email}},
        argv: ['reservations', 'update', reference, '--contact', `email=${email}`],
        effects: async () => {
          const {contact} = await side.show<{contact: {email: string}}>(`/reservations/${reference}`)
          return Number(contact.email === email)
        },
      }
    },
  },
  {
    ...{command: 'reservations:cancel', nature: 'once', takes: 'object', method: 'POST'},
    path: under('/reservations/[^/]+/cancel'),
    errand: cancelling,
  },
  read('reservations:cancel', under('/reservations/[^/]+/cancellation-quote'), cancelling, {part: 'quote'}),
  ...(['account', 'instant'] as const).map(mode => ({...RESERVE, part: mode, errand: reserving(mode)})),
  {
    ...{command: 'reserve', part: 'wait', nature: 'wait', method: 'GET'},
    ...{path: under('/reservations/[^/]+/voucher'), errand: reserving('instant', '--wait=1')},
  },
  read('voucher:download', under('/reservations/[^/]+/voucher'), downloading, {writes: 'v.pdf'}),
  {
    ...{command: 'voucher:download', part: 'link', nature: 'link', method: 'GET', path: /\/vouchers?\//},
    ...{errand: downloading, writes: 'v.pdf'},
    // A PDF is known by what it is, and its end by its end.
    leavesOut: ({name}) => name === 'pdf-200',
  },
  {
    ...{command: 'webhooks:create', nature: 'once', method: 'POST', path: under('/webhooks/subscriptions')},
    errand: side => subscribing(side, ['webhooks', 'create'], '--url'),
  },
  {
    ...{command: 'webhooks:listen', part: 'subscribe', nature: 'once', method: 'POST'},
    path: under('/webhooks/subscriptions'),
    errand: side => subscribing(side, ['webhooks', 'listen', '--subscribe'], '--public-url'),
    // What it does then is to wait for events.
    leavesOut: ({conclusion}) => conclusion.kind === 'answered',
  },
  read('webhooks:list', under('/webhooks/subscriptions'), typed('webhooks', 'list')),
  {
    ...{command: 'webhooks:test', nature: 'once', method: 'POST', takes: 'any'},
    path: under('/webhooks/subscriptions/[^/]+/test'),
    errand: async side => ({argv: ['webhooks', 'test', await side.subscription()]}),
  },
  {
    ...{command: 'webhooks:update', nature: 'once', method: 'PATCH'},
    path: under('/webhooks/subscriptions/[^/]+'),
    errand: pausing(id => ['webhooks', 'update', id, '--passive']),
  },
  {
    ...{command: 'webhooks:delete', nature: 'once', method: 'DELETE', takes: 'any'},
    path: under('/webhooks/subscriptions/[^/]+'),
    errand: async side => ({argv: ['webhooks', 'delete', await side.subscription(), '--yes']}),
  },
  read('sandbox:clock', /^\/_sandbox\/clock$/, typed('sandbox', 'clock'), {isControl: true}),
  read('sandbox:env', /^\/_sandbox\/clock$/, typed('sandbox', 'env'), {isControl: true}),
  read('sandbox:deliveries', /^\/_sandbox\/deliveries\?/, typed('sandbox', 'deliveries'), {isControl: true}),
  change('sandbox:clock', 'advance', /^\/_sandbox\/clock$/, async () => ({
    // Little enough for the other cells, which share the sandbox.
    ...{argv: ['sandbox', 'clock', '--advance', '1s'], sends: {advance_seconds: 1}},
  })),
  change('sandbox:deliveries', 'redeliver', /^\/_sandbox\/deliveries\/[^/]+\/redeliver$/, async side => ({
    ...{argv: ['sandbox', 'deliveries', '--redeliver', await side.delivery()], sends: {}},
  })),
  change('sandbox:pay', undefined, /^\/_sandbox\/payments\//, paying('paid', [])),
  change('sandbox:pay', 'decline', /^\/_sandbox\/payments\//, paying('failed', ['--decline'])),
  {
    ...change('sandbox:reset', undefined, /^\/_sandbox\/reset$/, async () => ({
      ...{argv: ['sandbox', 'reset'], sends: {}},
    })),
    // The other cells share the sandbox.
    leavesOut: ({wire}) => wire?.forwards === true,
  },
  read('doctor', under('/account'), typed('doctor'), {reports: 'exit', takes: 'object'}),
  read('support:bundle', under('/account'), typed('support', 'bundle', 'b.zip', '--yes'), {
    ...{reports: 'always 0', writes: 'b.zip', takes: 'object'},
  }),
]

export const ROWS: readonly Row[] = COMMANDS.map(row => ({...row, isGuessed: GUESSED.test(row.command)}))
