/** Tokens in one process: what is asked for, what is taken from the cache, and what refusals mean. */
import {beforeEach, describe, expect, test} from 'vitest'
import {tokenClientOf} from '../../src/api/auth/token-request.js'
import {createTokenSource} from '../../src/api/auth/tokens.js'
import type {Scope} from '../../src/contract/scopes.js'
import {CLIENT_ID, type PartsOptions, tokenClientAt} from '../support/booking.js'
import {reservingAt} from '../support/reserving.js'
import {refuse} from '../support/scripted-service.js'

let now: number
const place = reservingAt({clock: {now: () => now, sleep: () => Promise.resolve()}})
beforeEach(() => {
  now = 1_900_000_000
})

/** The parts of a new process. */
function open(options: Partial<PartsOptions> = {}) {
  const parts = place.open(options)
  return {...parts, source: createTokenSource(parts.tokenParts)}
}

const requests = () => place.service.seen('/oauth/token')

describe('the cache', () => {
  test('serves another process until under 60 seconds are left', async () => {
    const first = await open().source.get(['account:read'])
    now += 7200 - 60
    expect((await open().source.get(['account:read'])).access_token).toBe(first.access_token)
    now += 1
    expect((await open().source.get(['account:read'])).access_token).not.toBe(first.access_token)
    expect(requests().length).toBe(2)
  })

  test('asks for the configured scopes when there are some, and once even if they do not cover the need', async () => {
    const configuredScopes: Scope[] = ['hotels:read', 'account:read']
    await open({configuredScopes}).source.get(['reservations:write'])
    await open({configuredScopes}).source.get(['reservations:write'])
    expect(requests().map(request => JSON.parse(request.body).scope)).toEqual(['account:read hotels:read'])
  })

  test('keeps clients and base URLs apart', async () => {
    const token = await open().source.get(['account:read'])
    const {state, tokenParts} = open()
    const other = {...tokenParts, credentials: {clientId: 'cid_other', clientSecret: 'sk_test_right'}}
    expect((await createTokenSource(other).get(['account:read'])).access_token).not.toBe(token.access_token)
    expect(state.tokens.list(tokenClientOf('https://example.com/v1', tokenParts.credentials))).toEqual([])
  })

  test('keeps secrets apart: a wrong one does not work by the token of the right one', async () => {
    await open().source.get(['account:read'])
    const wrong = open({clientSecret: 'sk_test_wrong'}).source.get(['account:read'])
    await expect(wrong).rejects.toMatchObject({kind: 'not_allowed'})
    expect(requests().length).toBe(2)
  })

  test.each([0, -1])('with an expires_in of %i is used for that call and not kept', async seconds => {
    place.service.tokenLifetimeSeconds = seconds
    const {api, state} = open()
    await api.call('account.show')
    expect(state.tokens.listAll()).toEqual([])
    await api.call('account.show')
    expect(requests().length).toBe(2)
  })

  test('is not written by a process that asked before a logout', async () => {
    const asking = open()
    asking.state.tokens.list(tokenClientAt(place.service.baseUrl))
    open().state.forgetEverything()
    await asking.source.get(['account:read'])
    expect(open().state.tokens.listAll()).toEqual([])
    await asking.source.get(['account:read'])
    expect(requests().length).toBe(1)
  })
})

describe('a token request that fails', () => {
  const refuseAll = () => {
    place.service.script = ({path}, response) => {
      if (path !== '/oauth/token') return false
      refuse(response, 401, 'invalid_client')
      return true
    }
  }
  /** The sources ask at the same moment; how each ended. */
  const ask = async (sources: ReturnType<typeof createTokenSource>[], scope: Scope = 'account:read') => {
    const ends = await Promise.allSettled(sources.map(source => source.get([scope])))
    return ends.map(end => (end.status === 'rejected' ? end.reason.details : end))
  }
  const refused = expect.objectContaining({code: 'invalid_client', status: 401, hint: expect.any(String)})

  test('fails for all who waited for it, and not for later ones', async () => {
    refuseAll()
    expect(await ask([open().source, open().source, open().source])).toEqual([refused, refused, refused])
    expect(requests()).toHaveLength(1)
    now += 1
    expect(await ask([open().source])).toEqual([refused])
    expect(requests()).toHaveLength(2)
  })

  test('while the clock was ahead does not count once it is right again', async () => {
    refuseAll()
    now += 86_400
    expect(await ask([open().source])).toEqual([refused])
    now -= 86_400
    place.service.script = () => false
    expect(await ask([open().source])).toMatchObject([{status: 'fulfilled'}])
    expect(requests()).toHaveLength(2)
  })

  test('says nothing of other scopes, of another secret, nor of another connection', async () => {
    refuseAll()
    const {tokenParts} = open()
    const wrong = {clientId: CLIENT_ID, clientSecret: 'sk_test_wrong'}
    await Promise.all([
      ask([open().source, createTokenSource({...tokenParts, route: 'by a proxy'})]),
      ask([createTokenSource({...tokenParts, credentials: wrong})]),
      ask([open().source], 'hotels:read'),
    ])
    expect(requests()).toHaveLength(4)
  })
})
