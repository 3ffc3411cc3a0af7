/** Each rule near its limits: what is still right, and what is not any more. */
import {expect, test} from 'vitest'
import type {Facts, SeenAttempt, SeenRequest} from '../../../src/sandbox/certify/evidence.js'
import {judge} from '../../../src/sandbox/certify/judge.js'

/** A request as a test describes it: when it begins (default: a second after the one before ended), and how long it takes. */
interface Told extends Partial<Omit<SeenRequest, 'facts' | 'begun' | 'ended'>> {
  readonly second?: number
  readonly takes?: number
  readonly facts?: Facts
}

const START = 1_900_000_000

/** Returns the requests in the order of their beginning, on a clock that was not moved unless `moved` says so. */
function requestsOf(...told: readonly Told[]): SeenRequest[] {
  let next = 0
  const all = told.map((each, n): SeenRequest => {
    const {second = next, takes = 0.02, ...rest} = each
    next = second + takes + 1
    return {
      sequence: n + 1,
      requestId: `req_${n + 1}`,
      clientId: 'cid_sandbox',
      operation: 'account.show',
      at: START + second + (each.moved ?? 0),
      moved: 0,
      begun: second * 1000,
      ended: (second + takes) * 1000,
      connection: null,
      connected: second * 1000,
      status: 200,
      ending: 'answered',
      code: null,
      fault: null,
      retryAfter: null,
      token: 'token-1',
      content: `content-${each.operation ?? ''}`,
      isProxied: false,
      facts: {},
      ...rest,
    }
  })
  return all.sort((a, b) => a.begun - b.begun)
}

function attemptsOf(...told: readonly Partial<SeenAttempt>[]): SeenAttempt[] {
  return told.map((each, n) => ({
    deliveryId: `dlv_${n + 1}`,
    subscriptionId: 'whsub_1',
    eventId: 'evt_1',
    reservation: 'RSV-1',
    created: START,
    at: START + n,
    begun: n * 10_000,
    ended: n * 10_000 + 50,
    status: 200,
    isAccepted: true,
    isSent: true,
    isLast: false,
    forgery: null,
    ...each,
  }))
}

/** Returns verdict and evidence of a rule: `failed 2,3`. */
function verdictOf(rule: string, requests: readonly SeenRequest[], attempts: readonly SeenAttempt[] = []) {
  const found = judge({requests, attempts}, 'cid_sandbox').rules.find(each => each.rule === rule)
  const ids = found?.evidence.map(id => id.replace(/^(req|dlv)_/, '')).join(',')
  return `${found?.verdict} ${ids}`.trim()
}

const issued = (n: number, more: Told = {}): Told => ({
  operation: 'token.create',
  token: null,
  facts: {issued: `token-${n}`, scopes: 'a b', askedScopes: 'account:read'},
  ...more,
})
const use = (n: number, more: Told = {}): Told => ({token: `token-${n}`, ...more})
const tokens = (count: number, uses: number, more: (n: number) => Told = () => ({})) =>
  Array.from({length: count}, (_, n) => [
    issued(n, more(n)),
    ...Array.from({length: uses}, () => use(n)),
  ]).flat()

test('token.cached: five needless tokens are too many, each of five calls or fewer', () => {
  expect(verdictOf('token.cached', requestsOf(...tokens(6, 5)))).toBe('failed 7,13,19,25,31')
  expect(verdictOf('token.cached', requestsOf(...tokens(5, 5)))).toBe('passed')
  expect(verdictOf('token.cached', requestsOf(...tokens(9, 6)))).toBe('passed')
  expect(verdictOf('token.cached', requestsOf(...tokens(1, 1)))).toBe('not_shown')
  // An earlier token with less than five minutes left is no better.
  const late = tokens(8, 2, n => ({second: n * 6910}))
  expect(verdictOf('token.cached', requestsOf(...late))).toBe('passed')
  const early = tokens(8, 2, n => ({second: n * 6890}))
  expect(verdictOf('token.cached', requestsOf(...early))).toMatch(/^failed/)
  // Other scopes need another token.
  const scopes = (n: number): Told => ({facts: {issued: `token-${n}`, scopes: `scope-${n}`}})
  expect(verdictOf('token.cached', requestsOf(...tokens(8, 2, scopes)))).toBe('passed')
  // Processes whose tokens are used in turn.
  const turns = Array.from({length: 3}, () => Array.from({length: 8}, (_, n) => use(n))).flat()
  const processes = [...Array.from({length: 8}, (_, n) => issued(n)), ...turns]
  expect(verdictOf('token.cached', requestsOf(...processes))).toBe('passed')
  // Revoked tokens cannot be used again.
  const revoking = Array.from({length: 8}, (_, n) => [
    issued(n),
    use(n),
    {operation: 'token.revoke', token: null, facts: {revoked: `token-${n}`}},
  ]).flat()
  expect(verdictOf('token.cached', requestsOf(...revoking))).not.toMatch(/^failed/)
})

