import {expect, test} from 'vitest'
import {OFFER_COLUMNS} from '../../src/cli/features/catalogue/hotel-search.js'

test('the columns of an offer are named as in JSON', () => {
  const names = OFFER_COLUMNS.map(({name}) => name)
  const keys = ['offer_id', 'hotel_name', 'stars', 'room_name', 'board', 'price', 'refundable']
  expect(names).toEqual(expect.arrayContaining([...keys, 'free_cancellation_until', 'expires_at']))
})
