/** Operations over real HTTP: the bytes on the wire, the renewal after a 401, the meaning of each ending; and links. */
import {describe, expect, test} from 'vitest'
import {createSender} from '../../../src/api/http/send.js'
import {createTransport} from '../../../src/api/http/transport.js'
import {createApi, fetchLink} from '../../../src/api/operations/client.js'
import {type Api, ExchangeError, SendError, type Sender, type TokenSource} from '../../../src/api/types.js'
import {describeFailure} from '../../../src/cli/shell/exit-codes.js'
import type {Token} from '../../../src/contract/token-cache.js'
import {fakeClock} from '../../support/clocks.js'
import {ownWire} from '../../support/own.js'
import {rejectionOf} from '../../support/thrown.js'
import {httpAnswer, jsonAnswer, type Script, type WireRequest} from '../../support/wire.js'

const token = (n: number): Token => ({access_token: `tok_${n}`, scopes: [], obtainedAt: 0, expiresAt: 9e9})

async function setUp(script: (record: WireRequest, n: number) => Script, tokens: Partial<TokenSource> = {}) {
  const server = await ownWire(script)
  const replaced: string[] = []
  const [clock, transport] = [fakeClock(), createTransport({env: {}})]
  const sender = createSender({transport, clock, random: () => 0, userAgent: 'bookctl/9'})
  const api = createApi({
    baseUrl: `http://127.0.0.1:${server.port}/partner-api/v1`,
    sender,
    clock,
    tokens: {
      get: async () => token(1),
      async replace(refused) {
        replaced.push(refused.access_token)
        return token(replaced.length + 1)
      },
      ...tokens,
    },
    timeoutSeconds: 5,
  })
  return {api, server, replaced}
}

const SEARCH = {destination: {type: 'CITY', id: 101}, rooms: [{adults: 2, children_ages: []}]}

describe('on the wire', () => {
  test('a search is exactly what was given, with the bearer token', async () => {
    const {api, server} = await setUp(() => jsonAnswer(200, {data: {ok: true}}, {'x-request-id': 'req_1'}))
    const answer = await api.call('hotels.search', {body: SEARCH})
    expect(answer).toMatchObject({status: 200, json: {data: {ok: true}}, requestId: 'req_1', attempts: 1})
    const [record] = server.requests
    expect(record?.head).toMatch(/^POST \/partner-api\/v1\/hotels\/search HTTP\/1\.1/)
    expect(record?.body).toBe(JSON.stringify(SEARCH))
    expect(record?.headers).toMatchObject({
      authorization: 'Bearer tok_1',
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'bookctl/9',
    })
  })

  test('a GET has no body and no content type; parameters and query are encoded', async () => {
    const {api, server} = await setUp(() => jsonAnswer(200, {}))
    await api.call('reservations.show', {
      parameters: {reservation_ref: 'a/b?c'},
      query: {x: 'ş&', y: undefined},
    })
    expect(server.requests[0]?.path).toBe('/partner-api/v1/reservations/a%2Fb%3Fc?x=%C5%9F%26')
    expect(server.requests[0]?.headers['content-type']).toBeUndefined()
  })
})