const EXPIRED = {status: 401, code: 'token_expired'} as const

test('token.renewed: the old token is not sent again, and the call is repeated', () => {
  expect(verdictOf('token.renewed', requestsOf(use(1, EXPIRED), issued(2), use(2)))).toBe('passed')
  expect(verdictOf('token.renewed', requestsOf(use(1, EXPIRED), use(1), issued(2), use(2)))).toBe('failed 2')
  expect(verdictOf('token.renewed', requestsOf(use(1, EXPIRED), issued(2)))).toBe('failed 1')
  expect(verdictOf('token.renewed', requestsOf(use(1), issued(2), use(2)))).toBe('not_shown')
  // A revoked token is no expired one.
  const revoked = {status: 401, code: 'token_invalid'}
  expect(verdictOf('token.renewed', requestsOf(use(1, revoked)))).toBe('not_shown')
  // What was under way when the 401 was answered, and what other workers sent a moment later.
  const workers = [
    use(1, {...EXPIRED, second: 10, takes: 0.5}),
    use(1, {...EXPIRED, second: 10.2, takes: 0.5}),
    use(1, {...EXPIRED, second: 12, takes: 0.5}),
  ]
  const renewed = [issued(2, {second: 12.6}), use(2), use(2), use(2)]
  expect(verdictOf('token.renewed', requestsOf(...workers, ...renewed))).toBe('passed')
  const slow = (second: number) => requestsOf(...workers, ...renewed, use(1, {...EXPIRED, second}), use(2))
  expect(verdictOf('token.renewed', slow(22.5))).toBe('passed')
  expect(verdictOf('token.renewed', slow(22.7))).toBe('failed 8')
  // The repeat is refused again, and the program gives up.
  expect(verdictOf('token.renewed', requestsOf(use(1, EXPIRED), issued(2), use(2, EXPIRED)))).toBe('passed')
  const inVain: Told = {operation: 'token.create', token: null, status: 503}
  expect(verdictOf('token.renewed', requestsOf(use(1, EXPIRED), inVain))).toBe('passed')
  // Another search is no repeat.
  const another = [issued(2), use(2, {content: 'another'})]
  expect(verdictOf('token.renewed', requestsOf(use(1, EXPIRED), ...another))).toBe('failed 1')
  // Each refused call is repeated, whoever does it first.
  expect(verdictOf('token.renewed', requestsOf(...workers, ...renewed.slice(0, -1)))).toBe('failed 3')
  const other: Told = {operation: 'hotels.search'}
  const crossed = [use(1, {...EXPIRED, second: 11, ...other}), ...renewed, use(2, other)]
  expect(verdictOf('token.renewed', requestsOf(...workers, ...crossed))).toBe('passed')
})

/** A request on a connection of its own, which was opened while the one before it was answered. */
const fresh = (at: number, more: Told): Told => ({
  second: at / 1000,
  takes: 0.001,
  connection: at - 2,
  connected: at - 2,
  ...more,
})

