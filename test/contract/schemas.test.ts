/** §2 and §4: what we send is closed and exact; what we receive may say more. */
import {describe, expect, it} from 'vitest'
import type {z} from 'zod'
import {promisedOffer, searchRequest} from '../../src/contract/hotels.js'
import {
  contact,
  guest,
  promisedReservation,
  reservationRequest,
  reservationUpdate,
} from '../../src/contract/reservations.js'
import {accessToken, revokeRequest, tokenRequest} from '../../src/contract/tokens.js'
import {subscriptionRequest} from '../../src/contract/webhooks.js'
import {ADULT, CONTACT} from '../support/sandbox.js'

const SEARCH = {
  destination: {type: 'CITY', id: 101},
  check_in: '2030-07-10',
  check_out: '2030-07-13',
  rooms: [{adults: 2, children_ages: [7]}],
  client_nationality: 'TR',
  currency: 'EUR',
}

const RESERVATION = {
  offer_id: 'off_1',
  client_reference_id: 'PARTNER-1',
  client_nationality: 'TR',
  contact: CONTACT,
  guests: [ADULT],
  payment: {mode: 'account'},
}

const TOKEN = {grant_type: 'client_credentials', client_id: 'cid_1', client_secret: 'x', scope: 'hotels:read'}

/** `value` with what stands at `path` replaced, or taken out when the new value is undefined. */
function changed(value: object, path: string, replacement: unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>
  const keys = path.split('.')
  const last = keys.pop() as string
  const parent = keys.reduce((at, key) => at[key] as Record<string, unknown>, copy)
  if (replacement === undefined) delete parent[last]
  else parent[last] = replacement
  return copy
}

/** The paths a schema complains about. */
function complaints(schema: z.ZodType, value: unknown): string[] {
  return schema.safeParse(value).error?.issues.map(({path}) => path.join('.')) ?? []
}

