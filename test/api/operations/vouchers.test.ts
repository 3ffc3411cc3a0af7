/** Vouchers over real HTTP: there are two requests, and only a complete PDF is ever returned. */
import {describe, expect, test} from 'vitest'
import {createTransport} from '../../../src/api/http/transport.js'
import {fetchVoucher, isVoucherReady} from '../../../src/api/operations/vouchers.js'
import {apiOver} from '../../support/answering.js'
import {fakeClock} from '../../support/clocks.js'
import {ownWire} from '../../support/own.js'
import {rejectionOf} from '../../support/thrown.js'
import {httpAnswer, jsonAnswer, type Script, type Wire} from '../../support/wire.js'

const PDF = Buffer.from(`%PDF-1.7\n${'x'.repeat(300)}\n%%EOF\n`)
type Answering = (n: number, link: string) => Script
/**
 * Starts a service. `voucher` gives the answer to the nth request for the link, and `link` to the nth download; {link} stands for
 * its URL.
 */
async function setUp(voucher: Answering, link: Answering, status = 'PENDING_PAYMENT') {
  const counts = {voucher: 0, link: 0}
  const server: Wire = await ownWire(record => {
    if (record.path.startsWith('/files/')) return link(++counts.link, '')
    if (!record.path.endsWith('/voucher')) return jsonAnswer(200, {reservation_ref: 'RSV-1', status})
    return voucher(++counts.voucher, `http://127.0.0.1:${server.port}/files/v?sig=${counts.voucher}`)
  })

  const clock = fakeClock()
  const api = apiOver(createTransport({env: {}}), `http://127.0.0.1:${server.port}/v1`, 'tok', clock, 5)
  const fetch = (waitSeconds?: number) => fetchVoucher(api, 'RSV-1', waitSeconds)
  const fail = (waitSeconds?: number) => rejectionOf(fetch(waitSeconds))
  return {api, server, clock, counts, fetch, fail}
}

const ready = (_: number, link: string) =>
  jsonAnswer(200, {data: {reservation_ref: 'RSV-1', voucher: {url: link}}})
const pdf = () => ({bytes: httpAnswer(200, PDF)})
const notReady = () => jsonAnswer(409, {error: {code: 'reservation_not_confirmed', message: 'not yet'}})

test('a voucher of another reservation is not fetched', async () => {
  const other = (_: number, link: string) =>
    jsonAnswer(200, {data: {reservation_ref: 'RSV-2', voucher: {url: link}}})
  const {api, fail, counts} = await setUp(other, pdf)
  expect(await fail()).toMatchObject({kind: 'service_failed', details: {code: 'another_reservation'}})
  expect(counts).toEqual({voucher: 1, link: 0})
  // The command does not wait for the other reservation, whose voucher does not show that the requested one is confirmed.
  expect(await fail(3)).toMatchObject({details: {code: 'another_reservation'}})
  await expect(isVoucherReady(api, 'RSV-1')).rejects.toMatchObject({kind: 'service_failed'})
})

describe('the link', () => {
  test.each([403, 410])('answered %i is requested again, once', async status => {
    const once = await setUp(ready, n => (n === 1 ? {bytes: httpAnswer(status, 'expired')} : pdf()))
    expect((await once.fetch()).length).toBe(PDF.length)
    expect(once.server.requests.map(({path}) => path)).toEqual([
      '/v1/reservations/RSV-1/voucher',
      '/files/v?sig=1',
      '/v1/reservations/RSV-1/voucher',
      '/files/v?sig=2',
    ])
    const always = await setUp(ready, () => ({bytes: httpAnswer(status, 'expired')}))
    expect(await always.fail()).toMatchObject({details: {code: 'voucher_link_expired', status}})
    expect(always.counts).toEqual({voucher: 2, link: 2})
  })

  test.each([
    ['no PDF', httpAnswer(200, '<html>%%EOF</html>')],
    ['without its end', httpAnswer(200, PDF.subarray(0, -8))],
    ['followed by bytes after its end', httpAnswer(200, Buffer.concat([PDF, Buffer.from('HTTP/1.1 ')]))],
    ['partial', httpAnswer(206, PDF)],
    ['compressed', httpAnswer(200, PDF, {'content-encoding': 'gzip'})],
    ['too large', 'HTTP/1.1 200 OK\r\ncontent-length: 60000000\r\n\r\n%PDF-'],
  ])('gives nothing when what comes is %s', async (_, bytes) => {
    const {fail} = await setUp(ready, () => ({bytes}))
    expect(await fail()).toMatchObject({name: 'Failure'})
  })
})