test('token.renewed: the sandbox reads one after the other what workers sent at the same time', () => {
  const old = [fresh(1000, use(1, EXPIRED)), fresh(1002, use(1, EXPIRED)), fresh(1004, use(1, EXPIRED))]
  const fine = [fresh(1006, issued(2)), fresh(1008, issued(3)), fresh(1010, use(2)), fresh(1012, use(2))]
  const expectOf = (...told: Told[]) => expect(verdictOf('token.renewed', requestsOf(...told)))
  expectOf(...old, ...fine, fresh(1014, use(3))).toBe('passed')
  // One that sends the next when it has the answer opens its connection then.
  const alone = (at: number, more: Told) => fresh(at, {...more, connection: at, connected: at})
  expectOf(
    alone(1000, use(1, EXPIRED)),
    alone(1002, use(1, EXPIRED)),
    alone(1004, use(2)),
    alone(1006, use(2)),
  ).toBe('failed 2')
  // A lost call that is a booking: its repeat says which reservation was made.
  const booking = use(1, {...EXPIRED, operation: 'reservations.create'})
  expectOf(booking, use(2, {operation: 'reservations.create', facts: {reservation: 'RSV-1'}})).toBe('passed')
})

test('token.cached: tokens that workers ask for because of a 401 are excused', () => {
  const seconds = (from: number) => from / 1000
  const worker = (n: number, connection: number) => ({
    connection,
    second: seconds(1000 + n * 3),
    takes: 0.002,
  })
  const each = Array.from({length: 12}, (_, n) => n)
  const refused = each.map(n => use(0, {...EXPIRED, ...worker(n, n), second: seconds(1000 + n)}))
  const renewing = each.map(n => issued(n + 1, worker(n, n)))
  const repeated = each.map(n => use(n + 1, {...worker(n, n), second: seconds(1100 + n * 3)}))
  const later = Array.from({length: 9}, (_, n) => use(12, {...worker(n, n), second: 3 + n}))
  const first = issued(0, {second: 0, connection: 0})
  const verdict = (...told: Told[]) => verdictOf('token.cached', requestsOf(first, ...told))
  expect(verdict(...refused, ...renewing, ...repeated, ...later)).toBe('passed')
  // A 401 excuses one token, and those that others ask for before they can know of it.
  const again = each.map(n => [
    issued(n + 20, {...worker(n, n), second: 20 + n}),
    use(n + 20, {...worker(n, n), second: 20.5 + n}),
  ])
  expect(verdict(...refused, ...renewing, ...repeated, ...again.flat())).toMatch(/^failed (\d+,){10,}/)
})

test('token.cached: the evidence is in the order of arrival, also of several sets of scopes', () => {
  const both = Array.from({length: 7}, (_, n) => [
    issued(n, {facts: {issued: `token-${n}`, scopes: 'a'}}),
    issued(n + 50, {facts: {issued: `token-${n + 50}`, scopes: 'b'}}),
    use(n),
    use(n + 50),
  ]).flat()
  expect(verdictOf('token.cached', requestsOf(...both))).toBe('failed 5,6,9,10,13,14,17,18,21,22,25,26')
})

test('token.scopes: needs twenty calls to judge', () => {
  const calls = (count: number) => Array.from({length: count}, () => use(1))
  const asking = (askedScopes: string) => issued(1, {facts: {issued: 'token-1', askedScopes}})
  const two = 'account:read hotels:read'
  expect(verdictOf('token.scopes', requestsOf(asking(two), ...calls(19)))).toBe('not_shown')
  expect(verdictOf('token.scopes', requestsOf(asking(two), ...calls(20)))).toBe('failed 1')
  expect(verdictOf('token.scopes', requestsOf(asking('account:read'), ...calls(20)))).toBe('passed')
})

test('secret.place: anywhere but in the body of a token request', () => {
  expect(verdictOf('secret.place', requestsOf(issued(1)))).toBe('passed')
  expect(verdictOf('secret.place', requestsOf(use(1)))).toBe('not_shown')
  const misplaced = use(1, {facts: {misplaced: 'secret in url'}})
  expect(verdictOf('secret.place', requestsOf(issued(1), misplaced))).toBe('failed 2')
})

const book = (n: number, more: Told = {}): Told => ({
  operation: 'reservations.create',
  status: 201,
  ...more,
  facts: {
    offer: `offer-${n}`,
    reference: `ref-${n}`,
    key: `key-${n}`,
    keyIsUuid: true,
    body: `body-${n}`,
    ...more.facts,
  },
})
const expired = (n: number, second: number, late: number, more: Told = {}) => {
  const at = START + second + (more.moved ?? 0)
  return book(n, {
    status: 410,
    code: 'offer_expired',
    second,
    ...more,
    facts: {expiresAt: at - late, ...more.facts},
  })
}

