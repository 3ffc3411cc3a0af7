/** The ledger of an account (ours): each booking, refund and fee, which add up to the balance. */
import {copyFileSync} from 'node:fs'
import {join} from 'node:path'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {fromMinor, minorUnits, toMinor} from '../../../src/contract/money.js'
import {MIGRATIONS} from '../../../src/sandbox/store/schema.js'
import {type Database, openDatabase} from '../../../src/storage/database.js'
import {closing, ownDirectory} from '../../support/own.js'
import {CONTACT, type SandboxClient, startSandbox, type TestSandbox} from '../../support/sandbox.js'
import {refusalOf, sandboxForEachTest} from '../each-sandbox.js'

const {sandbox, client} = sandboxForEachTest()

interface Ledger {
  readonly client_id: string
  readonly currency: string
  readonly opening_balance: string
  readonly entries: readonly Record<'at' | 'kind' | 'reservation_ref' | 'amount' | 'balance', string>[]
  readonly balance: string
  readonly next: number | null
}

async function ledgerOf(of: Pick<TestSandbox, 'control'>, query = ''): Promise<Ledger> {
  const {status, json} = await of.control('GET', `/_sandbox/ledger${query}`)
  expect(status).toBe(200)
  return json.data
}

/** Fails unless each balance is the one before it with the amount, from the opening balance to the account's. */
function expectToAddUp({opening_balance, entries, balance, currency}: Ledger): void {
  let sum = toMinor(opening_balance, currency)
  for (const entry of entries) {
    sum += toMinor(entry.amount, currency)
    expect(entry.balance).toBe(fromMinor(sum, currency))
  }
  expect(balance).toBe(fromMinor(sum, currency))
}

describe('the ledger', () => {
  test('of an account without bookings has its balance alone', async () => {
    expect(await ledgerOf(sandbox)).toEqual({
      client_id: 'cid_sandbox',
      currency: 'EUR',
      opening_balance: '100000.00',
      entries: [],
      balance: '100000.00',
      next: null,
    })
  })

  test('has the booking, and for a cancellation the refund of the whole and the fee', async () => {
    const booked = await client.book({}, offer => !offer.refundable)
    const free = await client.book({}, offer => offer.free_cancellation_until !== null)
    await sandbox.advance(60)
    await client.call('POST', `/reservations/${booked.reservation_ref}/cancel`, {})
    await client.call('POST', `/reservations/${free.reservation_ref}/cancel`, {})
    const ledger = await ledgerOf(sandbox)
    const {total} = booked.price
    const [at, later] = ['2030-06-01T12:00:00.000Z', '2030-06-01T12:01:00.000Z']
    const entry = (
      when: string,
      kind: string,
      {reservation_ref}: {reservation_ref: string},
      amount: string,
    ) => {
      return {at: when, kind, reservation_ref, amount, balance: expect.any(String)}
    }
    expect(ledger.entries).toEqual([
      entry(at, 'booking', booked, `-${total}`),
      entry(at, 'booking', free, `-${free.price.total}`),
      entry(later, 'refund', booked, total),
      entry(later, 'fee', booked, `-${total}`),
      entry(later, 'refund', free, free.price.total),
    ])
    expectToAddUp(ledger)
    expect((await client.get('/account')).balance).toBe(ledger.balance)
  })

  test('has no entry for a payment by the customer, nor for a refused booking', async () => {
    const pending = await client.book({payment: {mode: 'instant'}})
    await sandbox.control('POST', `/_sandbox/payments/${pending.reservation_ref}`, {result: 'paid'})
    await client.call('POST', `/reservations/${pending.reservation_ref}/cancel`, {})
    const poor = await sandbox.client('_poor')
    const [offer] = await poor.search()
    expect(await refusalOf(poor.convert(offer))).toBe('402 insufficient_balance')
    for (const query of ['', '?client_id=cid_sandbox_poor'])
      expect((await ledgerOf(sandbox, query)).entries).toEqual([])
  })

  test('is paged, oldest first, and each page begins where the one before ended', async () => {
    for (let n = 0; n < 5; n++) await client.book()
    const whole = await ledgerOf(sandbox)
    const entries: Ledger['entries'][number][] = []
    let after = '0'
    for (let page = 0; page < 3; page++) {
      const found = await ledgerOf(sandbox, `?limit=2&after=${after}`)
      expect(found.opening_balance).toBe(whole.opening_balance)
      entries.push(...found.entries)
      after = String(found.next)
    }
    expect(after).toBe('null')
    expect(entries).toEqual(whole.entries)
  })

  test('is empty again after a reset', async () => {
    await client.book()
    await sandbox.control('POST', '/_sandbox/reset', {})
    expect(await ledgerOf(sandbox)).toMatchObject({
      opening_balance: '100000.00',
      entries: [],
      balance: '100000.00',
    })
  })

  test('of a client that does not exist is refused, with the names of those that do', async () => {
    const {status, json} = await sandbox.control('GET', '/_sandbox/ledger?client_id=cid_other')
    expect([status, json.error.message]).toEqual([404, expect.stringContaining('cid_sandbox_poor')])
    expect((await sandbox.control('GET', '/_sandbox/ledger?limit=0')).status).toBe(400)
  })
})

