/** The sandbox as one `Request → Response`: access checks, request ids, the log, and the routes. */
import {setImmediate} from 'node:timers/promises'
import {Hono} from 'hono'
import {OPERATIONS, type OperationName} from '../contract/operations.js'
import {StorageError} from '../storage/errors.js'
import {type Answer, ConnectionDrop, Refusal} from './base/answers.js'
import {randomId} from './base/random.js'
import {expirePayments} from './booking/payment.js'
import {addControls} from './controls/controls.js'
import {ACCOUNT} from './handlers/account.js'
import {CATALOGUE} from './handlers/catalogue.js'
import {RESERVATIONS} from './handlers/reservations.js'
import {SUBSCRIPTIONS} from './handlers/subscriptions.js'
import {readBody} from './http/body.js'
import {truncated} from './http/faults.js'
import {type Call, type Handlers, operation} from './http/perform.js'
import {
  type AnsweredRequest,
  API_PATH,
  type App,
  addRoutes,
  checkHost,
  checkOrigin,
  FOR_PROGRAMS,
  type Handle,
  KEPT_REQUESTS,
  loggedRequest,
  type RequestContext,
  type RunningService,
  redactBody,
} from './http/requests.js'
import {addPages, isAnsweredAsPage, showFailure} from './pages/routes.js'

const HANDLERS: Handlers = {...ACCOUNT, ...CATALOGUE, ...RESERVATIONS, ...SUBSCRIPTIONS}

/** `served` gives the origin the sandbox listens at, undefined while it is only called in process. */
export function createApp(
  service: RunningService,
  served: () => string | undefined,
  onAnswered?: (request: AnsweredRequest) => void,
): App {
  const app: App = new Hono()
  // One request a turn of the event loop: in long turns some would be answered again and again before others are accepted.
  let turn: Promise<unknown> = Promise.resolve()
  app.onError((error, context) => answerError(service, error, context))
  app.notFound(() => {
    throw new Refusal('not_found', 'not found')
  })
  app.use(async (context, next) => {
    context.set('requestId', randomId('req_'))
    await next()
    // Refusals have become answers by now.
    if (context.var.isTruncated) context.res = await truncated(context.res)
    context.res.headers.set('X-Request-Id', context.var.requestId)
    if (!context.res.headers.has('Cache-Control')) context.res.headers.set('Cache-Control', 'no-store')
  })
  app.use(async (context, next) => {
    const {raw, path} = context.req
    const startedAt = performance.now()
    const entry = loggedRequest(raw, context.var.requestId, service.clock.now())
    context.set('entry', entry)
    if (path === '/' || /^\/(ui|_sandbox)(\/|$)/.test(path)) return next()
    service.requests.push(entry)
    if (service.requests.length > KEPT_REQUESTS) service.requests.shift()
    try {
      await next()
      entry.status = context.res.status
    } finally {
      onAnswered?.({...entry, milliseconds: performance.now() - startedAt})
    }
  })
  app.use(async (context, next) => {
    context.set('origin', checkHost(context.req.raw, served()))
    context.set('body', await readBody(context.req.raw))
    context.var.entry.body = redactBody(context.var.body)
    // Only to look at a page one may come from anywhere.
    if (!/^(GET|HEAD)$/.test(context.req.method) || FOR_PROGRAMS.test(context.req.path))
      checkOrigin(context.req.raw, context.var.origin)
    turn = turn.then(() => setImmediate())
    await turn
    expirePayments(service)
    try {
      await next()
    } finally {
      service.dispatcher.wake()
    }
  })
  addOperations(app, service)
  addPages(app, service)
  addControls(app, service)
  return app
}

function addOperations(app: App, service: RunningService): void {
  const names = Object.keys(OPERATIONS) as OperationName[]
  const routes = names.map((name): [string, Handle] => {
    const {method, path} = OPERATIONS[name]
    const route = `${method} ${API_PATH}${path.replace(/\{(\w+)\}/g, ':$1')}`
    return [route, operation(name, HANDLERS[name] as (call: Call) => Answer)]
  })
  // Paths without parameters come first, so that GET /hotels/search is a wrong method, not the hotel "search".
  const isGeneral = ([route]: [string, Handle]) => Number(route.includes(':'))
  const sorted = routes.sort((a, b) => isGeneral(a) - isGeneral(b))
  addRoutes(app, service, Object.fromEntries(sorted))
}

function answerError(service: RunningService, error: Error, context: RequestContext): Response {
  if (error instanceof ConnectionDrop) throw error
  const refusal = asRefusal(error)
  if (isAnsweredAsPage(context, refusal)) return showFailure(service, context, refusal)
  const {json, ...answer} = refusal.toAnswer(context.var.requestId)
  const isToken = context.req.path === API_PATH + OPERATIONS['token.create'].path
  // RFC 6749 §5.2.
  return Response.json(isToken ? {...json, error_description: refusal.message} : json, answer)
}

/** Internal errors are answered without their message, which could hold people's data. */
function asRefusal(error: Error): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof StorageError)
    return new Refusal('service_unavailable', 'the local sandbox cannot write its database')
  return new Refusal('internal_error', 'internal error in the local sandbox')
}
