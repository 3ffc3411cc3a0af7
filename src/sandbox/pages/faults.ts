/** `/ui/faults`: the active faults, and a form to inject one. */
import {ERROR_CODES} from '../../contract/error-codes.js'
import {FAULT_OPERATIONS, type Fault} from '../http/faults.js'
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

/** What each kind does, and the fields it has beside operation and times. */
const KINDS: Readonly<Record<Fault['kind'], readonly [meaning: string, ...fields: string[]]>> = {
  status: ['answers with a status and its error, and does nothing', 'status', 'retry_after', 'code'],
  latency: ['waits, then answers as usual', 'latency_ms'],
  'drop-before': ['cuts the connection before anything is done'],
  'commit-then-drop': ['does the work, then cuts the connection: the client cannot know whether it was done'],
  'commit-then-hang': ['does the work and never answers, until the client gives up'],
  truncate: ['sends half of the answer, then cuts the connection'],
  html: ['answers with a page, as a gateway in between does', 'status'],
}

const FIELDS_OF_ALL = ['operation', 'kind', 'times']

/** Whether the form's field `name` applies to `kind`. */
export function isFieldOf(name: string, kind: string | undefined): boolean {
  const [, ...fields] = KINDS[kind as Fault['kind']] ?? []
  return FIELDS_OF_ALL.includes(name) || fields.includes(name)
}

/** Fields that do not apply to the kind chosen are hidden by the style, and left out when they are sent. */
function faultForm(): Piece {
  const kinds = Object.keys(KINDS)
  const forKinds = (name: string) => kinds.filter(kind => isFieldOf(name, kind)).join(' ')
  const number = (name: string, label: string, min: number, max: number) =>
    html`<label${FIELDS_OF_ALL.includes(name) ? '' : html` data-for="${forKinds(name)}"`}>${label}<input type="number" name="${name}" min="${min}" max="${max}"></label>`
  const choices = Object.entries(KINDS).map(
    ([kind, [meaning]], n) => html`
<label class="choice"><input type="radio" name="kind" value="${kind}"${n === 0 ? html` checked` : ''}><span>${code(kind)} ${meaning}</span></label>`,
  )
  return html`<p>The next requests of the operation hit the fault, whatever their answer would be. Faults apply in the order they were injected.</p>
<form method="post" action="/ui/faults">
<fieldset><legend>Kind</legend>${choices}</fieldset>
<div class="actions">
${select('operation', 'Operation', FAULT_OPERATIONS, '*')}
${number('times', 'Times (default 1)', 1, 1_000_000)}
${number('status', 'Status', 400, 599)}
${number('retry_after', 'Retry-After in s', 0, 86_400)}
${number('latency_ms', 'Delay in ms', 0, 600_000)}
<div data-for="${forKinds('code')}">${select('code', 'Error code', Object.keys(ERROR_CODES), null, 'default of the status')}</div>
<button class="strong">Inject</button></div></form>`
}
