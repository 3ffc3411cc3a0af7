/**
 * The sandbox's own page: `/` and what lies under `/ui`. Not at `/reservations` and the like: a client with a wrong
 * base URL must find nothing there. Reading changes nothing; forms are taken from these pages alone.
 */
import type {Context} from 'hono'
import type {Refusal} from '../base/refusal.js'
import type {Service} from '../base/service.js'
import {checkForm} from '../http/guard.js'
import {type App, type RequestState, wrongMethod} from '../http/routing.js'
import {ACTIONS, readForm} from './actions.js'
import {deliveryDetail, deliveryList} from './deliveries.js'
import {eventDetail, eventList} from './events.js'
import {failureView} from './failure.js'
import {faultList} from './faults.js'
import {PAGE_HEADERS} from './headers.js'
import {layOut} from './layout.js'
import {overview} from './overview.js'
import {requestDetail, requestList} from './requests.js'
import {reservationDetail} from './reservation.js'
import {reservationList} from './reservations.js'
import {subscriptionList} from './subscriptions.js'
import type {View, Visit} from './visit.js'

type SiteContext = Context<RequestState>

const VIEWS: Readonly<Record<string, (visit: Visit) => View>> = {
  '/': overview,
  '/ui/reservations': reservationList,
  '/ui/reservations/:reservation_ref': reservationDetail,
  '/ui/events': eventList,
  '/ui/events/:event_id': eventDetail,
  '/ui/deliveries': deliveryList,
  '/ui/deliveries/:delivery_id': deliveryDetail,
  '/ui/subscriptions': subscriptionList,
  '/ui/requests': requestList,
  '/ui/requests/:request_id': requestDetail,
  '/ui/faults': faultList,
}

export function addSite(app: App, service: Service): void {
  app.get('/ui', context => context.redirect('/', 303))
  for (const [path, view] of Object.entries(VIEWS)) {
    app.get(path, context => show(service, context, view))
  }
  for (const {path, run} of ACTIONS) {
    app.post(path, async context => {
      checkForm(context.req.raw, context.var.origin)
      const fields = readForm(context.var.body, context.req.header('content-type'))
      const {to, done} = await run(service, context.req.param() as Record<string, string>, fields)
      return context.redirect(`${to}?done=${done}`, 303)
    })
  }
  for (const path of new Set([...Object.keys(VIEWS), ...ACTIONS.map(action => action.path)])) {
    const takes = [
      ...(VIEWS[path] ? ['GET'] : []),
      ...(ACTIONS.some(action => action.path === path) ? ['POST'] : []),
    ]
    app.all(path, () => {
      throw wrongMethod(takes)
    })
  }
}

/**
 * Whether what was refused is answered as a page: on a page's path, or where a browser finds nothing. A fault of our
 * own is not: it may be the storage's, which every page needs.
 */
export function isAnsweredAsPage(context: SiteContext, refusal: Refusal): boolean {
  const {path} = context.req
  if (refusal.status >= 500) return false
  if (path === '/' || path === '/ui' || path.startsWith('/ui/')) return true
  const isBrowser = context.req.header('accept')?.includes('text/html') ?? false
  return isBrowser && refusal.code === 'not_found' && !/^\/(partner-api|_sandbox)(\/|$)/.test(path)
}

/** The refusal as a page. */
export function showFailure(service: Service, context: SiteContext, refusal: Refusal): Response {
  const visit = visitOf(service, context)
  const page = layOut({...visit, query: new URLSearchParams()}, failureView(refusal, visit.path))
  const headers = {...PAGE_HEADERS, ...refusal.extras.headers}
  return context.html(page, refusal.status as 400, headers)
}

function show(service: Service, context: SiteContext, view: (visit: Visit) => View): Response {
  const visit = visitOf(service, context)
  return context.html(layOut(visit, view(visit)), 200, PAGE_HEADERS)
}

function visitOf(service: Service, context: SiteContext): Visit {
  const {pathname, searchParams} = new URL(context.req.url)
  return {
    service,
    origin: context.var.origin,
    now: service.clock.now(),
    path: pathname,
    query: searchParams,
    parameters: context.req.param() as Record<string, string>,
  }
}
