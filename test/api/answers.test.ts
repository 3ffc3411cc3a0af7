/** Reservations, tokens, links, envelopes and errors in every form that services use. */
import {describe, expect, test} from 'vitest'
import {unwrap} from '../../src/api/answers/facts.js'
import {describeError, quoteBody} from '../../src/api/answers/refusals.js'
import {findVoucherUrl, readReservation} from '../../src/api/answers/reservations.js'
import {readToken} from '../../src/api/auth/tokens.js'
import {showAccount} from '../../src/api/operations/account.js'
import {parseJson, whyNotJson} from '../../src/contract/json.js'
import {apiAnswering} from '../support/answering.js'
import {rejectionOf} from '../support/thrown.js'

describe('a reservation', () => {
  const pay = 'https://pay.test/p'
  const R1 = {reservation_ref: 'R1'}
  const odd = {...R1, hotel: {url: 'https://h.test'}, payment: {url: 'javascript:alert(1)'}}
  test.each<[string, unknown, string, string | null, string | null]>([
    ['in data', {data: {...R1, status: 'CONFIRMED'}}, 'R1', 'CONFIRMED', null],
    ['bare', {...R1, status: 'PENDING_PAYMENT', payment: {url: pay}}, 'R1', 'PENDING_PAYMENT', pay],
    ['named', {reservation: {...R1, status: 'NEVER_SEEN', payment_url: pay}}, 'R1', 'NEVER_SEEN', pay],
    ['a number', {data: {reservation_ref: 4711}}, '4711', null, null],
    ['camelCase', {data: {reservationRef: 'R1', payment: {link: pay}}}, 'R1', null, pay],
    ['payment as a string', {...R1, payment: pay}, 'R1', null, pay],
    ['with other links than for payment', odd, 'R1', null, null],
  ])('%s', (_, json, reference, status, url) => {
    expect(readReservation(json)).toMatchObject({reservation_ref: reference, status, payment_url: url})
  })

  test('is returned as the service sent it', () => {
    const reservation = {reservation_ref: 'R1', odd: [1, {x: null}]}
    expect(readReservation({data: {reservation}})?.reservation).toBe(reservation)
  })

  const NOTHING = [{reservation_ref: ''}, {reservation_ref: null}, {reservation_ref: {}}]
  test.each([null, 'x', [], {}, {data: null}, ...NOTHING])('%j holds none', json => {
    expect(readReservation(json)).toBeUndefined()
  })
})

describe('a token', () => {
  const t = {access_token: 't'}
  test.each([
    [{data: {...t, expires_in: 7200, scope: 'a b'}}, {expires_in: 7200, scope: 'a b'}],
    [{...t, expires_in: '3600'}, {expires_in: 3600}],
    [{token: {...t, scope: ['a', 'b']}}, {scope: 'a b'}],
    [{...t, expires_in: -1, scope: null}, {expires_in: 0}],
    [{...t, expires_in: 99_999_999_999_999}, {expires_in: 31_536_000}],
    [{...t, expires_in: null}, {}],
    [{data: {accessToken: 't', tokenType: 'MAC', expiresIn: 60}}, {token_type: 'MAC', expires_in: 60}],
  ])('%j', (json, more) => {
    expect(readToken(json)).toEqual({...t, ...more})
  })

  test.each([{}, {access_token: ''}, {access_token: 5}, null, '<html>'])('%j holds none', json => {
    expect(readToken(json)).toBeUndefined()
  })
})

test('unwraps one envelope, and leaves everything else as it is', () => {
  expect(unwrap({data: {a: 1}})).toEqual({a: 1})
  expect(unwrap({data: {data: 1}})).toEqual({data: 1})
  expect(unwrap({a: 1})).toEqual({a: 1})
  expect(unwrap({data: null, a: 1})).toEqual({data: null, a: 1})
  expect(unwrap([1])).toEqual([1])
})

describe('a voucher link', () => {
  const BASE = 'https://api.test/partner-api/v1'
  const LINK = 'https://files.test/v.pdf?sig=1'
  const INVOICE = {type: 'invoice', url: 'https://files.test/i'}
  test.each([
    {voucher: {url: LINK}},
    {data: {voucher_url: LINK}},
    {data: {voucher: LINK}},
    {data: {hotel: {url: 'https://hotel.test/'}, voucher: {url: LINK}}},
    {result: {url: LINK}},
    {data: [{url: LINK}]},
    {documents: [INVOICE, {type: 'voucher', url: LINK}]},
    {data: {links: [{rel: 'self', href: 'https://api.test/'}].concat({rel: 'voucher', href: LINK})}},
  ])('is found in %j', json => {
    expect(findVoucherUrl(json, BASE)).toBe(LINK)
  })

  test("resolves a relative link against the service's origin", () => {
    expect(findVoucherUrl({voucher: {url: '/files/v?sig=1'}}, BASE)).toBe('https://api.test/files/v?sig=1')
    expect(findVoucherUrl({data: '/files/v'}, BASE)).toBe('https://api.test/files/v')
  })

  test.each([
    {data: {hotel: {url: 'https://h.test/'}, voucher: {status: 'PENDING'}}},
    {voucher: {url: 'javascript:1'}},
    {documents: [{type: 'invoice', url: LINK}]},
    {voucher: {url: '//files.test/v'}},
    {voucher: {url: '/\t/files.test/v'}},
  ])('is not seen in %j', json => {
    expect(findVoucherUrl(json, BASE)).toBeUndefined()
  })
})

