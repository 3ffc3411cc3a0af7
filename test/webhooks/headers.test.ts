import {expect, test} from 'vitest'
import {gatherHeaders, headerOf} from '../../src/webhooks/signature/headers.js'

test('names are found in any case of letters', () => {
  expect(headerOf({'x-id': 'evt_1'}, 'X-ID')).toBe('evt_1')
})

test('a name that comes again keeps all its values, in their order', () => {
  const headers = gatherHeaders([
    ['A', 'one'],
    ['b', 'two'],
    ['a', 'three'],
    ['A', 'four'],
    ['__proto__', 'five'],
  ])
  expect(Object.entries(headers)).toEqual([
    ['a', ['one', 'three', 'four']],
    ['b', 'two'],
    ['__proto__', 'five'],
  ])
})

test('what every object has is no header', () => {
  expect(headerOf({}, 'constructor')).toBeUndefined()
  expect(headerOf(gatherHeaders([]), 'toString')).toBeUndefined()
})
