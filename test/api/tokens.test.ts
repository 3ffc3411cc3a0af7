/** The scopes that are asked for, and a token that ends at once. */
import {expect, test} from 'vitest'
import {createTokenSource} from '../../src/api/auth/tokens.js'
import type {Scope} from '../../src/contract/scopes.js'
import type {PartsOptions} from '../support/booking.js'
import {reservingAt} from '../support/reserving.js'

const place = reservingAt()

/** The parts of a new process. */
function open(options: Partial<PartsOptions> = {}) {
  const parts = place.open(options)
  return {...parts, source: createTokenSource(parts.tokenParts)}
}

const requests = () => place.service.seen('/oauth/token')

test('asks for the configured scopes when there are some, and once even if they do not cover the need', async () => {
  const configuredScopes: Scope[] = ['hotels:read', 'account:read']
  await open({configuredScopes}).source.get(['reservations:write'])
  await open({configuredScopes}).source.get(['reservations:write'])
  expect(requests().map(request => JSON.parse(request.body).scope)).toEqual(['account:read hotels:read'])
})

test.each([0, -1])('with an expires_in of %i is used for that call and not kept', async seconds => {
  place.service.tokenLifetimeSeconds = seconds
  const {api, state} = open()
  await api.call('account.show')
  expect(await state.tokens.listAll()).toEqual([])
  await api.call('account.show')
  expect(requests().length).toBe(2)
})
