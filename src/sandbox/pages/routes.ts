/** The pages at `/` and `/ui`, where no client with a wrong base URL asks; payment page, vouchers, OpenAPI description. */
import type {Context} from 'hono'
import {openApiDocument} from '../../contract/openapi.js'
import type {Refusal} from '../base/answers.js'
import {checkForm, checkOrigin} from '../http/guard.js'
import type {RunningService} from '../http/operation.js'
import {underFaults} from '../http/perform.js'
import {API_PATH, type App, logRequests, type RequestState, refuseOthers} from '../http/requests.js'
import {ACTIONS, readForm} from './actions.js'
import {deliveryDetail, deliveryList, eventDetail, eventList, subscriptionList} from './events.js'
import {faultList} from './faults.js'
import {failureView, layOut, type View, type Visit} from './layout.js'
import {overview} from './overview.js'
import {SITE_HEADERS} from './parts.js'
import {downloadVoucher, showPaymentPage, submitPayment} from './payment-and-voucher.js'
import {requestDetail, requestList} from './requests.js'
import {reservationDetail, reservationList} from './reservations.js'

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
  for (const path of new Set([...Object.keys(VIEWS), ...Object.keys(ACTIONS)])) {
    const view = VIEWS[path]
    if (view)
      app.get(path, context => {
        const visit = visitOf(service, context)
        return context.html(layOut(visit, view(visit)), 200, SITE_HEADERS)
      })
    const act = ACTIONS[path]
    if (act)
      app.post(path, async context => {
        checkForm(context.req.raw, context.var.origin)
        const fields = readForm(context.var.body, context.req.header('content-type'))
        const {to, done} = await act(service, context.req.param() as Record<string, string>, fields)
        return context.redirect(`${to}?done=${done}`, 303)
      })
    refuseOthers(app, path, [...(view ? ['GET'] : []), ...(act ? ['POST'] : [])])
  }
}

/** On a page's path, or when a browser finds nothing. Not a 5xx: the storage may have failed, which every page needs. */
export function isAnsweredAsPage(context: SiteContext, refusal: Refusal): boolean {
  const {path} = context.req
  if (refusal.status >= 500) return false
  if (path === '/' || path === '/ui' || path.startsWith('/ui/')) return true
  const isBrowser = context.req.header('accept')?.includes('text/html') ?? false
  return isBrowser && refusal.code === 'not_found' && !/^\/(partner-api|_sandbox)(\/|$)/.test(path)
}

export function showFailure(service: RunningService, context: SiteContext, refusal: Refusal): Response {
  const visit = visitOf(service, context)
  const page = layOut({...visit, query: new URLSearchParams()}, failureView(refusal, visit.path))
  const headers = {...SITE_HEADERS, ...refusal.headers}
  return context.html(page, refusal.status as 400, headers)
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
  addLink(app, service, '/pay/:token', {
    GET: ['payment.page', showPaymentPage],
    POST: ['payment.submit', submitPayment],
  })
  addLink(app, service, '/vouchers/:token', {GET: ['voucher.download', downloadVoucher]})
}

type Page = (service: RunningService, context: SiteContext) => Response | Promise<Response>

/** A path that answers under a link, logged and with faults as the operations of the API are. */
function addLink(
  app: App,
  service: RunningService,
  path: string,
  pages: Partial<Record<'GET' | 'POST', readonly [operation: string, page: Page]>>,
): void {
  for (const [method, [operation, page]] of Object.entries(pages)) {
    app.on(method, path, logRequests(service, operation), context => {
      if (method === 'POST') checkOrigin(context.req.raw, context.var.origin)
      return underFaults(service, operation, context, async pause => {
        await pause()
        return page(service, context)
      })
    })
  }
  refuseOthers(app, path, Object.keys(pages))
}
