/** The running local sandbox: which one commands act on, and its controls (service.md, `/_sandbox`). */
import {redirectIn, unanswered} from '../../../api/answers/refusals.js'
import {parseBaseUrl} from '../../../api/http/base-url.js'
import {SendError, type Sender, type SentAnswer} from '../../../api/types.js'
import {Failure, usage} from '../../../contract/failure.js'
import {SANDBOX_MARK} from '../../../contract/identifiers.js'
import {isObject, parseJson, whyNotJson} from '../../../contract/json.js'
import {listeningSandboxes, runningSandboxes, type SandboxRecord} from '../../session/sandbox-records.js'

export type RunningSandbox = Pick<SandboxRecord, 'base_url' | 'origin'>

/** Start-up clients beside the usual one: `poor` has almost no money, `readonly` may change nothing. */
export const SANDBOX_CLIENTS = ['poor', 'readonly'] as const

/** Start-up credentials of every local sandbox (service.md). */
export function credentialsOf(client?: string): {client_id: string; client_secret: string} {
  const suffix = client === undefined ? '' : `_${client}`
  return {client_id: `cid_sandbox${suffix}`, client_secret: `sk_test_sandbox${suffix}`}
}

/**
 * The sandbox at `typed`, the value of --base-url, else the newest that runs; `tell` says which where several do. BOOKCTL_BASE_URL
 * does not count: it may name one that has ended. Throws Failure.
 */
export async function findSandbox(
  configDirectory: string,
  typed: string | undefined,
  tell: (text: string) => void,
): Promise<RunningSandbox> {
  if (typed) {
    const {isLoopback, baseUrl} = parseBaseUrl(typed, '--base-url', 'correct --base-url')
    if (isLoopback) return {origin: new URL(baseUrl).origin, base_url: baseUrl}
    throw usage('not_a_sandbox', '--base-url: a local sandbox is on this machine (127.0.0.1)')
  }
  const noted = runningSandboxes(configDirectory)
  const [found, ...others] = noted.length > 1 ? await listeningSandboxes(configDirectory) : noted
  if (found === undefined) throw notRunning('no local sandbox is running')
  if (others.length > 0)
    tell(
      `${others.length + 1} local sandboxes are running; using the newest, ${found.base_url}; --base-url chooses`,
    )
  return found
}

export interface ControlCall {
  readonly path: string
  /** (default: POST with a body, else GET). */
  readonly method?: 'DELETE'
  readonly body?: object | undefined
}

/** Calls a control of the sandbox; returns its JSON, out of `data` where that is an object. Throws Failure. */
export async function control(
  {sender, timeoutSeconds}: {readonly sender: Sender; readonly timeoutSeconds: number},
  sandbox: RunningSandbox,
  {path, body, method}: ControlCall,
): Promise<Record<string, unknown>> {
  const url = `${sandbox.origin}/_sandbox${path}`
  const headers = {accept: 'application/json'}
  const posted = {...headers, 'content-type': 'application/json'}
  const request = body
    ? {method: 'POST', url, headers: posted, body: JSON.stringify(body)}
    : {method: method ?? 'GET', url, headers}
  const policy = {repeatable: body === undefined, timeoutSeconds}
  const answer = await sender.send(request, policy).catch(error => {
    if (!(error instanceof SendError)) throw error
    if (error.last.fault !== 'refused') throw unanswered(error, body !== undefined)
    throw notRunning('the local sandbox does not answer', error.last.reason)
  })
  if (answer.headers[SANDBOX_MARK.header] !== SANDBOX_MARK.value) {
    const message = `not a local sandbox: the answer was ${redirectIn(answer) ?? answer.status}`
    throw new Failure('service_failed', message, {code: 'not_a_sandbox', status: answer.status})
  }
  const json = parseJson(answer.body)
  if (answer.status < 300 && isObject(json)) return isObject(json.data) ? json.data : json
  throw answer.status < 300 ? unreadable(answer, body !== undefined) : refused(answer.status, json)
}

/** The sandbox's own answer, damaged on its way. `changes`: the request was for a change. */
function unreadable({status, body}: SentAnswer, changes: boolean): Failure {
  const problem = `the answer of the local sandbox cannot be read: ${whyNotJson(body)}`
  if (!changes) return new Failure('service_failed', problem, {code: 'answer_not_understood', status})
  const message = `the change may have been made, but ${problem}`
  return new Failure('outcome_unknown', message, {code: 'outcome_unknown', status})
}

function refused(status: number, json: unknown): Failure {
  const error = isObject(json) && isObject(json.error) ? json.error : {}
  const code = typeof error.code === 'string' ? error.code : `status_${status}`
  const message = typeof error.message === 'string' ? error.message : `the local sandbox answered ${status}`
  return new Failure(status >= 500 ? 'service_failed' : 'refused', message, {code, status})
}

function notRunning(problem: string, reason?: string): Failure {
  const hint = 'start it in another terminal: bookctl sandbox start'
  const details = {code: 'sandbox_not_running', hint}
  return new Failure('unreachable', problem, reason === undefined ? details : {...details, reason})
}
