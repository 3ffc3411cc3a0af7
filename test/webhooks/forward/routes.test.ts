/** Routes send types of events to targets; a target without a pattern gets all. */
import {expect, test} from 'vitest'
import {addressesFor, joinRoutes, matchesType} from '../../../src/webhooks/forward/routes.js'

test.each([
  ['reservation.*', 'reservation.confirmed'],
  ['reservation.*', 'reservation.'],
  ['*', 'voucher.ready'],
  ['*.failed', 'payment.failed'],
  ['voucher.ready', 'voucher.ready'],
  ['*a*b*', 'xaxbx'],
  ['r*n*d', 'reservation.confirmed'],
  ['**', ''],
])('%s matches %s', (pattern, type) => {
  expect(matchesType(pattern, type)).toBe(true)
})

test.each([
  ['reservation.*', 'reservation'],
  ['reservation.*', 'xreservation.confirmed'],
  ['*.failed', 'payment.failed2'],
  ['voucher.ready', 'voucher-ready'],
  ['Reservation.*', 'reservation.confirmed'],
  ['ab*ba', 'aba'],
  ['*b*a*', 'xaxb'],
])('%s does not match %s', (pattern, type) => {
  expect(matchesType(pattern, type)).toBe(false)
})

test('a pattern of many stars is as fast as any, also against a long type', () => {
  const started = performance.now()
  expect(matchesType(`${'*a'.repeat(500)}*b`, 'a'.repeat(500_000))).toBe(false)
  expect(performance.now() - started).toBeLessThan(1000)
})

test('an event goes once to each address whose routes want its type, in the order of the routes', () => {
  const targets = joinRoutes([
    {pattern: 'reservation.*', url: 'http://a/'},
    {pattern: undefined, url: 'http://all/'},
    {pattern: '*.confirmed', url: 'http://a/'},
    {pattern: 'payment.*', url: 'http://b/'},
    {pattern: 'payment.*', url: 'http://all/'},
    {pattern: 'payment.*', url: 'http://b/'},
  ])
  expect(targets).toEqual([
    {url: 'http://a/', patterns: ['reservation.*', '*.confirmed']},
    {url: 'http://all/', patterns: undefined},
    {url: 'http://b/', patterns: ['payment.*']},
  ])
  expect(addressesFor(targets, 'reservation.confirmed')).toEqual(['http://a/', 'http://all/'])
  expect(addressesFor(targets, 'payment.failed')).toEqual(['http://all/', 'http://b/'])
  expect(addressesFor(targets, 'voucher.ready')).toEqual(['http://all/'])
  expect(addressesFor(targets, null)).toEqual(['http://all/'])
  expect(addressesFor(joinRoutes([{pattern: '*', url: 'http://a/'}]), null)).toEqual([])
})
