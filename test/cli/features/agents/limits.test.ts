/** The limits on what agents spend: what counts, what is refused, and that parallel servers never pass them. */
import {describe, expect, test} from 'vitest'
import {
  checkLimits,
  leftOf,
  readSpending,
  readSpendingLimits,
  type SpendingLimits,
  withLimits,
} from '../../../../src/cli/features/agents/limits.js'
import {Failure} from '../../../../src/contract/failure.js'
import type {JournalEntry, Price} from '../../../../src/contract/journal.js'
import {TOKEN_CLIENT} from '../../../../src/contract/token-cache.js'
import {CLIENT, intent} from '../../../support/client.js'
import {describeEachPlace} from '../../../support/stores.js'
import {entry} from '../explain/made-up-facts.js'

const eur = (amount: string) => ({amount, currency: 'EUR'})
const price = (amount: string, currency: string | null = 'EUR'): Price => ({price: amount, currency})
const LIMITS: SpendingLimits = {currency: 'EUR', maxTotal: '1000', maxEach: '500', perDay: undefined}

describe('the flags', () => {
  test('both amounts and their currency are needed', () => {
    const flags = {'max-total': eur('1000'), 'max-each': eur('500')}
    expect(readSpendingLimits(flags)).toEqual(LIMITS)
    expect(readSpendingLimits({...flags, 'per-day': 3})).toMatchObject({perDay: 3})
    expect(() => readSpendingLimits({'max-total': eur('1')})).toThrow('missing: --max-each')
    expect(() => readSpendingLimits({'max-each': eur('1')})).toThrow('missing: --max-total')
    const bare = {...flags, 'max-each': {amount: '1', currency: null}}
    expect(() => readSpendingLimits(bare)).toThrow('--max-each: must have a currency')
    const mixed = {...flags, 'max-each': {amount: '1', currency: 'USD'}}
    expect(() => readSpendingLimits(mixed)).toThrow('--max-total is in EUR and --max-each in USD')
  })
})

