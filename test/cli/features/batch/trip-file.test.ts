/** Trip files as people and spreadsheets write them, and the messages about their mistakes. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {failedText} from '../../../../src/cli/features/batch/failed-file.js'
import {templateText} from '../../../../src/cli/features/batch/template.js'
import {
  MOST_TRIPS,
  type ReadTripOptions,
  readTripFile,
  tripMistake,
} from '../../../../src/cli/features/batch/trip-file.js'
import type {Choice, TripSearch} from '../../../../src/cli/features/batch/trips.js'
import {ownDirectory} from '../../../support/own.js'
import {rejectionOf} from '../../../support/thrown.js'

const DAY = '2030-01-15'

/** Reads `content` as a file of that name. */
async function read(name: string, content: string | Uint8Array, options: ReadTripOptions = {}) {
  const path = join(ownDirectory(), name)
  writeFileSync(path, content)
  return readTripFile(path, {day: DAY, ...options})
}

async function mistakesOf(name: string, content: string | Uint8Array, options: ReadTripOptions = {}) {
  const {kind, message, details} = await rejectionOf(read(name, content, options))
  expect(kind).toBe('usage')
  return [...(details.lines ?? [message])]
}

const CONTACT = 'contact_name,contact_surname,contact_email,contact_phone_country_code,contact_phone_number'
const AYSE = 'Ayşe,Öğüt,a@example.com,+90,5321234567'
const HEAD = `client_reference_id,city,check_in,check_out,nationality,currency,name,surname,${CONTACT}`
const ROW = `A-1,101,2030-06-01,2030-06-04,TR,EUR,Ayşe,Öğüt,${AYSE}`

const SEARCH: TripSearch = {
  city: 101,
  check_in: '2030-06-01',
  check_out: '2030-06-04',
  rooms: [{adults: 2, children_ages: []}],
  client_nationality: 'TR',
  currency: 'EUR',
}

test('reads a trip of two rows, whose second row leaves out what the first says', async () => {
  const {trips, format} = await read('a.csv', `${HEAD}\n${ROW}\nA-1,,1.6.2030,3,Türkiye,,Jürgen,Groß,,,,,\n`)
  expect(format).toBe('csv')
  expect(trips).toHaveLength(1)
  expect(trips[0]).toMatchObject({
    line: 2,
    reference: 'A-1',
    offerId: undefined,
    search: SEARCH,
    choose: {},
    typed: {
      lacking: [],
      errors: [],
      guestsAreFlags: true,
      request: {
        client_reference_id: 'A-1',
        client_nationality: 'TR',
        contact: {name: 'Ayşe', phone_country_code: '+90'},
        guests: [
          {type: 'ADULT', name: 'Ayşe', is_lead: true},
          {type: 'ADULT', name: 'Jürgen', surname: 'Groß', is_lead: false},
        ],
        payment: {mode: 'account'},
      },
    },
  })
})

test('names every mistake of every row by line and column', async () => {
  const rows = [
    'A-1,101,2030-06-01,2030-05-30,TR,EUR,Ayşe,Öğüt,Ayşe,Öğüt,a@example.com,+90,5321234567',
    'A-1,,2030-06-02,,,,,Groß,,,,,',
    '',
    ',101,,,,,x,y,,,,,',
    'B-1,Atlantis,,,Nowhere,EURO,Can,Ay,,,wrong,+90,',
  ]
  expect(await mistakesOf('a.csv', [HEAD, ...rows].join('\n'))).toEqual([
    'line 2, column check_out: must be after the check-in, 2030-06-01, not "2030-05-30"',
    'line 3, column check_in: must be as on line 2, or empty: rows with the same client_reference_id are one trip',
    'line 3, column name: is missing',
    'line 5, column client_reference_id: is missing',
    expect.stringContaining('line 6, column nationality: must be a country'),
    expect.stringContaining('line 6, column currency: must be a three-letter currency code'),
    'line 6, column check_in: is missing',
    'line 6, column check_out: is missing, and so is nights',
    'line 6, column contact_name: is missing',
    'line 6, column contact_surname: is missing',
    'line 6, column contact_phone_number: is missing',
    'line 6, column contact_email: must be an e-mail address',
  ])
})

const TRIP = {
  client_reference_id: 'A-1',
  search: {
    city: 'Istanbul',
    check_in: '2030-06-01',
    nights: 3,
    rooms: [{adults: 1, children_ages: [4]}],
    currency: 'eur',
  },
  choose: {hotel_id: 1010007, board: 'BB', refundable: true, max_price: '450 EUR'},
  client_nationality: 'TR',
  contact: {
    name: 'Ayşe',
    surname: 'Öğüt',
    email: 'a@example.com',
    phone_country_code: '+90',
    phone_number: '5321234567',
  },
  guests: [
    {name: 'Ayşe', surname: 'Öğüt', birth_date: '1990-05-17', identity: {type: 'TC', number: '10000000146'}},
  ],
}

const CHOICE: Choice = {
  hotelId: '1010007',
  board: 'BB',
  refundable: true,
  maxPrice: {amount: '450', currency: 'EUR'},
}

test.each(['ndjson', 'json'] as const)('reads trips of %s', async format => {
  const second = {
    ...TRIP,
    client_reference_id: 'A-2',
    search: undefined,
    choose: undefined,
    offer_id: 'off_1',
  }
  const text =
    format === 'json'
      ? JSON.stringify([TRIP, second])
      : `${JSON.stringify(TRIP)}\r\n\r\n${JSON.stringify(second)}\r\n`
  const {trips} = await read(`a.${format}`, text)
  expect(trips).toMatchObject([
    {
      line: 1,
      search: {city: 'Istanbul', check_out: '2030-06-04', currency: 'EUR', client_nationality: 'TR'},
      choose: CHOICE,
    },
    {line: format === 'json' ? 2 : 3, offerId: 'off_1', search: undefined, typed: {offerId: 'off_1'}},
  ])
})

test.each(['csv', 'ndjson'] as const)('the template of %s can be read', async format => {
  const {trips} = await read(`t.${format}`, await templateText(format), {day: undefined})
  expect(trips).toMatchObject([
    {search: {city: 101}, typed: {request: {guests: [{is_lead: true}, {is_lead: false}]}}},
  ])
})

test('writes what is not settled as it came in, with the reason', async () => {
  const file = await read(
    'a.csv',
    `\ufeff${HEAD};\r\n`.replaceAll(',', ';') + `${ROW}\r\n`.replaceAll(',', ';'),
  )
  const [trip] = file.trips
  if (!trip) throw new Error('no trip')
  const text = failedText(file, [{trip, why: '=HYPERLINK("http://x")'}])
  expect(text).toBe(
    `\ufeff${HEAD.replaceAll(',', ';')};;why\r\n${ROW.replaceAll(',', ';')};;"'=HYPERLINK(""http://x"")"\r\n`,
  )
  expect(tripMistake(file, trip, 'city', 'must be a city').message).toBe(
    'line 2, column city: must be a city',
  )
})

test('refuses more trips than a file may have', async () => {
  const rows = Array.from({length: MOST_TRIPS + 2}, (_, index) => ROW.replace('A-1', `A-${index}`))
  expect(await mistakesOf('a.csv', `${HEAD}\n${rows.join('\n')}`)).toEqual([
    `line ${MOST_TRIPS + 2}: too many trips: at most 10,000 in a file; split it`,
  ])
})
