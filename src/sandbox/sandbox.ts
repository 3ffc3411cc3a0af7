/** The local sandbox: assembles the whole service as one function `Request → Response`, with its state in SQLite. */
import {setMaxListeners} from 'node:events'
import {setImmediate} from 'node:timers/promises'
import {Hono} from 'hono'
import {WEBHOOK_RESPONSE_SECONDS} from '../contract/limits.js'
import {OPERATIONS, SANDBOX_OPERATIONS} from '../contract/operations.js'
import {type Database, openDatabase} from '../storage/database.js'
import type {FileOwner} from '../storage/database-file.js'
import {StorageError} from '../storage/errors.js'
import {type Answer, ConnectionDrop, jsonResponse, Refusal} from './base/answers.js'
import {randomId} from './base/random.js'
import {realMilliseconds} from './base/real-time.js'
import type {Service} from './base/service.js'
import {fillLedger} from './booking/account.js'
import {expirePayments} from './booking/pay-change-cancel.js'
import {addControls, prepareState} from './controls/controls.js'
import {createTrust, type Resolve, systemResolve} from './delivery/attempt.js'
import {Dispatcher} from './delivery/dispatcher.js'
import {HANDLERS} from './handlers.js'
import {truncate} from './http/faults.js'
import {type Call, operation} from './http/perform.js'
import {evidenceOf, NO_RECORDER, Recorder} from './http/recording.js'
import * as http from './http/requests.js'
import {addPages, isAnsweredAsPage, showFailure} from './pages/routes.js'
import {MIGRATIONS, readMeta, writeMeta} from './store/schema.js'
import {countDeliveries} from './store/webhooks.js'

export interface SandboxOptions {
  /** Path of the SQLite file, or `:memory:`. */
  readonly database: string
  readonly databaseOwner?: FileOwner
  /** Returns the real time in Unix seconds. */
  readonly clock?: () => number
  /** How many offers each search finds, to test long answers (default: those of the city's 12 to 20 hotels). */
  readonly offers?: number | undefined
  readonly latencyMilliseconds?: number
  readonly allowHttpLoopback?: boolean
  /** A file with a certificate authority that deliveries trust in addition to the system's. It may be created later. */
  readonly caFile?: string
  readonly resolve?: Resolve
  /** Time limit for a subscriber's answer, in milliseconds (default: the limit of §6.4). */
  readonly subscriberMilliseconds?: number
  /** Whether to record the evidence of requests (default true). The benchmark measures the cost without it. */
  readonly keepsEvidence?: boolean
  /** Called after each request that was answered or dropped, except those to the dashboard and the controls. */
  readonly onAnswered?: ((request: http.AnsweredRequest) => void) | undefined
}

export type Sandbox = ReturnType<typeof createSandbox>

