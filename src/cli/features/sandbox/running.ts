/** The running local sandbox: the note that says where it is, and its controls (service.md, `/_sandbox`). */
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {redirectIn, unanswered} from '../../../api/answers/refusals.js'
import {parseBaseUrl} from '../../../api/http/base-url.js'
import {SendError, type Sender, type SentAnswer} from '../../../api/types.js'
import {Failure, usage} from '../../../contract/failure.js'
import {SANDBOX_MARK} from '../../../contract/identifiers.js'
import {isObject, parseJson, whyNotJson} from '../../../contract/json.js'
import {SANDBOX_NOTE_NAME} from '../../../state/file-names.js'
import {requireOwnFile} from '../../../storage/files.js'

export interface RunningSandbox {
  readonly origin: string
  readonly base_url: string
  readonly pid?: number
}

/** Start-up credentials of every local sandbox (service.md). */
export const SANDBOX_CLIENT_ID = 'cid_sandbox'
export const SANDBOX_CLIENT_SECRET = 'sk_test_sandbox'

/** No note is longer. */
const MAX_NOTE_BYTES = 64 * 1024

/** Written by `sandbox start`, removed when it ends. */
export function noteOf(configDirectory: string): string {
  return join(configDirectory, SANDBOX_NOTE_NAME)
}

/** The sandbox at `baseUrl` where that is on this machine, else the one that wrote its note. Throws Failure. */
export function findSandbox(
  configDirectory: string,
  baseUrl: string | undefined,
  named: boolean,
): RunningSandbox {
  if (baseUrl) {
    const parsed = parseBaseUrl(baseUrl)
    if (parsed.isLoopback) return {origin: new URL(parsed.baseUrl).origin, base_url: parsed.baseUrl}
    if (named) throw usage('not_a_sandbox', '--base-url: a local sandbox is on this machine (127.0.0.1)')
  }
  const noted = readNote(configDirectory)
  if (noted) return noted
  throw notRunning('no local sandbox is running')
}

/** The note of the running sandbox; undefined when there is none, or its process has ended. */
export function readNote(configDirectory: string): RunningSandbox | undefined {
  const stats = requireOwnFile(noteOf(configDirectory))
  if (stats === undefined || stats.size > MAX_NOTE_BYTES) return undefined
  try {
    const note = JSON.parse(readFileSync(noteOf(configDirectory), 'utf8')) as RunningSandbox
    const {isLoopback, baseUrl} = parseBaseUrl(note.base_url)
    return isLoopback && isAlive(note.pid) ? {...note, origin: new URL(baseUrl).origin} : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined || !Number.isInteger(pid) || pid < 1) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Calls a control of the sandbox; returns its JSON, out of `data`. Throws Failure. */
export async function control(
  {sender, timeoutSeconds}: {readonly sender: Sender; readonly timeoutSeconds: number},
  sandbox: RunningSandbox,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const url = `${sandbox.origin}/_sandbox${path}`
  const headers = {accept: 'application/json'}
  const posted = {...headers, 'content-type': 'application/json'}
  const request = body
    ? {method: 'POST', url, headers: posted, body: JSON.stringify(body)}
    : {method: 'GET', url, headers}
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
