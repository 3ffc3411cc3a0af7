/** Which of the values in a request and its answer are secrets, and which stay to be read. */
import {expect, test} from 'vitest'
import {secretsIn} from '../../src/api/redact/secrets-in.js'
import {ExchangeError, type WireRequest} from '../../src/api/types.js'

const OPERATION = 'https://service.test/v1/oauth/token'

const inRequest = (body: unknown, headers: Record<string, string> = {}, url = OPERATION) => {
  const request: WireRequest = {method: 'POST', url, headers, body: JSON.stringify(body)}
  return secretsIn(request)
}
const inAnswer = (text: string) =>
  secretsIn({method: 'GET', url: OPERATION, headers: {}}, {status: 200, headers: {}, body: Buffer.from(text)})
const inLink = (path: string, headers = {}) =>
  secretsIn({method: 'GET', url: `https://files.test${path}`, headers})

test.each(['client_secret', 'token', 'access_token', 'refresh_token', 'secret'])(
  '%s is one, sent and received',
  name => {
    expect(inRequest({[name]: 'found'})).toEqual(['found'])
    expect(inAnswer(JSON.stringify({data: [{[name]: 'found'}]}))).toEqual(['found'])
    // The outermost counts, and what is no text is none.
    expect(inRequest({a: {[name]: 'inner'}, [name]: 'outer'})).toEqual(['outer'])
    expect(inRequest({a: {[name]: 'inner'}, [name]: null})).toEqual(['inner'])
    expect(inRequest({[name]: 5, a: {[name]: 'inner'}})).toEqual([])
    const camelCase = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    for (const written of [camelCase, name.replaceAll('_', '-'), name.toUpperCase()])
      expect(inAnswer(JSON.stringify({[written]: 'found'})), written).toEqual(['found'])
  },
)

test('every kind of them is found, beside the bearer token', () => {
  expect(inRequest({secret: 's', token: 't'}, {authorization: 'Bearer b'})).toEqual(['b', 't', 's'])
  expect(inRequest({secretive: 'x', tokens: 'y', my_secret: 'z'})).toEqual([])
})

test('without a body, or without an answer, there is no more than the header', () => {
  const request = {method: 'GET', url: OPERATION, headers: {authorization: 'Bearer b'}}
  expect(secretsIn(request)).toEqual(['b'])
  expect(secretsIn(request, new ExchangeError('reset', true, 'gone'))).toEqual(['b'])
  expect(inAnswer('secret, and no JSON')).toEqual([])
})

const PATH = 'a123456789012345'
const twice = (...parts: string[]) => parts.flatMap(part => [part, part])

test('of a signed link the long parts of its path, and the values of its query, are secrets', () => {
  expect(inLink(`/v/${PATH}/x`)).toEqual(twice(PATH))
  expect(inLink(`/v/${PATH.toUpperCase()}`)).toEqual(twice(PATH.toUpperCase()))
  expect(inLink(`/${PATH}?x=12345678&y=abcdefgh&z=a=b=c=d=e`)).toEqual(
    twice(PATH, '12345678', 'abcdefgh', 'a=b=c=d=e'),
  )
  expect(inLink('/v?12345678')).toEqual(twice('12345678'))
  expect(inLink('/v/%2Ba12345678901234')).toEqual(['%2Ba12345678901234', '+a12345678901234'])
  expect(inLink('/v?x=%E0%A4%ZZ345')).toEqual(twice('%E0%A4%ZZ345'))
})

test('what is short, or only a word or a number, is none', () => {
  for (const path of [
    `/${PATH.slice(1)}`,
    '/abcdefghijklmnopqrst',
    '/1234567890123456789',
    '/a12345678901234',
    '/v?x=1234567',
    '/v',
  ])
    expect(inLink(path), path).toEqual([])
})

test('operations, the controls of the sandbox and what is no address are no links', () => {
  expect(inLink(`/v/${PATH}`, {authorization: 'Bearer b'})).toEqual(['b'])
  expect(inLink(`/_sandbox/${PATH}`)).toEqual([])
  expect(inLink(`/v/_sandbox/${PATH}`)).toEqual(twice(PATH))
  expect(secretsIn({method: 'GET', url: `no address/${PATH}`, headers: {}})).toEqual([])
})

test('identity numbers that were sent are secrets, those received are not', () => {
  const guests = [
    {name: 'Can', nationality: 'TR', identity: {type: 'PASSPORT', number: 'U1234567'}},
    {surname: 'Öğüt', identity: {type: 'TC', number: 10000000146, issuing_country: 'TR'}},
    {passportNumber: 'X7654321', card: {number: '4111111111111111', card_type: 'VISA'}},
  ]
  expect(inRequest({guests})).toEqual(['U1234567', '10000000146', 'X7654321', '4111111111111111'])
  expect(inAnswer('{"token":"t","identity":{"number":"1"}}')).toEqual(['t'])
})
