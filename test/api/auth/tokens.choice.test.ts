/** Which of the stored tokens is used, and when a new one is requested. */
import {expect, test} from 'vitest'
import {createTokenSource} from '../../../src/api/auth/tokens.js'
import type {WireRequest} from '../../../src/api/types.js'
import {Failure} from '../../../src/contract/failure.js'
import type {Scope} from '../../../src/contract/operations.js'
import type {CachedToken, TokenCache, TokenRequestKind} from '../../../src/contract/token-cache.js'
import {fakeClock} from '../../support/clocks.js'

const NOW = 1_800_000_000
const READ: Scope[] = ['hotels:read']

const token = (access_token: string, more: Partial<CachedToken> = {}): CachedToken => ({
  access_token,
  scopes: READ,
  askedScopes: READ,
  obtainedAt: NOW - 10,
  expiresAt: NOW + 1000,
  ...more,
})

interface Kept {
  tokens: CachedToken[]
  /** Whether the stored tokens can no longer be read. */
  isAway?: boolean
  /** Whether another token can be stored. */
  hasRoom?: boolean
  /** The tokens that appear while this process waits; undefined if it does not have to wait. */
  meanwhile?: CachedToken[] | undefined
  /** How another process failed meanwhile. */
  failure?: Failure
  /** The error that the service ends with instead of an answer, and the seconds that a request takes. */
  error?: unknown
  seconds?: number
}

/** Creates a token source with a cache that contains what `kept` says. The service grants `asked-1`, `asked-2`, … */
function setUp(kept: Kept, lifetimeSeconds = 7200, configuredScopes?: readonly Scope[]) {
  const waits: number[] = []
  const noted: {kind: TokenRequestKind; failure: Failure; now: number}[] = []
  const askedFor: {kind: TokenRequestKind; since: number}[] = []
  let asked = 0
  const sent: unknown[] = []
  const clock = fakeClock(NOW)
  const cache: TokenCache = {
    async list() {
      if (kept.isAway) throw new Error('away')
      return [...kept.tokens]
    },
    async put(_, given) {
      if (kept.hasRoom ?? true) kept.tokens.push(given)
    },
    async remove(_, accessToken) {
      kept.tokens = kept.tokens.filter(each => each.access_token !== accessToken)
    },
    async noteFailure(_, kind, failure, now) {
      noted.push({kind, failure, now})
    },
    async failureBetween(_, kind, since) {
      askedFor.push({kind, since})
      return kept.failure
    },
    async alone(_, waitMilliseconds, work, peek) {
      waits.push(waitMilliseconds)
      if (kept.meanwhile === undefined) return {gaveUp: false, value: await work()}
      kept.tokens.push(...kept.meanwhile)
      const seen = await peek()
      if (seen !== undefined) return {gaveUp: false, value: seen}
      return {gaveUp: true}
    },
  }
  const sender = {
    async send(request: WireRequest) {
      asked += 1
      sent.push(JSON.parse(request.body ?? '').scope)
      clock.advance(kept.seconds ?? 0)
      if (kept.error) throw kept.error
      const body = Buffer.from(JSON.stringify({access_token: `asked-${asked}`, expires_in: lifetimeSeconds}))
      return {url: request.url, status: 200, headers: {}, body, attempts: 1, mayHaveActed: false}
    },
  }
  const source = createTokenSource({
    baseUrl: 'https://service.test/v1',
    credentials: {clientId: 'cid_1', clientSecret: 's'},
    cache,
    sender,
    clock,
    timeoutSeconds: 7,
    route: 'direct',
    ...(configuredScopes && {configuredScopes}),
  })
  const get = async () => (await source.get(READ)).access_token
  const replace = async (refused: CachedToken) => (await source.replace(refused, READ)).access_token
  return {clock, waits, noted, askedFor, source, get, replace, sent, asked: () => asked}
}

test('takes the token with the fewest scopes, and of those the one that expires last', async () => {
  const wide = token('wide', {scopes: ['hotels:read', 'account:read', 'tours:read'], expiresAt: NOW + 9000})
  const two = token('two', {scopes: ['hotels:read', 'account:read'], expiresAt: NOW + 5000})
  const [early, late] = [token('early', {expiresAt: NOW + 500}), token('late', {expiresAt: NOW + 600})]
  for (const tokens of [[wide, two, early, late].reverse(), [early, wide, late, two]])
    expect(await setUp({tokens}).get()).toBe('late')
  for (const tokens of [[wide, two].reverse(), [wide, two]]) expect(await setUp({tokens}).get()).toBe('two')
})

test('takes no token that lacks a scope, expires within a minute or is from the future', async () => {
  const takes = async (name: string, more: Partial<CachedToken>) =>
    (await setUp({tokens: [token(name, more)]}).get()) === name
  expect(await takes('other', {scopes: ['tours:read'], askedScopes: ['tours:read']})).toBe(false)
  expect(await takes('fewer', {scopes: []})).toBe(true)
  expect(await takes('more', {askedScopes: ['a', 'b']})).toBe(true)
  expect(await takes('last', {expiresAt: NOW + 60})).toBe(true)
  expect(await takes('ending', {expiresAt: NOW + 59})).toBe(false)
  expect(await takes('now', {obtainedAt: NOW})).toBe(true)
  expect(await takes('future', {obtainedAt: NOW + 1})).toBe(false)
})

