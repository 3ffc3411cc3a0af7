/**
 * Implements `sandbox requests`: lists the requests that a local sandbox received, follows new ones, and shows one with
 * its bodies.
 */
import {setTimeout as sleep} from 'node:timers/promises'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {JsonObject} from '../../../contract/json.js'
import {invalid} from '../../input/checks.js'
import {jsonText} from '../../terminal/json-text.js'
import {type Column, columnsOf, type Result} from '../../terminal/result.js'
import {hang} from '../../terminal/text.js'
import {type Control, clientIdOf, hintFor} from './command.js'

/** A logged request of the sandbox, without its bodies. */
export interface LoggedRequest {
  readonly at: string
  readonly request_id: string
  readonly client_id: string | null
  readonly operation: string | null
  readonly method: string
  readonly path: string
  /** Null if the connection was cut, or if the request is still running. */
  readonly status: number | null
  readonly ms: number | null
}

export const REQUEST_COLUMNS: readonly Column<LoggedRequest>[] = [
  ...columnsOf<LoggedRequest>(['request_id', 'at'], {isMinor: true}),
  ...columnsOf<LoggedRequest>(['method']),
  ...columnsOf<LoggedRequest>(['path'], {isMain: true}),
  ...columnsOf<LoggedRequest>(['status', 'ms', 'operation', 'client_id']),
]

const SHOWN = ['at', 'method', 'path', 'status', 'ms', 'operation', 'client_id', 'request_id']

export interface RequestFilter {
  readonly client?: string | undefined
  /** Statuses, or classes such as `4xx`. One of them must match. */
  readonly status?: readonly string[] | undefined
  readonly operation?: string | undefined
}

/**
 * Returns a status, or a class of statuses such as `4xx`, in lower case. Throws a usage error if the text is neither.
 */
export function checkStatus(field: string, text: string): string {
  const status = text.toLowerCase()
  if (/^[1-5](\d\d|xx)$/.test(status)) return status
  throw invalid(field, 'must be a status, or a class of them', text, 'for example 404 or 4xx')
}

/** Reports whether a request matches the filter. `client` is an id or a short name. */
export function isWanted(
  request: LoggedRequest,
  {client, status: statuses, operation}: RequestFilter,
): boolean {
  const status = String(request.status)
  return (
    (client === undefined || clientIdOf(client) === request.client_id) &&
    (operation === undefined || operation === request.operation) &&
    (statuses === undefined || statuses.some(each => each === status || each === `${status[0]}xx`))
  )
}

/** Returns the requests as a result to print, oldest first. */
export function requestList(requests: readonly LoggedRequest[]): Result<LoggedRequest> {
  return {
    document: {requests},
    items: requests,
    columns: REQUEST_COLUMNS,
    shown: SHOWN,
    id: ({request_id}) => request_id,
    whenEmpty: 'No matching requests. To send one: bookctl account',
  }
}

/**
 * Returns the logged requests that were answered after the request with the number `after`. Without `after`, returns
 * all requests, also running ones.
 */
export async function readRequests(control: Control, after?: number) {
  const query = after === undefined ? '' : `?after=${after}`
  const {data, answered} = (await control(`/requests${query}`)) ?? {}
  const entries = (Array.isArray(data) ? data : []) as (LoggedRequest & {readonly sequence: number | null})[]
  const requests = entries.map(({at, request_id, client_id, operation, method, path, status, ms}) => {
    return {at, request_id, client_id, operation, method, path, status, ms}
  })
  const numbers = entries.flatMap(({sequence}) => sequence ?? [])
  return {requests, numbers, answered: Number(answered ?? 0)}
}

const BETWEEN_LOOKS_MILLISECONDS = 250

interface Following {
  readonly filter: RequestFilter
  /** Prints a request. */
  readonly show: (request: LoggedRequest) => Promise<void> | void
  readonly warn: (text: string) => void
}

/**
 * Shows each matching request once it was answered or cut, until the sandbox stops. Warns if the log lost requests
 * before they were shown. Throws a Failure if no sandbox runs at the start.
 */
export async function followRequests(control: Control, {filter, show, warn}: Following): Promise<void> {
  // No request has a number that high, so only the count is read.
  let {answered: seen} = await readRequests(control, Number.MAX_SAFE_INTEGER)
  for (;;) {
    await sleep(BETWEEN_LOOKS_MILLISECONDS)
    const found = await readRequests(control, seen).catch(unlessStopping)
    if (found === 'stopped') return
    if (found === undefined) continue
    const {requests, numbers, answered} = found
    // A sandbox that was restarted at the same address counts from 1 again.
    if (answered < seen) seen = 0
    else {
      const missed = answered - seen - numbers.length
      if (missed > 0) warn(`Warning: ${missed} requests came too fast to be shown`)
      seen = answered
    }
    const inOrder = requests.map((request, index) => ({request, number: numbers[index] ?? 0}))
    inOrder.sort((left, right) => left.number - right.number)
    for (const {request} of inOrder) if (isWanted(request, filter)) await show(request)
  }
}

/**
 * Returns `stopped` if nothing listens at the sandbox's address, and undefined if a stopping sandbox cut the
 * connection. Throws every other error.
 */
function unlessStopping(error: unknown): 'stopped' | undefined {
  if (!(error instanceof Failure)) throw error
  if (error.details.code === 'sandbox_not_running') return 'stopped'
  if (error.details.code === 'cut' || error.details.code === 'reset') return undefined
  throw error
}

/** Reads one request with its bodies. Throws a Failure if the sandbox does not have it. */
export async function requestDetails(control: Control, id: string): Promise<Result> {
  const hint = 'bookctl sandbox requests lists those that it has'
  const found = await control(`/requests/${encodeURIComponent(id)}`).catch(hintFor('not_found', hint))
  const {at, request_id, client_id, operation, method, path, status, ms, headers, body, answer} = found ?? {}
  const facts = {at, request_id, client_id, operation, method, path, status, ms}
  const request = {...facts, headers, body, answer}
  const people: Result['people'] = (_, columns) => {
    const rows = Object.entries(facts).map(([name, value]) =>
      `${`${name}:`.padEnd(12)}${value ?? ''}`.trimEnd(),
    )
    const block = (title: string, value: unknown) => [
      '',
      `${title}:`,
      ...(value === null ? ['none that is JSON'] : (jsonText(value, 2) ?? '').split('\n')),
    ]
    const blocks = [...block('Headers', headers), ...block('Body', body), ...block('Answer', answer)]
    const notKept = ['', 'Headers and bodies are kept of the latest requests only.']
    const all = [...rows, ...(headers === null ? notKept : blocks)]
    return all.flatMap(line => hang(sanitizeLine(line), columns, 12))
  }
  const columns = columnsOf<JsonObject>(Object.keys(request))
  return {document: {request}, items: [request], columns, id: () => id, single: true, people}
}
