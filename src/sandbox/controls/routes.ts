/** The local sandbox's own controls under /_sandbox (service.md): beside the API, never under it. */
import type {Context} from 'hono'
import {isoTime} from '../../contract/dates.js'
import {SANDBOX_MARK} from '../../contract/identifiers.js'
import {invalidField} from '../base/answers.js'
import {parseJson} from '../http/body.js'
import {checkOrigin} from '../http/guard.js'
import type {RunningService} from '../http/operation.js'
import {type App, type RequestState, refuseOthers} from '../http/requests.js'
import {findDelivery, listDeliveries} from '../store/deliveries.js'
import {allEvents, eventWithOrigin} from '../store/events.js'
import {withOrigin} from '../store/reservations.js'
import {deliverAgain, injectFault, moveClock, resetState, settle} from './actions.js'
import {triggerEvent} from './trigger.js'

type ControlContext = Context<RequestState>
type Control = (service: RunningService, context: ControlContext) => Response | Promise<Response>

const showClock: Control = ({clock}, context) => context.json({now: isoTime(clock.now())})
const showFaults: Control = ({faults}, context) => context.json({data: faults.list()})

const CONTROLS: Readonly<Record<string, Control>> = {
  'GET /clock': showClock,
  'POST /clock': async (service, context) => {
    await moveClock(service, readBody(context))
    return showClock(service, context)
  },
  'POST /payments/:reservation_ref': (service, context) => {
    const settled = settle(service, context.req.param('reservation_ref') ?? '', readBody(context))
    return context.json({data: withOrigin(settled, context.var.origin)})
  },
  'GET /events': ({database}, context) =>
    context.json({data: allEvents(database).map(event => eventWithOrigin(event, context.var.origin))}),
  'POST /trigger': async (service, context) => {
    const {event, deliveries} = await triggerEvent(service, readBody(context))
    return context.json({data: {event: eventWithOrigin(event, context.var.origin), deliveries}}, 201)
  },
  'GET /deliveries': ({database}, context) => {
    const limit = Number(context.req.query('limit') ?? Number.MAX_SAFE_INTEGER)
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw invalidField('limit', 'invalid_value', 'must be a whole number from 1')
    const {items} = listDeliveries(database, {}, {after: null, limit})
    return context.json({data: items.map(({delivery}) => delivery).reverse()})
  },
  'POST /deliveries/:delivery_id/redeliver': async (service, context) => {
    const id = context.req.param('delivery_id') ?? ''
    await deliverAgain(service, id)
    return context.json({data: findDelivery(service.database, id)?.delivery}, 202)
  },
  'GET /faults': showFaults,
  'POST /faults': (service, context) => context.json({data: injectFault(service, readBody(context))}, 201),
  'DELETE /faults': (service, context) => {
    service.faults.clear()
    return showFaults(service, context)
  },
  'GET /requests': ({requests}, context) => context.json({data: requests.list()}),
  'POST /reset': (service, context) => {
    resetState(service)
    return context.json({data: {reset: true}})
  },
}

export function addControls(app: App, service: RunningService): void {
  app.use('/_sandbox/*', async (context, next) => {
    checkOrigin(context.req.raw, context.var.origin)
    await next()
    // This header tells the client that it may call paths which the interface does not show.
    context.res.headers.set(SANDBOX_MARK.header, SANDBOX_MARK.value)
  })
  const methods = new Map<string, string[]>()
  for (const [name, control] of Object.entries(CONTROLS)) {
    const [method = '', path = ''] = name.split(' ')
    const route = `/_sandbox${path}`
    app.on(method, route, context => control(service, context))
    methods.set(route, [...(methods.get(route) ?? []), method])
  }
  for (const [route, taken] of methods) refuseOthers(app, route, taken)
}

function readBody(context: ControlContext): unknown {
  return parseJson(context.var.body, context.req.header('content-type'))
}
