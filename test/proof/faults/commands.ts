/**
 * The rows of the matrix: every command that sends requests to the service, with the request that the fault applies to. Commands
 * without a row are listed with the reason, so that a test fails if a new command is in neither list.
 */
import {randomUUID} from 'node:crypto'
import {searchRequest} from '../../support/sandbox.js'
import {booking, type Side} from '../shared/scene.js'
import type {Fault} from './connections.js'
import type {Nature, Traits} from './rules.js'

/**
 * The values of the words in capitals in a command line: an invented value, and a function that creates a real one in the
 * sandbox.
 */
const WORDS = {
  OFFER: ['off_1', side => side.offer()],
  RESERVATION: ['RSV-1', side => side.reservation()],
  UNPAID: ['RSV-1', side => side.reservation('instant')],
  SUBSCRIPTION: ['whsub_1', side => side.subscription()],
  HOTEL: ['h1', async side => (await side.show(`/hotels/offers/${await side.offer()}`)).hotel.hotel_id],
  TOUR: ['t1', async side => (await side.call('POST', '/tours/search', TOURS))[0].tour_id],
  DELIVERY: [
    'dlv_1',
    async side =>
      (await side.call('POST', `/webhooks/subscriptions/${await side.subscription()}/test`)).delivery_id,
  ],
  REFERENCE: ['ref-1', async () => `cell-${randomUUID()}`],
  ADDRESS: ['https://a.example/', async () => `https://127.0.0.1:1/${randomUUID()}`],
  EMAIL: ['a@b.example', async () => `${randomUUID()}@example.com`],
} satisfies Record<string, readonly [string, (side: Side) => Promise<string>]>
type Made = Partial<Record<keyof typeof WORDS, string>>

export interface Row extends Traits {
  /** The id of the command in the manifest. */
  readonly command: string
  /** Which of its requests is meant, if a command has several rows. */
  readonly part?: string
  readonly nature: Nature
  readonly method: string
  readonly path: RegExp
  /** The command line. */
  readonly line: string
  /** Members that the body of the request must have; it may have more. */
  readonly sends?: (made: Made) => object
  /** Returns how often the service made the change: 0 or 1. More is the error that the proof looks for. */
  readonly effects?: (side: Side, made: Made) => Promise<number>
  /** Commands that run before the fault. */
  readonly first?: readonly string[]
  /** The command reports faults as its result. Its exit code is that of the fault it found, or always 0. */
  readonly reports?: 'exit' | 'always 0'
  /** Credentials come from the profile that `first` created, not from the environment. */
  readonly usesProfile?: boolean
  /** Selects the faults that have no meaning for this command. */
  readonly leavesOut?: (fault: Fault) => boolean
  /** The file that the command writes to the working directory when it succeeds. */
  readonly writes?: string
}

/** The arguments and the expectations of one cell. */
export interface Errand {
  readonly argv: readonly string[]
  readonly reference: string | undefined
  readonly sends: object | undefined
  readonly effects: (() => Promise<number>) | undefined
}

export async function errandOf({line, sends, effects}: Row, side: Side): Promise<Errand> {
  const made: Made = {}
  for (const [name, [, make]] of Object.entries(WORDS))
    if (line.includes(name)) made[name as keyof Made] = await make(side)
  return {
    argv: filled(line, made),
    reference: made.REFERENCE,
    sends: sends?.(made),
    effects: effects && (() => effects(side, made)),
  }
}

const filled = (line: string, made: Made) =>
  line
    .split(' ')
    .map(word => Object.entries(made).reduce((text, [name, value]) => text.replace(name, value), word))

/**
 * Returns the row of a command line. The command's name is the words before the first one that is in capitals or has a dash or a
 * dot.
 */
function row(
  nature: Nature,
  method: string,
  path: string | RegExp,
  line: string,
  more: Partial<Row> = {},
): Row {
  const words = line.split(' ')
  const end = words.findIndex(word => !/^[a-z]+$/.test(word))
  const command = words.slice(0, end < 0 ? words.length : end).join(':')
  const where = path instanceof RegExp ? path : new RegExp(`^/partner-api/v1${path}(\\?|$)`)
  return {command, nature, method, path: where, line, isGuessed: GUESSED.test(command), ...more}
}
const read = (path: string, line: string, more?: Partial<Row>) => row('read', 'GET', path, line, more)
const asked = (path: string, line: string, sends: object) =>
  row('read', 'POST', path, line, {sends: () => sends})
