/** `/ui/requests` and `/ui/requests/{id}`: the last requests, without their secrets; `/ui/faults`: what is injected into them. */
import {ERROR_CODES} from '../../contract/error-codes.js'
import {Refusal} from '../base/answers.js'
import {FAULT_KIND_NAMES, FAULT_KINDS, FAULT_NUMBERS, FAULT_OPERATIONS, faultField} from '../http/faults.js'
import {KEPT_REQUESTS, type LoggedRequest} from '../http/requests.js'
import {detailView, filterOf, listView, PAGE_SIZE, pagingOf, type View, type Visit} from './layout.js'
import {
  address,
  button,
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

const OUTCOMES = ['succeeded', 'refused', 'failed', 'not answered']

function outcomeOf(status: number | null): string {
  if (status === null) return 'not answered'
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'succeeded'
}

export function requestList(visit: Visit): View {
  const operation = filterOf(visit, 'operation')
  const outcome = filterOf(visit, 'outcome')
  const found = visit.service.requests.filter(
    request =>
      (operation === null || request.operation === operation) &&
      (!OUTCOMES.includes(outcome ?? '') || outcomeOf(request.status) === outcome),
  )
  // Newest first; `before` counts from the oldest, so that a page keeps its place while requests come in.
  const end = Math.min(pagingOf(visit).after ?? found.length, found.length)
  const start = Math.max(end - PAGE_SIZE, 0)
  const items = found.slice(start, end).reverse()
  const filters = [
    select('operation', 'Operation', FAULT_OPERATIONS.slice(1), operation, 'any'),
    select('outcome', 'Outcome', OUTCOMES, outcome, 'any'),
  ]
  const none = nothing('No matching requests. To send one:', 'bookctl account')
  const next = start > 0 ? start : null
  return listView(visit, 'Requests', filters, requestTable(visit, items, none), {items, next})
}

export function requestDetail(visit: Visit): View {
  const found = visit.service.requests.find(each => each.request_id === visit.parameters.request_id)
  if (!found) throw new Refusal('not_found', `request not found; the log keeps the last ${KEPT_REQUESTS}`)
  const headers = Object.entries(found.headers).map(([name, value]) => ({
    Name: code(name),
    Value: shown(value),
  }))
  const requestFacts = facts({
    Sent: address(`${found.method} ${found.path}`),
    Operation: operationOf(found),
    Response: httpStatus(found.status),
    Received: time(found.at, visit.now),
  })
  const main = html`${card('facts', 'Request', requestFacts)}
${card('headers', 'Headers', table('Headers', headers, nothing('None logged.')))}
${card('body', 'Body', found.body === null ? nothing('No JSON body.') : jsonText(found.body))}`
  return detailView('Request', found.request_id, main)
}

export function requestTable({now}: Visit, found: readonly LoggedRequest[], empty?: Piece): Piece {
  const rows = found.map(request => ({
    Request: linkTo(['requests', request.request_id], address(`${request.method} ${request.path}`)),
    Operation: operationOf(request),
    Response: httpStatus(request.status),
    Received: time(request.at, now),
  }))
  return table('Requests', rows, empty)
}

function operationOf({operation}: LoggedRequest): Piece {
  return operation === null ? soft('none') : code(operation)
}

export function faultList({service}: Visit): View {
  const rows = service.faults.map(({operation, kind, left, times, ...more}) => ({
    Operation: code(operation),
    Kind: code(kind),
    Left: `${left} of ${times}`,
    More: html`${Object.entries(more).map(([name, value]) => html`<div>${code(`${name} ${value}`)}</div>`)}`,
  }))
  const active = html`${table('Faults', rows, nothing('No active faults.'))}
${rows.length > 0 ? button('/ui/faults/clear', 'Remove all', {}, 'danger') : ''}`
  const main = html`${card('active', 'Active', active)}${card('inject', 'Inject a fault', faultForm())}`
  return {title: 'Faults', main}
}

/** Fields that do not apply to the kind chosen are hidden by the style, and left out when they are sent. */
function faultForm(): Piece {
  const forKinds = (name: string) => FAULT_KIND_NAMES.filter(kind => faultField(kind, name)).join(' ')
  const number = (name: keyof typeof FAULT_NUMBERS, label: string) =>
    html`<label${name === 'times' ? '' : html` data-for="${forKinds(name)}"`}>${label}<input type="number" name="${name}" min="${FAULT_NUMBERS[name].min}" max="${FAULT_NUMBERS[name].max}"></label>`
  const choices = Object.entries(FAULT_KINDS).map(
    ([kind, [meaning]], n) => html`
<label class="choice"><input type="radio" name="kind" value="${kind}"${n === 0 ? html` checked` : ''}><span>${code(kind)} ${meaning}</span></label>`,
  )
  return html`<p>The next requests of the operation hit the fault, whatever their answer would be. Faults apply in the order they were injected.</p>
<form method="post" action="/ui/faults">
<fieldset><legend>Kind</legend>${choices}</fieldset>
<div class="actions">
${select('operation', 'Operation', FAULT_OPERATIONS, '*')}
${number('times', 'Times (default 1)')}
${number('status', 'Status')}
${number('retry_after', 'Retry-After in s')}
${number('latency_ms', 'Delay in ms')}
<div data-for="${forKinds('code')}">${select('code', 'Error code', Object.keys(ERROR_CODES), null, 'default of the status')}</div>
<button class="strong">Inject</button></div></form>`
}