/**
 * Copies the database of a sandbox that was closed, after `change`. A closed sandbox of this process still holds the lock of its
 * own file. Returns the path of the copy.
 */
function copied(path: string, change: (database: Database) => void = () => {}): string {
  const copy = join(ownDirectory(), 'sandbox.db')
  copyFileSync(path, copy)
  const last = join(ownDirectory(), 'sandbox.db')
  const database = openDatabase(copy, {migrations: MIGRATIONS})
  change(database)
  database.run('VACUUM INTO ?', last)
  database.close()
  return last
}

test('a database of the version before has the entries of its reservations', async () => {
  const path = join(ownDirectory(), 'sandbox.db')
  const before = await startSandbox({inProcess: true, database: path})
  const one = await before.client()
  const refundable = await one.book({}, offer => offer.free_cancellation_until !== null)
  const dear = await one.book({}, offer => !offer.refundable)
  await one.book({payment: {mode: 'instant'}})
  await before.advance(60)
  for (const {reservation_ref} of [dear, refundable]) {
    await one.call('POST', `/reservations/${reservation_ref}/cancel`, {})
    await before.advance(60)
  }
  await one.book()
  const expected = await ledgerOf(before)
  await before.close()
  const older = copied(path, database => {
    for (const table of ['ledger', 'seen_requests', 'seen_attempts']) database.run(`DROP TABLE ${table}`)
    const version = MIGRATIONS.findIndex(migration => migration.includes('CREATE TABLE ledger'))
    database.run(`PRAGMA user_version = ${version}`)
  })
  const after = closing(await startSandbox({inProcess: true, database: older}))
  const ledger = await ledgerOf(after)
  expectToAddUp(ledger)
  expect(ledger).toEqual(expected)
  const next = await (await after.client()).book()
  expect((await ledgerOf(after)).entries).toHaveLength(expected.entries.length + 1)
  expect((await ledgerOf(after)).entries.at(-1)?.reservation_ref).toBe(next.reservation_ref)
})

const CURRENCIES = ['EUR', 'USD', 'TRY', 'JPY', 'KWD', 'BHD', 'LBP']

type Step =
  | {
      readonly do: 'book'
      readonly currency: string
      readonly choice: number
      readonly mode: 'account' | 'instant'
    }
  | {readonly do: 'cancel' | 'update'; readonly choice: number}
  | {readonly do: 'wait'; readonly days: number}
  | {readonly do: 'restart'}

const choice = fc.nat(1000)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('book' as const),
      currency: fc.constantFrom(...CURRENCIES),
      choice,
      mode: fc.constantFrom('account' as const, 'account' as const, 'instant' as const),
    }),
  },
  {weight: 3, arbitrary: fc.record({do: fc.constant('cancel' as const), choice})},
  {weight: 1, arbitrary: fc.record({do: fc.constant('update' as const), choice})},
  {weight: 1, arbitrary: fc.record({do: fc.constant('wait' as const), days: fc.integer({min: 1, max: 12})})},
  {weight: 1, arbitrary: fc.constant({do: 'restart' as const})},
)

/** The stated amount times the stated rate in the smallest unit of `to`, rounded once. */
function product(amount: string, from: string, rate: string, to: string): bigint {
  const [whole = '', decimals = ''] = rate.split('.')
  const numerator = toMinor(amount, from) * BigInt(whole + decimals) * 10n ** BigInt(minorUnits(to))
  const denominator = 10n ** BigInt(decimals.length + minorUnits(from))
  return (2n * numerator + denominator) / (2n * denominator)
}