const once = (method: string, path: string, line: string, more?: Partial<Row>) =>
  row('once', method, path, line, more)
const control = (path: string, line: string, more?: Partial<Row>) =>
  row('read', 'GET', new RegExp(`^/_sandbox${path}`), line, {...more, isControl: true})
const controlChange = (path: string, line: string, more?: Partial<Row>) =>
  row('once', 'POST', new RegExp(`^/_sandbox${path}`), line, {...more, isControl: true})

/** Commands whose paths the interface does not show (§4.9). */
const GUESSED =
  /^(content|hotels:(price|show)|tours|reservations|webhooks:((list|update|delete|rotate)$|events:missing))/
const SUBSCRIPTION = '/webhooks/subscriptions/[^/]+'
const RESERVATION = '/reservations/[^/]+'
const PLACE = {type: 'CITY', id: 101}
const TOURS = {destination: PLACE, date: '2030-06-01', currency: 'EUR'}
const WHERE = '--city 101 --currency EUR'
const LOGIN = 'login --client-id cid_sandbox --client-secret-file secret.txt'
const CLIENT = {grant_type: 'client_credentials', client_id: 'cid_sandbox', client_secret: 'sk_test_sandbox'}
const SEARCHED = searchRequest({check_in: '2030-06-01', check_out: '2030-06-02'})

/** Deactivates a subscription. */
const PAUSING: Partial<Row> = {
  sends: () => ({is_active: false}),
  async effects(side, {SUBSCRIPTION: id}) {
    const {is_active} = await side.show(`/webhooks/subscriptions/${id}`)
    return Number(!is_active)
  },
}
const SUBSCRIBING: Partial<Row> = {
  sends: ({ADDRESS: url}) => ({url, events: ['voucher.ready']}),
  effects: async (side, {ADDRESS = ''}) => (await side.subscriptionsTo(ADDRESS)).length,
}
/** Subscribes beside a subscription. */
const ROTATING: Partial<Row> = {
  sends: () => ({events: ['voucher.ready']}),
  async effects(side, {SUBSCRIPTION: id}) {
    const {url} = await side.show(`/webhooks/subscriptions/${id}`)
    return (await side.subscriptionsTo(url)).length - 1
  },
}
const paying = (result: 'paid' | 'failed'): Partial<Row> => ({
  sends: () => ({result}),
  async effects(side, {UNPAID: ref}) {
    const {payment} = await side.show(`/reservations/${ref}`)
    return Number(payment.status === result.toUpperCase())
  },
})
const CANCELLING: Partial<Row> = {
  effects: async (side, {RESERVATION: ref}) =>
    Number((await side.show(`/reservations/${ref}`)).status === 'CANCELLED'),
}
const UPDATING: Partial<Row> = {
  sends: ({EMAIL: email}) => ({contact: {email}}),
  async effects(side, {RESERVATION: ref, EMAIL: email}) {
    const {contact} = await side.show(`/reservations/${ref}`)
    return Number(contact.email === email)
  },
}
const GUEST = {name: 'Ayşe', surname: 'Öğüt', identity: {type: 'TC', number: '10000000146'}, is_lead: true}
function reserving(part: 'account' | 'instant' | 'wait'): Row {
  const mode = part === 'account' ? 'account' : 'instant'
  const line = booking('OFFER', ['--client-reference', 'REFERENCE'], mode).join(' ')
  const more: Partial<Row> = {
    part,
    sends: ({OFFER, REFERENCE}) => ({
      offer_id: OFFER,
      client_reference_id: REFERENCE,
      client_nationality: 'TR',
      payment: {mode},
      guests: [GUEST, {name: 'Can'}],
      contact: {email: 'ayse@example.com', phone_country_code: '+90'},
    }),
    effects: async (side, {REFERENCE}) => (await side.reservations(REFERENCE)).length,
  }
  return part === 'wait'
    ? row('wait', 'GET', `${RESERVATION}/voucher`, `${line} --wait=1`, more)
    : row('keyed', 'POST', '/reservations/hotel', line, more)
}

