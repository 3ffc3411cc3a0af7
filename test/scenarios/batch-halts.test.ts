/** `reserve batch` with services that change their prices, ask to wait, refuse or fail on the way, and with a live client. */
import {type AddressInfo, connect} from 'node:net'
import {createServer} from 'node:tls'
import {expect, test} from 'vitest'
import {closing, ownHome, ownProxy} from '../support/own.js'
import {answer, drop, refuse, refusing, type Script} from '../support/scripted-service.js'
import {certificateFile, tlsIdentity} from '../support/tls.js'
import {
  type BatchDocument,
  batch,
  errorsOf,
  outcomesOf,
  SEARCH,
  tripFile,
  tripNamed,
  tripsNamed,
} from './batch-files.js'
import {batchService, SEARCHES} from './batch-service.js'

const {service, scripted, posts, keys} = await batchService()
const ownFile = (...trips: object[]) => {
  const home = ownHome(service.env)
  return {home, path: tripFile(home, trips)}
}

/** Answers the first reservations as usual and later ones with `then`. */
const after =
  (count: number, then: Script): Script =>
  (request, response) =>
    posts().length > count && then(request, response)

test('a trip that has become dearer than its plan is refused and not booked, the others are', async () => {
  // Every search but the first, which made the plan, finds another price.
  scripted(
    () => false,
    nth => (nth === 1 ? '100.00' : '100.01'),
  )
  const {home, path} = ownFile(...tripsNamed('P', 3))
  const {exit, result} = await batch(home, path, '--parallel', '1')
  expect(exit).toBe(3)
  expect(outcomesOf(result)).toEqual(['confirmed', 'refused', 'refused'])
  expect(errorsOf(result)).toEqual([null, 'price_changed', 'price_changed'])
  expect(result.trips[1]?.error?.message).toMatch(/100\.01.*100\.00/)
  expect(posts()).toHaveLength(1)
  // The next plan says what they cost now.
  const again = await batch(home, path)
  expect(again).toMatchObject({exit: 0, result: {batch: {confirmed: 3, repeated: 1}}})
  expect(keys()).toEqual({'P-1': 1, 'P-2': 1, 'P-3': 1})
})

test('a trip that has become cheaper than its plan is booked at that price', async () => {
  scripted(
    () => false,
    nth => (nth === 1 ? '100.00' : '90.00'),
  )
  const {home, path} = ownFile(...tripsNamed('C', 2))
  const {exit, result} = await batch(home, path, '--parallel', '1')
  expect(exit).toBe(0)
  expect(result.batch.totals).toEqual([{currency: 'EUR', amount: '190.00'}])
})

test('a plan in one search, then a search for each trip but the first: equal criteria share what is fresh', async () => {
  const {home, path} = ownFile(...tripsNamed('S', 5))
  expect(await batch(home, path, '--parallel', '1')).toMatchObject({exit: 0})
  expect(service.seen(SEARCHES)).toHaveLength(5)
  expect(new Set(posts().map(({offer}) => offer))).toEqual(
    new Set([1, 2, 3, 4, 5].map(nth => `off_cheap_${nth}`)),
  )
})

test('a trip whose offer has expired for the service is searched once more', async () => {
  scripted((request, response) => posts().length === 1 && refusing(410, 'offer_expired')(request, response))
  const {home, path} = ownFile(tripNamed('E-1'))
  expect(await batch(home, path)).toMatchObject({exit: 0, result: {trips: [{outcome: 'confirmed'}]}})
  expect(posts().map(({offer}) => offer)).toEqual(['off_cheap_1', 'off_cheap_2'])
})

