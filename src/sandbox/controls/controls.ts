/**
 * The sandbox's own controls under `/_sandbox`, which are not part of the API, and the initial state of a sandbox. The
 * forms of the dashboard call the same functions. All of them throw a Refusal for invalid input.
 */
import {z} from 'zod'
import {instantOf, isoTime} from '../../contract/dates.js'
import {EVENT_TYPE_NAMES} from '../../contract/events.js'
import {SANDBOX_MARK} from '../../contract/identifiers.js'
import {fromMinor} from '../../contract/money.js'
import {plainText} from '../../contract/records.js'
import type {Reservation} from '../../contract/reservations.js'
import type {Database} from '../../storage/database.js'
import {invalidField, Refusal} from '../base/answers.js'
import {sampleEvent, settlePayment} from '../booking/pay-change-cancel.js'
import {KEPT_EVIDENCE, type RecordedRequest} from '../certify/evidence.js'
import {judge} from '../certify/judge.js'
import {proofOf} from '../certify/proof.js'
import {faultRequest} from '../http/faults.js'
import {evidenceOf} from '../http/recording.js'
import * as http from '../http/requests.js'
import {addStartUpClients, type Client, findClient, listClients, MAIN_CLIENT} from '../store/clients.js'
import {findRequest} from '../store/evidence.js'
import {listEntries, openingBalance} from '../store/ledger.js'
import {addSearchTexts, requireReservation, withOrigin} from '../store/reservations.js'
import {emptyTables} from '../store/schema.js'
import {addEvent, eventWithOrigin, findDelivery, listDeliveries, listEvents} from '../store/webhooks.js'
import {listDrills, readChaosOrder, readDrillOrder, runChaos, runDrills} from './drill-controls.js'

const showClock: http.Handle = ({clock}, context) => context.json({now: isoTime(clock.now())})
const showFaults: http.Handle = ({faults}, context) => context.json({data: faults})

const CONTROLS: Readonly<Record<string, http.Handle>> = {
  'GET /_sandbox/clock': showClock,
  'POST /_sandbox/clock': async (service, context) => {
    await moveClock(service, readBody(context))
    return showClock(service, context)
  },
  'POST /_sandbox/payments/:reservation_ref': (service, context) => {
    const settled = settle(service, context.req.param('reservation_ref') ?? '', readBody(context))
    return context.json({data: withOrigin(settled, context.var.origin)})
  },
  'GET /_sandbox/events': ({database}, context) => {
    const {items} = listEvents(database, {}, {after: null, limit: Number.MAX_SAFE_INTEGER})
    return context.json({data: items.map(({event}) => eventWithOrigin(event, context.var.origin)).reverse()})
  },
  'POST /_sandbox/trigger': async (service, context) => {
    const {event, deliveries} = await triggerEvent(service, readBody(context))
    return context.json({data: {event: eventWithOrigin(event, context.var.origin), deliveries}}, 201)
  },
  'GET /_sandbox/deliveries': ({database}, context) => {
    const limit = wholeNumberIn(context, 'limit', 1) ?? Number.MAX_SAFE_INTEGER
    const reservationRef = context.req.query('reservation_ref')
    const {items} = listDeliveries(database, {reservationRef}, {after: null, limit})
    return context.json({data: items.map(({delivery}) => delivery).reverse()})
  },
  'POST /_sandbox/deliveries/:delivery_id/redeliver': async (service, context) => {
    const id = context.req.param('delivery_id') ?? ''
    await deliverAgain(service, id)
    return context.json({data: findDelivery(service.database, id)?.delivery}, 202)
  },
  'GET /_sandbox/faults': showFaults,
  'POST /_sandbox/faults': (service, context) =>
    context.json({data: injectFault(service, readBody(context))}, 201),
  'DELETE /_sandbox/faults': (service, context) => {
    service.faults.length = 0
    return showFaults(service, context)
  },
  'GET /_sandbox/requests': ({requests, answered}, context) => {
    const after = wholeNumberIn(context, 'after', 0)
    const found = after === undefined ? requests : requests.filter(({sequence}) => (sequence ?? 0) > after)
    const data = found.map(({answer: _, ...entry}) => entry)
    return context.json({data, answered: answered.count})
  },
  'GET /_sandbox/requests/:request_id': (service, context) => {
    return context.json({data: requireRequest(service, context.req.param('request_id') ?? '')})
  },
  'GET /_sandbox/certificate': (service, context) => {
    const {client_id} = clientNamed(service.database, context.req.query('client_id'))
    const since = readInstant(context.req.query('since'))
    const evidence = evidenceOf(service, client_id, since ?? 0)
    const proof = context.req.query('proof') === 'true' ? {proof: proofOf(evidence)} : {}
    return context.json({data: {...judge(evidence, client_id, since), ...proof}})
  },
  'GET /_sandbox/drills': (service, context) => {
    const {client_id} = clientNamed(service.database, context.req.query('client_id'))
    return context.json({data: listDrills(service, client_id)})
  },
  'POST /_sandbox/drills': async (service, context) => {
    const order = readDrillOrder(readBody(context))
    const {client_id} = clientNamed(service.database, order.client_id)
    return context.json({data: await runDrills(service, client_id, order)}, 201)
  },
  'POST /_sandbox/chaos': async (service, context) => {
    const order = readChaosOrder(readBody(context))
    const {client_id} = clientNamed(service.database, order.client_id)
    return context.json({data: await runChaos(service, client_id, order.seed)}, 201)
  },
  'GET /_sandbox/ledger': ({database}, context) => {
    const client = clientNamed(database, context.req.query('client_id'))
    const after = wholeNumberIn(context, 'after', 0) ?? null
    const limit = wholeNumberIn(context, 'limit', 1) ?? Number.MAX_SAFE_INTEGER
    const {client_id, currency, balance_minor} = client
    const opening_balance = openingBalance(database, client)
    const {items: entries, next} = listEntries(database, client, {after, limit}, true)
    const balance = fromMinor(BigInt(balance_minor), currency)
    return context.json({data: {client_id, currency, opening_balance, entries, balance, next}})
  },
  'POST /_sandbox/reset': (service, context) => {
    resetState(service)
    return context.json({data: {reset: true}})
  },
}

