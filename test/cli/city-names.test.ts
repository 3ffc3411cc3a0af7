/** A city by its name, where this machine knows it. */
import {expect, test} from 'vitest'
import {cityNumber} from '../../src/cli/features/catalogue/city-names.js'
import {thrownBy} from '../support/thrown.js'

test('a name that several cities have is refused with their numbers', () => {
  const cities = [
    {id: 1, name: 'Valencia', country_code: 'ES'},
    {id: 2, name: 'València', country_code: 'VE'},
  ]
  expect(thrownBy(() => cityNumber('valencia', cities)).message).toContain('1 ES, 2 VE')
})

test('a name mistyped is refused with the nearest ones', () => {
  const cities = [
    {id: 101, name: 'İstanbul', country_code: 'TR'},
    {id: 7, name: 'Paris', country_code: 'FR'},
  ]
  const {details, kind} = thrownBy(() => cityNumber('istnbul', cities))
  expect([kind, details.hint]).toEqual(['usage', 'did you mean İstanbul (101)?'])
  expect(thrownBy(() => cityNumber('zzzzzzzz', cities)).details.hint ?? '').not.toContain('did you mean')
})