describe('what is sent', () => {
  it.each([
    ['search', searchRequest, SEARCH],
    ['reservation', reservationRequest, RESERVATION],
    ['token', tokenRequest, TOKEN],
    ['revocation', revokeRequest, {token: 'x'}],
    ['subscription', subscriptionRequest, {url: 'https://a.example', events: ['voucher.ready']}],
  ] as const)('as a %s is taken as it is, and closed', (_, schema, value) => {
    expect(schema.parse(value)).toEqual(value)
    expect(schema.safeParse({...value, more: 1}).success).toBe(false)
  })

  it.each([
    ['destination.type', 'HOTEL'],
    ['destination.id', '101'],
    ['destination.id', 0],
    ['destination.more', 1],
    ['check_in', '2030-02-30'],
    ['check_in', '10.07.2030'],
    ['check_out', '2030-07-10'],
    ['check_out', '2030-07-09'],
    ['rooms', []],
    ['rooms.0.adults', 0],
    ['rooms.0.adults', 1.5],
    ['rooms.0.children_ages', undefined],
    ['rooms.0.children_ages', ['7']],
    ['rooms.0.children_ages', [18]],
    ['rooms.0.children_ages', [-1]],
    ['client_nationality', 'tr'],
    ['client_nationality', 'TUR'],
    ['currency', 'eur'],
    ['currency', undefined],
  ])('refuses a search with %s %j, naming the place', (path, value) => {
    const found = complaints(searchRequest, changed(SEARCH, path, value))
    expect(found.length).toBeGreaterThan(0)
    expect(found.every(place => path.startsWith(place) || place.startsWith(path))).toBe(true)
  })

  it.each([
    ['offer_id', ''],
    ['client_reference_id', '  '],
    ['client_nationality', 'Turkey'],
    ['contact.email', 'nobody'],
    ['contact.phone_country_code', '90'],
    ['contact.phone_country_code', '+٩٠'],
    ['contact.phone_number', '٥٣٢ ١٢٣'],
    ['contact.phone_number', 'call me'],
    ['contact.phone_number', '123'],
    ['contact.phone_number', '1'.repeat(16)],
    ['contact.phone_number', '+905320000000'],
    ['contact.surname', undefined],
    ['guests', []],
    ['guests.0.birth_date', '1990-02-30'],
    ['guests.0.nationality', 'tr'],
    ['guests.0.identity.number', ''],
    ['guests.0.is_lead', 'true'],
    ['guests.0.age', 30],
    ['payment.mode', 'cash'],
    ['payment.card', 'x'],
  ])('refuses a reservation with %s %j, naming the place', (path, value) => {
    const found = complaints(reservationRequest, changed(RESERVATION, path, value))
    expect(found.length).toBeGreaterThan(0)
    expect(found.every(place => path.startsWith(place) || place.startsWith(path))).toBe(true)
  })

  const at = (email: string) => contact.shape.email.safeParse(email).success

  it.each([
    ...['ayse@example.com', 'a&b@example.com', 'a/b@example.com', '#x@example.com', 'ü@example.com'],
    ...['a@münchen.de', "o'neil+trip@example.co.uk", '用户@例子.广告', 'a@localhost', '"a@b"@example.com'],
    ...['a..b@example.com', 'a@[192.0.2.1]', `${'x'.repeat(70)}@example.com`],
  ])('takes the e-mail address %s: §2.4 shows no form, so the service decides', email => {
    expect(at(email)).toBe(true)
  })

  it.each([
    ...[
      '',
      'nobody',
      '@example.com',
      'a@',
      '@',
      'a@b@',
      ' a@example.com',
      'a@example.com ',
      'a b@example.com',
    ],
    ...[
      'a@exam\u00a0ple.com',
      'a@example.com\n',
      'a\0@example.com',
      'a@example\x7f.com',
      'a\u2028@b',
      '\ufeffa@b',
    ],
  ])('refuses %j, which cannot be an e-mail address', email => {
    expect(at(email)).toBe(false)
  })

  it('decides about a long text that is no e-mail address at once', () => {
    const before = performance.now()
    for (const text of ['@'.repeat(300_000), `a${'@'.repeat(300_000)} `, `a@${'a'.repeat(300_000)} `])
      at(text)
    for (const text of ['1'.repeat(300_000), `1${' '.repeat(300_000)}`])
      contact.shape.phone_number.safeParse(text)
    expect(performance.now() - before).toBeLessThan(1000)
  })

  it.each(['5321234567', '532 123 45 67', '(0532) 123-45-67', '532.123.4567', '1234'])(
    'takes the telephone number %s',
    phone_number => {
      expect(contact.safeParse({...CONTACT, phone_number}).success).toBe(true)
    },
  )

  it.each(['+90', '+1', '+1 242', '+1-242', '+1242'])('takes the dialling prefix %s', phone_country_code => {
    expect(contact.safeParse({...CONTACT, phone_country_code}).success).toBe(true)
  })

  it('takes words for guests that the interface does not show', () => {
    const other = {...ADULT, type: 'SENIOR', gender: 'OTHER', identity: {type: 'VISA', number: 'X1'}}
    expect(guest.parse(other)).toEqual(other)
    expect(guest.parse({type: 'ADULT', name: 'A', surname: 'B', is_lead: false})).toBeTruthy()
  })

  it('takes a part of a contact as an update', () => {
    expect(reservationUpdate.parse({contact: {email: 'new@example.com'}})).toEqual({
      contact: {email: 'new@example.com'},
    })
    expect(reservationUpdate.safeParse({payment: {mode: 'account'}}).success).toBe(false)
  })
})

describe('what is received', () => {
  it('may say more than is promised', () => {
    expect(promisedOffer.parse({offer_id: 'off_1', price: 9})).toEqual({offer_id: 'off_1', price: 9})
    const reservation = {reservation_ref: 'R1', status: 'ON_REQUEST', more: {}}
    expect(promisedReservation.parse(reservation)).toEqual(reservation)
  })

  it('may leave out all of a token but the token, and write seconds as text', () => {
    expect(accessToken.parse({access_token: 'x'})).toEqual({access_token: 'x'})
    expect(accessToken.parse({access_token: 'x', expires_in: '7200'}).expires_in).toBe(7200)
    expect(accessToken.safeParse({access_token: ''}).success).toBe(false)
    expect(accessToken.safeParse({token: 'x'}).success).toBe(false)
  })

  it('must have what is indispensable', () => {
    expect(promisedOffer.safeParse({offer_id: ''}).success).toBe(false)
    expect(promisedReservation.safeParse({status: 'CONFIRMED'}).success).toBe(false)
  })
})
