/** `/ui/requests` and `/ui/requests/{id}`: the last requests, without their secrets. */
import {OPERATIONS} from '../../contract/operations.js'
import {Refusal} from '../base/answers.js'
import {PAGE_OPERATIONS} from '../http/faults.js'
import {KEPT_REQUESTS, type LoggedRequest} from '../http/requests.js'
import {detailView, filterOf, listView, PAGE_SIZE, pagingOf, type View, type Visit} from './layout.js'
import {
  address,
  card,
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
  soft,
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
  const found = visit.service.requests.filter(
    request => (operation === null || request.operation === operation) && fits(request.status),
  )
  // Newest first; `before` counts from the oldest, so that a page keeps its place while requests come in.
  const end = Math.min(pagingOf(visit).after ?? found.length, found.length)
  const start = Math.max(end - PAGE_SIZE, 0)
  const items = found.slice(start, end).reverse()
  const filters = [
    select('operation', 'Operation', [...Object.keys(OPERATIONS), ...PAGE_OPERATIONS], operation, 'any'),
    select('outcome', 'Outcome', [...OUTCOMES.keys()], outcome, 'any'),
  ]
  const none = nothing('No matching requests. To send one:', 'bookctl account')
  const next = start > 0 ? start : null
  return listView(visit, 'Requests', filters, requestTable(visit, items, none), {items, next})
}

export function requestDetail(visit: Visit): View {
  const found = visit.service.requests.find(each => each.request_id === visit.parameters.request_id)
  if (!found) throw new Refusal('not_found', `request not found; the log keeps the last ${KEPT_REQUESTS}`)
  const headers = Object.entries(found.headers).map(([name, value]) => [code(name), shown(value)])
  const requestFacts = facts([
    ['Sent', address(`${found.method} ${found.path}`)],
    ['Operation', operationOf(found)],
    ['Response', httpStatus(found.status)],
    ['Received', time(found.at, visit.now)],
  ])
  const main = html`${card('facts', 'Request', requestFacts)}
${card('headers', 'Headers', table('Headers', ['Name', 'Value'], headers, nothing('None logged.')))}
${card('body', 'Body', found.body === null ? nothing('No JSON body.') : jsonText(found.body))}`
  return detailView('Request', found.request_id, main)
}

export function requestTable({now}: Visit, found: readonly LoggedRequest[], empty?: Piece): Piece {
  const rows = found.map(request => [
    linkTo(['requests', request.request_id], address(`${request.method} ${request.path}`)),
    operationOf(request),
    httpStatus(request.status),
    time(request.at, now),
  ])
  return table('Requests', ['Request', 'Operation', 'Response', 'Received'], rows, empty)
}

function operationOf({operation}: LoggedRequest): Piece {
  return operation === null ? soft('none') : code(operation)
}
