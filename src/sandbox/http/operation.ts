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

/** One call of an operation. */
export interface Call<Body = undefined> {
  readonly service: Service
  /** Whose token it is. Missing at the OAuth endpoints, which take none. */
  readonly client: Client
  /** `http://127.0.0.1:PORT`, for links. Never stored: a restarted sandbox may have another port. */
  readonly origin: string
  readonly now: number
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Body
}

/** An operation: what its body must be, and what it does. `run` is synchronous, so two calls never interleave. */
export interface Handler {
  /** Schema of the JSON body; an operation without one ignores the body. */
  readonly schema?: z.ZodType
  /** Whether an empty body means `{}`. */
  readonly bodyOptional?: boolean
  /** Whether it needs an Idempotency-Key and keeps its answer under it. */
  readonly idempotent?: boolean
  readonly run: (call: Call<unknown>) => Answer
}

/** An operation with no body. */
export function operation(run: (call: Call) => Answer): Handler {
  return {run: run as Handler['run']}
}

/** An operation with a JSON body. */
export function operationWithBody<Body>(
  schema: z.ZodType<Body>,
  run: (call: Call<Body>) => Answer,
  options: {bodyOptional?: boolean; idempotent?: boolean} = {},
): Handler {
  return {...options, schema, run: run as Handler['run']}
}
