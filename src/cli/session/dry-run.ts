/**
 * `--dry-run`: what a command would send and change, with nothing sent and nothing written. A command that only sends
 * one request prints that request; any other prints `{requests, changes}`.
 */
import * as Flags from '@oclif/core/flags'
import {REDACTED} from '../../api/redact/redact.js'
import type {Result} from '../terminal/result.js'
import {jsonResult} from '../terminal/result.js'

export const dryRunFlag = {
  'dry-run': Flags.boolean({summary: 'print what would be sent and changed, and do nothing'}),
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
