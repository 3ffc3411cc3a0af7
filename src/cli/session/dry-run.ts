/**
 * `--dry-run`: what a command would send and change, with nothing sent and nothing written. A command that only sends
 * one request prints that request; any other prints `{requests, changes}`.
 */
import * as Flags from '@oclif/core/flags'
import {createRedactor, REDACTED} from '../../api/redact/redact.js'
import {curlLine} from '../../api/trace/curl.js'
import {OPERATIONS, type OperationName, pathOf} from '../../contract/operations.js'
import type {State} from '../../state/state.js'
import {jsonResult, type Result} from '../terminal/result.js'
import {notShown, readNamedPaths} from './own-paths.js'
import type {Target} from './target.js'

export const dryRunFlag = {
  'dry-run': Flags.boolean({summary: 'print what would be sent and changed, without doing it'}),
}

/** The exact request; secrets are redacted. */
export interface DryRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: object
}

/** A change on this machine. */
export interface DryChange {
  /** Path of the file, or `keychain`. */
  readonly file: string
  readonly action: 'create' | 'set' | 'remove'
  /** What in the file: the name of a setting, or words. */
  readonly what: string
  /** Present when it may be shown: never for a secret. */
  readonly before?: unknown
  readonly after?: unknown
}

/** A request that carries the access token, as it would be sent. */
export function dryRequest(method: string, url: string, body?: object): DryRequest {
  return {
    method,
    url,
    headers: {authorization: `Bearer ${REDACTED}`, ...jsonHeader(body)},
    ...(body === undefined ? {} : {body}),
  }
}

/** A request without a token: to the OAuth endpoints, which take none, and to the controls of the local sandbox. */
export function plainDryRequest(method: string, url: string, body?: object): DryRequest {
  return {method, url, headers: jsonHeader(body), ...(body === undefined ? {} : {body})}
}

function jsonHeader(body: object | undefined): Record<string, string> {
  return body === undefined ? {} : {'content-type': 'application/json'}
}

/** As it is printed: JSON for people too, since it is read with care and piped into tools. */
export function dryRun(requests: readonly DryRequest[], changes: readonly DryChange[] = []): Result {
  const [only] = requests
  const isOneRequest = only !== undefined && requests.length === 1 && changes.length === 0
  return jsonResult(isOneRequest ? only : {requests, changes})
}

interface DryRun {
  readonly method?: unknown
  readonly url?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A line for each request in the document of a --dry-run. */
export function curlOfDryRun(document: object): string[] {
  const {requests = [document]} = document as {requests?: readonly DryRun[]}
  return requests.flatMap(({method, url, headers = {}, body}: DryRun) => {
    if (typeof method !== 'string' || typeof url !== 'string') return []
    const request = {method, url, headers, ...(body === undefined ? {} : {body: JSON.stringify(body)})}
    return [curlLine(request, createRedactor())]
  })
}

/** Throws usage when the settings that may name the path are not as they should be, and for a path that would be a guess. */
export function describeCall(
  name: OperationName,
  target: Target,
  state: State,
  {parameters = {}, body}: {parameters?: Record<string, string>; body?: object},
): DryRequest {
  const {method, source} = OPERATIONS[name]
  const named = source === 'ours' ? readNamedPaths(target, state)(name) : undefined
  // A guessed path is called on a local sandbox alone, which is on this machine.
  if (source === 'ours' && named === undefined && !target.isLoopback) throw notShown(name)
  return dryRequest(method, target.baseUrl + pathOf(name, parameters, named), body)
}
