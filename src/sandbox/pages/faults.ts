/** `/ui/faults`: the active faults, and a form to inject one. */
import {ERROR_CODES} from '../../contract/error-codes.js'
import {OPERATIONS} from '../../contract/operations.js'
import {FAULT_KINDS, PAGE_OPERATIONS} from '../http/faults.js'
import type {View, Visit} from './layout.js'
import {button, card, code, html, nothing, type Piece, select, table} from './parts.js'

export function faultList({service}: Visit): View {
  const rows = service.faults
    .list()
    .map(({operation, kind, left, times, ...more}) => [
      code(operation),
      code(kind),
      html`${left} of ${times}`,
      html`${Object.entries(more).map(([name, value]) => html`<div>${code(`${name} ${value}`)}</div>`)}`,
    ])
  const columns = ['Operation', 'Kind', 'Left', 'More']
  const active = html`${table('Faults', columns, rows, nothing('No active faults.'))}
${rows.length > 0 ? button('/ui/faults/clear', 'Remove all', {}, 'danger') : ''}`
  const main = html`${card('active', 'Active', active)}${card('inject', 'Inject a fault', faultForm())}`
  return {title: 'Faults', main}
}

function faultForm(): Piece {
  const number = (name: string, label: string, min: number, max: number) =>
    html`<label>${label}<input type="number" name="${name}" min="${min}" max="${max}"></label>`
  return html`<p>The next requests of the operation hit the fault, whatever their answer would be. Faults apply in the order they were injected.</p>
<form method="post" action="/ui/faults" class="actions">
${select('operation', 'Operation', ['*', ...Object.keys(OPERATIONS), ...PAGE_OPERATIONS], '*')}
${select('kind', 'Kind', FAULT_KINDS, 'status')}
${number('times', 'Times (default 1)', 1, 1_000_000)}
${number('status', 'Status, for status and html', 400, 599)}
${number('retry_after', 'Retry-After in s, for status', 0, 86_400)}
${number('latency_ms', 'Delay in ms, for latency', 0, 600_000)}
${select('code', 'Error code, for status', Object.keys(ERROR_CODES), null, 'default of the status')}
<button class="strong">Inject</button></form>`
}
