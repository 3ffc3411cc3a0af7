/**
 * The rows of the matrix: every command that makes a request of the service, with the request that is struck; and the
 * commands without a row, with the reason, so that a new command is in one of the lists or a test fails.
 */
import {
  cancelling,
  downloading,
  type Make,
  of,
  pausing,
  paying,
  reserving,
  subscribing,
  typed,
  updating,
} from './errands.js'
import type {Fault} from './fault.js'
import type {Nature, Traits} from './rules.js'

export interface Row extends Traits {
  /** As in the manifest. */
  readonly command: string
  /** Which of its requests, if a command has several rows. */
  readonly part?: string
  readonly nature: Nature
  readonly method: string
  readonly path: RegExp
  /** What is typed; makes what is needed for it. */
  readonly errand: Make
  /** Commands that run first, while nothing is wrong. */
  readonly first?: readonly (readonly string[])[]
  /** It reports faults, and ends with the exit code of what it found, or always with 0. */
  readonly reports?: 'exit' | 'always 0'
  /** Credentials come from the profile that `first` made, not from the environment. */
  readonly usesProfile?: boolean
  /** Faults that mean nothing here. */
  readonly leavesOut?: (fault: Fault) => boolean
  /** The file it leaves in the working directory when it succeeds. */
  readonly writes?: string
}

const under = (path: string) => new RegExp(`^/partner-api/v1${path}(\\?|$)`)
const row = (
  nature: Nature,
  command: string,
  method: string,
  path: RegExp,
  errand: Make,
  more: Partial<Row> = {},
) => ({
  ...{command, nature, method, path, errand},
  ...more,
})
const read = (command: string, path: string, errand: Make, more: Partial<Row> = {}): Row =>
  row('read', command, 'GET', under(path), errand, more)
const once = (command: string, method: string, path: string, errand: Make, more: Partial<Row> = {}): Row =>
  row('once', command, method, under(path), errand, more)
const control = (command: string, path: RegExp, errand: Make, more: Partial<Row> = {}): Row =>
  row('read', command, 'GET', path, errand, {...more, isControl: true})
const controlChange = (command: string, path: RegExp, errand: Make, more: Partial<Row> = {}): Row =>
  row('once', command, 'POST', path, errand, {...more, isControl: true})

const SUBSCRIPTION = '/webhooks/subscriptions/[^/]+'
const RESERVATION = '/reservations/[^/]+'
const PLACE = {type: 'CITY', id: 101}
const WHERE = ['--city', '101', '--currency', 'EUR']
const STAY = ['--check-in', '2030-06-01', '--nights', '1', '--room', '2', '--nationality', 'TR']
const LOGIN = ['login', '--client-id', 'cid_sandbox', '--client-secret-file', 'secret.txt']
const CLIENT = {grant_type: 'client_credentials', client_id: 'cid_sandbox', client_secret: 'sk_test_sandbox'}
const SEARCHED = {
  ...{destination: PLACE, check_in: '2030-06-01', check_out: '2030-06-02', client_nationality: 'TR'},
  rooms: [{adults: 2, children_ages: []}],
  currency: 'EUR',
}

