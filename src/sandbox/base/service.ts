/** What every part of the local sandbox works with, and the shapes of its operations. */
import type {z} from 'zod'
import type {Database} from '../../storage/database.js'
import type {Dispatcher} from '../delivery/dispatcher.js'
import type {TimeMover} from '../delivery/time-mover.js'
import type {Faults} from '../http/faults.js'
import type {RunningKeys} from '../http/idempotency.js'
import type {RequestLog} from '../http/request-log.js'
import type {Client} from '../store/clients.js'
import type {SandboxClock} from '../store/clock.js'
import type {Answer} from './answer.js'

export interface Service {
  readonly database: Database
  readonly clock: SandboxClock
  /** What the catalogue is made from: the same seed gives the same hotels and prices. */
  readonly seed: string
  /** How many offers each search finds; undefined for those of the city's own hotels. */
  readonly offers: number | undefined
  readonly faults: Faults
  readonly requests: RequestLog
  readonly runningKeys: RunningKeys
  /** Client references ending `-unknown_soldout` whose first request was dropped. Forgotten at restart. */
  readonly droppedReferences: Set<string>
  /** Whether a subscription may have an http address on loopback. */
  readonly allowHttpLoopback: boolean
  /** Delay of every operation. */
  readonly latencyMilliseconds: number
  /** Sends what is due. */
  readonly dispatcher: Dispatcher
  /** Moves the clock. */
  readonly timeMover: TimeMover
  /** Aborted when the sandbox closes, so that nothing hangs on. */
  readonly closing: AbortSignal
}

/** One call of an operation that needs no token. */
export interface Call<Body = undefined> {
  readonly service: Service
  /** `http://127.0.0.1:PORT`, for links. Never stored: a restarted sandbox may have another port. */
  readonly origin: string
  readonly now: number
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Body
}

export interface ClientCall<Body = undefined> extends Call<Body> {
  readonly client: Client
}

/** An operation: what its body must be, and what it does. `run` is synchronous, so two calls never interleave. */
export interface Handler {
  /** Schema of the JSON body; an operation without one ignores the body. */
  readonly schema?: z.ZodType
  /** Whether an empty body stands for `{}`. */
  readonly bodyOptional?: boolean
  /** Whether it needs an Idempotency-Key and keeps its answer under it. */
  readonly idempotent?: boolean
  readonly run: (call: ClientCall<unknown>) => Answer
}

/** An operation of a client, with no body. */
export function operation(run: (call: ClientCall) => Answer): Handler {
  return {run: run as Handler['run']}
}

/** An operation of a client, with a JSON body. */
export function operationWithBody<Body>(
  schema: z.ZodType<Body>,
  run: (call: ClientCall<Body>) => Answer,
  options: {bodyOptional?: boolean; idempotent?: boolean} = {},
): Handler {
  return {...options, schema, run: run as Handler['run']}
}

/** An OAuth endpoint: a JSON body and no client. */
export function publicOperation<Body>(schema: z.ZodType<Body>, run: (call: Call<Body>) => Answer): Handler {
  return {schema, run: run as unknown as Handler['run']}
}
