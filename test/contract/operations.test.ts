/** The operations, numbers, scopes and event types of the interface, copied independently from §4 to §8. */
import {describe, expect, it} from 'vitest'
import {EVENT_ID_HEADER, EVENT_TYPE_NAMES, isEventType, SIGNATURE_HEADER} from '../../src/contract/events.js'
import * as limits from '../../src/contract/limits.js'
import {
  BOOKING_SCOPES,
  isScope,
  OPERATIONS,
  type Operation,
  pathOf,
  SCOPE_NAMES,
} from '../../src/contract/operations.js'

const all: Operation[] = Object.values(OPERATIONS)

describe('operations', () => {
  it('that the interface shows are these (§4.1 to §4.8)', () => {
    const shown = all.filter(({source}) => source !== 'ours')
    expect(shown.map(({source, method, path, scope}) => [source, method, path, scope])).toEqual([
      ['§4.1', 'POST', '/oauth/token', null],
      ['§4.2', 'POST', '/oauth/revoke', null],
      ['§4.3', 'POST', '/hotels/search', 'hotels:read'],
      ['§4.4', 'POST', '/reservations/hotel', 'reservations:write'],
      ['§4.5', 'GET', '/reservations/{reservation_ref}/voucher', 'reservations:read'],
      ['§4.6', 'GET', '/account', 'account:read'],
      ['§4.7', 'POST', '/webhooks/subscriptions', 'webhooks:write'],
      ['§4.8', 'POST', '/webhooks/subscriptions/{subscription_id}/test', 'webhooks:write'],
    ])
  })

  it('ask to write where they change something, and to read where they do not', () => {
    const wrong = all.filter(({method, scope, path}) => {
      const changes = method !== 'GET' && !path.endsWith('/search')
      return scope !== null && scope.endsWith(':write') !== changes
    })
    expect(wrong).toEqual([])
  })
})

describe('a path', () => {
  it('has its parameters filled in and encoded', () => {
    expect(pathOf('account.show')).toBe('/account')
    expect(pathOf('voucher.show', {reservation_ref: 'RSV-1'})).toBe('/reservations/RSV-1/voucher')
    expect(pathOf('hotels.price', {offer_id: 'a/b?c#d ../é'})).toBe(
      '/hotels/offers/a%2Fb%3Fc%23d%20..%2F%C3%A9',
    )
  })

  it('is not made without them', () => {
    expect(() => pathOf('voucher.show')).toThrow('reservation_ref')
  })
})

describe('the interface', () => {
  it('has these limits (§8, §6.4, §9)', () => {
    expect(limits).toMatchObject({
      ACCESS_TOKEN_LIFETIME_SECONDS: 7200,
      OFFER_VALIDITY_SECONDS: 900,
      VOUCHER_LINK_VALIDITY_SECONDS: 3600,
      SIGNATURE_TOLERANCE_SECONDS: 300,
      WEBHOOK_RESPONSE_SECONDS: 3,
      DELIVERY_ATTEMPTS: 8,
      API_VERSION: 'v1',
    })
  })

  it('repeats deliveries at once, then after 1 min, 5 min, 30 min, 2 h, 8 h, and twice more (§6.4)', () => {
    expect(limits.DELIVERY_DELAYS_SECONDS.slice(0, 6)).toEqual([0, 60, 300, 1800, 7200, 28_800])
    expect(limits.DELIVERY_DELAYS_SECONDS).toHaveLength(limits.DELIVERY_ATTEMPTS)
  })

  it('has these scopes (§5)', () => {
    const reading = ['account', 'content', 'hotels', 'reservations', 'tours', 'webhooks'].map(
      of => `${of}:read`,
    )
    expect(new Set(SCOPE_NAMES)).toEqual(new Set([...reading, 'reservations:write', 'webhooks:write']))
    expect(BOOKING_SCOPES.every(isScope)).toBe(true)
    expect(['hotels:write', 'toString', '__proto__', ''].filter(isScope)).toEqual([])
  })

  it('has these events and headers (§6.1, §6.2)', () => {
    const reservation = ['reservation.confirmed', 'reservation.cancelled', 'reservation.updated']
    expect(EVENT_TYPE_NAMES).toEqual([...reservation, 'payment.captured', 'payment.failed', 'voucher.ready'])
    expect([SIGNATURE_HEADER, EVENT_ID_HEADER]).toEqual(['X-Service-Signature', 'X-Service-Event-Id'])
    expect(['reservation.deleted', 'constructor', ''].filter(isEventType)).toEqual([])
  })
})
