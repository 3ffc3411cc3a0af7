/**
 * The routes outside the API: the dashboard at `/` and `/ui`, payment pages, vouchers, and the OpenAPI description.
 * They are at the root, so that a client with a wrong base URL does not reach them. A form of the dashboard calls the
 * function of a control, then redirects to a page (303).
 */
import {openApiDocument} from '../../contract/openapi.js'
import {Refusal} from '../base/answers.js'
import {deliverAgain, injectFault, moveClock, resetState, settle} from '../controls/controls.js'
import {FAULT_NUMBERS, type FaultKind, faultField} from '../http/faults.js'
import {underFaults} from '../http/perform.js'
import * as http from '../http/requests.js'
import {certificate} from './certificate.js'
import * as ui from './components.js'
import * as dashboard from './dashboard.js'
import {downloadVoucher, showPaymentPage, submitPayment} from './payment-and-voucher.js'

const ROUTES: Readonly<Record<string, http.Handle>> = {
  'GET /': view(dashboard.overview),
  'GET /ui/reservations': view(dashboard.reservationList),
  'GET /ui/reservations/:reservation_ref': view(dashboard.reservationDetail),
  'GET /ui/ledger': view(dashboard.ledger),
  'GET /ui/certificate': view(certificate),
  'GET /ui/events': view(dashboard.eventList),
  'GET /ui/events/:event_id': view(dashboard.eventDetail),
  'GET /ui/deliveries': view(dashboard.deliveryList),
  'GET /ui/deliveries/:delivery_id': view(dashboard.deliveryDetail),
  'GET /ui/subscriptions': view(dashboard.subscriptionList),
  'GET /ui/requests': view(dashboard.requestList),
  'GET /ui/requests/:request_id': view(dashboard.requestDetail),
  'GET /ui/faults': view(dashboard.faultList),
  'POST /ui/clock': action(async (service, _, {advance_seconds, amount, unit = '', back = ''}) => {
    // A button sends `advance_seconds`, the form sends `amount` and `unit`. A missing number becomes NaN, which the
    // control refuses.
    const seconds = numberOf(advance_seconds ?? amount)
    const length = advance_seconds === undefined ? (dashboard.CLOCK_UNITS[unit] ?? Number.NaN) : 1
    await moveClock(service, {advance_seconds: seconds * length})
    // Redirects to the page that sent the form if it is a page of the dashboard, else to `/`.
    return {to: /^\/ui(\/[\w%.~-]+)+$/.test(back) ? back : '/', done: 'clock'}
  }),
  'POST /ui/reservations/:reservation_ref/payment': action((service, {reservation_ref = ''}, {result}) => {
    settle(service, reservation_ref, {result})
    return {to: ui.pathOf('reservations', reservation_ref), done: result === 'paid' ? 'paid' : 'failed'}
  }),
  'POST /ui/deliveries/:delivery_id/redeliver': action(async (service, {delivery_id = ''}) => {
    await deliverAgain(service, delivery_id)
    return {to: ui.pathOf('deliveries', delivery_id), done: 'delivered'}
  }),
  'POST /ui/faults': action((service, _, fields) => {
    // Empty fields, and fields that do not apply to the kind, are left out.
    const kind = fields.kind as FaultKind
    const given = Object.entries(fields).filter(([name, value]) => value !== '' && faultField(kind, name))
    const order = given.map(([name, value]) => [name, name in FAULT_NUMBERS ? numberOf(value) : value])
    injectFault(service, Object.fromEntries(order))
    return {to: '/ui/faults', done: 'fault'}
  }),
  'POST /ui/faults/clear': action(service => {
    service.faults.length = 0
    return {to: '/ui/faults', done: 'cleared'}
  }),
  'POST /ui/reset': action(service => {
    resetState(service)
    return {to: '/', done: 'reset'}
  }),
  // The token may contain slashes, so that a damaged link still shows the page for an unknown payment.
  'GET /pay/:token{.+}': link('payment.page', showPaymentPage),
  'POST /pay/:token{.+}': link('payment.submit', submitPayment),
  'GET /vouchers/:token': link('voucher.download', downloadVoucher),
}

export function addPages(app: http.App, service: http.RunningService): void {
  app.get('/ui', context => context.redirect('/', 303))
  app.get('/openapi.json', context =>
    context.json(openApiDocument({serverUrl: context.var.origin + http.API_PATH})),
  )
  http.addRoutes(app, service, ROUTES)
}

function view(make: (visit: ui.Visit) => ui.View): http.Handle {
  return (service, context) => {
    const visit = visitOf(service, context)
    return context.html(ui.layOut(visit, make(visit)), 200, ui.SITE_HEADERS)
  }
}

type Fields = Readonly<Record<string, string>>
type Done = {readonly to: string; readonly done: ui.Confirmation}

/**
 * Returns the handler of a form. `act` does the work and returns the page to redirect to, and the confirmation to show
 * there. It throws a Refusal for invalid input.
 */
function action(
  act: (service: http.RunningService, parameters: Fields, fields: Fields) => Done | Promise<Done>,
): http.Handle {
  return async (service, context) => {
    http.checkForm(context.req.raw, context.var.origin)
    if (
      !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(context.req.header('content-type')?.trim() ?? '')
    ) {
      throw new Refusal('invalid_request', 'the body must be a form, application/x-www-form-urlencoded')
    }
    const fields = Object.fromEntries(new URLSearchParams(new TextDecoder().decode(context.var.body)))
    const {to, done} = await act(service, context.req.param() as Fields, fields)
    return context.redirect(`${to}?done=${done}`, 303)
  }
}

/** Returns the handler of a page at a secret link. As for operations, faults can be injected. */
function link(operation: string, page: http.Handle): http.Handle {
  return (service, context) =>
    underFaults(service, operation, context, async pause => {
      await pause()
      return page(service, context)
    })
}

function numberOf(text: string | undefined): number {
  return text?.trim() ? Number(text) : Number.NaN
}

/**
 * Reports whether a refusal is shown as a page: on paths of the dashboard, and if a browser requests an unknown path.
 * 5xx errors are not, because every page needs the database, which may be what failed.
 */
export function isAnsweredAsPage(context: http.RequestContext, refusal: Refusal): boolean {
  const {path} = context.req
  if (refusal.status >= 500) return false
  if (path === '/' || path === '/ui' || path.startsWith('/ui/')) return true
  return http.isFromBrowser(context) && refusal.code === 'not_found' && !http.FOR_PROGRAMS.test(path)
}

export function showFailure(
  service: http.RunningService,
  context: http.RequestContext,
  refusal: Refusal,
): Response {
  const visit = visitOf(service, context)
  const page = ui.layOut({...visit, query: new URLSearchParams()}, ui.failureView(refusal, visit.path))
  const headers = {...ui.SITE_HEADERS, ...refusal.headers}
  return context.html(page, refusal.status as 400, headers)
}

function visitOf(service: http.RunningService, context: http.RequestContext): ui.Visit {
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