test('offer.fresh: expired by more than a minute, more than once', () => {
  expect(verdictOf('offer.fresh', requestsOf(book(1)))).toBe('passed')
  expect(verdictOf('offer.fresh', requestsOf(use(1)))).toBe('not_shown')
  expect(verdictOf('offer.fresh', requestsOf(expired(1, 1000, 61)))).toBe('passed')
  expect(verdictOf('offer.fresh', requestsOf(expired(1, 1000, 61), expired(2, 2000, 61)))).toBe('failed 1,2')
  expect(verdictOf('offer.fresh', requestsOf(expired(1, 1000, 60), expired(2, 2000, 60)))).toBe('passed')
  const used = {status: 409, code: 'offer_already_used'}
  expect(verdictOf('offer.fresh', requestsOf(book(1), book(1, {...used, facts: {key: 'other'}})))).toBe(
    'failed 2',
  )
  expect(verdictOf('offer.fresh', requestsOf(book(1), book(2, {...used, fault: 'status'})))).toBe('passed')
  const lost = book(1, {ending: 'cut', status: null})
  expect(verdictOf('offer.fresh', requestsOf(lost, book(1, {...used, facts: {key: 'other'}})))).toBe('passed')
})

test('offer.fresh: a moved clock excuses what was sent before the first refusal, not what follows', () => {
  const search: Told = {operation: 'hotels.search', second: 0}
  // The search was in second 0; the clock was moved by 1200 seconds, so its offers expired 300 seconds ago.
  const moved = (n: number, second: number, takes = 0.02) =>
    expired(n, second, 300 + second, {moved: 1200, takes})
  expect(verdictOf('offer.fresh', requestsOf(search, moved(1, 1)))).toBe('passed')
  expect(verdictOf('offer.fresh', requestsOf(search, moved(1, 1, 0.5), moved(2, 1.4)))).toBe('passed')
  expect(verdictOf('offer.fresh', requestsOf(search, moved(1, 1), moved(2, 2)))).toBe('failed 2,3')
  // Without the move they would have expired as well.
  const late = (n: number, second: number) => expired(n, second, second - 900 + 1200, {moved: 1200})
  expect(verdictOf('offer.fresh', requestsOf(search, late(1, 1000), late(2, 1000.001)))).toBe('failed 2,3')
})

test('reserve.key: each booking needs its own key', () => {
  expect(verdictOf('reserve.key', requestsOf(book(1), book(2), book(2)))).toBe('passed')
  const none: Told = {operation: 'reservations.create', facts: {body: 'body-1'}}
  expect(verdictOf('reserve.key', requestsOf(none))).toBe('failed 1')
  const reused = book(2, {facts: {key: 'key-1'}})
  expect(verdictOf('reserve.key', requestsOf(book(1), reused))).toBe('failed 2')
  expect(verdictOf('reserve.key', requestsOf(book(1, {status: 503}), reused))).toBe('failed 2')
  // Nothing was done, so the key is still free.
  expect(verdictOf('reserve.key', requestsOf(book(1, {status: 400}), reused))).toBe('passed')
  const word = book(1, {facts: {keyIsUuid: false}})
  expect(verdictOf('reserve.key_uuid', requestsOf(word))).toBe('failed 1')
  expect(verdictOf('reserve.key', requestsOf(word))).toBe('passed')
})

const LOST = {ending: 'cut', status: null} as const

