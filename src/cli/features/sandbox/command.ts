/**
 * Base class of the commands that act on a running local sandbox: finds the sandbox and calls its control API
 * (`/_sandbox`).
 */

import {nextStep} from '../../../api/answers/hints.js'
import {describeError, readAnswer, redirectIn, unanswered, wordsOf} from '../../../api/answers/refusals.js'
import {SendError, type SentAnswer} from '../../../api/types.js'
import {Failure, failureWith, usage} from '../../../contract/failure.js'
import {SANDBOX_MARK} from '../../../contract/identifiers.js'
import {isObject, type JsonObject, parseJson, whyNotJson} from '../../../contract/json.js'
import {parseBaseUrl} from '../../../contract/network.js'
import {isSuccess} from '../../../contract/operations.js'
import {dryRun, plainDryRequest} from '../../session/dry-run.js'
import {listeningSandboxes, runningSandboxes, type SandboxRecord} from '../../session/sandbox-records.js'
import {BaseCommand} from '../../shell/base-command.js'

export const FAULT_COLUMNS = [
  'kind',
  'operation',
  'times',
  'left',
  'status',
  'retry_after',
  'code',
  'latency_ms',
]

type RunningSandbox = Pick<SandboxRecord, 'base_url' | 'origin'>

interface ControlOptions {
  /** The method (default: POST if there is a body, otherwise GET). */
  readonly method?: 'DELETE'
  readonly body?: object | undefined
  /** Time limit in seconds if --timeout is not given (default: that of any request). */
  readonly seconds?: number
}

/** Calls the control API, as `SandboxCommand.control` does, with a GET. */
export type Control = (path: string) => Promise<JsonObject | undefined>

export abstract class SandboxCommand extends BaseCommand {
  static override environment = ['BOOKCTL_CONFIG_DIR']
  private found: Promise<RunningSandbox> | undefined
  private openedSender: ReturnType<SandboxCommand['openSender']> | undefined

  protected running(): Promise<RunningSandbox> {
    this.found ??= this.find()
    return this.found
  }

  protected get isDryRun(): boolean {
    return Boolean((this.globals as {'dry-run'?: boolean})['dry-run'])
  }

  /** Calls the control API and returns `data` of its JSON answer. With --dry-run, prints the request instead. */
  protected async control(
    path: string,
    {method: typed, body, seconds}: ControlOptions = {},
  ): Promise<Record<string, unknown> | undefined> {
    const url = `${(await this.running()).origin}/_sandbox${path}`
    const method = typed ?? (body ? 'POST' : 'GET')
    if (this.isDryRun) return void (await this.print(dryRun([plainDryRequest(method, url, body)])))
    this.openedSender ??= this.openSender()
    const {sender, timeoutSeconds} = await this.openedSender
    const wait = this.timeoutSeconds ?? seconds ?? timeoutSeconds
    const policy = {repeatable: body === undefined, timeoutSeconds: wait}
    const type = 'application/json'
    const headers = body ? {accept: type, 'content-type': type} : {accept: type}
    const request = {method, url, headers, ...(body && {body: JSON.stringify(body)})}
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
    if (isSuccess(answer) && isObject(json)) return isObject(json.data) ? json.data : json
    throw isSuccess(answer) ? unreadable(answer, body !== undefined) : refused(answer)
  }

  /**
   * Finds the sandbox at a typed --base-url, otherwise the newest running one. BOOKCTL_BASE_URL is ignored, because it
   * may name a sandbox that has ended.
   */
  private async find(): Promise<RunningSandbox> {
    const typed = this.typed['base-url']
    if (typed) {
      const {isLoopback, baseUrl} = parseBaseUrl(typed, '--base-url', 'correct --base-url')
      if (isLoopback) return {origin: new URL(baseUrl).origin, base_url: baseUrl}
      throw usage('not_a_sandbox', '--base-url: a local sandbox is on this machine (127.0.0.1)')
    }
    const {configDir} = this.config
    const recorded = runningSandboxes(configDir)
    const [found, ...others] = recorded.length > 1 ? await listeningSandboxes(configDir) : recorded
    if (found === undefined) throw notRunning('no local sandbox is running')
    const count = `${others.length + 1} local sandboxes are running`
    if (others.length > 0) this.tell(`${count}; using the newest, ${found.base_url}; --base-url chooses`)
    return found
  }
}

/**
 * Returns the error for an answer of the sandbox that cannot be read. With `changes`, the request was a change, so its
 * outcome is unknown.
 */
function unreadable({status, body}: SentAnswer, changes: boolean): Failure {
  const problem = `the answer of the local sandbox cannot be read: ${whyNotJson(body)}`
  if (!changes) return new Failure('service_failed', problem, {code: 'answer_not_understood', status})
  const message = `the change may have been made, but ${problem}`
  return new Failure('outcome_unknown', message, {code: 'outcome_unknown', status})
}

function refused(sent: SentAnswer): Failure {
  const answer = readAnswer(sent)
  const {status} = answer
  const {code} = describeError(answer)
  const message = wordsOf(answer) ?? `the local sandbox answered ${status}`
  const hint = nextStep(code, status)
  return new Failure(status >= 500 ? 'service_failed' : 'refused', message, {code, status, hint})
}

/** Returns an error handler: a Failure with this code gets the hint, and every error is thrown on. */
export function hintFor(code: string, hint: string): (error: unknown) => never {
  return error => {
    throw error instanceof Failure && error.details.code === code ? failureWith(error, {hint}) : error
  }
}

function notRunning(problem: string, reason?: string): Failure {
  const hint = 'start it in another terminal: bookctl sandbox start'
  const why = reason === undefined ? {} : {reason}
  return new Failure('unreachable', problem, {code: 'sandbox_not_running', hint, ...why})
}

/** Clients that can be named without the beginning of their id. */
const SHORT_NAMES = ['poor', 'readonly']

/** Returns the id of a client named by its id or short name (default: the client of `sandbox env`). */
export function clientIdOf(client?: string): string {
  const isShort = client === undefined || SHORT_NAMES.includes(client)
  return isShort ? credentialsOf(client).client_id : client
}

export function credentialsOf(client?: string): {client_id: string; client_secret: string} {
  const suffix = client === undefined ? '' : `_${client}`
  return {client_id: `cid_sandbox${suffix}`, client_secret: `sk_test_sandbox${suffix}`}
}
