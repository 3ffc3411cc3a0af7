/**
 * Which values of a request and its answer are secrets, how they are found in every spelling, and that no echo of one is shown.
 */
import {expect, test} from 'vitest'
import {readAnswer, refusalOf} from '../../../src/api/answers/refusals.js'
import {secretsIn} from '../../../src/api/redact/redact.js'
import {type Answer, ExchangeError, type WireRequest} from '../../../src/api/types.js'

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
  '%s is a secret, sent and received',
  name => {
    expect(inRequest({[name]: 'found'})).toEqual(['found'])
    expect(inAnswer(JSON.stringify({data: [{[name]: 'found'}]}))).toEqual(['found'])
    // The outermost value counts. A value that is not text does not count.
    expect(inRequest({a: {[name]: 'inner'}, [name]: 'outer'})).toEqual(['outer'])
    expect(inRequest({a: {[name]: 'inner'}, [name]: null})).toEqual(['inner'])
    expect(inRequest({[name]: 5, a: {[name]: 'inner'}})).toEqual([])
    const camelCase = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    for (const written of [camelCase, name.replaceAll('_', '-'), name.toUpperCase()])
      expect(inAnswer(JSON.stringify({[written]: 'found'})), written).toEqual(['found'])
  },
)

test('finds every kind of secret, and the bearer token', () => {
  expect(inRequest({secret: 's', token: 't'}, {authorization: 'Bearer b'})).toEqual(['b', 't', 's'])
  expect(inRequest({secretive: 'x', tokens: 'y', my_secret: 'z'})).toEqual([])
})

test('without a body or an answer only the header has a secret', () => {
  const request = {method: 'GET', url: OPERATION, headers: {authorization: 'Bearer b'}}
  expect(secretsIn(request)).toEqual(['b'])
  expect(secretsIn(request, new ExchangeError('reset', true, 'gone'))).toEqual(['b'])
  expect(inAnswer('secret, and no JSON')).toEqual([])
})

const PATH = 'a123456789012345'
const twice = (...parts: string[]) => parts.flatMap(part => [part, part])

test('the long path segments and query values of a signed link are secrets', () => {
  expect(inLink(`/v/${PATH}/x`)).toEqual(twice(PATH))
  expect(inLink(`/v/${PATH.toUpperCase()}`)).toEqual(twice(PATH.toUpperCase()))
  expect(inLink(`/${PATH}?x=12345678&y=abcdefgh&z=a=b=c=d=e`)).toEqual(
    twice(PATH, '12345678', 'abcdefgh', 'a=b=c=d=e'),
  )
  expect(inLink('/v?12345678')).toEqual(twice('12345678'))
  expect(inLink('/v/%2Ba12345678901234')).toEqual(['%2Ba12345678901234', '+a12345678901234'])
  expect(inLink('/v?x=%E0%A4%ZZ345')).toEqual(twice('%E0%A4%ZZ345'))
})

test('short segments, plain words and numbers are no secrets', () => {
  const paths = ['/abcdefghijklmnopqrst', '/1234567890123456789', '/a12345678901234', '/v?x=1234567', '/v']
  for (const path of [`/${PATH.slice(1)}`, ...paths]) expect(inLink(path), path).toEqual([])
})

test('operations, sandbox controls and invalid URLs are no links', () => {
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

const TOKEN = 'opaqueTokenWithoutAnyLook42'
const request = {
  method: 'POST',
  url: 'https://service.example/v1/oauth/token',
  headers: {authorization: `Bearer ${TOKEN}`},
  body: JSON.stringify({client_secret: 'plainSecretWithoutAnyLook77'}),
}
function answer(status: number, text: string, headers: Record<string, string> = {}): Answer {
  const body = Buffer.from(text)
  const more = {url: request.url, attempts: 1, mayHaveActed: false, secrets: secretsIn(request)}
  return readAnswer({status, headers, body, ...more})
}

test('leaves no half of a secret at the end of a quotation', () => {
  for (let filler = 80; filler < 520; filler += 3) {
    const said = `${'x '.repeat(filler).slice(0, filler)}${TOKEN}`
    for (const text of [
      JSON.stringify({error: {message: said}}),
      JSON.stringify({error: {code: said}}),
      `<html>${said}</html>`,
    ])
      expect(refusalOf(answer(400, text), {now: 0}).message).not.toContain('opaque')
  }
})

test('redacts secrets echoed in the request id and the required scope', () => {
  const text = JSON.stringify({error: {code: 'insufficient_scope', request_id: `req ${TOKEN}`}})
  const headers = {'www-authenticate': `Bearer scope="hotels:read ${TOKEN}"`, 'x-request-id': TOKEN}
  for (const echo of [answer(403, text), answer(403, text, headers)]) {
    const {details} = refusalOf(echo, {now: 0})
    expect(JSON.stringify(details)).not.toContain(TOKEN)
    expect(details.requestId).toContain('[redacted]')
  }
})