test('reserve.lost_answer: repeated with its key, or searched for', () => {
  const other = book(1, {facts: {key: 'other'}})
  const look = (more: Told = {}): Told => ({
    operation: 'reservations.list',
    facts: {reference: 'ref-1', isEmpty: true},
    ...more,
  })
  const rule = 'reserve.lost_answer'
  expect(verdictOf(rule, requestsOf(book(1)))).toBe('not_shown')
  for (const how of [LOST, {ending: 'gone', status: null} as const, {status: 500}, {status: 504}]) {
    expect(verdictOf(rule, requestsOf(book(1, how)))).toBe('failed 1')
    expect(verdictOf(rule, requestsOf(book(1, how), book(1)))).toBe('passed')
    expect(verdictOf(rule, requestsOf(book(1, how), look()))).toBe('passed')
    expect(verdictOf(rule, requestsOf(book(1, how), other))).toBe('failed 1,2')
  }
  expect(verdictOf(rule, requestsOf(book(1, LOST), look(), other))).toBe('passed')
  const found = look({facts: {reference: 'ref-1', isEmpty: false}})
  expect(verdictOf(rule, requestsOf(book(1, LOST), found, other))).toBe('failed 1,3')
  // A look that was not answered yet tells nothing.
  expect(verdictOf(rule, requestsOf(book(1, LOST), look({second: 2, takes: 5}), {...other, second: 3}))).toBe(
    'failed 1,3',
  )
  // What was sent before the answer was lost is no second try.
  const atOnce = requestsOf(book(1, {...LOST, second: 0, takes: 9}), {...other, second: 1})
  expect(verdictOf(rule, atOnce)).toBe('failed 1')
  // The repeat says that it is still under way, or that it is sold out.
  const running = book(1, {status: 409, code: 'idempotency_in_progress'})
  expect(verdictOf(rule, requestsOf(book(1, LOST), running, other))).toBe('failed 1,3')
  const sold = book(1, {status: 410, code: 'rooms_unavailable'})
  expect(verdictOf(rule, requestsOf(book(1, LOST), sold, other))).toBe('passed')
  // Another booking is none of its business; a repeat before the loss is one.
  expect(verdictOf(rule, requestsOf(book(1, LOST), book(2)))).toBe('failed 1')
  expect(verdictOf(rule, requestsOf(book(1, {...LOST, second: 0, takes: 9}), book(1, {second: 1})))).toBe(
    'passed',
  )
})

test('reserve.reference: a used reference is not repeated; reserve.patience: an answer is awaited for 60 seconds', () => {
  const duplicate = {status: 409, code: 'duplicate_client_reference'} as const
  const again = book(2, {...duplicate, facts: {reference: 'ref-1'}})
  expect(verdictOf('reserve.reference', requestsOf(book(1), again))).toBe('failed 2')
  expect(verdictOf('reserve.reference', requestsOf(book(1, LOST), again))).toBe('not_shown')
  expect(verdictOf('reserve.reference', requestsOf(book(1), book(2)))).toBe('passed')
  expect(verdictOf('reserve.reference', requestsOf(book(1)))).toBe('not_shown')
  const gone = (takes: number) => book(1, {ending: 'gone', status: null, takes})
  expect(verdictOf('reserve.patience', requestsOf(gone(59.9)))).toBe('failed 1')
  expect(verdictOf('reserve.patience', requestsOf(gone(60)))).toBe('passed')
  expect(verdictOf('reserve.patience', requestsOf(book(1, {takes: 70})))).toBe('passed')
  expect(verdictOf('reserve.patience', requestsOf(book(1, {takes: 59})))).toBe('not_shown')
})

const early = (second: number, more: Told = {}): Told => ({
  operation: 'voucher.show',
  status: 409,
  code: 'reservation_not_confirmed',
  second,
  facts: {reservation: 'RSV-1'},
  ...more,
})

test('payment.waits: more than three times in a row without a pause of a second', () => {
  const asked = (count: number, pause: number) => Array.from({length: count}, (_, n) => early(n * pause))
  expect(verdictOf('payment.waits', requestsOf(...asked(4, 0.5)))).toBe('failed 1,2,3,4')
  expect(verdictOf('payment.waits', requestsOf(...asked(3, 0.5)))).toBe('passed')
  expect(verdictOf('payment.waits', requestsOf(...asked(9, 1)))).toBe('passed')
  // A timer may be a little early, and the clock may be moved instead of waiting.
  expect(verdictOf('payment.waits', requestsOf(...asked(9, 0.96)))).toBe('passed')
  const moved = Array.from({length: 9}, (_, n) => early(n * 0.1, {moved: n}))
  expect(verdictOf('payment.waits', requestsOf(...moved))).toBe('passed')
  // Different reservations, and different processes.
  const others = Array.from({length: 6}, (_, n) => early(n * 0.1, {facts: {reservation: `RSV-${n}`}}))
  expect(verdictOf('payment.waits', requestsOf(...others))).toBe('passed')
  expect(verdictOf('payment.waits', requestsOf(use(1)))).toBe('not_shown')
})