/** Creates a sandbox. Throws a StorageError, with the fault `busy` if another sandbox has the file open. */
export function createSandbox(options: SandboxOptions) {
  const database = openExclusively(options.database, options.databaseOwner ?? 'users')
  const closing = new AbortController()
  // Every waiting request and delivery listens to this signal. Node would warn about more than ten listeners.
  setMaxListeners(0, closing.signal)
  let served: string | undefined
  const realNow = options.clock ?? (() => Date.now() / 1000)
  const offset = () => Number(readMeta(database, 'clock_offset_seconds') ?? 0)
  const base: Service = {
    database,
    clock: {
      now: () => realNow() + offset(),
      realNow,
      advance: seconds => writeMeta(database, 'clock_offset_seconds', String(offset() + seconds)),
    },
    offers: options.offers,
    droppedReferences: new Set(),
    lostOffers: new Map(),
    slowVouchers: new Set(),
    allowHttpLoopback: options.allowHttpLoopback ?? false,
    served: () => served,
    closing: closing.signal,
  }
  const posting = {
    resolve: options.resolve ?? systemResolve,
    trust: createTrust(options.caFile),
    allowHttpLoopback: base.allowHttpLoopback,
    limitMilliseconds: options.subscriberMilliseconds ?? WEBHOOK_RESPONSE_SECONDS * 1000,
    closing: closing.signal,
  }
  const dispatcher = new Dispatcher(base, posting)
  const service: http.RunningService = {
    ...base,
    dispatcher,
    faults: [],
    requests: [],
    answered: {count: 0},
    runningKeys: new Map(),
    latencyMilliseconds: options.latencyMilliseconds ?? 0,
    recorder: options.keepsEvidence === false ? NO_RECORDER : new Recorder(database),
  }
  prepareState(service)
  const app = createApp(service, options.onAnswered)
  const lastPort = Number(readMeta(database, 'last_port')) || undefined
  return {
    /** The port at which the database was served last; undefined the first time. */
    lastPort,
    /**
     * Answers a request within the process. Rejects with a ConnectionDrop where a server would cut the connection.
     * Until `listenAt` is called, any loopback origin is accepted.
     */
    handle: async (request: Request, link = linkOf(request)): Promise<Response> => app.fetch(request, {link}),
    /**
     * Sets the origin that links have and that requests must name. Deliveries start now, because their links need the
     * origin.
     */
    listenAt: (origin: string) => {
      served = origin
      try {
        // The port is used again after a restart, so that saved links stay valid.
        writeMeta(database, 'last_port', new URL(origin).port)
      } catch (error) {
        // The sandbox can serve even if the disk is full.
        if (!(error instanceof StorageError)) throw error
      }
      dispatcher.wake()
    },
    /** Writes to the database, as a check. Throws a StorageError if that is impossible. */
    checkStore: () => writeMeta(database, 'checked_at', String(realNow())),
    /** Returns the number of deliveries by status. Throws a StorageError. */
    countDeliveries: () => countDeliveries(database),
    /** Returns the time on the sandbox's clock in Unix seconds. */
    now: () => base.clock.now(),
    /** Returns the evidence about a client since a time (Unix seconds of the sandbox's clock), oldest first. */
    evidence: (clientId: string, since: number) => evidenceOf(service, clientId, since),
    close: () => {
      closing.abort()
      dispatcher.close()
      service.recorder.close(service)
      database.close()
    },
  }
}

/** Returns the Link of a request that did not come over a connection. */
function linkOf({headers, signal}: Request): http.Link {
  const link: http.Link = {rawHeaders: [...headers].flat(), goneAt: undefined}
  const leave = () => {
    link.goneAt = realMilliseconds()
  }
  signal.addEventListener('abort', leave, {once: true})
  return link
}

function openExclusively(path: string, owner: FileOwner): Database {
  try {
    const database = openDatabase(path, {
      migrations: MIGRATIONS,
      busyTimeoutMilliseconds: 250,
      owner,
      hasLog: true,
      afterMigration: fillLedger,
    })
    // The next write (in prepareState) takes the lock. It is held as long as the file is open.
    database.get('PRAGMA locking_mode = EXCLUSIVE')
    // The log is limited to one mebibyte instead of four: it takes less space, and each checkpoint is shorter.
    database.get('PRAGMA wal_autocheckpoint = 256')
    const isGivingBack = database.get<{auto_vacuum: number}>('PRAGMA auto_vacuum')?.auto_vacuum === 2
    if (path !== ':memory:' && !isGivingBack) {
      // Free pages are returned to the system. A file from an earlier version must be rewritten once to allow this.
      database.run('PRAGMA auto_vacuum = INCREMENTAL')
      database.run('VACUUM')
    }
    return database
  } catch (error) {
    if (!(error instanceof StorageError) || error.fault !== 'busy') throw error
    const hint = 'stop it, or choose another file: --db FILE'
    throw new StorageError('busy', `another local sandbox is using ${path}`, hint, {cause: error})
  }
}

