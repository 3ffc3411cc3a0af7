/** The running service, and the shapes of the API's operations. */
import type {BodyOf} from '../../contract/operation-details.js'
import type {OperationName} from '../../contract/operations.js'
import type {Answer} from '../base/answers.js'
import type {Service} from '../base/service.js'
import type {Dispatcher} from '../delivery/dispatcher.js'
import type {Client} from '../store/clients.js'
import type {Faults} from './faults.js'
import type {LoggedRequest} from './requests.js'

export interface RunningService extends Service {
  readonly faults: Faults
  /** The last, oldest first. */
  readonly requests: LoggedRequest[]
  /** Idempotency-Keys whose first request is still running, with the hash of its body. */
  readonly runningKeys: Map<string, string>
  readonly latencyMilliseconds: number
  readonly dispatcher: Dispatcher
}

export interface Call<Body = unknown> {
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

/** What each operation does. All are synchronous, so two calls never interleave. They throw Refusal. */
export type Handlers = {readonly [Name in OperationName]: (call: Call<BodyOf<Name>>) => Answer}
