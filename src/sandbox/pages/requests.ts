/** `/ui/requests` and `/ui/requests/{id}`: the last requests in the log, without their secrets. */

import {OPERATIONS} from '../../contract/operations.js'
import {Refusal} from '../base/answers.js'
import {PAGE_OPERATIONS} from '../http/faults.js'
import {KEPT_REQUESTS, type LoggedRequest} from '../http/requests.js'
import {PAGE_SIZE} from '../store/browse.js'
import {filterForm, filterOf, pager, pagingOf, type View, type Visit} from './layout.js'
import {
  code,
  facts,
  html,
  httpStatus,
  jsonText,
  linkTo,
  nothing,
  type Piece,
  select,
  shown,
  table,
  time,
} from './parts.js'

const OUTCOMES = new Map<string, (status: number | null) => boolean>([
  ['succeeded', status => status !== null && status < 400],
  ['refused', status => status !== null && status >= 400 && status < 500],
  ['failed', status => status !== null && status >= 500],
  ['not answered', status => status === null],
])

export function requestList(visit: Visit): View {
  const operation = filterOf(visit, 'operation')
  const outcome = filterOf(visit, 'outcome')
  const fits = OUTCOMES.get(outcome ?? '') ?? (() => true)
  const found = visit.service.requests
    .list()
    .filter(request => (operation === null || request.operation === operation) && fits(request.status))
  // Newest first; `before` counts from the oldest, so that a page keeps its place while requests come in.
  const end = Math.min(pagingOf(visit).before ?? found.length, found.length)
  const start = Math.max(end - PAGE_SIZE, 0)
  const items = found.slice(start, end).reverse()
  return {
    title: 'Requests',
    main: html`<section class="card" aria-label="Requests">
${filterForm(visit, [
  select('operation', 'Operation', [...Object.keys(OPERATIONS), ...PAGE_OPERATIONS], operation, 'any'),
  select('outcome', 'Outcome', [...OUTCOMES.keys()], outcome, 'any'),
])}
${requestTable(visit, items) ?? nothing('No matching requests. To send one:', 'bookctl account')}
${pager(visit, {items, older: start > 0 ? start : null})}</section>`,
  }
}

export function requestDetail(visit: Visit): View {
  const found = visit.service.requests.list().find(each => each.request_id === visit.parameters.request_id)
  if (!found) throw new Refusal('not_found', `request not found; the log keeps the last ${KEPT_REQUESTS}`)
  const headers = Object.entries(found.headers).map(([name, value]) => [code(name), shown(value)])
  return {
    title: html`Request ${code(found.request_id)}`,
    tab: found.request_id,
    main: html`<section class="card" aria-labelledby="facts"><h2 id="facts">Request</h2>
${facts([
  ['Sent', code(`${found.method} ${found.path}`)],
  ['Operation', operationOf(found)],
  ['Response', httpStatus(found.status)],
  ['Received', time(found.at, visit.now)],
])}</section>
<section class="card" aria-labelledby="headers"><h2 id="headers">Headers</h2>
${headers.length > 0 ? table('Headers', ['Name', 'Value'], headers) : nothing('None logged.')}</section>
<section class="card" aria-labelledby="body"><h2 id="body">Body</h2>
${found.body === null ? nothing('No JSON body.') : jsonText(found.body)}</section>`,
  }
}

/** Null when there is none. */
export function requestTable({now}: Visit, found: readonly LoggedRequest[]): Piece | null {
  if (found.length === 0) return null
  const rows = found.map(request => [
    linkTo(['requests', request.request_id], code(`${request.method} ${request.path}`, 80)),
    operationOf(request),
    httpStatus(request.status),
    time(request.at, now),
  ])
  return table('Requests', ['Request', 'Operation', 'Response', 'Received'], rows)
}

function operationOf({operation}: LoggedRequest): Piece {
  return operation === null ? html`<span class="soft">none</span>` : code(operation)
}