describe('401', () => {
  test('renews the token once and repeats once with the same body and key', async () => {
    const {api, server, replaced} = await setUp((_, n) =>
      n === 1 ? jsonAnswer(401, {}) : jsonAnswer(200, {ok: 1}),
    )
    const headers = {'Idempotency-Key': 'k1'}
    const answer = await api.call('reservations.create', {body: SEARCH, headers})
    expect(answer).toMatchObject({status: 200, attempts: 2, mayHaveActed: false})
    expect(replaced).toEqual(['tok_1'])
    const sent = server.requests.map(({headers}) => `${headers.authorization} ${headers['idempotency-key']}`)
    expect(sent).toEqual(['Bearer tok_1 k1', 'Bearer tok_2 k1'])
    expect(server.requests[0]?.body).toBe(server.requests[1]?.body)
  })

  test('a second 401 is final', async () => {
    const {api, server, replaced} = await setUp(() =>
      jsonAnswer(401, {error: {code: 'token_invalid', message: 'no'}}),
    )
    const failure = await rejectionOf(api.call('account.show'))
    expect(failure).toMatchObject({kind: 'not_allowed', details: {code: 'token_invalid', status: 401}})
    expect(failure.details.hint).toContain('bookctl login')
    expect([server.requests.length, replaced.length]).toEqual([2, 1])
  })

  test('is final at once if there is no other token', async () => {
    const {api, server} = await setUp(() => jsonAnswer(401, {}), {replace: async refused => refused})
    expect(await rejectionOf(api.call('account.show'))).toMatchObject({kind: 'not_allowed'})
    expect(server.requests).toHaveLength(1)
  })

  test('does not hide that an earlier attempt may have acted', async () => {
    const script = (_: WireRequest, n: number): Script => (n === 1 ? 'end' : jsonAnswer(401, {}))
    const options = {body: {}, policy: {repeatable: true}}
    const sent = ({api}: {api: Api}) => api.callForAnswer('reservations.create', options)
    const failing = await setUp(script, {replace: () => Promise.reject(new Error('no token'))})
    expect(await sent(failing)).toMatchObject({status: 401, mayHaveActed: true})
    const renewing = await setUp(script)
    expect(await sent(renewing)).toMatchObject({attempts: 3, mayHaveActed: true})
    const leaving = async () => {
      await gone.server.close()
      return token(2)
    }
    const gone = await setUp(script, {replace: leaving})
    await expect(sent(gone)).rejects.toMatchObject({name: 'SendError', attempts: 3, mayHaveActed: true})
  })
})

test('100 Continue before a 401 and before the answer to the repeat changes nothing', async () => {
  const answers = [jsonAnswer(401, {}), jsonAnswer(200, {data: {}})]
  const {api, replaced} = await setUp((_, n) => {
    const interim = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n')
    return {bytes: Buffer.concat([interim, answers[n - 1]?.bytes ?? interim])}
  })
  expect(await api.call('account.show')).toMatchObject({status: 200, attempts: 2})
  expect(replaced).toEqual(['tok_1'])
})

describe('what an ending means', () => {
  const html = '<html><body>\u001b[31mBad\n gateway\u202e</body></html>'
  const failed = (status: number, code: string, message: string) =>
    jsonAnswer(status, {error: {code, message}})
  const redirect = (status: number, location?: string): Script => ({
    bytes: httpAnswer(status, '', location === undefined ? {} : {location}),
  })
  const ELSEWHERE = 'https://o.test/secret?t=1'
  const CUT: Script = {bytes: httpAnswer(200, '{"a": 1}').subarray(0, -2)}
  const page = (status: number, body: string): Script => ({bytes: httpAnswer(status, body)})
  test.each<[string, Script, string, string, RegExp]>([
    ['400', failed(400, 'validation_failed', 'check_in is bad'), 'refused', 'validation_failed', /in is bad/],
    ['403', failed(403, 'insufficient_scope', 'x'), 'not_allowed', 'insufficient_scope', /not allowed/],
    ['404 without a body', page(404, ''), 'refused', 'http_404', /no reason given/],
    ['500', jsonAnswer(500, {errors: [{title: 'oops'}]}), 'service_failed', 'oops', /status 500: oops/],
    ['501', page(501, html), 'service_failed', 'http_501', /Bad gateway\\u202e/],
    ['307', redirect(307, ELSEWHERE), 'service_failed', 'redirected', /to https:\/\/o\.test, w/],
    [
      '308',
      redirect(308, '/secret?t=1'),
      'service_failed',
      'redirected',
      /\(308\) to another path of its own/,
    ],
    ['200 with HTML', page(200, html), 'service_failed', 'answer_not_understood', /not JSON: <html>/],
    ['200 without a body', page(200, ''), 'service_failed', 'answer_not_understood', /not JSON$/],
    ['200 cut', CUT, 'service_failed', 'cut', /early|cut off/],
    ['no answer', 'end', 'unreachable', 'reset', /ended without an answer/],
  ])('of a read: %s', async (_, script, kind, code, message) => {
    const {api} = await setUp(() => script)
    const failure = await rejectionOf(api.call('account.show'))
    expect(failure).toMatchObject({name: 'Failure', kind, details: {code}})
    expect(failure.message).toMatch(message)
    expect(failure.message).not.toMatch(/\p{Cc}|\p{Cf}|secret/u)
    expect(failure.message.length).toBeLessThan(350)
  })

  test.each([
    ['https://other.test/secret', 'to https://other.test'],
    ['//other.test/secret', 'to http://other.test'],
    ['\\\\other.test/secret', 'to http://other.test'],
    ['ht\ttps:other.test/secret', 'to https://other.test'],
    ['http://SELF/secret', 'to another path of its own'],
    ['?secret', 'to another path of its own'],
    ['//127.0.0.1:1/secret', 'to http://127.0.0.1:1'],
    ['http://[secret', 'to what is no address of the web'],
  ])('a redirect to %j leads %s', async (location, where) => {
    const {api, server} = await setUp(() => redirect(307, location.replace('SELF', host())))
    const host = () => `127.0.0.1:${server.port}`
    const {message} = await rejectionOf(api.call('account.show'))
    expect(message).toBe(`the service answered with a redirect (307) ${where}, which is never followed`)
  })

  test('429 says when to try again, 403 which scope is missing', async () => {
    const slow = await setUp(() => jsonAnswer(429, {}, {'retry-after': '90'}))
    expect((await rejectionOf(slow.api.call('account.show'))).details.hint).toBe('try again in 90 seconds')
    const header = {'www-authenticate': 'Bearer error="insufficient_scope", scope="account:read"'}
    const scoped = await setUp(() => jsonAnswer(403, {}, header))
    expect((await rejectionOf(scoped.api.call('account.show'))).details.hint).toContain('account:read')
  })
})

