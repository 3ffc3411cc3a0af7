/**
 * Which page is where. The sandbox's own pages are `/` and what lies under `/ui`, not `/reservations` and the like: a client
 * with a wrong base URL must find nothing there. Reading changes nothing; forms are accepted from these pages alone.
 * Beside them the payment page, voucher links and the OpenAPI description.
 */
import type {Context} from 'hono'
import {openApiDocument} from '../../contract/openapi.js'
import type {Refusal} from '../base/answers.js'
import {checkForm, checkOrigin} from '../http/guard.js'
import type {RunningService} from '../http/operation.js'
import {underFaults} from '../http/perform.js'
import {API_PATH, type App, logRequests, type RequestState, wrongMethod} from '../http/requests.js'
import {ACTIONS, readForm} from './actions.js'
import {deliveryDetail, deliveryList, subscriptionList} from './deliveries.js'
import {eventDetail, eventList} from './events.js'
import {faultList} from './faults.js'
import {failureView, layOut, type View, type Visit} from './layout.js'
import {overview} from './overview.js'
import {PAGE_HEADERS} from './parts.js'
import {showPaymentPage, submitPayment} from './payment.js'
import {requestDetail, requestList} from './requests.js'
import {reservationDetail, reservationList} from './reservations.js'
import {downloadVoucher} from './voucher.js'

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

function addSite(app: App, service: RunningService): void {
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
export function showFailure(service: RunningService, context: SiteContext, refusal: Refusal): Response {
  const visit = visitOf(service, context)
  const page = layOut({...visit, query: new URLSearchParams()}, failureView(refusal, visit.path))
  const headers = {...PAGE_HEADERS, ...refusal.extras.headers}
  return context.html(page, refusal.status as 400, headers)
}

function show(service: RunningService, context: SiteContext, view: (visit: Visit) => View): Response {
  const visit = visitOf(service, context)
  return context.html(layOut(visit, view(visit)), 200, PAGE_HEADERS)
}

function visitOf(service: RunningService, context: SiteContext): Visit {
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

export function addPages(app: App, service: RunningService): void {
  addSite(app, service)
  app.get('/openapi.json', context =>
    context.json(openApiDocument({serverUrl: context.var.origin + API_PATH})),
  )
  app.get('/pay/:token', logRequests(service, 'payment.page'), context =>
    underFaults(service, 'payment.page', context, async pause => {
      await pause()
      return showPaymentPage(service, context)
    }),
  )
  app.post('/pay/:token', logRequests(service, 'payment.submit'), context => {
    checkOrigin(context.req.raw, context.var.origin)
    return underFaults(service, 'payment.submit', context, async pause => {
      await pause()
      return submitPayment(service, context)
    })
  })
  app.all('/pay/:token', () => {
    throw wrongMethod(['GET', 'POST'])
  })
  app.get('/vouchers/:token', logRequests(service, 'voucher.download'), context =>
    underFaults(service, 'voucher.download', context, async pause => {
      await pause()
      return downloadVoucher(service, context)
    }),
  )
  app.all('/vouchers/:token', () => {
    throw wrongMethod(['GET'])
  })
}