/** A reservation of a course: its client, and what its account was charged. */
interface Made {
  readonly name: '' | '_poor'
  readonly ref: string
  readonly mode: 'account' | 'instant'
  /** In minor units of the account. */
  readonly charged: bigint
  readonly rate: string
}

class Course {
  private path = join(ownDirectory(), 'sandbox.db')
  private readonly made: Made[] = []
  /** What each ledger must have: kind, reservation, and the amount as the answers of the service said it. */
  private readonly expected = {'': [] as unknown[], _poor: [] as unknown[]}
  private sandbox: TestSandbox | undefined

  constructor(private readonly currency: string) {}

  async play(steps: readonly Step[]): Promise<void> {
    try {
      await this.restart(database => {
        database.run('UPDATE clients SET currency = ?, balance_minor = 9000000', this.currency)
      })
      for (const each of steps) await this.take(each)
      await this.compare()
    } finally {
      await this.close()
    }
  }

  private async running(): Promise<TestSandbox> {
    this.sandbox ??= await startSandbox({inProcess: true, database: this.path})
    return this.sandbox
  }

  private async restart(change?: (database: Database) => void): Promise<void> {
    await (await this.running()).close()
    this.sandbox = undefined
    this.path = copied(this.path, change)
  }

  private async close(): Promise<void> {
    await this.sandbox?.close()
  }

  private async take(each: Step): Promise<void> {
    const sandbox = await this.running()
    if (each.do === 'book') return this.book(each, sandbox)
    if (each.do === 'wait') return sandbox.advance(each.days * 86_400)
    if (each.do === 'restart') return this.restart()
    const chosen = this.made[each.choice % this.made.length]
    if (chosen === undefined) return
    const api = await sandbox.client(chosen.name)
    if (each.do === 'cancel') return this.cancel(chosen, api)
    const contact = {...CONTACT, name: `Name ${each.choice}`}
    await api.call('PATCH', `/reservations/${chosen.ref}`, {contact})
  }

  private async book({currency, choice, mode}: Step & {do: 'book'}, sandbox: TestSandbox): Promise<void> {
    const name = choice % 2 === 0 ? '' : '_poor'
    const api = await sandbox.client(name)
    const offers = await api.search({currency, check_in: '2030-07-20', check_out: '2030-07-22'})
    const {status, json} = await api.convert(offers[choice % offers.length], {payment: {mode}})
    if (status === 402) return
    expect(status).toBe(201)
    const {reservation_ref: ref, price, payment} = json.data
    const {amount, rate} = payment.charged ?? {amount: price.total, rate: '1'}
    const charged = mode === 'account' ? product(price.total, currency, rate, this.currency) : 0n
    this.made.push({name, ref, mode, charged, rate})
    if (mode === 'instant') return
    expect(toMinor(amount, this.currency)).toBe(charged)
    this.expected[name].push(['booking', ref, -charged])
  }

  private async cancel({name, ref, mode, charged, rate}: Made, api: SandboxClient): Promise<void> {
    const {status, json} = await api.call('POST', `/reservations/${ref}/cancel`, {})
    if (status !== 200 || mode === 'instant') return
    const {fee, currency} = json.data.cancellation
    const kept = product(fee, currency, rate, this.currency)
    this.expected[name].push(['refund', ref, charged])
    if (kept > 0n) this.expected[name].push(['fee', ref, -kept])
  }

  private async compare(): Promise<void> {
    const sandbox = await this.running()
    for (const name of ['', '_poor'] as const) {
      const ledger = await ledgerOf(sandbox, `?client_id=cid_sandbox${name}`)
      expectToAddUp(ledger)
      const found = ledger.entries.map(({kind, reservation_ref: ref, amount}) => [
        kind,
        ref,
        toMinor(amount, this.currency),
      ])
      expect(found).toEqual(this.expected[name])
      expect(ledger.opening_balance).toBe(fromMinor(9_000_000n, this.currency))
      expect((await (await sandbox.client(name)).get('/account')).balance).toBe(ledger.balance)
    }
  }
}

test('adds up in every course of bookings, changes and cancellations, whatever the currencies', async () => {
  const steps = fc.array(step, {minLength: 5, maxLength: 30})
  const property = fc.asyncProperty(steps, fc.constantFrom(...CURRENCIES), async (course, currency) => {
    await new Course(currency).play(course)
  })
  await fc.assert(property, {numRuns: 12})
}, 60_000)