describe('an error', () => {
  test.each([
    [{error: {code: 'c', message: 'm'}}, 'c', 'm'],
    [{error: 'invalid_client', error_description: 'm'}, 'invalid_client', 'm'],
    [{errors: [{code: 'c', message: 'm'}]}, 'c', 'm'],
    [{errors: [{id: 'c', detail: 'm'}]}, 'c', 'm'],
    [{code: 'c', message: 'm'}, 'c', 'm'],
    [{type: 'https://errors.test/c', title: 'm', detail: 'd'}, 'https://errors.test/c', 'd'],
    [{title: 'c', detail: 'm'}, 'c', 'm'],
    [{error: {code: 42}}, '42', undefined],
    [{errors: ['m']}, 'http_418', 'm'],
    [{error: null}, 'http_418', undefined],
    [null, 'http_418', undefined],
  ])('%j', (json, code, message) => {
    const body = Buffer.from(JSON.stringify(json))
    expect(describeError({status: 418, headers: {}, body})).toMatchObject({code, message})
  })

  test.each(['', '<html>', '{"error": {"co', '\u0000', '{'.repeat(10_000)])(
    'a body that is no JSON falls back to the status: %j',
    text => {
      const body = Buffer.from(text)
      expect(describeError({status: 502, headers: {}, body})).toEqual({code: 'http_502'})
    },
  )

  test('has a sanitised message of limited length, and the request id', () => {
    const body = Buffer.from(
      JSON.stringify({error: {code: 'a\u001bb', message: `x\u202e${'y'.repeat(9999)}`, request_id: 'req_b'}}),
    )
    const described = describeError({status: 400, headers: {}, body})
    expect(described.code).toBe('a\\u001bb')
    expect(described.message).toMatch(/^x\\u202ey+…$/)
    expect(described.message).toHaveLength(500)
    expect(described.requestId).toBe('req_b')
    expect(describeError({status: 400, headers: {'x-request-id': 'req_h'}, body}).requestId).toBe('req_h')
  })
})

const refusalOf = (status: number, json: object) => rejectionOf(showAccount(apiAnswering({status, json}).api))

test.each([
  ['no_such_account', 'gone', {error: {code: 'no_such_account', message: 'gone'}}],
  ['no_such_account', 'gone', {data: null, error: {code: 'no_such_account', message: 'gone'}}],
  ['E7', 'gone', {success: false, data: {}, errors: [{code: 'E7', message: 'gone'}]}],
  ['error_in_answer', 'without saying why', {success: false}],
  ['maintenance', 'maintenance', {error: 'maintenance'}],
])('status 200 with an error in it is a failure: %s, %s, %j', async (code, words, json) => {
  const message = `the service answered 200 with an error: ${words}`
  expect(await refusalOf(200, json)).toMatchObject({kind: 'service_failed', message, details: {code}})
})

const DETAILS = [
  {field: 'a', message: 'too long'},
  {field: 'b', code: 'missing'},
  {field: 'c', message: 'wrong'},
  {field: 'd', message: 'left out'},
]
const [needed, currency] = ['12.50', 'EUR']

test.each<[string, object]>([
  ['E_42', {error: {code: 'E_42'}}],
  ['not valid (a: too long; b: missing; c: wrong)', {error: {message: 'not valid', details: DETAILS}}],
  ['No (email: is empty; name: is long)', {title: 'No', errors: {email: ['is empty', 'x'], name: 'is long'}}],
  ['small (needed 12.50, available 3 EUR)', {error: {message: 'small', needed, available: 3, currency}}],
  ['dearer (was 10.00, now 11.00 EUR)', {error: {message: 'dearer', old: '10.00', new: '11.00', currency}}],
  ['used (reservation R-9)', {error: {code: 'used', reservation_ref: 'R-9'}}],
  ['a: \\u001b[31mred', {details: [{field: 'a', message: '\u001b[31mred'}]}],
])('a refusal says %j', async (words, json) => {
  expect((await refusalOf(400, json)).message).toBe(`the service refused: ${words}`)
})

test('a quoted body is one sanitised line of at most 200 characters', () => {
  const quote = (body: Uint8Array) => quoteBody({status: 500, headers: {}, body})
  expect(quote(Buffer.from(' <h1>\n Bad\u0007</h1> '))).toBe('<h1> Bad\\u0007</h1>')
  expect(quote(Buffer.from('ş'.repeat(5000)))).toHaveLength(200)
  expect(quote(Buffer.from([0xff, 0xfe]))).toBe('��')
  expect(quote(Buffer.from('  \n'))).toBeUndefined()
})

test('JSON that is not UTF-8 is not JSON', () => {
  expect(parseJson(Buffer.from([0x22, 0xff, 0x22]))).toBeUndefined()
  expect(parseJson(Buffer.from('\ufeff{"a":1}'))).toEqual({a: 1})
})

test('refuses JSON that is nested too deeply, but not brackets inside a string', () => {
  const nested = (depth: number) => Buffer.from(`{"data":${'['.repeat(depth)}${']'.repeat(depth)}}`)
  expect(parseJson(nested(100_000))).toBeUndefined()
  expect(parseJson(nested(50))).toBeDefined()
  const text = `"\\\\ \\" ${'['.repeat(1000)}`
  expect(parseJson(Buffer.from(`{"a":${JSON.stringify(text)}}`))).toEqual({a: text})
  expect(whyNotJson(nested(100_000))).toBe('it is nested too deeply')
  expect(whyNotJson(Buffer.from('{[[[['))).toBe('it is not JSON')
})