export const ROWS: readonly Row[] = [
  read('/account', 'account', {takes: 'object'}),
  read('/account', 'api GET /account', {takes: 'bytes'}),
  once('POST', `${SUBSCRIPTION}/test`, 'api POST /webhooks/subscriptions/SUBSCRIPTION/test --yes', {
    part: 'changing',
    takes: 'bytes',
  }),
  once(
    'PATCH',
    SUBSCRIPTION,
    'api PATCH /webhooks/subscriptions/SUBSCRIPTION --data {"is_active":false} --yes',
    {...PAUSING, part: 'body', takes: 'bytes'},
  ),
  ...['cities', 'countries', 'currencies'].map(what => read(`/content/${what}`, `content ${what}`)),
  read('/hotels/offers/[^/]+', 'hotels price OFFER'),
  read('/hotels/[^/]+', 'hotels show HOTEL', {takes: 'object'}),
  asked(
    '/hotels/search',
    `hotels search ${WHERE} --check-in 2030-06-01 --nights 1 --room 2 --nationality TR`,
    SEARCHED,
  ),
  asked('/tours/search', `tours search ${WHERE} --date 2030-06-01`, TOURS),
  read('/tours/[^/]+', 'tours show TOUR'),
  ...[LOGIN, 'token', 'whoami --check'].map(line =>
    row('token', 'POST', '/oauth/token', line, {sends: () => CLIENT}),
  ),
  row('revoke', 'POST', '/oauth/revoke', 'logout', {first: ['account']}),
  row('revoke', 'POST', '/oauth/revoke', 'profiles remove to-leave', {
    first: [`${LOGIN} --profile to-leave`],
    usesProfile: true,
  }),
  read('/reservations', 'reservations list'),
  // Of a time without reservations, because those of the other cells are not in its journal.
  read('/reservations', 'reservations reconcile --until 2020-01-01'),
  read(RESERVATION, 'reservations show RESERVATION'),
  once('PATCH', RESERVATION, 'reservations update RESERVATION --contact email=EMAIL', {
    ...UPDATING,
    takes: 'object',
  }),
  once('POST', `${RESERVATION}/cancel`, 'reservations cancel RESERVATION --yes', {
    ...CANCELLING,
    takes: 'object',
  }),
  read(`${RESERVATION}/cancellation-quote`, 'reservations cancel RESERVATION --yes', {part: 'quote'}),
  ...(['account', 'instant', 'wait'] as const).map(reserving),
  read(`${RESERVATION}/voucher`, 'voucher download --file v.pdf RESERVATION', {writes: 'v.pdf'}),
  row('link', 'GET', /\/vouchers?\//, 'voucher download --file v.pdf RESERVATION', {
    part: 'link',
    writes: 'v.pdf',
    // A PDF is recognised by its content, and its end by its last bytes.
    leavesOut: ({name}) => name === 'pdf-200',
  }),
  once('POST', '/webhooks/subscriptions', 'webhooks create --url ADDRESS --event voucher.ready', SUBSCRIBING),
  once(
    'POST',
    '/webhooks/subscriptions',
    'webhooks listen --subscribe --public-url ADDRESS --event voucher.ready',
    // A subscribed receiver waits for events until it is stopped.
    {...SUBSCRIBING, part: 'subscribe', leavesOut: ({conclusion}) => conclusion.kind === 'answered'},
  ),
  read('/webhooks/subscriptions', 'webhooks list'),
  read('/reservations', 'webhooks events missing'),
  once('POST', `${SUBSCRIPTION}/test`, 'webhooks test SUBSCRIPTION', {takes: 'any'}),
  once('PATCH', SUBSCRIPTION, 'webhooks update SUBSCRIPTION --passive', PAUSING),
  once('DELETE', SUBSCRIPTION, 'webhooks delete --yes SUBSCRIPTION', {takes: 'any'}),
  once('POST', '/webhooks/subscriptions', 'webhooks rotate SUBSCRIPTION', ROTATING),
  control('/clock$', 'sandbox clock'),
  control('/clock$', 'sandbox env'),
  control('/deliveries\\?', 'sandbox deliveries'),
  // The clock is moved by so little that the other cells, which share the sandbox, are not affected.
  controlChange('/clock$', 'sandbox clock --advance 1s', {
    part: 'advance',
    sends: () => ({advance_seconds: 1}),
  }),
  controlChange('/deliveries/[^/]+/redeliver$', 'sandbox deliveries --redeliver DELIVERY', {
    part: 'redeliver',
  }),
  control('/faults$', 'sandbox fault list'),
  control('/requests$', 'sandbox requests'),
  control('/certificate$', 'sandbox certify'),
  control('/ledger\\?', 'sandbox ledger'),
  // The fault and the event are chosen so that they do not affect the other cells.
  controlChange('/faults$', 'sandbox fault add --latency-ms 0 latency', {
    sends: () => ({kind: 'latency', latency_ms: 0}),
  }),
  row('read', 'DELETE', /^\/_sandbox\/faults$/, 'sandbox fault clear', {isControl: true}),
  control('/drills\\?', 'sandbox drill'),
  // The drill is of a client that no other cell uses.
  controlChange('/drills$', 'sandbox drill --client readonly busy', {
    part: 'arm',
    sends: () => ({client_id: 'cid_sandbox_readonly', drills: ['busy']}),
  }),
  // Events are not really played, because the receivers of the other cells would get them.
  controlChange('/chaos$', 'sandbox drill --chaos 7', {
    part: 'chaos',
    leavesOut: ({wire}) => wire?.forwards === true,
  }),
  controlChange('/trigger$', 'sandbox trigger payment.failed', {sends: () => ({type: 'payment.failed'})}),
  controlChange('/payments/', 'sandbox pay UNPAID', paying('paid')),
  controlChange('/payments/', 'sandbox pay UNPAID --decline', {...paying('failed'), part: 'decline'}),
  // A real reset is left out, because the other cells share the sandbox.
  controlChange('/reset$', 'sandbox reset', {leavesOut: ({wire}) => wire?.forwards === true}),
  read('/account', 'doctor', {reports: 'exit', takes: 'object'}),
  read('/account', 'support bundle b.zip --yes', {reports: 'always 0', writes: 'b.zip', takes: 'object'}),
]

