/** The running service, and the shapes of the API's operations. */
import type {z} from 'zod'
import type {Answer} from '../base/answers.js'
import type {Service} from '../base/service.js'
import type {Dispatcher} from '../delivery/dispatcher.js'
import type {TimeMover} from '../delivery/time-mover.js'
import type {Client} from '../store/clients.js'
import type {Faults} from './faults.js'
import type {RequestLog} from './requests.js'

export interface RunningService extends Service {
  readonly faults: Faults
  readonly requests: RequestLog
  /** Idempotency-Keys whose first request is still running, with the hash of its body. */
  readonly runningKeys: Map<string, string>
  /** Delay of every operation. */
  readonly latencyMilliseconds: number
  readonly dispatcher: Dispatcher
  readonly timeMover: TimeMover
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
  /** Whether an empty body means `{}`. */
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
