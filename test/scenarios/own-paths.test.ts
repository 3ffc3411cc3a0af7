/**
 * Operations that the interface names without showing (§4.9), on a service that is not the local sandbox. They are refused before
 * any request until the profile names their paths; then they work with paths, forms and texts of any kind.
 */
import type {ServerResponse} from 'node:http'
import {afterAll, beforeEach, describe, expect, test} from 'vitest'
import {openState} from '../../src/state/state.js'
import {Home} from '../support/bookctl.js'
import {answer, ScriptedService} from '../support/scripted-service.js'
import {storedSecrets} from './scripted-home.js'

/** Escape sequences, a right-to-left override, and a forged line. */
const HOSTILE = 'Otel\u001b[2J\u202e\nError: paid'
const BOOKING = {
  reservation_ref: 'R-1',
  status: 'Confirmed',
  hotel: {title: HOSTILE},
  arrival: '2030-06-01',
  price: {value: 120.5, currency: 'EUR'},
}

const VOIDED = {...BOOKING, status: 'Voided', cancellation: {fee: 15, currency: 'EUR'}}
const TOUR = {code: 't1', title: HOSTILE, duration: 'PT2H', from_price: 20}
const CITY = {cityId: '5', cityName: HOSTILE, country: 'TR'}
const HOOK = {id: 'whsub_9', url: 'https://partner.example/'}
const BOOKED = {booking: BOOKING}
const HOOKS = {data: [HOOK]}

/** Operations, their paths, the commands that call them, and answers in forms that the local sandbox does not use. */
const OPERATIONS: [name: string, path: string, command: string, answer: object][] = [
  ['hotels.show', '/x/hotel/{hotel_id}', 'hotels show 7', {property: {id: 7, hotelName: HOSTILE}}],
  ['hotels.price', '/x/rate/{offer_id}', 'hotels price off_1', {rate: {total: '99.00 EUR'}}],
  ['tours.search', '/x/tours', 'tours search --city 101 --currency EUR', {found: {activities: [TOUR]}}],
  ['tours.show', '/x/tour/{tour_id}', 'tours show t1', {activity: TOUR}],
  ['reservations.list', '/x/bookings', 'reservations list', {bookings: [BOOKING]}],
  ['reservations.show', '/x/booking/{reservation_ref}', 'reservations show R-1', BOOKED],
  ['reservations.update', '/x/edit/{reservation_ref}', 'reservations update R-1 --contact name=A', BOOKED],
  ['reservations.cancel', '/x/void/{reservation_ref}', 'reservations cancel R-1 --yes', {booking: VOIDED}],
  ['subscriptions.list', '/x/hooks', 'webhooks list', HOOKS],
  ['subscriptions.update', '/x/change/{subscription_id}', 'webhooks update whsub_9 --active', HOOKS],
  ['subscriptions.delete', '/x/gone/{subscription_id}', 'webhooks delete whsub_9 --yes', {deleted: true}],
  ['content.countries', '/x/countries', 'content countries', {countries: {TR: {name: HOSTILE}}}],
  ['content.currencies', '/x/currencies', 'content currencies', ['EUR', 'TRY']],
  ['content.cities', '/x/cities', 'content cities', {results: [CITY]}],
]
const COMMANDS = OPERATIONS.map(([name, , command]) => [name, command.split(' ')] as const)
const PATHS = {...Object.fromEntries(OPERATIONS), 'reservations.quote': '/x/fee/{reservation_ref}'}
/** The answers by path, with the identifier that the command names. */
const ANSWERS: Readonly<Record<string, object>> = {
  ...Object.fromEntries(
    OPERATIONS.map(([, path, command, answer]) => [
      path.replace(/{.*}/, command.split(' ')[2] ?? ''),
      answer,
    ]),
  ),
  '/x/fee/R-1': {quote: {cancellationFee: {amount: 12, currency: 'EUR'}}},
}
const LIST = ['reservations', 'list']
const CANCEL = ['reservations', 'cancel', 'R-1', '--yes']
const VOID = '/x/void/R-1'

let answers: Record<string, object>
/** Answers the request that looks for a local sandbox. */
let clock: ((response: ServerResponse) => void) | undefined
let home: Home
const service = await ScriptedService.start()
afterAll(() => service.close())
service.tokenMilliseconds = 0
service.script = ({path}, response) => {
  const found = answers[path.split('?')[0] ?? '']
  if (path === '/_sandbox/clock' && clock) clock(response)
  else if (found) answer(response, 200, found)
  else return false
  return true
}
beforeEach(() => {
  answers = {...ANSWERS}
  clock = undefined
  home = new Home(service.env)
  service.forget()
  return () => home.remove()
})

