/**
 * `--dry-run`: builds the document to print, without sending or changing anything. The document is the request if there
 * is exactly one and no file would change, otherwise `{requests, changes}`.
 */
import * as Flags from '@oclif/core/flags'
import {createRedactor} from '../../api/redact/redact.js'
import {curlLine} from '../../api/trace/curl.js'
import {REDACTED} from '../../contract/foreign-text.js'
import {stringify} from '../../contract/json.js'
import {OPERATIONS, type OperationName, pathOf} from '../../contract/operations.js'
import type {State} from '../../state/state.js'
import {jsonResult, type Result} from '../terminal/result.js'
import {namedPathOf, notShown} from './own-paths.js'
import type {Target} from './resolve.js'

export const dryRunFlag = {
  'dry-run': Flags.boolean({summary: 'print what would be sent and changed, without doing it'}),
}

/** A request as it would be sent, with secrets redacted. */
export type DryRequest = ReturnType<typeof plainDryRequest>

export interface DryChange {
  /** The path of the file, or `keychain`. */
  readonly file: string
  readonly action: 'create' | 'set' | 'remove'
  /** What would change in the file: the name of a setting, or a description. */
  readonly what: string
  /** The old value. `after` is the new one. Both are absent for a secret. */
  readonly before?: unknown
  readonly after?: unknown
}

/** Describes a request with an access token. The token is redacted. */
export function dryRequest(method: string, url: string, body?: object): DryRequest {
  const request = plainDryRequest(method, url, body)
  return {...request, headers: {authorization: `Bearer ${REDACTED}`, ...request.headers}}
}

/** Describes a request without a token: to an OAuth endpoint or to a control of the local sandbox. */
export function plainDryRequest(method: string, url: string, body?: object) {
  const headers: Readonly<Record<string, string>> = body ? {'content-type': 'application/json'} : {}
  return {method, url, headers, ...(body ? {body} : {})}
}

/** Returns the result to print. It is JSON even at a terminal. */
export function dryRun(requests: readonly DryRequest[], changes: readonly DryChange[] = []): Result {
  const [only] = requests
  const isOneRequest = only !== undefined && requests.length === 1 && changes.length === 0
  return jsonResult(isOneRequest ? only : {requests, changes})
}

/** Returns a curl command for each request in the document of a dry run, or an empty list for another document. */
export function curlOfDryRun(document: Partial<DryRequest> & {readonly requests?: readonly DryRequest[]}) {
  return (document.requests ?? [document]).flatMap(({method, url, headers = {}, body}) => {
    if (typeof method !== 'string' || typeof url !== 'string') return []
    const request = {method, url, headers, ...(body === undefined ? {} : {body: stringify(body) ?? ''})}
    return [curlLine(request, createRedactor())]
  })
}

export interface RequestValues {
  readonly parameters?: Readonly<Record<string, string>>
  readonly body?: object
}

/**
 * Describes the request of an operation. Throws a usage error if a setting is invalid, or if the path of the operation
 * is not known for this service.
 */
export function describeRequest(
  name: OperationName,
  target: Target,
  state: State,
  {parameters = {}, body}: RequestValues,
): DryRequest {
  const {method, source} = OPERATIONS[name]
  const named = source === 'ours' ? namedPathOf(name, target, state) : undefined
  // The local sandbox's path is only used on this machine, where every local sandbox runs.
  if (source === 'ours' && named === undefined && !target.isLoopback) throw notShown(name)
  return dryRequest(method, target.baseUrl + pathOf(name, parameters, named), body)
}
