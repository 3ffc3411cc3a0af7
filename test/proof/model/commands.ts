/** Commands of the model test: each is run on the sandbox and on the model in any order, and both must then agree. */
import {copyFileSync, existsSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import fc from 'fast-check'
import {
  ADULT,
  type JsonAnswer,
  reservationRequest,
  type SandboxClient,
  searchRequest,
  startSandbox,
  TEST_START,
  type TestSandbox,
} from '../../support/sandbox.js'
import {type Answered, MINUTE, ModelService, type Wish} from './service.js'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Json = any

const SCOPES = 'hotels:read reservations:read reservations:write account:read'

type Answer = JsonAnswer & {readonly code: string | undefined}

/** The sandbox for the model test: it uses the real parts, and all of its state is read back for comparison. */
class RealService {
  private readonly directory: string | undefined
  private sandbox: TestSandbox | undefined
  private client: SandboxClient | undefined
  private starts = 0

  /** A sandbox on disk can be restarted; one in memory is faster. */
  constructor(
    readonly isOnDisk: boolean,
    readonly isPoor: boolean,
  ) {
    this.directory = isOnDisk ? mkdtempSync(join(tmpdir(), 'bookctl-model-')) : undefined
  }

  /**
   * Restarts on copies of the files, as a new process would find them. The originals cannot be used, because SQLite keeps its
   * lock until the process ends.
   */
  async restart(): Promise<void> {
    await this.sandbox?.close()
    this.sandbox = undefined
    const before = this.path
    this.starts += 1
    for (const side of ['', '-wal'])
      if (existsSync(before + side)) copyFileSync(before + side, this.path + side)
  }

  private get path(): string {
    return this.directory === undefined ? ':memory:' : join(this.directory, `sandbox-${this.starts}.db`)
  }

  async close(): Promise<void> {
    await this.sandbox?.close()
    if (this.directory !== undefined) rmSync(this.directory, {recursive: true, force: true})
  }

  private async started(): Promise<TestSandbox> {
    this.sandbox ??= await startSandbox({database: this.path, inProcess: true})
    return this.sandbox
  }

  async control(method: string, path: string, body?: object): Promise<JsonAnswer> {
    return (await this.started()).control(method, `/_sandbox${path}`, body)
  }

  /** Calls the API with the current token, which `renew` obtains. */
  async call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer> {
    if (!this.client) throw new Error('no token yet')
    const answer = await this.client.call(method, path, body, headers)
    return {...answer, code: answer.json.error?.code}
  }

  async renew(): Promise<void> {
    this.client = await (await this.started()).client(this.isPoor ? '_poor' : '', SCOPES)
  }

  /** Searches for a stay in three days, so that the price of cancelling changes as time moves on. */
  search(now: number): Promise<Answer> {
    const day = (days: number) => iso(now + days * 86_400).slice(0, 10)
    return this.call('POST', '/hotels/search', searchRequest({check_in: day(3), check_out: day(5)}))
  }

  async reserve({offer, key, reference, mode, mistake}: Wish): Promise<Answered> {
    const guest = mistake === 'invalid_identity_number' ? {identity: {type: 'TC', number: '10000000147'}} : {}
    const guests = [
      {...ADULT, ...guest},
      {...ADULT, name: 'Can', is_lead: false},
    ]
    const body = reservationRequest(offer, {
      client_reference_id: reference,
      payment: {mode},
      client_nationality: mistake === 'nationality_mismatch' ? 'DE' : 'TR',
      guests: mistake === 'guest_count_mismatch' ? guests.slice(0, 1) : guests,
    })
    const sent = this.call('POST', '/reservations/hotel', body, {'idempotency-key': key})
    const {status, code, headers, json} = await sent
    const replayed = headers.get('idempotent-replayed') === 'true'
    return {status, code, replayed, ref: json.data?.reservation_ref ?? json.error?.reservation_ref}
  }

  /** Compares everything that the model knows with the sandbox. Returns the differences. */
  async compare(model: ModelService): Promise<string[]> {
    const list = async (answer: Promise<JsonAnswer>): Promise<Json[]> => (await answer).json.data
    const {json: clock} = await this.control('GET', '/clock')
    const {json: account} = await this.call('GET', '/account')
    const reservations = await list(this.call('GET', '/reservations?limit=100'))
    const events = await list(this.control('GET', '/events'))
    const pairs: Readonly<Record<string, readonly [real: unknown[], expected: unknown[]]>> = {
      time: [[iso(Date.parse(clock.now) / 1000)], [iso(model.now)]],
      balance: [[account.data.balance], [(model.balance / 100).toFixed(2)]],
      reservations: [
        reservations.map(each => `${each.reservation_ref} ${each.status} ${each.payment.status}`),
        [...model.reservations.values()].map(each => `${each.ref} ${each.status} ${each.payment}`),
      ],
      events: [events.map(textOf), model.events.map(({text, at}) => `${text} ${iso(at)}`)],
    }
    return Object.entries(pairs).flatMap(([what, [real, expected]]) => {
      const [a, b] = [real.sort().join('\n'), expected.sort().join('\n')]
      return a === b ? [] : [`${what}: the sandbox has\n${a}\nthe model\n${b}`]
    })
  }
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
const textOf = ({type, data, created}: Json) =>
  `${type} ${data.reservation_ref} ${data.status} ${iso(Date.parse(created) / 1000)}`

type Command = fc.AsyncCommand<ModelService, RealService>

/** Whole minutes, so that two times are either equal or far apart. */
const STEPS = [1, 5, 14, 15, 30, 2 * 60, 8 * 60, 24 * 60, 48 * 60].map(minutes => minutes * MINUTE)
const MISTAKES = ['guest_count_mismatch', 'nationality_mismatch', 'invalid_identity_number'] as const

function command(text: string, run: (model: ModelService, real: RealService) => Promise<void>): Command {
  return {
    check: () => true,
    toString: () => text,
    async run(model, real) {
      await run(model, real)
      await settle(model, real, 0)
      await real.renew()
      const wrong = await real.compare(model)
      if (wrong.length > 0) throw new Error(wrong.join('\n'))
    },
  }
}

async function settle(model: ModelService, real: RealService, seconds: number): Promise<void> {
  const {status} = await real.control('POST', '/clock', {advance_seconds: seconds})
  expectSame('moving the clock', status, 200)
  model.advance(seconds)
}

function expectSame(what: string, real: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(real), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${what}: the sandbox says ${a}, the model ${b}`)
}

const at = <T>(all: Iterable<T>, n: number): T | undefined => {
  const list = [...all]
  return list[n % Math.max(1, list.length)]
}

const search = fc.constant(
  command('search', async (model, real) => {
    const {status, json} = await real.search(model.now)
    expectSame('a search', status, 200)
    for (const offer of json.data.offers.slice(0, 2)) {
      const fees = offer.cancellation_policies.map((each: {from: string; amount: string}) => ({
        from: Date.parse(each.from) / 1000,
        fee: hundredths(each.amount),
      }))
      const {expiresAt} = model.found(offer.offer_id, hundredths(offer.price.total), fees)
      expectSame('the end of an offer', Date.parse(offer.expires_at) / 1000, expiresAt)
    }
  }),
)

const hundredths = (amount: string) => Math.round(Number(amount) * 100)
const small = fc.nat(7)

const price = small.map(n =>
  command(`price ${n}`, async (model, real) => {
    const id = at(model.offers.keys(), n) ?? 'off_none'
    const {code, json} = await real.call('GET', `/hotels/offers/${id}`)
    expectSame('an offer', code, model.offerRefusal(id))
    if (code === undefined)
      expectSame('a price', hundredths(json.data.price.total), model.offers.get(id)?.total)
  }),
)

const drawn = fc.record({
  offer: fc.nat(5),
  key: fc.nat(4),
  reference: fc.nat(5),
  mode: fc.constantFrom('account' as const, 'instant' as const),
  mistake: fc.oneof({weight: 6, arbitrary: fc.constant(undefined)}, fc.constantFrom(...MISTAKES)),
})

const reserve = drawn.map(({offer, key, reference, mode, mistake}) =>
  command(`reserve ${JSON.stringify({offer, key, reference, mode, mistake})}`, async (model, real) => {
    const wish: Wish = {
      offer: at(model.offers.keys(), offer) ?? 'off_none',
      key: `00000000-0000-4000-8000-00000000000${key}`,
      reference: `ref-${reference}`,
      mode,
      mistake,
    }
    const answered = await real.reserve(wish)
    if (!model.reserves(wish, answered))
      throw new Error(`the model does not allow ${JSON.stringify(answered)} to ${JSON.stringify(wish)}`)
  }),
)

const pay = fc.tuple(small, fc.constantFrom('paid' as const, 'failed' as const)).map(([n, result]) =>
  command(`pay ${n} ${result}`, async (model, real) => {
    const ref = at(model.reservations.keys(), n) ?? 'RSV-0000000000'
    const {status} = await real.control('POST', `/payments/${ref}`, {result})
    const isKnown = model.reservations.has(ref)
    expectSame('a payment', status, model.pay(ref, result) ? 200 : isKnown ? 409 : 404)
  }),
)

const cancel = small.map(n =>
  command(`cancel ${n}`, async (model, real) => {
    const ref = at(model.reservations.keys(), n) ?? 'RSV-0000000000'
    const {code} = await real.call('POST', `/reservations/${ref}/cancel`, {})
    const {searchedAt = 0} = model.reservations.get(ref)?.offer ?? {}
    // The service refuses to cancel after the hour of check-in in the hotel's time zone, which is during one of these days.
    const days = (model.now - searchedAt) / 86_400
    const hasBegun = days > 4.5 || (days > 2 && code === 'not_cancellable')
    expectSame('a cancellation', code, model.cancelRefusal(ref) ?? (hasBegun ? 'not_cancellable' : undefined))
    if (code === undefined) model.cancel(ref)
  }),
)

const voucher = small.map(n =>
  command(`voucher ${n}`, async (model, real) => {
    const {ref = 'RSV-0000000000', status} = at(model.reservations.values(), n) ?? {}
    const {code} = await real.call('GET', `/reservations/${ref}/voucher`)
    const refusal = status === undefined ? 'reservation_not_found' : 'reservation_not_confirmed'
    expectSame('a voucher', code, status === 'CONFIRMED' ? undefined : refusal)
  }),
)

const advance = fc
  .constantFrom(...STEPS)
  .map(seconds => command(`${seconds / 60} minutes later`, (model, real) => settle(model, real, seconds)))

const restart = fc.constant(
  command('restart', async (_, real) => {
    if (real.isOnDisk) await real.restart()
  }),
)

/** Reservations and moves of the clock are more frequent than other commands. */
const COMMANDS: fc.Arbitrary<Command>[] = [
  ...[search, search, reserve, reserve, reserve, reserve, pay, pay, cancel, advance, advance, advance],
  ...[price, voucher, restart],
]

/** Runs the model beside a sandbox. */
export const serviceModel = () =>
  fc.asyncProperty(
    fc.commands(COMMANDS, {maxCommands: 40, size: '+1'}),
    fc.boolean(),
    fc.integer({min: 0, max: 4}),
    async (commands, isOnDisk, poor) => {
      const real = new RealService(isOnDisk, poor === 0)
      const model = new ModelService(TEST_START, poor === 0 ? 1000 : 10_000_000)
      const setUp = async () => {
        await real.renew()
        return {model, real}
      }
      await fc.asyncModelRun(setUp, commands).finally(() => real.close())
    },
  )