function namePaths(paths: object, base_url = service.baseUrl): void {
  home.configure({profiles: {default: {base_url, client_id: 'cid_test', paths}}})
}

test.each(COMMANDS)('%s is refused where its path is not named', async (name, argv) => {
  const refusal = await home.refusal(argv)
  expect(refusal).toMatchObject({exit: 2, code: 'path_not_shown'})
  expect(refusal.hint).toContain(name === 'reservations.cancel' ? 'reservations.quote' : name)
  // On this machine, the only request is the one that looks for a local sandbox.
  expect(service.received.map(({path}) => path)).toEqual(['/_sandbox/clock'])
})

/** Services that look like a sandbox and are not. */
const NO_SANDBOX: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'a clock without the mark': response => answer(response, 200, {now: '2030-01-01T00:00:00Z'}),
  'the mark without a time': response => {
    response.setHeader('x-local-sandbox', 'bookctl')
    answer(response, 200, {now: 'soon'})
  },
  'a failing one': response => answer(response, 503, {}),
  'a page': response => response.writeHead(200, {'content-type': 'text/html'}).end('<p>'),
}

test.each(Object.entries(NO_SANDBOX))('%s is no sandbox, and is asked once', async (_, reply) => {
  clock = reply
  expect(await home.refusal(LIST)).toMatchObject({exit: 2, code: 'path_not_shown'})
  expect(service.received.map(({path}) => path)).toEqual(['/_sandbox/clock'])
})

test.each(['flag', 'credentials of the environment'])(
  'a path named for one service is not called on another, which the %s names',
  async from => {
    const other = 'http://127.0.0.1:9/v1'
    namePaths(PATHS, other)
    if (from === 'flag') {
      for (const name of ['CLIENT_ID', 'CLIENT_SECRET', 'BASE_URL']) delete home.env[`BOOKCTL_${name}`]
      const state = openState(home.configDirectory)
      await state.secrets.write({profile: 'default', clientId: 'cid_test'}, 'file', 'sk_test_right')
      state.close()
    }
    const here = from === 'flag' ? ['--base-url', service.baseUrl] : []
    for (const argv of [LIST, CANCEL])
      expect(await home.refusal([...argv, ...here])).toMatchObject({exit: 2, code: 'path_not_shown'})
    expect(service.received.filter(({path}) => path !== '/_sandbox/clock')).toEqual([])
    const dry = await home.json<{url: string}>([...CANCEL, '--dry-run', ...here])
    expect(dry.result.url).toBe(`${service.baseUrl}/reservations/R-1/cancel`)
  },
)

test('paths apply to the service in any spelling of its URL, and not after a login to another service', async () => {
  namePaths(PATHS, `${service.baseUrl.replace('http:', 'HTTP:')}/`)
  expect((await home.run(LIST)).exit).toBe(0)
  namePaths(PATHS, 'http://127.0.0.1:9/v1')
  const login = ['login', '--client-id', 'cid_test', '--client-secret-stdin']
  expect((await home.run(login, {stdin: 'sk_test_right'})).exit).toBe(0)
  expect((await home.run(LIST)).exit).toBe(2)
})

test('a cancellation is refused if the quote has no path, even if the cancellation has one', async () => {
  const {'reservations.quote': _, ...paths} = PATHS
  namePaths(paths)
  const refusal = await home.refusal(CANCEL)
  expect(refusal).toMatchObject({exit: 2, code: 'path_not_shown'})
  expect(refusal.message).toContain('what a cancellation costs is asked before it is sent')
  expect(service.seen(VOID)).toEqual([])
})

test.each(COMMANDS)('%s works where its path is named, whatever the answer', async (name, argv) => {
  namePaths(PATHS)
  const {exit, stdout, stderr} = await home.run([...argv, '--format', 'table'])
  expect([exit, name]).toEqual([0, name])
  expect(stdout).not.toBe('')
  for (const text of ['\u001b', '\u202e', '\nError: paid'])
    expect(`\n${stdout}\n${stderr}`).not.toContain(text)
})

test('warns of a cancellation that costs more than quoted, or has an unknown status', async () => {
  namePaths(PATHS)
  const {result, stderr} = await home.json(CANCEL)
  expect(result).toMatchObject({
    outcome: 'voided',
    fee: {amount: '15.00', currency: 'EUR'},
    refund: null,
    quote: {fee: {amount: '12.00', currency: 'EUR'}, refund: null},
  })
  expect(stderr).toContain('Warning: the fee is 15.00 EUR, where 12.00 EUR was quoted')
  expect(stderr).toContain('reports voided; check its state: bookctl reservations show R-1')
})