test('voucher.link: without Authorization, and within its hour', () => {
  const fetched = (second: number, more: Told = {}): Told => ({
    operation: 'voucher.download',
    token: null,
    second,
    ...more,
    facts: {reservation: 'RSV-1', expiresAt: START + 3600, isAuthorized: false, ...more.facts},
  })
  const gone = {status: 410}
  expect(verdictOf('voucher.link', requestsOf(fetched(10)))).toBe('passed')
  expect(verdictOf('voucher.link', requestsOf(fetched(10, {facts: {isAuthorized: true}})))).toBe('failed 1')
  expect(verdictOf('voucher.link', requestsOf(use(1, {second: 0}), fetched(3600, gone)))).toBe('failed 2')
  // The reservation was cancelled: the link itself is still valid.
  expect(verdictOf('voucher.link', requestsOf(use(1, {second: 0}), fetched(3599, gone)))).toBe('passed')
  const moved = {...gone, moved: 4000}
  expect(verdictOf('voucher.link', requestsOf(use(1, {second: 0}), fetched(10, moved)))).toBe('passed')
  expect(
    verdictOf('voucher.link', requestsOf(use(1, {second: 0}), fetched(10, moved), fetched(20, moved))),
  ).toBe('failed 2,3')
})

test('cancel.fee: shown only by a cancellation with a fee', () => {
  const cancel = (fee: string): Told => ({
    operation: 'reservations.cancel',
    facts: {reservation: 'RSV-1', fee},
  })
  const read = (operation: string, facts: Facts): Told => ({operation, facts})
  expect(verdictOf('cancel.fee', requestsOf(cancel('0.00')))).toBe('not_shown')
  expect(verdictOf('cancel.fee', requestsOf(cancel('10.00')))).toBe('failed 1')
  for (const operation of ['reservations.quote', 'reservations.show'])
    expect(
      verdictOf('cancel.fee', requestsOf(read(operation, {reservation: 'RSV-1'}), cancel('10.00'))),
    ).toBe('passed')
  const other = read('reservations.show', {reservation: 'RSV-2'})
  expect(verdictOf('cancel.fee', requestsOf(other, cancel('10.00')))).toBe('failed 2')
  const listed = read('reservations.list', {isEmpty: false})
  expect(verdictOf('cancel.fee', requestsOf(listed, cancel('10.00')))).toBe('passed')
})

test('errors.refusal: repeated unchanged more than twice', () => {
  const refused = (second: number, more: Told = {}): Told => ({
    status: 400,
    code: 'validation_failed',
    second,
    ...more,
  })
  const times = (count: number, more: Told = {}, gap = 1) =>
    requestsOf(...Array.from({length: count}, (_, n) => refused(n * gap, more)))
  expect(verdictOf('errors.refusal', times(3))).toBe('passed')
  expect(verdictOf('errors.refusal', times(4))).toBe('failed 1,2,3,4')
  expect(verdictOf('errors.refusal', requestsOf(use(1)))).toBe('not_shown')
  expect(verdictOf('errors.refusal', times(9, {}, 61))).toBe('passed')
  for (const passing of [
    {status: 409, code: 'idempotency_in_progress'},
    {status: 409, code: 'reservation_not_confirmed'},
    {status: 429, code: 'rate_limited'},
    {status: 408, code: 'request_timeout'},
  ])
    expect(verdictOf('errors.refusal', times(9, passing))).toBe('not_shown')
  // Each of several processes asks a few times; ten workers ask at once.
  const processes = Array.from({length: 9}, (_, n) => refused(n, {token: `token-${n % 3}`}))
  expect(verdictOf('errors.refusal', requestsOf(...processes))).toBe('passed')
  const workers = Array.from({length: 30}, (_, n) => refused(Math.floor(n / 10) + n / 1000, {takes: 0.5}))
  expect(verdictOf('errors.refusal', requestsOf(...workers))).toBe('passed')
  // Two workers in turn, each of which asks three times.
  const turns = [0, 0.05, 0.2, 0.35, 0.5, 0.65].map(second => refused(second, {takes: 0.1}))
  expect(verdictOf('errors.refusal', requestsOf(...turns))).toBe('passed')
  // It was accepted in between.
  const accepted = [refused(0), refused(1), refused(2), {second: 3, content: 'content-'}, refused(4)]
  expect(verdictOf('errors.refusal', requestsOf(...accepted))).toBe('passed')
})

