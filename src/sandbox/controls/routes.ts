/** The local sandbox's own controls under /_sandbox (service.md): beside the API, never under it. */
import type {Context} from 'hono'
import {z} from 'zod'
import {settlePayment} from '../booking/payment.js'
import {isoTime} from '../clock.js'
import {parseJson, validate} from '../http/body.js'
import {faultOrder} from '../http/faults.js'
import {checkOrigin} from '../http/guard.js'
import {type App, type RequestState, wrongMethod} from '../http/routing.js'
import {eventWithOrigin, withOrigin} from '../links.js'
import {Refusal} from '../refusal.js'
import {resetState} from '../reset.js'
import type {Service} from '../service.js'
import {findDeliveryRecord, listDeliveryRecords} from '../store/deliveries.js'
import {listEvents} from '../store/events.js'
import {findAnyReservation} from '../store/reservations.js'

type ControlContext = Context<RequestState>
type Control = (service: Service, context: ControlContext) => Response | Promise<Response>

/** Ours: the clock moves at most ten years at a time. */
const MAX_ADVANCE_SECONDS = 10 * 366 * 86_400

const clockMove = z.strictObject({advance_seconds: z.number().min(0).max(MAX_ADVANCE_SECONDS)})
const paymentOutcome = z.strictObject({result: z.enum(['paid', 'failed'])})

const CONTROLS: Readonly<Record<string, Partial<Record<'GET' | 'POST' | 'DELETE', Control>>>> = {
  '/clock': {GET: showClock, POST: moveClock},
  '/payments/:reservation_ref': {POST: settle},
  '/events': {GET: showEvents},
  '/deliveries': {GET: showDeliveries},
  '/deliveries/:delivery_id/redeliver': {POST: deliverAgain},
  '/faults': {GET: showFaults, POST: orderFault, DELETE: clearFaults},
  '/requests': {GET: showRequests},
  '/reset': {POST: reset},
}

export function addControls(app: App, service: Service): void {
  app.use('/_sandbox/*', async (context, next) => {
    checkOrigin(context.req.raw, context.var.origin)
    await next()
  })
  for (const [path, methods] of Object.entries(CONTROLS)) {
    const route = `/_sandbox${path}`
    for (const [method, control] of Object.entries(methods)) {
      app.on(method, route, context => control(service, context))
    }
    app.all(route, () => {
      throw wrongMethod(Object.keys(methods))
    })
  }
}

function showClock(service: Service, context: ControlContext): Response {
  return context.json({now: isoTime(service.clock.now())})
}

/** Moves time, lets happen what falls due on the way, and answers when it has. */
async function moveClock(service: Service, context: ControlContext): Promise<Response> {
  const {advance_seconds} = readBody(context, clockMove)
  await service.timeMover.move(advance_seconds)
  return showClock(service, context)
}

function settle(service: Service, context: ControlContext): Response {
  const {result} = readBody(context, paymentOutcome)
  const stored = findAnyReservation(service.database, context.req.param('reservation_ref') ?? '')
  if (!stored) throw new Refusal('reservation_not_found', 'there is no reservation with this reference')
  return context.json({data: withOrigin(settlePayment(service, stored, result), context.var.origin)})
}

function showEvents(service: Service, context: ControlContext): Response {
  const events = listEvents(service.database)
  return context.json({data: events.map(event => eventWithOrigin(event, context.var.origin))})
}

function showDeliveries(service: Service, context: ControlContext): Response {
  const all = {subscriptionId: null, limit: Number.MAX_SAFE_INTEGER, after: null}
  return context.json({data: listDeliveryRecords(service.database, all).map(({delivery}) => delivery)})
}

/** Makes one more attempt, and answers when it was made. */
async function deliverAgain(service: Service, context: ControlContext): Promise<Response> {
  const id = context.req.param('delivery_id') ?? ''
  if (!(await service.dispatcher.deliverNow(id))) {
    throw new Refusal('delivery_not_found', 'there is no delivery with this id, or its subscription is gone')
  }
  return context.json({data: findDeliveryRecord(service.database, id)}, 202)
}

function showFaults(service: Service, context: ControlContext): Response {
  return context.json({data: service.faults.list()})
}

function orderFault(service: Service, context: ControlContext): Response {
  const order = readBody(context, faultOrder)
  service.faults.add(order)
  return context.json({data: order}, 201)
}

function clearFaults(service: Service, context: ControlContext): Response {
  service.faults.clear()
  return showFaults(service, context)
}

function showRequests(service: Service, context: ControlContext): Response {
  return context.json({data: service.requests.list()})
}

function reset(service: Service, context: ControlContext): Response {
  resetState(service)
  return context.json({data: {reset: true}})
}

function readBody<T>(context: ControlContext, schema: z.ZodType<T>): T {
  return validate(schema, parseJson(context.var.body, context.req.header('content-type')))
}
