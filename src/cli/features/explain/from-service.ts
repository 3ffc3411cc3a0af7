/**
 * Reads what the service says, if the user is logged in: the reservation, its voucher, lists and subscriptions. A
 * failed request is recorded and never makes the explanation fail. After a failure that all requests would share (no
 * login, no connection), the service is not asked again.
 */
import {
  costsOfCancellation,
  factsOfReservation,
  isEnded,
  type ReadReservation,
} from '../../../api/answers/reservations.js'
import {listReservations, showReservation, stateOf} from '../../../api/operations/reservations.js'
import {isVoucherReady} from '../../../api/operations/vouchers.js'
import {type FoundSubscription, listSubscriptions} from '../../../api/operations/webhooks.js'
import {tripOfReservation} from '../../../api/reserve/trip-key.js'
import type {Api} from '../../../api/types.js'
import {isoTime, zonedInstantOf} from '../../../contract/dates.js'
import {Failure, requireFailure} from '../../../contract/failure.js'
import {mayBeOwn} from '../../../contract/journal.js'
import {underOneName} from '../../../contract/network.js'
import {isNotFound} from '../../../contract/operations.js'
import type {Client} from '../../../contract/token-cache.js'
import type {Connection} from '../../session/connect.js'
import type {Target} from '../../session/resolve.js'
import {moneyText} from '../../terminal/dates-and-amounts.js'
import type {SentDeliveries, SubscriptionHistory} from '../due-events/judgement.js'
import {readSent} from '../due-events/sent-deliveries.js'
import {courseOf} from '../reserve/course.js'
import type {Asked, Moment, ServiceAnswer, VoucherAnswer} from './facts.js'

export type ServiceView = ReturnType<typeof createServiceView>

/** Maximum number of the service's reservations that are searched for a likely double. */
const MOST_SEARCHED = 1000
/** A likely double was probably made within this many seconds before or after the other reservation. */
const SEARCHED_SECONDS = 30 * 24 * 3600

/**
 * Creates a view of the service. `open` resolves service and credentials and connects, when the service is first asked.
 * Its methods throw only errors that are not a Failure, and the Failure of an interruption.
 */
