/** The local sandbox's own controls under /_sandbox (service.md): beside the API, never under it. */
import type {Context} from 'hono'
import {isoTime} from '../../contract/dates.js'
import {SANDBOX_MARK} from '../../contract/identifiers.js'
import {invalidField} from '../base/answers.js'
import {parseJson} from '../http/body.js'
import {checkOrigin} from '../http/guard.js'
import type {RunningService} from '../http/operation.js'
import {type App, type RequestState, wrongMethod} from '../http/requests.js'
import {findDeliveryRecord, newestDeliveryRecords} from '../store/deliveries.js'
import {eventWithOrigin, listEvents} from '../store/events.js'
import {withOrigin} from '../store/reservations.js'
import {deliverAgain, injectFault, moveClock, resetState, settle} from './actions.js'

type ControlContext = Context<RequestState>
type Control = (service: RunningService, context: ControlContext) => Response | Promise<Response>

const CONTROLS: Readonly<Record<string, Partial<Record<'GET' | 'POST' | 'DELETE', Control>>>> = {
  '/clock': {GET: showClock, POST: postClock},
  '/payments/:reservation_ref': {POST: postPayment},
  '/events': {GET: showEvents},
  '/deliveries': {GET: showDeliveries},
  '/deliveries/:delivery_id/redeliver': {POST: postDelivery},
  '/faults': {GET: showFaults, POST: postFault, DELETE: clearFaults},
  '/requests': {GET: showRequests},
  '/reset': {POST: reset},
}

export function addControls(app: App, service: RunningService): void {
  app.use('/_sandbox/*', async (context, next) => {
    checkOrigin(context.req.raw, context.var.origin)
    await next()
    // This header tells the client that it may call paths which the interface does not show.
    context.res.headers.set(SANDBOX_MARK.header, SANDBOX_MARK.value)
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

function showClock(service: RunningService, context: ControlContext): Response {
  return context.json({now: isoTime(service.clock.now())})
}

/** Answers when everything that fell due has run. */
async function postClock(service: RunningService, context: ControlContext): Promise<Response> {
  await moveClock(service, readBody(context))
  return showClock(service, context)
}

function postPayment(service: RunningService, context: ControlContext): Response {
  const settled = settle(service, context.req.param('reservation_ref') ?? '', readBody(context))
  return context.json({data: withOrigin(settled, context.var.origin)})
}

function showEvents(service: RunningService, context: ControlContext): Response {
  const events = listEvents(service.database)
  return context.json({data: events.map(event => eventWithOrigin(event, context.var.origin))})
}

function showDeliveries(service: RunningService, context: ControlContext): Response {
  const limit = Number(context.req.query('limit') ?? Number.MAX_SAFE_INTEGER)
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw invalidField('limit', 'invalid_value', 'must be a whole number from 1')
  return context.json({data: newestDeliveryRecords(service.database, limit)})
}

/** Makes one more attempt, and answers when it has ended. */
async function postDelivery(service: RunningService, context: ControlContext): Promise<Response> {
  const id = context.req.param('delivery_id') ?? ''
  await deliverAgain(service, id)
  return context.json({data: findDeliveryRecord(service.database, id)}, 202)
}

function showFaults(service: RunningService, context: ControlContext): Response {
  return context.json({data: service.faults.list()})
}

function postFault(service: RunningService, context: ControlContext): Response {
  return context.json({data: injectFault(service, readBody(context))}, 201)
}

function clearFaults(service: RunningService, context: ControlContext): Response {
  service.faults.clear()
  return showFaults(service, context)
}

function showRequests(service: RunningService, context: ControlContext): Response {
  return context.json({data: service.requests.list()})
}

function reset(service: RunningService, context: ControlContext): Response {
  resetState(service)
  return context.json({data: {reset: true}})
}

function readBody(context: ControlContext): unknown {
  return parseJson(context.var.body, context.req.header('content-type'))
}