test('429 with Retry-After slows down, and all are booked once', async () => {
  const times: number[] = []
  scripted((_, response) => {
    times.push(performance.now())
    if (times.length !== 3) return false
    response.setHeader('retry-after', '1')
    return refuse(response, 429, 'rate_limited')
  })
  const {home, path} = ownFile(...tripsNamed('W', 8))
  const {exit, result} = await batch(home, path, '--parallel', '2')
  expect(exit).toBe(0)
  expect(result.batch.confirmed).toBe(8)
  expect(keys()).toEqual(Object.fromEntries(tripsNamed('W', 8).map(each => [each.client_reference_id, 1])))
  expect((times.at(-1) ?? 0) - (times[2] ?? 0)).toBeGreaterThan(900)
})

test.each([
  ['401', 4, refusing(401, 'token_invalid')],
  ['403', 4, refusing(403, 'insufficient_scope')],
  ['402', 5, refusing(402, 'insufficient_balance')],
] as const)('%s on the way ends the batch: the rest is not sent', async (_, alone, script) => {
  scripted(after(2, script))
  const {home, path} = ownFile(...tripsNamed('H', 6))
  const {exit, result} = await batch(home, path, '--parallel', '1')
  expect(exit).toBe(3)
  expect(outcomesOf(result).slice(0, 2)).toEqual(['confirmed', 'confirmed'])
  expect(result.batch.confirmed).toBe(2)
  expect(outcomesOf(result).slice(3)).toEqual(['not_sent', 'not_sent', 'not_sent'])
  expect(posts().length).toBeLessThanOrEqual(4)
  expect(result.batch.totals).toEqual([{currency: 'EUR', amount: '200.00'}])

  scripted(script)
  const other = ownFile(...tripsNamed('J', 3))
  expect(await batch(other.home, other.path, '--parallel', '1')).toMatchObject({exit: alone})

  // All can be booked once the reason is gone.
  scripted(() => false)
  expect(await batch(home, path)).toMatchObject({exit: 0, result: {batch: {confirmed: 6, repeated: 2}}})
})

test('a service that goes down on the way ends the batch, and what may be booked is resumed with its key', async () => {
  scripted(after(2, drop))
  const {home, path} = ownFile(...tripsNamed('D', 5))
  const {exit, result} = await batch(home, path, '--parallel', '1', '--timeout', '2')
  expect(exit).toBe(10)
  expect(outcomesOf(result)).toEqual(['confirmed', 'confirmed', 'unknown', 'not_sent', 'not_sent'])
  scripted(() => false)
  expect(await batch(home, path)).toMatchObject({exit: 0, result: {batch: {confirmed: 5, repeated: 3}}})
  expect(keys()).toEqual({'D-1': 1, 'D-2': 1, 'D-3': 1, 'D-4': 1, 'D-5': 1})
})

test('what is refused about one trip does not end the batch', async () => {
  scripted(
    (request, response) => request.body.includes('"R-2"') && refusing(422, 'bad_guest')(request, response),
  )
  const {home, path} = ownFile(...tripsNamed('R', 4))
  const {exit, result} = await batch(home, path, '--parallel', '1')
  expect(exit).toBe(3)
  expect(outcomesOf(result)).toEqual(['confirmed', 'refused', 'confirmed', 'confirmed'])
})

test('a trip that is booked at another price is there, with what was agreed', async () => {
  scripted((request, response) => {
    const {ref} = service.commit(request)
    const {client_reference_id} = JSON.parse(request.body)
    const price = {total: '120.00', currency: 'EUR'}
    answer(response, 201, {data: {reservation_ref: ref, status: 'CONFIRMED', client_reference_id, price}})
  })
  const {home, path} = ownFile(tripNamed('N-1'))
  const {exit, result} = await batch(home, path)
  expect(exit).toBe(3)
  expect(result.trips).toMatchObject([
    {outcome: 'confirmed', price: '120.00', error: {code: 'not_as_agreed'}},
  ])
  expect(result.batch.totals).toEqual([{currency: 'EUR', amount: '120.00'}])
})

