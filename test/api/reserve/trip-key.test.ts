/** The key of a trip is the same for the same guests, hotel and dates; where one of these is missing, there is none. */
import {describe, expect, it} from 'vitest'
import {tripOfEntry, tripOfReservation} from '../../../src/api/reserve/trip-key.js'

const GUESTS = [
  {name: 'Ada', surname: 'Öz', birth_date: '1990-01-02'},
  {name: 'Can', surname: 'Öz', birth_date: '2020-03-04'},
]
const RECORD = {
  reservation_ref: 'RSV-1',
  hotel: {hotel_id: 'h_1', name: 'Sea View'},
  check_in: '2030-06-01',
  check_out: '2030-06-03',
  guests: GUESTS,
}

describe('tripOfReservation', () => {
  const key = tripOfReservation(RECORD)

  it('is the same for the guests in another order, case and spelling of spaces', () => {
    expect(key).toBeDefined()
    const [ada, can] = GUESTS
    const guests = [can, {...ada, name: ' ADA '}]
    expect(tripOfReservation({...RECORD, reservation_ref: 'RSV-2', guests})).toBe(key)
  })

  it.each([
    ['another hotel', {hotel: {hotel_id: 'h_2', name: 'Sea View'}}],
    ['another check-in', {check_in: '2030-06-02'}],
    ['another check-out', {check_out: '2030-06-04'}],
    ['one guest less', {guests: GUESTS.slice(0, 1)}],
    [
      'a guest of the same name with another birthday',
      {guests: [{...GUESTS[0], birth_date: '1960-01-02'}, GUESTS[1]]},
    ],
  ])('differs for %s', (_, change) => {
    const other = tripOfReservation({...RECORD, ...change})
    expect(other).toBeDefined()
    expect(other).not.toBe(key)
  })

  it.each([
    ['guests', {guests: []}],
    ['the name of a guest', {guests: [{name: 'Ada'}]}],
    ['a hotel', {hotel: undefined}],
    ['dates', {check_out: undefined}],
  ])('is unknown without %s', (_, change) => {
    expect(tripOfReservation({...RECORD, ...change})).toBeUndefined()
  })

  it('identifies the hotel by its name if it has no id', () => {
    const named = (hotel_name: string) => tripOfReservation({...RECORD, hotel: undefined, hotel_name})
    expect(named('Sea  view')).toBe(named('Sea View'))
    expect(named('Sea View')).not.toBe(named('Lake View'))
  })
})

describe('tripOfEntry', () => {
  const stay = {check_in: '2030-06-01', check_out: '2030-06-03', rooms: [], city: 101}
  const entry = {trip: {guests: 'a1', stay}, result: {hotel: {hotel_id: 'h_1'}}}

  it('is the same with another offer and other rooms, and differs with other guests', () => {
    const key = tripOfEntry(entry)
    const rooms = [{adults: 2, children_ages: []}]
    expect(key).toBeDefined()
    expect(tripOfEntry({...entry, trip: {guests: 'a1', stay: {...stay, rooms}}})).toBe(key)
    expect(tripOfEntry({...entry, trip: {guests: 'b2', stay}})).not.toBe(key)
  })

  it('takes hotel and dates from the offer if the answer does not state them', () => {
    const seen = {hotel_name: 'Sea View', check_in: '2030-06-01', check_out: '2030-06-03'}
    const bare = {trip: {guests: 'a1', stay: null}, result: null}
    expect(tripOfEntry(bare)).toBeUndefined()
    expect(tripOfEntry(bare, seen)).toBeDefined()
  })

  it('is unknown for an entry whose guests were not recorded or were forgotten', () => {
    expect(tripOfEntry({...entry, trip: null})).toBeUndefined()
  })
})
