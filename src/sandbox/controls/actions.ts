/** The actions of the controls and of the sandbox's pages, each of which throws Refusal; and the state a sandbox starts with. */
import {z} from 'zod'
import type {Reservation} from '../../contract/reservations.js'
import {notFound, Refusal} from '../base/answers.js'
import {settlePayment} from '../booking/payment.js'
import {validate} from '../http/body.js'
import {type Fault, faultRequest} from '../http/faults.js'
import type {RunningService} from '../http/operation.js'
import {addStartUpClients} from '../store/clients.js'
import {addSearchTexts, findReservation} from '../store/reservations.js'
import {emptyTables} from '../store/schema.js'
import {ensureVoucherSecret} from '../voucher/link.js'

/** Ten years. */
const MOST_ADVANCE_SECONDS = 10 * 366 * 86_400

const clockMove = z.strictObject({advance_seconds: z.number().min(0).max(MOST_ADVANCE_SECONDS)})
const paymentOutcome = z.strictObject({result: z.enum(['paid', 'failed'])})

/** Advances the clock by `{advance_seconds}`. Resolves when everything that fell due has run. */
export async function moveClock(service: RunningService, order: unknown): Promise<void> {
  await service.dispatcher.moveClock(validate(clockMove, order).advance_seconds)
}

/** Applies `{result}` to the payment of the reservation; returns it as it is stored. */
export function settle(service: RunningService, reservationRef: string, order: unknown): Reservation {
  const {result} = validate(paymentOutcome, order)
  const stored = findReservation(service.database, 'reservation_ref', reservationRef)
  if (!stored) throw notFound('reservation', reservationRef)
  return settlePayment(service, stored, result)
}

export async function deliverAgain(service: RunningService, deliveryId: string): Promise<void> {
  if (await service.dispatcher.deliverNow(deliveryId)) return
  const message = `delivery "${deliveryId}" not found, or its subscription was deleted`
  throw new Refusal('delivery_not_found', message)
}

export function injectFault(service: RunningService, order: unknown): Fault {
  const checked = validate(faultRequest, order)
  service.faults.add(checked)
  return checked
}

export function prepareState(service: RunningService): void {
  service.database.transaction(() => {
    ensureVoucherSecret(service.database)
    addStartUpClients(service.database, service.clock.now())
    addSearchTexts(service.database)
  })
}

/** Deletes everything: reservations, tokens, events, subscriptions, faults, and how far the clock was moved or is being moved. */
export function resetState(service: RunningService): void {
  service.dispatcher.stopClock()
  service.database.transaction(() => {
    emptyTables(service.database)
    prepareState(service)
  })
  service.faults.clear()
  service.requests.clear()
  service.droppedReferences.clear()
}