describe('before it is ready', () => {
  test.each([
    ['reservation_not_confirmed', 'refused', 409, {error: {code: 'reservation_not_confirmed'}}],
    ['no_voucher_link', 'service_failed', 200, {data: {status: 'PENDING'}}],
    ['voucher_not_made', 'service_failed', 200, {error: {code: 'voucher_not_made', message: 'later'}}],
  ])('without waiting it fails at once: %s', async (code, kind, status, body) => {
    const {fail, api, counts} = await setUp(() => jsonAnswer(status, body), pdf)
    expect(await fail()).toMatchObject({kind, details: {code, status}})
    expect(counts.voucher).toBe(1)
    expect(await isVoucherReady(api, 'RSV-1')).toBe(false)
  })

  test.each([undefined, 60])('a reservation that has ended is refused at once, waiting %s', async seconds => {
    const {fail, clock} = await setUp(notReady, pdf, 'Expired')
    const message = 'reservation RSV-1 is expired and gets no voucher'
    expect(await fail(seconds)).toMatchObject({kind: 'refused', message})
    expect(clock.sleeps).toEqual([])
  })

  test('waiting polls after 1, 2, 4, 5, 5 … seconds', async () => {
    const {fetch, clock} = await setUp((n, link) => (n <= 5 ? notReady() : ready(n, link)), pdf)
    expect((await fetch(60)).length).toBe(PDF.length)
    expect(clock.sleeps).toEqual([1000, 2000, 4000, 5000, 5000])
  })

  test('waiting ends as pending, with one last call at the end', async () => {
    const {fail, clock, counts} = await setUp(notReady, pdf)
    expect(await fail(4)).toMatchObject({kind: 'pending', details: {code: 'voucher_not_ready'}})
    expect(clock.sleeps).toEqual([1000, 2000, 1000])
    expect(counts.voucher).toBe(4)
  })

  const pending = jsonAnswer(200, {data: {status: 'PENDING'}})
  test.each<[string, Script, number]>([
    ...[404, 409, 425, 500, 503].map((status): [string, Script, number] => [
      `${status}`,
      jsonAnswer(status, {}),
      1,
    ]),
    ['a lost connection', 'end', 4],
    ['an answer without a link', pending, 1],
  ])('%s is waited out', async (_, script, times) => {
    const {fetch} = await setUp((n, link) => (n <= times ? script : ready(n, link)), pdf)
    expect((await fetch(30)).length).toBe(PDF.length)
  })

  test.each([
    [401, 'not_allowed'],
    [403, 'not_allowed'],
    [400, 'refused'],
  ])('%i ends the waiting at once', async (status, kind) => {
    const {fail, clock} = await setUp(() => jsonAnswer(status, {}), pdf)
    expect(await fail(60)).toMatchObject({kind})
    expect(clock.sleeps).toEqual([])
  })

  test('one call reports whether the voucher is ready', async () => {
    expect(await isVoucherReady((await setUp(ready, pdf)).api, 'RSV-1')).toBe(true)
    const forbidden = await setUp(() => jsonAnswer(403, {}), pdf)
    await expect(isVoucherReady(forbidden.api, 'RSV-1')).rejects.toMatchObject({kind: 'not_allowed'})
  })

  test('a call with a time limit ends in time, and reports a failing service as not ready', async () => {
    const failing = await setUp(() => jsonAnswer(503, {}, {'retry-after': '1'}), pdf)
    const began = failing.clock.now()
    expect(await isVoucherReady(failing.api, 'RSV-1', 2)).toBe(false)
    expect(failing.clock.now() - began).toBeLessThanOrEqual(2)
    await expect(isVoucherReady(failing.api, 'RSV-1')).rejects.toMatchObject({kind: 'service_failed'})
    expect(failing.clock.now() - began).toBeGreaterThan(2)
  })
})
