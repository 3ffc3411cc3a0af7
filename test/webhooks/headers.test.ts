import {expect, test} from 'vitest'
import {DEFAULT_HEADER_NAMES, gatherHeaders, headerOf, keyOf} from '../../src/webhooks/signature/headers.js'

test('names are those of §6.2, found in any case of letters', () => {
  expect(DEFAULT_HEADER_NAMES).toEqual({signature: 'X-Service-Signature', eventId: 'X-Service-Event-Id'})
  expect(keyOf('X-Service-Event-Id')).toBe('x-service-event-id')
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
