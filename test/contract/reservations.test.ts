/** The schemas of requests are exact (§2, §4). That they are closed is tested in openapi.test.ts. */
import {describe, expect, it} from 'vitest'
import type {z} from 'zod'
import {searchRequest} from '../../src/contract/hotels.js'
import {plainMessage} from '../../src/contract/input-mistakes.js'
import {contact, guest, reservationRequest, reservationUpdate} from '../../src/contract/reservations.js'
import * as requests from '../support/sandbox.js'

const {ADULT, CONTACT} = requests
const SEARCH = requests.searchRequest()
const RESERVATION = requests.reservationRequest('off_1', {guests: [ADULT]})

/** Returns a copy of `value` with another value at `path`, or without it if that is undefined. */
function changed(value: object, path: string, replacement: unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>
  const keys = path.split('.')
  const last = keys.pop() as string
  const parent = keys.reduce((at, key) => at[key] as Record<string, unknown>, copy)
  if (replacement === undefined) delete parent[last]
  else parent[last] = replacement
  return copy
}

/** Returns the paths of the errors of a schema. */
function complaints(schema: z.ZodType, value: unknown): string[] {
  return schema.safeParse(value).error?.issues.map(({path}) => path.join('.')) ?? []
}

describe('what is sent', () => {
  const PHONES = ['٥٣٢ ١٢٣', 'call me', '123', '1'.repeat(16), '+905320000000']
  const REFUSED: [path: string, values: unknown[], schema: z.ZodType, whole: object][] = [
    ['destination.type', ['HOTEL'], searchRequest, SEARCH],
    ['destination.id', ['101', 0], searchRequest, SEARCH],
    ['destination.more', [1], searchRequest, SEARCH],
    ['check_in', ['2030-02-30', '10.07.2030'], searchRequest, SEARCH],
    ['check_out', ['2030-07-10', '2030-07-09'], searchRequest, SEARCH],
    ['rooms', [[]], searchRequest, SEARCH],
    ['rooms.0.adults', [0, 1.5], searchRequest, SEARCH],
    ['rooms.0.children_ages', [undefined, ['7'], [18], [-1]], searchRequest, SEARCH],
    ['client_nationality', ['tr', 'TUR'], searchRequest, SEARCH],
    ['currency', ['eur', undefined], searchRequest, SEARCH],
    ['offer_id', [''], reservationRequest, RESERVATION],
    ['client_reference_id', ['  '], reservationRequest, RESERVATION],
    ['client_nationality', ['Turkey'], reservationRequest, RESERVATION],
    ['contact.email', ['nobody'], reservationRequest, RESERVATION],
    ['contact.phone_country_code', ['90', '+٩٠'], reservationRequest, RESERVATION],
    ['contact.phone_number', PHONES, reservationRequest, RESERVATION],
    ['contact.surname', [undefined], reservationRequest, RESERVATION],
    ['guests', [[]], reservationRequest, RESERVATION],
    ['guests.0.birth_date', ['1990-02-30'], reservationRequest, RESERVATION],
    ['guests.0.nationality', ['tr'], reservationRequest, RESERVATION],
    ['guests.0.identity.number', [''], reservationRequest, RESERVATION],
    ['guests.0.is_lead', ['true'], reservationRequest, RESERVATION],
    ['payment.mode', ['cash'], reservationRequest, RESERVATION],
  ]
  it.each(REFUSED)('refuses a wrong %s, naming the place', (path, values, schema, whole) => {
    for (const value of values) {
      const found = complaints(schema, changed(whole, path, value))
      expect(found.length, `${path} ${value}`).toBeGreaterThan(0)
      expect(found.every(place => path.startsWith(place) || place.startsWith(path))).toBe(true)
    }
  })

  it('is refused in plain words', () => {
    const place = {destination: {type: 'HOTEL', id: 101}, check_in: 5, currency: undefined}
    const wrong = {...SEARCH, ...place, rooms: [{adults: 99, children_ages: [-1, 1.5]}]}
    const messages = [wrong, {...SEARCH, rooms: []}, {...SEARCH, rooms: Array(10).fill(SEARCH.rooms[0])}]
      .flatMap(value => searchRequest.safeParse(value, {error: plainMessage}).error?.issues ?? [])
      .map(({path, message}) => `${path.join('.')} ${message}`)
    expect(messages).toEqual([
      'destination.type must be CITY',
      'check_in must be text',
      'rooms.0.adults must be at most 9',
      'rooms.0.children_ages.0 must be at least 0',
      'rooms.0.children_ages.1 must be a whole number',
      'currency is missing',
      'rooms must have at least 1 item',
      'rooms must have at most 9 items',
    ])
  })

  const isEmail = (email: string) => contact.shape.email.safeParse(email).success

  it('takes any form of e-mail address, since §2.4 shows none', () => {
    const good = [
      'ayse@example.com',
      'a&b@example.com',
      'a/b@example.com',
      '#x@example.com',
      'ü@example.com',
      'a@münchen.de',
      'a@localhost',
      "o'neil+trip@example.co.uk",
      '用户@例子.广告',
      '"a@b"@example.com',
      'a..b@example.com',
      'a@[192.0.2.1]',
      `${'x'.repeat(70)}@example.com`,
    ]
    const refused = good.filter(email => !isEmail(email))
    expect(refused).toEqual([])
  })

  it('refuses what cannot be an e-mail address', () => {
    const spaced = [' a@example.com', 'a@example.com ', 'a b@example.com', 'a@exam\u00a0ple.com', 'a@b.c\n']
    const odd = ['a\0@example.com', 'a@example\x7f.com', 'a\u2028@b', '\ufeffa@b']
    const bad = ['', 'nobody', '@example.com', 'a@', '@', 'a@b@', ...spaced, ...odd]
    expect(bad.filter(isEmail)).toEqual([])
  })

  it('decides about a long text that is no e-mail address at once', () => {
    const before = performance.now()
    for (const text of ['@'.repeat(300_000), `a${'@'.repeat(300_000)} `, `a@${'a'.repeat(300_000)} `])
      isEmail(text)
    for (const text of ['1'.repeat(300_000), `1${' '.repeat(300_000)}`])
      contact.shape.phone_number.safeParse(text)
    expect(performance.now() - before).toBeLessThan(1000)
  })

  it('takes telephone numbers and dialling prefixes as people write them', () => {
    for (const phone_number of ['5321234567', '532 123 45 67', '(0532) 123-45-67', '532.123.4567', '1234'])
      expect(contact.safeParse({...CONTACT, phone_number}).success, phone_number).toBe(true)
    for (const phone_country_code of ['+90', '+1', '+1 242', '+1-242', '+1242'])
      expect(contact.safeParse({...CONTACT, phone_country_code}).success, phone_country_code).toBe(true)
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