describe('a link', () => {
  const get = (api: Api, port: number, path = '/v?sig=1') => api.fetchLink(`http://127.0.0.1:${port}${path}`)

  test('is fetched without Authorization and cookies, over up to three redirects', async () => {
    const {api, server} = await setUp((_, n) => ({
      bytes: n <= 3 ? httpAnswer(302, '', {location: `/r${n}`, 'set-cookie': 'a=b'}) : httpAnswer(200, 'pdf'),
    }))
    expect(await get(api, server.port)).toMatchObject({status: 200})
    expect(server.requests.map(({path}) => path)).toEqual(['/v?sig=1', '/r1', '/r2', '/r3'])
    for (const {headers} of server.requests) {
      expect(headers.authorization).toBeUndefined()
      expect(headers.cookie).toBeUndefined()
    }
  })

  test.each([
    ['/again', 4, /redirected more than 3 times/],
    ['http://files.test/v', 1, /is not https/],
    ['https://u:p@files.test/v', 1, /holds a user name/],
    ['', 1, /without saying where to/],
  ])('is not followed when redirected to "%s"', async (location, requests, why) => {
    const {api, server} = await setUp(() => ({bytes: httpAnswer(302, '', {location})}))
    const failure = await rejectionOf(get(api, server.port))
    expect(failure).toMatchObject({kind: 'service_failed', details: {code: 'bad_voucher_link'}})
    expect(failure.message).toMatch(why)
    expect(server.requests).toHaveLength(requests)
  })
})

test.each([
  [undefined, 60],
  [5, 5],
  [90, 90],
])('with a timeout of %s it is %i seconds', async (timeoutSeconds, seconds) => {
  const given: number[] = []
  const send: Sender['send'] = async ({url}, policy) => {
    given.push(policy.timeoutSeconds)
    return {url, status: 200, headers: {}, body: Buffer.from('%PDF-'), attempts: 1, mayHaveActed: false}
  }
  const parts = {baseUrl: 'https://service.test/v1', sender: {send}}
  await fetchLink(timeoutSeconds === undefined ? parts : {...parts, timeoutSeconds}, 'https://files.test/v')
  expect(given).toEqual([seconds])
})

test.each(['tls', 'refused', 'timeout'] as const)(
  "a fault of the link's host (%s) is reported as that host's",
  async fault => {
    const sender = {
      send: async () => {
        throw new SendError(new ExchangeError(fault, false, 'ENOTHING files.test:443'), 1, false)
      },
    }
    const work = fetchLink({baseUrl: 'https://service.test/v1', sender}, 'https://files.test/v?token=secret')
    const failure = await rejectionOf(work)
    const {text} = describeFailure(failure, 'https://service.test, profile p')
    expect(text).toContain("the host of the voucher's link, files.test, cannot be reached")
    expect(text).toContain('Host: files.test')
    expect(text).not.toMatch(/service\.test|base URL|secret/)
  },
)