test('cities that were listed are remembered, to be chosen by name later', async () => {
  namePaths(PATHS)
  await home.run(['content', 'cities'])
  const state = openState(home.configDirectory)
  expect(state.cities.list({baseUrl: service.baseUrl})).toEqual([{id: 5, name: HOSTILE, country_code: 'TR'}])
  state.close()
})

describe('a cancellation', () => {
  const cancel = (...more: string[]) =>
    home.refusal(['reservations', 'cancel', 'R-1', ...(more.length > 0 ? more : ['--yes'])])
  beforeEach(() => namePaths(PATHS))

  test('of a reservation that is already cancelled is not sent, also where a fee is quoted', async () => {
    answers['/x/booking/R-1'] = {booking: {...BOOKING, status: 'Cancelled'}}
    expect(await cancel()).toMatchObject({exit: 5, code: 'already_cancelled'})
    expect(service.seen(VOID)).toEqual([])
  })

  test.each([
    ['5', {fee: '4.00', currency: 'EUR'}, 'confirmation_needed', 'add --yes'],
    ['5 EUR', {fee: '4.00', currency: 'EUR'}, 'confirmation_needed', 'add --yes'],
    ['5', {fee: '6.00', currency: 'EUR'}, 'fee_too_high', '--max-fee "6.00 EUR"'],
    ['5', {fee: '4.00', currency: 'USD'}, 'fee_not_comparable', '--max-fee "5 USD"'],
    ['5 USD', {fee: '4.00', currency: 'EUR'}, 'fee_not_comparable', '--max-fee "5 EUR"'],
    ['5 EUR', {fee: '4.00'}, 'fee_not_comparable', 'ask the operator'],
  ])('with --max-fee %s where it costs %j: %s', async (most, quote, code, words) => {
    answers['/x/fee/R-1'] = quote
    const {hint = '', ...refused} = await cancel('--max-fee', most)
    expect(refused).toMatchObject({exit: 2, code})
    expect(hint).toContain(words)
    expect(service.seen(VOID)).toEqual([])
  })
})

describe('an answer about something other than what was asked for', () => {
  beforeEach(() => namePaths(PATHS))

  test('keeps the secret if another subscription may have been deleted', async () => {
    const state = openState(home.configDirectory)
    const stored = {subscription_id: 'whsub_9', profile: 'default', secret: 'whsec_1', stored_at: 1}
    state.secrets.putSigningSecret(stored)
    state.close()
    answers['/x/gone/whsub_9'] = {id: 'whsub_2', deleted: true}
    expect((await home.run(['webhooks', 'delete', 'whsub_9', '--yes'])).exit).toBe(10)
    expect(storedSecrets(home)).toEqual([{id: 'whsub_9', secret: 'whsec_1'}])
  })

  test.each(['--json', '--quiet'])(
    'a subscription made otherwise is stored, printed, and warned of: %s',
    async form => {
      const made = {
        id: 'whsub_1',
        url: 'https://elsewhere.example/',
        events: ['payment.failed'],
        secret: 'once',
      }
      answers['/webhooks/subscriptions'] = {data: made}
      const create = ['webhooks', 'create', '--url', HOOK.url, '--event', 'voucher.ready', form]
      const {exit, stdout, stderr} = await home.run(create)
      expect([exit, storedSecrets(home)]).toEqual([0, [{id: 'whsub_1', secret: 'once'}]])
      expect(stdout).toContain('whsub_1')
      expect(stderr).toContain(
        `Warning: the service answered that the subscription whsub_1 has url ${made.url} in place of ${HOOK.url} and events payment.failed in place of voucher.ready; change it with bookctl webhooks update whsub_1, or delete it`,
      )
      // The creation was recorded as ended, so the next one for this URL is not held back.
      expect((await home.run(create)).exit).toBe(0)
    },
  )
})

test('if subscriptions cannot be listed, a second one for a URL is known from those created here', async () => {
  const {'subscriptions.list': _, ...others} = PATHS as Record<string, string>
  namePaths(others)
  const url = 'https://second.example/hooks'
  const create = async (id: string, to = url) => {
    const made = {id, url: to, events: ['voucher.ready'], secret: 'once'}
    answers['/webhooks/subscriptions'] = {data: made}
    return home.run(['webhooks', 'create', '--url', to, '--event', 'voucher.ready'])
  }
  expect(await create('whsub_s1')).toMatchObject({exit: 0, stderr: ''})
  expect(await create('whsub_s2', 'https://another.example/hooks')).toMatchObject({exit: 0, stderr: ''})
  const second = await create('whsub_s3')
  expect(second).toMatchObject({
    exit: 0,
    stderr: expect.stringMatching(/^Warning: the subscription whsub_s1 was created .* \(voucher\.ready\)/),
  })
})