export function addControls(app: http.App, service: http.RunningService): void {
  app.use('/_sandbox/*', async (context, next) => {
    await next()
    // The header tells the client that this is a local sandbox, on which it may call paths that the interface does not
    // show.
    context.res.headers.set(SANDBOX_MARK.header, SANDBOX_MARK.value)
  })
  http.addRoutes(app, service, CONTROLS)
}

/** Returns the client with this id (default: the main client). Throws the Refusal `not_found` if there is none. */
export function clientNamed(database: Database, clientId: string = MAIN_CLIENT): Client {
  const client = findClient(database, clientId)
  if (client) return client
  const known = listClients(database).map(({client_id}) => client_id)
  throw new Refusal(
    'not_found',
    `client "${clientId.slice(0, 100)}" not found; there are ${known.join(', ')}`,
  )
}

/**
 * Returns a time from the query in Unix seconds, or undefined if there is none. Throws the Refusal `validation_failed`
 * if it is invalid.
 */
function readInstant(text: string | undefined): number | undefined {
  const instant = text === undefined ? undefined : instantOf(text)
  if (text === undefined || instant !== undefined) return instant
  throw invalidField('since', 'invalid_format', 'must be a timestamp with an offset')
}

/**
 * Returns a request with its answer from the log. Of an older request, returns what the evidence keeps, without bodies.
 * Throws the Refusal `not_found` if there is no such request.
 */
export function requireRequest(service: http.RunningService, id: string) {
  const found = service.requests.find(({request_id}) => request_id === id)
  if (found) return {...found, answer: http.shownAnswer(found)}
  service.recorder.flush()
  const kept = findRequest(service.database, id)
  if (kept) return withoutBodies(kept)
  throw new Refusal('not_found', `request not found; the log keeps the last ${KEPT_EVIDENCE}`)
}

/** Returns an older request in the form of the log. Its headers and bodies were not kept. */
function withoutBodies({seen, method, path}: RecordedRequest) {
  const {requestId: request_id, clientId: client_id, operation, at, begun, ended, status} = seen
  const ms = Math.round(ended - begun)
  const kept = {at: isoTime(at), request_id, client_id, operation, method, path, status, ms}
  return {...kept, headers: null, body: null, answer: null}
}