const LISTED: readonly Row[] = [
  read('account', '/account', typed('account'), {takes: 'object'}),
  read('api', '/account', typed('api', 'GET', '/account'), {takes: 'bytes'}),
  once(
    'api',
    'POST',
    `${SUBSCRIPTION}/test`,
    async side => ({
      argv: ['api', 'POST', `/webhooks/subscriptions/${await side.subscription()}/test`, '--yes'],
    }),
    {part: 'changing', takes: 'bytes'},
  ),
  once(
    'api',
    'PATCH',
    SUBSCRIPTION,
    pausing(id => [
      'api',
      'PATCH',
      `/webhooks/subscriptions/${id}`,
      '--data',
      '{"is_active":false}',
      '--yes',
    ]),
    {part: 'body', takes: 'bytes'},
  ),
  ...['cities', 'countries', 'currencies'].map(what =>
    read(`content:${what}`, `/content/${what}`, typed('content', what)),
  ),
  read(
    'hotels:price',
    '/hotels/offers/[^/]+',
    of(side => side.offer(), 'hotels', 'price'),
  ),
  read(
    'hotels:show',
    '/hotels/[^/]+',
    of(
      async side => {
        const {hotel} = await side.show<{hotel: {hotel_id: string}}>(`/hotels/offers/${await side.offer()}`)
        return hotel.hotel_id
      },
      'hotels',
      'show',
    ),
    {takes: 'object'},
  ),
  read(
    'hotels:search',
    '/hotels/search',
    async () => ({argv: ['hotels', 'search', ...WHERE, ...STAY], sends: SEARCHED}),
    {method: 'POST'},
  ),
  read(
    'tours:search',
    '/tours/search',
    async () => ({
      argv: ['tours', 'search', ...WHERE, '--date', '2030-06-01'],
      sends: {destination: PLACE, date: '2030-06-01'},
    }),
    {method: 'POST'},
  ),
  read(
    'tours:show',
    '/tours/[^/]+',
    of(
      async side => {
        const asked = {destination: PLACE, date: '2030-06-01', currency: 'EUR'}
        const [tour] = await side.call<{tour_id: string}[]>('POST', '/tours/search', asked)
        return tour?.tour_id ?? ''
      },
      'tours',
      'show',
    ),
  ),
  ...[LOGIN, ['token'], ['whoami', '--check']].map(argv =>
    row('token', argv[0] ?? '', 'POST', under('/oauth/token'), async () => ({argv, sends: CLIENT})),
  ),
  row('revoke', 'logout', 'POST', under('/oauth/revoke'), typed('logout'), {first: [['account']]}),
  row('revoke', 'profiles:remove', 'POST', under('/oauth/revoke'), typed('profiles', 'remove', 'leaving'), {
    first: [[...LOGIN, '--profile', 'leaving']],
    usesProfile: true,
  }),
  read('reservations:list', '/reservations', typed('reservations', 'list')),
  read(
    'reservations:show',
    RESERVATION,
    of(side => side.reservation(), 'reservations', 'show'),
  ),
  once('reservations:update', 'PATCH', RESERVATION, updating, {takes: 'object'}),
  once('reservations:cancel', 'POST', `${RESERVATION}/cancel`, cancelling, {takes: 'object'}),
  read('reservations:cancel', `${RESERVATION}/cancellation-quote`, cancelling, {part: 'quote'}),
  ...(['account', 'instant'] as const).map(mode =>
    row('keyed', 'reserve', 'POST', under('/reservations/hotel'), reserving(mode), {part: mode}),
  ),
  row('wait', 'reserve', 'GET', under(`${RESERVATION}/voucher`), reserving('instant', '--wait=1'), {
    part: 'wait',
  }),
  read('voucher:download', `${RESERVATION}/voucher`, downloading, {writes: 'v.pdf'}),
  row('link', 'voucher:download', 'GET', /\/vouchers?\//, downloading, {
    part: 'link',
    writes: 'v.pdf',
    // A PDF is known by what it is, and its end by its end.
    leavesOut: ({name}) => name === 'pdf-200',
  }),
  once('webhooks:create', 'POST', '/webhooks/subscriptions', subscribing('webhooks', 'create', '--url')),
  once(
    'webhooks:listen',
    'POST',
    '/webhooks/subscriptions',
    subscribing('webhooks', 'listen', '--subscribe', '--public-url'),
    // Once subscribed, it waits for events.
    {part: 'subscribe', leavesOut: ({conclusion}) => conclusion.kind === 'answered'},
  ),
  read('webhooks:list', '/webhooks/subscriptions', typed('webhooks', 'list')),
  once(
    'webhooks:test',
    'POST',
    `${SUBSCRIPTION}/test`,
    of(side => side.subscription(), 'webhooks', 'test'),
    {takes: 'any'},
  ),
  once(
    'webhooks:update',
    'PATCH',
    SUBSCRIPTION,
    pausing(id => ['webhooks', 'update', id, '--passive']),
  ),
  once(
    'webhooks:delete',
    'DELETE',
    SUBSCRIPTION,
    of(side => side.subscription(), 'webhooks', 'delete', '--yes'),
    {takes: 'any'},
  ),
  control('sandbox:clock', /^\/_sandbox\/clock$/, typed('sandbox', 'clock')),
  control('sandbox:env', /^\/_sandbox\/clock$/, typed('sandbox', 'env')),
  control('sandbox:deliveries', /^\/_sandbox\/deliveries\?/, typed('sandbox', 'deliveries')),
  controlChange(
    'sandbox:clock',
    /^\/_sandbox\/clock$/,
    // Little enough for the other cells, which share the sandbox.
    async () => ({argv: ['sandbox', 'clock', '--advance', '1s'], sends: {advance_seconds: 1}}),
    {part: 'advance'},
  ),
  controlChange(
    'sandbox:deliveries',
    /^\/_sandbox\/deliveries\/[^/]+\/redeliver$/,
    of(
      async side => {
        const path = `/webhooks/subscriptions/${await side.subscription()}/test`
        return (await side.call<{delivery_id: string}>('POST', path)).delivery_id
      },
      'sandbox',
      'deliveries',
      '--redeliver',
    ),
    {part: 'redeliver'},
  ),
  controlChange('sandbox:pay', /^\/_sandbox\/payments\//, paying('paid')),
  controlChange('sandbox:pay', /^\/_sandbox\/payments\//, paying('failed', '--decline'), {part: 'decline'}),
  // The other cells share the sandbox.
  controlChange('sandbox:reset', /^\/_sandbox\/reset$/, typed('sandbox', 'reset'), {
    leavesOut: ({wire}) => wire?.forwards === true,
  }),
  read('doctor', '/account', typed('doctor'), {reports: 'exit', takes: 'object'}),
  read('support:bundle', '/account', typed('support', 'bundle', 'b.zip', '--yes'), {
    ...{reports: 'always 0', writes: 'b.zip', takes: 'object'},
  }),
]

/** Commands whose paths are ours (§4.9). */
const GUESSED = /^(content|hotels:(price|show)|tours|reservations|webhooks:(list|update|delete)$)/
export const ROWS: readonly Row[] = LISTED.map(each => ({...each, isGuessed: GUESSED.test(each.command)}))

export const nameOfRow = ({command, part}: Row) =>
  `${command.replaceAll(':', ' ')}${part ? ` (${part})` : ''}`

const VERIFY = 'webhooks verify body.json --signature t=1,v1=aa --secret-file signing.txt'
const SIGN = 'webhooks sign body.json --secret-file signing.txt'
/** Commands that ask the service nothing; typed like this they succeed, and no request is seen. */
export const SILENT: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({
    autocomplete: 'autocomplete bash',
    'config:get': 'config get currency',
    'config:list': 'config list',
    'config:path': 'config path',
    'config:set': 'config set currency EUR',
    'config:unset': 'config unset currency',
    journal: 'journal',
    'journal:forget': 'journal forget none',
    'profiles:list': 'profiles list',
    'profiles:use': 'profiles use none',
    'sandbox:openapi': 'sandbox openapi',
    'webhooks:events:export': 'webhooks events export',
    'webhooks:events:list': 'webhooks events list',
    'webhooks:events:show': 'webhooks events show evt_none',
    'webhooks:sign': SIGN,
    'webhooks:verify': VERIFY,
  }).map(([id, text]) => [id, text.split(' ')]),
)

/** Their requests go to an address that the user names; receivers.ts has their faults. */
export const TO_RECEIVERS: readonly string[] = ['webhooks:events:replay', 'webhooks:probe']

/** `sandbox start` is asked, and its deliveries have tests of their own; `demo` asks a sandbox in its own process. */
export const ELSEWHERE: readonly string[] = ['demo', 'sandbox:start']