describe('what counts', () => {
  const madeBy = {program: 'p', handle: 'hdl_1'}
  const NOW = 2_000_000
  const own = (change: Partial<JournalEntry>) =>
    entry({...CLIENT, madeBy, agreed: price('100.00'), booked: null, updatedAt: NOW, result: null, ...change})
  const spent = async (entries: readonly JournalEntry[], except?: number) =>
    readSpending({list: async () => [...entries]}, CLIENT, LIMITS, {now: NOW, except})
  const fee = (amount: string, currency = 'EUR') => ({cancellation: {fee: amount, currency}})
  const cancelled = {outcome: 'cancelled', reservationRef: 'RSV-1'}
  const none = {reservationRef: null}

  test.each<[change: Partial<JournalEntry>, total: string]>([
    [{outcome: 'confirmed'}, '100.00'],
    [{outcome: 'pending_payment'}, '100.00'],
    [{outcome: 'accepted'}, '100.00'],
    [{outcome: 'unknown', ...none}, '100.00'],
    [{outcome: 'unknown', ...none, updatedAt: 0}, '100.00'],
    [{outcome: 'unresolved', ...none}, '100.00'],
    [{outcome: 'unresolved', ...none, attempts: 0}, '100.00'],
    [{outcome: 'unresolved', ...none, attempts: 0, updatedAt: 0}, '0'],
    [{outcome: 'forgotten', ...none}, '100.00'],
    [{outcome: 'forgotten'}, '100.00'],
    [{outcome: 'confirmed', booked: price('120.50')}, '120.50'],
    [{outcome: 'confirmed', booked: price('80')}, '100.00'],
    [{outcome: 'confirmed', agreed: null, booked: price('80')}, '80'],
    [{...cancelled, result: fee('20.00')}, '20.00'],
    [{...cancelled, result: fee('0')}, '0'],
    [{...cancelled, result: fee('20.00', 'USD')}, '100.00'],
    [{...cancelled, result: {}}, '100.00'],
    [{outcome: 'refused', ...none}, '0'],
    [{outcome: 'failed', ...none}, '0'],
    [{outcome: 'not_sent', ...none, attempts: 0}, '0'],
    [{outcome: 'expired'}, '0'],
    [{outcome: 'rejected'}, '0'],
  ])('an entry that is %j counts %s', async (change, total) => {
    const spending = await spent([own(change)])
    expect(spending).toMatchObject({total, incomparable: undefined})
  })

  test('entries of other services and clients do not count; those of a token may be the own ones', async () => {
    const entries = [own({}), own({clientId: 'cid_9'}), own({baseUrl: 'https://other.example/v1'})]
    expect(await spent(entries)).toMatchObject({total: '100.00', reservations: 1})
    expect(await spent([own({clientId: TOKEN_CLIENT})])).toMatchObject({reservations: 1})
  })

  test('the entry that is repeated does not count twice', async () => {
    expect(await spent([own({id: 7}), own({id: 8})], 7)).toMatchObject({reservations: 1})
  })

  test('a cancelled one without a fee is named, and one in another currency forbids all others', async () => {
    const withoutFee = await spent([own({...cancelled, clientReferenceId: 'ref-9'})])
    expect(withoutFee.withoutFee).toEqual(['ref-9'])
    const unclear = {
      price: {total: '150.00', currency: 'USD'},
      payment: {mode: 'account', amount: '86.37', currency: 'EUR'},
    }
    const cases: [Partial<JournalEntry>, string][] = [
      [{booked: price('90', 'USD')}, '100.00'],
      [{booked: null, result: unclear}, '100.00'],
      [{agreed: price('90', null)}, '0'],
      [{agreed: null}, '0'],
    ]
    for (const [change, total] of cases) {
      const spending = await spent([own({...change, clientReferenceId: 'ref-9'})])
      expect(spending).toMatchObject({total, incomparable: {clientReferenceId: 'ref-9'}})
      expect(leftOf(LIMITS, spending)).toMatchObject({spent: total, left: '0'})
    }
  })
})

describe('what is refused', () => {
  const spending = {total: '900.50', reservations: 2, withoutFee: [], incomparable: undefined}
  const refusal = (given: Price | null, limits = LIMITS, change: object = {}) => {
    try {
      checkLimits(limits, {...spending, ...change}, given)
      return undefined
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const {code, result} = error.details
      expect(code).toBe('over_limit')
      return {message: error.message, ...(result as {limit: string; left: string})}
    }
  }

  test('what fits to the last cent passes', () => {
    expect(refusal(price('99.50'))).toBeUndefined()
    expect(refusal(price('500'), LIMITS, {total: '0'})).toBeUndefined()
    expect(refusal(price('1'), {...LIMITS, perDay: 3})).toBeUndefined()
    expect(leftOf(LIMITS, spending)).toMatchObject({spent: '900.50', left: '99.50', reservations_left: null})
  })

  test.each<
    [given: Price | null, limits: Partial<SpendingLimits>, change: object, limit: string, text: string]
  >([
    [price('99.51'), {}, {}, 'max_total', '99.50 EUR are left of 1000 EUR'],
    [price('500.01'), {}, {total: '0'}, 'max_each', 'one reservation may cost 500 EUR'],
    [price('1'), {perDay: 2}, {}, 'per_day', '2 of 2 reservations'],
    [price('1', 'USD'), {}, {}, 'currency', 'the limits are in EUR'],
    [price('1', null), {}, {}, 'currency', 'the limits are in EUR'],
    [null, {}, {}, 'max_each', 'not known'],
    [price('1'), {}, {total: '2000'}, 'max_total', '0 EUR are left'],
    [price('99.51'), {}, {withoutFee: ['ref-1']}, 'max_total', 'its fee is not known'],
    [price('1'), {}, {incomparable: entry({clientReferenceId: 'ref-7'})}, 'max_total', 'ref-7'],
  ])('%j under %j and %j is over %s', (given, limits, change, limit, text) => {
    const refused = refusal(given, {...LIMITS, ...limits}, change)
    expect(refused).toMatchObject({limit, message: expect.stringContaining(text)})
    expect(refused?.message).toMatch(/nothing was sent$/)
  })
})