test('errors.busy: Retry-After, and at most three repeats within a second', () => {
  const busy = (second: number, more: Told = {}): Told => ({status: 429, retryAfter: 2, second, ...more})
  expect(verdictOf('errors.busy', requestsOf(busy(0)))).toBe('passed')
  expect(verdictOf('errors.busy', requestsOf(use(1)))).toBe('not_shown')
  expect(verdictOf('errors.busy', requestsOf(busy(0), use(1, {second: 1.8})))).toBe('failed 2')
  expect(verdictOf('errors.busy', requestsOf(busy(0), use(1, {second: 2})))).toBe('passed')
  // The clock was moved instead of waiting; another request; the proxy's own repeat.
  expect(verdictOf('errors.busy', requestsOf(busy(0), use(1, {second: 0.1, moved: 3})))).toBe('passed')
  expect(verdictOf('errors.busy', requestsOf(busy(0), use(1, {second: 0.1, content: 'other'})))).toBe(
    'passed',
  )
  const proxied = {isProxied: true}
  expect(verdictOf('errors.busy', requestsOf(busy(0, proxied), use(1, {second: 0.1, ...proxied})))).toBe(
    'passed',
  )
  // Of workers that ask at once, the one that goes on was not told to wait.
  const atOnce = [busy(0, {takes: 0.3}), use(1, {second: 0.1, takes: 0.1}), busy(0.2, {takes: 0.1})]
  expect(verdictOf('errors.busy', requestsOf(...atOnce, use(1, {second: 0.5})))).toBe('passed')
  const failing = (count: number, gap: number) =>
    requestsOf(...Array.from({length: count}, (_, n): Told => ({status: 503, second: n * gap})))
  expect(verdictOf('errors.busy', failing(5, 0.2))).toBe('failed 1,2,3,4,5')
  expect(verdictOf('errors.busy', failing(4, 0.1))).toBe('passed')
  expect(verdictOf('errors.busy', failing(9, 0.3))).toBe('passed')
})

test('webhook.answer: 2xx within three seconds, of receivers that were reached', () => {
  const refused = {status: 500, isAccepted: false}
  expect(verdictOf('webhook.answer', [], attemptsOf({}))).toBe('passed')
  expect(verdictOf('webhook.answer', [], attemptsOf(refused))).toBe('failed 1')
  expect(verdictOf('webhook.answer', [], attemptsOf({ended: 3001}))).toBe('failed 1')
  expect(verdictOf('webhook.answer', [], attemptsOf({ended: 3000}))).toBe('passed')
})

test('webhook.answer: a receiver that is away, or cuts the connection', () => {
  const requests = requestsOf(use(1, {second: 0}))
  const active = requestsOf(use(1, {second: 0}), use(1, {second: 3600}))
  const judged = (attempts: SeenAttempt[], seen = requests) => verdictOf('webhook.answer', seen, attempts)
  const away = {status: null, isAccepted: false, isSent: false}
  // The program has ended, or its receiver has not started yet.
  expect(judged(attemptsOf(away), active)).toBe('not_shown')
  expect(judged(attemptsOf(away, away))).toBe('not_shown')
  expect(judged(attemptsOf(away, {}))).toBe('passed')
  // It is away when the event is sent again, while the program goes on.
  expect(judged(attemptsOf(away, away), active)).toBe('failed 1,2')
  expect(judged(attemptsOf(away, away, {}), active)).toBe('passed')
  // No attempt is left: the eighth, or the only one of a drill.
  expect(judged(attemptsOf({...away, isLast: true}))).toBe('failed 1')
  expect(judged(attemptsOf({...away, isLast: true, eventId: 'evt_2'}, {}))).toBe('failed 1')
  expect(judged(attemptsOf({...away, isLast: true, forgery: 'body'}))).toBe('not_shown')
  const cut = {status: null, isAccepted: false, ended: 100}
  expect(judged(attemptsOf(cut), active)).toBe('failed 1')
  // The program ended while the event was sent.
  expect(judged(attemptsOf(cut))).toBe('not_shown')
  expect(judged(attemptsOf({...cut, isLast: true}))).toBe('failed 1')
  expect(judged(attemptsOf(cut, {}))).toBe('passed')
  expect(judged(attemptsOf({status: null, isAccepted: false, ended: 3001}, {}))).toBe('failed 1')
  const textOf = (...attempts: Partial<SeenAttempt>[]) => {
    const {rules} = judge({requests: active, attempts: attemptsOf(...attempts)}, 'cid_sandbox')
    return rules.find(({rule}) => rule === 'webhook.answer')?.text
  }
  // One delivery that failed twice is one event.
  expect(textOf({...away, deliveryId: 'dlv_1'}, {...away, deliveryId: 'dlv_1'})).toMatch(
    /^1 event not answered/,
  )
  expect(textOf(away, {eventId: 'evt_2'})).toBe(
    '1 event answered 2xx within 3 s; 1 event could not be delivered yet',
  )
})