/**
 * Returns a whole number from the query, or undefined if there is none. Throws the Refusal `validation_failed` if it is
 * not one, or below `least`.
 */
function wholeNumberIn(context: http.RequestContext, name: string, least: number): number | undefined {
  const text = context.req.query(name)
  if (text === undefined) return undefined
  const number = Number(text)
  if (text !== '' && Number.isSafeInteger(number) && number >= least) return number
  throw invalidField(name, 'invalid_value', `must be a whole number from ${least}`)
}

function readBody(context: http.RequestContext): unknown {
  return http.parseJson(context.var.body, context.req.header('content-type'))
}

const eventOrder = z.strictObject({
  type: z.enum(EVENT_TYPE_NAMES),
  /**
   * If given, the event is about this reservation and goes to the subscriptions of its client. Otherwise it is about no
   * stored reservation and goes to all subscriptions.
   */
  reservation_ref: plainText().optional(),
})

/** The number of deliveries that the request waits for. The dispatcher sends the others. */
const MOST_AWAITED = 100

/** Sends an event although no reservation changed. Resolves when each delivery was attempted once. */
async function triggerEvent({database, clock, dispatcher}: http.RunningService, order: unknown) {
  const {type, reservation_ref: reference} = http.validate(eventOrder, order)
  const stored = reference === undefined ? undefined : requireReservation(database, reference)
  const now = clock.now()
  const data = sampleEvent(database, type, now, stored?.record)
  const clientId = stored?.clientId ?? MAIN_CLIENT
  const added = database.transaction(() => addEvent(database, {clientId, type, data, now}, !stored))
  await Promise.all(added.deliveryIds.slice(0, MOST_AWAITED).map(id => dispatcher.deliverNow(id)))
  const deliveries = added.deliveryIds.flatMap(id => findDelivery(database, id)?.delivery ?? [])
  return {event: {id: added.eventId, type, created: isoTime(now), data}, deliveries}
}

const seconds = z
  .number()
  .min(0)
  .max(3660 * 86_400, 'must be at most 3660 days')
const clockMove = z.strictObject({advance_seconds: seconds})
const paymentOutcome = z.strictObject({result: z.enum(['paid', 'failed'])})

/**
 * Advances the clock by `advance_seconds`. Resolves when everything that fell due has run. Throws the Refusal
 * `validation_failed` for an invalid number.
 */
export async function moveClock(service: http.RunningService, order: unknown): Promise<void> {
  await service.dispatcher.moveClock(http.validate(clockMove, order).advance_seconds)
}

/** Sets the outcome of the payment of a reservation to `result`, and returns the stored reservation. */
export function settle(service: http.RunningService, reservationRef: string, order: unknown): Reservation {
  const {result} = http.validate(paymentOutcome, order)
  return settlePayment(service, requireReservation(service.database, reservationRef), result)
}

export async function deliverAgain(service: http.RunningService, deliveryId: string): Promise<void> {
  if (await service.dispatcher.deliverNow(deliveryId)) return
  const message = `delivery "${deliveryId}" not found, or its subscription was deleted`
  throw new Refusal('delivery_not_found', message)
}

export function injectFault(service: http.RunningService, order: unknown) {
  const checked = http.validate(faultRequest, order)
  service.faults.push({...checked, left: checked.times})
  return checked
}

export function prepareState(service: http.RunningService): void {
  service.database.transaction(() => {
    addStartUpClients(service.database, service.clock.now())
    addSearchTexts(service.database)
  })
}

/**
 * Deletes reservations, tokens, events, subscriptions and faults, and resets the clock, even while the clock is being
 * moved.
 */
export function resetState(service: http.RunningService): void {
  service.dispatcher.stopClock()
  service.database.transaction(() => {
    emptyTables(service.database)
    prepareState(service)
  })
  service.faults.length = 0
  service.requests.length = 0
  service.recorder.clear()
  service.droppedReferences.clear()
  service.lostOffers.clear()
  service.slowVouchers.clear()
}