export const nameOfRow = ({command, part}: Row) =>
  `${command.replaceAll(':', ' ')}${part ? ` (${part})` : ''}`

const INVENTED = Object.fromEntries(Object.entries(WORDS).map(([name, [text]]) => [name, text]))
/** The arguments of each row with invented values, so that nothing has to exist. A voucher goes to stdout. */
export const MADE_UP = ROWS.map(row => ({row, argv: filled(row.line, INVENTED)}))

/** Commands that send no request to the service. With these arguments they succeed. */
export const SILENT: Readonly<Record<string, string>> = {
  autocomplete: 'autocomplete bash',
  'config:get': 'config get currency',
  'config:list': 'config list',
  'config:path': 'config path',
  'config:set': 'config set currency EUR',
  'config:unset': 'config unset currency',
  journal: 'journal',
  'journal:forget': 'journal forget none',
  // Its requests are those of the tools that a client calls.
  mcp: 'mcp',
  'mcp:install': 'mcp install cursor --dry-run',
  'mcp:tools': 'mcp tools',
  'profiles:list': 'profiles list',
  'profiles:use': 'profiles use none',
  'sandbox:list': 'sandbox list',
  'sandbox:openapi': 'sandbox openapi',
  'webhooks:events:backup': 'webhooks events backup backup.db',
  'webhooks:events:export': 'webhooks events export',
  'webhooks:events:list': 'webhooks events list',
  'webhooks:events:prune': 'webhooks events prune --older-than 1d',
  'webhooks:events:show': 'webhooks events show evt_none',
  'webhooks:events:wait': 'webhooks events wait --id evt_none --within 1',
  'webhooks:status': 'webhooks status',
  'webhooks:service': 'webhooks service --systemd',
  'webhooks:sign': 'webhooks sign body.json --secret-file signing.txt',
  'webhooks:verify': 'webhooks verify body.json --signature t=1,v1=aa --secret-file signing.txt',
}

/** Commands whose requests go to a URL that the user names. Their faults are in receivers.ts. */
export const TO_RECEIVERS: readonly string[] = ['webhooks:events:replay', 'webhooks:probe', 'webhooks:tap']

/**
 * `sandbox start` receives requests, and its deliveries have tests of their own. `demo` and `sandbox run` use a sandbox of their
 * own. The faults of `reserve batch` are in the part `Batch`. `explain` does not fail if the service does: it leaves out what it
 * could not ask, as the part `Explanations` and the scenario check. `mcp approve` sends nothing, and needs a terminal.
 */
export const ELSEWHERE: readonly string[] = [
  'demo',
  'explain',
  'mcp:approve',
  'reserve:batch',
  'sandbox:run',
  'sandbox:start',
]
