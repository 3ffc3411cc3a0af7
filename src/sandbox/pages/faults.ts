/** `/ui/faults`: the active faults, and a form to inject one. */
import {ERROR_CODES} from '../../contract/error-codes.js'
import {FAULT_KIND_NAMES, FAULT_KINDS, FAULT_NUMBERS, FAULT_OPERATIONS, faultField} from '../http/faults.js'
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
