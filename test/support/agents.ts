/** A server of bookings for agents, in parts, at a scripted service that names its paths: what agents do without a protocol. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import type {BookingParts, Caller} from '../../src/cli/features/agents/booking.js'
import {openBookings} from '../../src/cli/features/agents/bookings.js'
import type {Question, Reply} from '../../src/cli/features/agents/consent.js'
import {connect} from '../../src/cli/session/connect.js'
import type {Target} from '../../src/cli/session/resolve.js'
import {OPERATIONS} from '../../src/contract/operations.js'
import type {OfferFound} from '../../src/contract/seen-offers.js'
import type {State} from '../../src/state/state.js'
import {offer} from './client.js'
import {answer, type Script, type ScriptedService} from './scripted-service.js'
import {CONTACT} from './stay.js'

const NAMED = ['hotels.price', 'reservations.show', 'reservations.quote', 'reservations.cancel'] as const

export const targetAt = (baseUrl: string, more: Partial<Target> = {}): Target => ({
  profile: null,
  baseUrl,
  isLoopback: true,
  clientId: 'cid_test',
  clientSecret: 'sk_test_right',
  mode: 'test',
  scopes: undefined,
  ...more,
})

interface ServerOptions extends Partial<Pick<BookingParts, 'limits' | 'consent'>> {
  readonly target?: Partial<Target>
  /** Whether config.json names the paths that the interface does not show. */
  readonly namesPaths?: boolean
  readonly timeoutSeconds?: number
}

/** Opens the bookings of one server with `state`, as a process of its own would. */
export async function serverAt(state: State, baseUrl: string, options: ServerOptions = {}) {
  const {namesPaths = true, timeoutSeconds = 20, consent = 'none'} = options
  const limits = options.limits ?? {currency: 'EUR', maxTotal: '1000', maxEach: '500', perDay: undefined}
  if (namesPaths) {
    const paths = Object.fromEntries(NAMED.map(name => [name, OPERATIONS[name].path]))
    const settings = {profiles: {}, defaults: {paths}}
    writeFileSync(join(state.directory, 'config.json'), JSON.stringify(settings), {mode: 0o600})
  }
  const connection = await connect(targetAt(baseUrl, options.target), state, {
    timeoutSeconds,
    caFile: undefined,
    har: undefined,
    warn: () => {},
    show: undefined,
    quiet: true,
    version: 'test',
    env: {},
  })
  const bookings = await openBookings({connection, limits, consent, timeoutSeconds})
  onTestFinished(async () => {
    await bookings.close()
    await connection.close()
  })
  return {bookings, connection}
}

/** Answers the questions of a caller with `reply`, and records them. */
export function callerThat(reply: Reply | (() => Promise<Reply>)): Caller & {readonly asked: Question[]} {
  const asked: Question[] = []
  const ask = async (question: Question) => {
    asked.push(question)
    return typeof reply === 'string' ? reply : reply()
  }
  return {program: 'assistant 1.0', ask, asked}
}

/** Remembers offers of a search just made, for `targetAt(baseUrl)`. */
export async function offersSeen(
  state: State,
  baseUrl: string,
  ids: readonly string[],
  more: Partial<OfferFound> = {},
): Promise<void> {
  const now = Date.now() / 1000
  const seen = {total: '100.00', searched_at: now, expires_at: now + 900, ...more}
  const offers = ids.map(id => offer(id, seen))
  await state.offers.remember(targetAt(baseUrl), offers, now)
}

/** What an agent says it wants to reserve. */
export const wanted = (offer_id: string, change: object = {}) => ({
  offer_id,
  contact: CONTACT,
  guests: [
    {name: 'Ayşe', surname: 'Canary', birth_date: '1990-05-17'},
    {name: 'Can', surname: 'Canary', birth_date: '1988-01-02'},
    {type: 'CHILD', name: 'Ece', surname: 'Canary', birth_date: '2024-12-01'},
  ],
  payment: {mode: 'account'},
  ...change,
})

/** What the service of a test charges now, and what it says of a cancellation. */
export interface Charges {
  /** The price of every offer; null if the service does not answer the query of a price. */
  price: {amount: string; currency: string} | null
  fee: {amount: string; currency: string}
  /** References of reservations that were cancelled, in order. */
  readonly cancelled: string[]
  /** Handles a request first; returns false to let the rest answer. */
  before: Script
}

/** Makes `service` answer the operations that its interface does not show. */
export function charging(service: ScriptedService): Charges {
  const charges: Charges = {
    price: {amount: '100.00', currency: 'EUR'},
    fee: {amount: '20.00', currency: 'EUR'},
    cancelled: [],
    before: () => false,
  }
  service.script = async (request, response) => {
    if ((await charges.before(request, response)) !== false) return undefined
    const {path} = request
    const [, offerId] = /^\/hotels\/offers\/([^/]+)$/.exec(path) ?? []
    if (offerId && charges.price) {
      const {amount: total, currency} = charges.price
      return answer(response, 200, {data: {offer_id: offerId, price: {total, currency}}})
    }
    const [, reservation_ref = '', action] = /^\/reservations\/([^/]+)(\/cancel\w*)?(\/.*)?$/.exec(path) ?? []
    if (!service.reservations.some(({ref}) => ref === reservation_ref)) return false
    const costs = {fee: charges.fee.amount, currency: charges.fee.currency, refund_amount: '80.00'}
    if (path.includes('quote')) return answer(response, 200, {data: {reservation_ref, ...costs}})
    const isCancelling = action === '/cancel'
    if (isCancelling) charges.cancelled.push(reservation_ref)
    const isCancelled = charges.cancelled.includes(reservation_ref)
    const status = isCancelled ? 'CANCELLED' : 'CONFIRMED'
    const cancellation = isCancelled ? costs : null
    return answer(response, 200, {
      data: {reservation_ref, status, guests: [{surname: 'Canary'}], cancellation},
    })
  }
  return charges
}