function createApp(service: http.RunningService, onAnswered: SandboxOptions['onAnswered']): http.App {
  const app: http.App = new Hono()
  // Only one request runs in each turn of the event loop. Otherwise many requests of one connection could be answered
  // while other connections wait to be accepted.
  let turn: Promise<unknown> = Promise.resolve()
  app.onError((error, context) => answerError(service, error, context))
  app.notFound(() => {
    throw new Refusal('not_found', 'not found')
  })
  app.use(async (context, next) => {
    context.set('requestId', randomId('req_'))
    await next()
    // At this point, a thrown Refusal has become an answer.
    context.res.headers.set('X-Request-Id', context.var.requestId)
    if (!context.res.headers.has('Cache-Control')) context.res.headers.set('Cache-Control', 'no-store')
    if (context.var.isTruncated) await truncate(context.res)
  })
  app.use(async (context, next) => {
    const {raw, path} = context.req
    const startedAt = performance.now()
    const at = service.clock.now()
    const entry = http.loggedRequest(raw, context.var.requestId, at)
    context.set('entry', entry)
    if (path === '/' || /^\/(ui|_sandbox)(\/|$)/.test(path)) return next()
    const visit = service.recorder.begin(context, at, service.clock.realNow())
    service.requests.push(entry)
    if (service.requests.length > http.KEPT_REQUESTS) service.requests.shift()
    try {
      await next()
      entry.status = context.res.status
    } finally {
      const milliseconds = performance.now() - startedAt
      service.answered.count += 1
      entry.sequence = service.answered.count
      entry.ms = Math.round(milliseconds)
      service.recorder.end(service, visit)
      // The client did not get the answer.
      if (entry.status === null) entry.answer = null
      onAnswered?.({...entry, milliseconds})
    }
  })
  app.use(async (context, next) => {
    context.set('origin', http.checkHost(context.req.raw, service.served()))
    context.set('body', await http.readBody(context.req.raw))
    context.var.entry.body = http.redactBody(context.var.body)
    // Any site may link to a page, so GET and HEAD requests for pages are not checked.
    if (!/^(GET|HEAD)$/.test(context.req.method) || http.FOR_PROGRAMS.test(context.req.path))
      http.checkOrigin(context.req.raw, context.var.origin)
    turn = turn.then(() => setImmediate())
    await turn
    expirePayments(service)
    try {
      await next()
    } finally {
      service.dispatcher.wake()
    }
  })
  const routes = SANDBOX_OPERATIONS.map((name): [string, http.Handle] => {
    const {method, path} = OPERATIONS[name]
    const route = `${method} ${http.API_PATH}${path.replace(/\{(\w+)\}/g, ':$1')}`
    return [route, operation(name, HANDLERS[name] as (call: Call) => Answer)]
  })
  // Routes without parameters come first. Otherwise a wrong method on /hotels/search would be taken for the id of a
  // hotel.
  const isGeneral = ([route]: [string, http.Handle]) => Number(route.includes(':'))
  http.addRoutes(app, service, Object.fromEntries(routes.sort((a, b) => isGeneral(a) - isGeneral(b))))
  addPages(app, service)
  addControls(app, service)
  return app
}

function answerError(service: http.RunningService, error: Error, context: http.RequestContext): Response {
  if (error instanceof ConnectionDrop) throw error
  // The messages of internal errors are not sent, because they could contain personal data.
  const fault =
    error instanceof StorageError
      ? new Refusal('service_unavailable', 'the local sandbox cannot write its database')
      : new Refusal('internal_error', 'internal error in the local sandbox')
  const refusal = error instanceof Refusal ? error : fault
  if (isAnsweredAsPage(context, refusal)) return showFailure(service, context, refusal)
  const {json, ...answer} = refusal.toAnswer(context.var.requestId)
  const isToken = context.req.path === http.API_PATH + OPERATIONS['token.create'].path
  // Errors of the token endpoint also have `error_description` (RFC 6749 §5.2).
  const text = JSON.stringify(isToken ? {...json, error_description: refusal.message} : json)
  context.var.entry.answer = http.keptAnswer(text)
  return jsonResponse(text, answer)
}