test('uses the token that another process has stored since, until it expires', async () => {
  const getting = setUp({tokens: [], meanwhile: [token('theirs', {expiresAt: NOW + 1})]})
  expect(await getting.get()).toBe('theirs')
  expect(getting.waits).toEqual([7000])
  expect(getting.asked()).toBe(0)
  expect(await setUp({tokens: [], meanwhile: [token('ended', {expiresAt: NOW})]}).get()).toBe('asked-1')
  const old = token('old')
  const replacing = setUp({tokens: [old], meanwhile: [token('theirs')]})
  expect(await replacing.replace(old)).toBe('theirs')
  expect(replacing.asked()).toBe(0)
})

test('a token stored before the first was refused does not replace it', async () => {
  const [first, second] = [token('first', {expiresAt: NOW + 2000}), token('second')]
  const {get, replace} = setUp({tokens: [first, second]})
  expect(await get()).toBe('first')
  expect(await replace(first)).toBe('asked-1')
})

test('keeps its own tokens in memory if none can be stored', async () => {
  const {source, asked} = setUp({tokens: [], hasRoom: false})
  for (const scope of ['hotels:read', 'account:read', 'hotels:read'] as const) await source.get([scope])
  expect(asked()).toBe(2)
})

test('uses a token that could not be stored until it expires or is refused', async () => {
  const kept: Kept = {tokens: [], hasRoom: false}
  const {get, replace, clock, asked} = setUp(kept, 30)
  expect(await get()).toBe('asked-1')
  clock.advance(29)
  expect(await get()).toBe('asked-1')
  // If the refused token came from another process, that is no reason to request one.
  kept.tokens = [token('theirs', {obtainedAt: NOW + 1, expiresAt: NOW + 30})]
  expect(await replace(token('other'))).toBe('theirs')
  kept.tokens = []
  expect(await get()).toBe('asked-1')
  expect(asked()).toBe(1)
  clock.advance(1)
  expect(await get()).toBe('asked-2')
})

test('goes on with the token in use while the store cannot be read; without one reports why', async () => {
  const kept: Kept = {tokens: [token('stored', {expiresAt: NOW + 61})]}
  const {get, clock, asked} = setUp(kept)
  expect(await get()).toBe('stored')
  kept.isAway = true
  expect(await get()).toBe('stored')
  expect(asked()).toBe(0)
  clock.advance(2)
  expect(await get()).toBe('asked-1')
  await expect(setUp(kept).get()).rejects.toThrow('away')
})

test('records a failure for waiting processes when it ends, with the scopes and the route of the request', async () => {
  const error = new Failure('unreachable', 'made up', {code: 'refused'})
  const {get, noted} = setUp({tokens: [], error, seconds: 3})
  await expect(get()).rejects.toBe(error)
  expect(noted).toEqual([{kind: {scopes: ['hotels:read'], route: 'direct'}, failure: error, now: NOW + 3}])
})

test('records no failure after an interruption, a bug, or a wait without a token', async () => {
  for (const error of [
    new Failure('interrupted', 'made up', {code: 'interrupted'}),
    new TypeError('made up'),
  ]) {
    const {get, noted} = setUp({tokens: [], error})
    await expect(get()).rejects.toBe(error)
    expect(noted).toEqual([])
  }
  const error = new Failure('unreachable', 'made up', {code: 'refused'})
  const gaveUp = setUp({tokens: [], meanwhile: [], error})
  await expect(gaveUp.get()).rejects.toBe(error)
  expect(gaveUp.noted).toEqual([])
})

test('a waiting process shares a failure that happened while it waited, unless there is a token', async () => {
  const failure = new Failure('unreachable', 'made up', {code: 'refused'})
  const {get, asked, askedFor} = setUp({tokens: [], meanwhile: [], failure})
  await expect(get()).rejects.toBe(failure)
  expect(askedFor).toEqual([{kind: {scopes: ['hotels:read'], route: 'direct'}, since: NOW}])
  expect(asked()).toBe(0)
  const served = setUp({tokens: [], meanwhile: [token('theirs')], failure})
  expect(await served.get()).toBe('theirs')
  expect(served.askedFor).toEqual([])
  const first = setUp({tokens: [], failure})
  await expect(first.get()).rejects.toBe(failure)
  expect(first.asked()).toBe(0)
})

test('requests the configured scopes, only once even if they are not sufficient', async () => {
  const kept: Kept = {tokens: []}
  const [first, second] = [1, 2].map(() => setUp(kept, 7200, ['hotels:read', 'account:read']))
  for (const each of [first, second]) await each?.source.get(['reservations:write'])
  expect([first?.sent, second?.sent]).toEqual([['account:read hotels:read'], []])
})

test.each([0, -1])('a token with an expires_in of %i is used for one call and not kept', async seconds => {
  const kept: Kept = {tokens: []}
  const {get} = setUp(kept, seconds)
  expect([await get(), await get(), kept.tokens]).toEqual(['asked-1', 'asked-2', []])
})