await describeEachPlace(place => {
  test('fifty reservations at a time, of two servers, never pass a limit', async () => {
    const first = await place.open()
    const states = [first, await place.open(first.directory)]
    const journals = await Promise.all(
      states.map(async state =>
        withLimits(state.journal.forClient(CLIENT), {
          limits: LIMITS,
          store: state.journal,
          handles: await state.agentHandles(CLIENT),
        }),
      ),
    )
    const now = Date.now() / 1000
    const begun = Array.from({length: 50}, async (_, n) => {
      const madeBy = {program: 'p', handle: `hdl_${n}`}
      const {kind} = await (journals[n % 2] as (typeof journals)[0]).begin(
        intent(n, {agreed: price('130.00'), madeBy}),
        now,
      )
      return kind
    })
    const settled = await Promise.allSettled(begun)
    expect(settled.filter(each => each.status === 'fulfilled')).toHaveLength(7)
    for (const each of settled)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({details: {code: 'over_limit'}})
    expect(await first.journal.list()).toHaveLength(7)
    // What is in the journal already is repeated, whatever is left.
    const [one] = await first.journal.list()
    const n = Number(one?.offerId.slice(4))
    const madeBy = {program: 'p', handle: `hdl_${n}`}
    const again = await journals[0]?.begin(intent(n, {agreed: price('130.00'), madeBy}), now)
    expect(again).toMatchObject({kind: 'repeat', entry: {id: one?.id}})
  }, 60_000)

  test('processes that have lost the lock of the store withdraw what passes a limit', async () => {
    const first = await place.open()
    const states = [first, await place.open(first.directory)]
    const unlocked = {
      alone: async <T>(_: string, __: number, work: () => Promise<T>) => ({
        gaveUp: false as const,
        value: await work(),
      }),
    }
    const now = Date.now() / 1000
    const settled = await Promise.allSettled(
      Array.from({length: 20}, (_, n) => {
        const state = states[n % 2] as (typeof states)[0]
        const counting = {limits: LIMITS, store: state.journal, handles: unlocked}
        const journal = withLimits(state.journal.forClient(CLIENT), counting)
        const madeBy = {program: 'p', handle: `hdl_${n}`}
        return journal.begin(intent(n, {agreed: price('130.00'), madeBy}), now)
      }),
    )
    expect(settled.filter(({status}) => status === 'fulfilled').length).toBeLessThanOrEqual(7)
    const open = await first.journal.list({unresolved: true})
    expect(open).toHaveLength(settled.filter(({status}) => status === 'fulfilled').length)
  })

  test('one of which nothing was sent is counted again where it is sent at last', async () => {
    const state = await place.open()
    const handles = await state.agentHandles(CLIENT)
    const plain = state.journal.forClient(CLIENT)
    const limited = (maxTotal: string) =>
      withLimits(plain, {limits: {...LIMITS, maxTotal}, store: state.journal, handles})
    const one = intent(1, {agreed: price('130.00'), madeBy: {program: 'p', handle: 'hdl_1'}})
    const now = Date.now() / 1000
    await limited('200').begin(one, now)
    await expect(limited('100').begin(one, now)).rejects.toMatchObject({details: {code: 'over_limit'}})
    const again = await limited('200').begin(one, now)
    expect(again.kind).toBe('repeat')
    await plain.attempt(again.entry.id, now)
    expect((await limited('100').begin(one, now)).kind).toBe('repeat')
  })
})