export function createServiceView(open: () => Promise<Connection>) {
  let connection: Connection | undefined
  /** Why the service cannot be asked anything. */
  let problem: string | undefined
  /** Whether that is because the service was asked and did not answer. */
  let isUnreachable = false
  /** Why some things could not be read, keyed by what was asked for. */
  const problems = new Map<string, string>()
  const shown = new Map<string, Promise<ServiceAnswer>>()
  /** Whether the service answered anything, even with a refusal. */
  let hasAnswered = false

  const openOnce = async (): Promise<Connection | undefined> => {
    if (problem !== undefined || connection !== undefined) return connection
    try {
      connection = await open()
    } catch (error) {
      problem = requireFailure(error).message
    }
    return connection
  }
  /** Makes one call. Returns the Failure if the call failed, and undefined if the service could not be asked. */
  const ask = async <T>(what: string, call: (api: Api) => Promise<T>): Promise<T | Failure | undefined> => {
    const opened = await openOnce()
    if (opened === undefined || problem !== undefined) return undefined
    try {
      const answer = await call(opened.api)
      if (answer !== undefined) hasAnswered = true
      return answer
    } catch (error) {
      const failure = requireFailure(error)
      if (failure.kind === 'refused') {
        hasAnswered = true
        return failure
      }
      if (failure.kind === 'unreachable') {
        problem = failure.message
        isUnreachable = true
      } else problems.set(what, failure.message)
      return undefined
    }
  }
  const unlessFailed = <T>(found: T | Failure | undefined) => (found instanceof Failure ? undefined : found)

  const show = async (reference: string): Promise<ServiceAnswer> => {
    const found = await ask('the reservation', api => showReservation(api, reference))
    if (found === undefined) return {kind: 'hidden'}
    if (!(found instanceof Failure)) return {kind: 'shown', found}
    if (isNotFound(found.details)) return {kind: 'absent'}
    problems.set('the reservation', found.message)
    return {kind: 'hidden'}
  }

  return {
    target: async (): Promise<Target | undefined> => (await openOnce())?.target,
    /** Reports whether the credentials in use may see what `client` booked. */
    async isOf(client: Client): Promise<boolean> {
      const target = (await openOnce())?.target
      return target !== undefined && isSameService(target, client) && mayBeOwn(target, client)
    },
    /** Returns a reservation. Each is requested only once. */
    show(reference: string): Promise<ServiceAnswer> {
      const answer = shown.get(reference) ?? show(reference)
      shown.set(reference, answer)
      return answer
    },
    async voucher(reference: string): Promise<VoucherAnswer> {
      const ready = await ask('the voucher', api => isVoucherReady(api, reference))
      if (ready instanceof Failure) problems.set('the voucher', ready.message)
      if (ready === undefined || ready instanceof Failure) return 'unknown'
      return ready ? 'ready' : 'refused'
    },
    /** Returns the reservations with a client reference, or undefined if they cannot be listed. */
    async named(clientReferenceId: string): Promise<readonly ReadReservation[] | undefined> {
      const query = {client_reference_id: clientReferenceId}
      const listed = unlessFailed(await ask('the list', api => listReservations(api, {query, limit: 100})))
      // A service that does not filter lists other reservations too.
      return listed?.reservations.filter(
        found => factsOfReservation(found).client_reference_id === clientReferenceId,
      )
    },
    /** Returns other reservations for the same guests, hotel and dates that were made around the same time. */
    async sameTripAs(found: ReadReservation): Promise<readonly ReadReservation[]> {
      const trip = tripOfReservation(found.reservation)
      const {created_at} = factsOfReservation(found)
      const made = zonedInstantOf(created_at ?? '')
      if (trip === undefined || made === undefined) return []
      const query = {
        created_from: isoTime(made - SEARCHED_SECONDS),
        created_to: isoTime(made + SEARCHED_SECONDS),
      }
      const listed = unlessFailed(
        await ask('the list', api => listReservations(api, {query, limit: MOST_SEARCHED})),
      )
      if (listed?.next) problems.set('the list', `only ${MOST_SEARCHED} reservations were compared`)
      return (listed?.reservations ?? []).filter(
        other =>
          other.reservation_ref !== found.reservation_ref && tripOfReservation(other.reservation) === trip,
      )
    },
    async subscriptions(): Promise<readonly FoundSubscription[] | undefined> {
      const listed = unlessFailed(await ask('the subscriptions', listSubscriptions))
      return listed?.isComplete ? listed.items : undefined
    },
    /** Returns what the service sent for the events in `names`, or undefined if it does not list its deliveries. */
    async sent(
      subscriptions: readonly SubscriptionHistory[],
      names: ReadonlySet<string>,
    ): Promise<SentDeliveries | undefined> {
      return unlessFailed(await ask('the deliveries', api => readSent(api, subscriptions, names)))
    },
    /** Returns what was asked, and why some of it was not answered. Must be the last call. */
    async asked(): Promise<Asked[]> {
      const target = await openOnce()
      const where = target ? `the service at ${new URL(target.target.baseUrl).host}` : 'the service'
      if (problem !== undefined) return [{source: 'service', where, problem, hasFailed: isUnreachable}]
      const partly = [...problems].map(
        ([what, problem]): Asked => ({
          source: 'service',
          where: `${what} of ${where}`,
          problem,
          hasFailed: true,
        }),
      )
      const isUseless = partly.length > 0 && !hasAnswered
      return isUseless ? partly : [{source: 'service', where, problem: null}, ...partly]
    },
  }
}

export function isSameService(left: Pick<Client, 'baseUrl'>, right: Pick<Client, 'baseUrl'>): boolean {
  return underOneName(left.baseUrl) === underOneName(right.baseUrl)
}

/** Returns the moments that the record of a reservation shows. */
export function recordMoments({reservation, reservation_ref, status}: ReadReservation): Moment[] {
  const {madeAt, confirmedAt, paidAt, paymentFailedAt, cancelledAt} = courseOf({reservation})
  const facts = factsOfReservation({reservation})
  const price = facts.price === null ? '' : ` for ${moneyText(facts.price)}`
  const {fee, refund} = costsOfCancellation({reservation})
  const costs = [fee && `fee ${moneyText(fee)}`, refund && `refund ${moneyText(refund)}`]
    .filter(Boolean)
    .join(', ')
  const ended = stateOf(reservation) === 'expired' ? 'expired' : 'cancelled'
  const reason = facts.payment_reason === null ? '' : ` (${facts.payment_reason})`
  // A cancelled reservation no longer has a voucher.
  const voucher = facts.voucher === null || isEnded(status) ? '' : `; voucher ${facts.voucher}`
  const happened: [number | null, string][] = [
    [madeAt, `${reservation_ref} made${price}`],
    [paymentFailedAt, `the payment of ${reservation_ref} failed${reason}`],
    [paidAt, `${reservation_ref} paid`],
    [confirmedAt, `${reservation_ref} confirmed${voucher}`],
    [cancelledAt, `${reservation_ref} ${ended}${costs === '' ? '' : `: ${costs}`}`],
  ]
  const changedAt = zonedInstantOf(facts.updated_at ?? '') ?? null
  // The last change is usually one of those above.
  if (happened.every(([at]) => at !== changedAt))
    happened.push([changedAt, `last change of ${reservation_ref}; it is ${status ?? 'without a status'} now`])
  return happened.flatMap(([at, what]) =>
    at === null ? [] : [{at, what, source: 'service', reservation_ref}],
  )
}
