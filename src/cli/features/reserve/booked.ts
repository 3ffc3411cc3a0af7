/** Finds the booking made earlier with a client reference, and compares it with the new request (`--unless-booked`). */
import {isSameMoney} from '../../../api/answers/amounts.js'
import {moneyOf} from '../../../api/reserve/outcome.js'
import {intentOf} from '../../../api/reserve/reserve.js'
import {isBookedBy, isOpen, type JournalEntry} from '../../../contract/journal.js'
import type {State} from '../../../state/state.js'
import type {Target} from '../../session/resolve.js'
import {moneyText} from '../../terminal/dates-and-amounts.js'
import type {ReserveFlags} from './flags.js'
import {lookingUp, priceOf, requireJournal, stayOf} from './plan.js'
import {completeRequest, type Typed} from './request.js'
import {differencesOf} from './same-trip.js'

/**
 * Returns the journal entry of the reservation that `target` has, or may have, under this client reference, even if it
 * was cancelled since. Returns undefined if nothing was sent or the service refused the request. With `isStarted`, an
 * entry that another process is about to send counts too. Throws a usage error if there is no journal, and
 * StorageError.
 */
export async function findBooked(
  state: State,
  target: Target,
  reference: string,
  {isStarted = false} = {},
): Promise<JournalEntry | undefined> {
  requireJournal(state, '--unless-booked')
  const entry = await lookingUp(() => state.journal.forClient(target).find(reference))
  if (entry === undefined) return undefined
  return isBookedBy(entry, target) || (isStarted && isOpen(entry)) ? entry : undefined
}

/**
 * Returns how the request differs from the booking of `entry`, as far as the journal shows: texts such as `offer off_2
 * instead of off_1` or `other guests`. No text names a guest.
 */
export async function differencesFrom(
  entry: JournalEntry,
  typed: Typed,
  flags: ReserveFlags,
  target: Target,
  state: State,
): Promise<string[]> {
  const {offerId = '', request: typedRequest} = typed
  const {preferred, 'idempotency-key': key = entry.idempotencyKey} = flags
  const differences: string[] = []
  if (offerId !== entry.offerId) differences.push(`offer ${offerId} instead of ${entry.offerId}`)
  const seen = await state.offers.find(target, offerId)
  const nationality = typedRequest.client_nationality ?? seen?.nationality ?? preferred?.nationality
  // Guests without a nationality are incomplete, so they cannot be compared.
  if (nationality !== undefined) {
    const agreed = priceOf(seen)
    const request = await completeRequest(typed, {nationality, baseUrl: target.baseUrl})
    const intent = intentOf(
      {...request, offer_id: entry.offerId},
      {referenceGiven: true, idempotencyKey: key, keyGiven: true, agreed, stay: seen ? stayOf(seen) : null},
    )
    const {trip, other} = differencesOf(entry, intent, state.journal.forClient(target))
    differences.push(...trip, ...other)
    if (agreed && entry.agreed && !isSameMoney(moneyOf(agreed), moneyOf(entry.agreed)))
      differences.push(`price ${moneyText(moneyOf(agreed))} instead of ${moneyText(moneyOf(entry.agreed))}`)
  }
  if (key !== entry.idempotencyKey) differences.push('another Idempotency-Key')
  return differences
}