test('webhook.duplicate and webhook.disorder are no failures of webhook.answer', () => {
  const refused = {status: 409, isAccepted: false}
  const twice = attemptsOf({}, refused)
  expect(verdictOf('webhook.duplicate', [], twice)).toBe('failed 2')
  expect(verdictOf('webhook.answer', [], twice)).toBe('passed')
  expect(verdictOf('webhook.duplicate', [], attemptsOf(refused, {}))).toBe('not_shown')
  expect(verdictOf('webhook.duplicate', [], attemptsOf({}, {}))).toBe('passed')
  const newer = {eventId: 'evt_2', created: START + 10}
  const older = {created: START}
  expect(verdictOf('webhook.disorder', [], attemptsOf(newer, {...older, ...refused}))).toBe('failed 2')
  expect(verdictOf('webhook.answer', [], attemptsOf(newer, {...older, ...refused}))).toBe('passed')
  expect(verdictOf('webhook.disorder', [], attemptsOf(newer, older))).toBe('passed')
  // Refused already when it was the newest; of another reservation; under way at the same time.
  expect(verdictOf('webhook.disorder', [], attemptsOf(refused, newer, refused))).toBe('not_shown')
  const other = {...older, ...refused, reservation: 'RSV-2'}
  expect(verdictOf('webhook.disorder', [], attemptsOf(newer, other))).toBe('not_shown')
  const parallel = attemptsOf({...newer, begun: 0, ended: 100}, {...older, ...refused, begun: 50, ended: 120})
  expect(verdictOf('webhook.disorder', [], parallel)).toBe('not_shown')
})

test('webhook.signature: no forgery is accepted; another refusal than 401 is advice', () => {
  const forged = {forgery: 'signature', status: 401, isAccepted: false} as const
  const rules = (...attempts: Partial<SeenAttempt>[]) =>
    ['webhook.signature', 'webhook.signature_status', 'webhook.answer'].map(rule =>
      verdictOf(rule, [], attemptsOf(...attempts)),
    )
  expect(rules(forged)).toEqual(['passed', 'passed', 'not_shown'])
  expect(rules({...forged, status: 400})).toEqual(['passed', 'failed 1', 'not_shown'])
  for (const forgery of ['signature', 'timestamp', 'body'] as const)
    expect(rules({forgery})).toEqual(['failed 1', 'not_shown', 'not_shown'])
})

test('the sheet counts verdicts, and says which rules are advice', () => {
  const sheet = judge({requests: requestsOf(issued(1), use(1)), attempts: []}, 'cid_sandbox', START)
  const {rules, ...counts} = sheet
  expect(counts).toEqual({
    client_id: 'cid_sandbox',
    since: '2030-03-17T17:46:40.000Z',
    requests: 2,
    passed: 1,
    failed: 0,
    not_shown: 19,
  })
  expect(rules.filter(({required}) => !required).map(({rule}) => rule)).toEqual([
    'reserve.key_uuid',
    'reserve.patience',
    'cancel.fee',
    'webhook.signature_status',
  ])
  for (const rule of rules) expect(Object.keys(rule).sort()).toEqual(Object.keys(rules[0] ?? {}).sort())
})