test('--max-total stops before the first trip that would exceed it when bookings cost more than planned', async () => {
  scripted((request, response) => {
    const {ref} = service.commit(request)
    const {client_reference_id} = JSON.parse(request.body)
    const price = {total: '150.00', currency: 'EUR'}
    answer(response, 201, {data: {reservation_ref: ref, status: 'CONFIRMED', client_reference_id, price}})
  })
  const {home, path} = ownFile(...tripsNamed('M', 3))
  const {exit, result} = await batch(home, path, '--parallel', '1', '--max-total', '300 EUR')
  expect(exit).toBe(3)
  expect(outcomesOf(result)).toEqual(['confirmed', 'confirmed', 'not_sent'])
  expect(result.trips[2]?.error?.code).toBe('max_total_exceeded')
  expect(posts()).toHaveLength(2)
})

test('several trips in two currencies have two totals, and no common limit', async () => {
  const {home, path} = ownFile(tripNamed('T-1'), tripNamed('T-2', {search: {...SEARCH, currency: 'USD'}}))
  const limited = await home.refusal(['reserve', 'batch', path, '--max-total', '5000 EUR'])
  expect(limited).toMatchObject({exit: 2, code: 'price_not_comparable'})
  const unnamed = await home.refusal(['reserve', 'batch', path, '--max-total', '5000'])
  expect(unnamed).toMatchObject({exit: 2, message: expect.stringContaining('currency of the account')})
  expect(posts()).toEqual([])
  const {exit, result} = await batch(home, path)
  expect(exit).toBe(0)
  expect(result.batch.totals).toEqual([
    {currency: 'EUR', amount: '100.00'},
    {currency: 'USD', amount: '100.00'},
  ])
})

/** The environment in which the service is reached at a live address: through a proxy, and by TLS. */
async function liveEnv() {
  const {port} = new URL(service.origin)
  const server = createServer(tlsIdentity('good'), socket => {
    const upstream = connect(Number(port), '127.0.0.1')
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
    socket.pipe(upstream).pipe(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closing(server)
  const proxy = await ownProxy((server.address() as AddressInfo).port)
  return {
    ...service.env,
    BOOKCTL_BASE_URL: 'https://service.test/partner-api/v1',
    BOOKCTL_CLIENT_SECRET: 'sk_live_right',
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    BOOKCTL_CA_FILE: certificateFile('ca'),
  }
}

test('a live client in a script needs --yes and --max-total', async () => {
  const home = ownHome(await liveEnv())
  const path = tripFile(home, tripsNamed('L', 2))
  const grant: Script = ({path: asked}, response) => {
    if (asked !== '/oauth/token') return false
    service.liveTokens.add('live')
    answer(response, 200, {data: {access_token: 'live', token_type: 'Bearer', expires_in: 7200}})
    return true
  }
  scripted(() => false)
  const {script} = service
  service.script = (request, response) => grant(request, response) || script(request, response)
  const argv = ['reserve', 'batch', path]
  expect(await home.refusal(argv)).toMatchObject({exit: 2, hint: expect.stringContaining('--max-total')})
  expect(await home.refusal([...argv, '--yes'])).toMatchObject({exit: 2, code: 'max_total_needed'})
  expect(await home.refusal([...argv, '--max-total', '200 EUR'])).toMatchObject({exit: 2})
  const dearer = await home.refusal([...argv, '--yes', '--max-total', '199 EUR'])
  expect(dearer).toMatchObject({exit: 2, code: 'max_total_exceeded'})
  expect(posts()).toEqual([])
  expect(await home.json<BatchDocument>([...argv, '--dry-run'])).toMatchObject({exit: 0})
  expect(posts()).toEqual([])
  const {exit, result, stderr} = await home.json<BatchDocument>([...argv, '--yes', '--max-total', '200 EUR'])
  expect({exit, count: result.batch.confirmed}).toEqual({exit: 0, count: 2})
  expect(stderr).toContain('LIVE')
})
