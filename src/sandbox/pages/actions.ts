/** The forms of the pages: each does the work of a control, then redirects to a page (303). The buttons that move the clock. */
import {Refusal} from '../base/answers.js'
import {deliverAgain, injectFault, moveClock, resetState, settle} from '../controls/actions.js'
import {type FaultKind, faultField} from '../http/faults.js'
import type {RunningService} from '../http/operation.js'
import type {Done, Visit} from './layout.js'
import {button, html, type Piece, pathOf, select} from './parts.js'

export type Fields = Readonly<Record<string, string>>

/** Returns the page to go to and the confirmation to show there. Throws Refusal. */
type Action = (
  service: RunningService,
  parameters: Fields,
  fields: Fields,
) => Promise<{readonly to: string; readonly done: Done}>

/** By the path that takes the form. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  '/ui/clock': async (service, _, fields) => {
    await moveClock(service, {advance_seconds: secondsOf(fields)})
    return {to: ownPath(fields.back), done: 'clock'}
  },
  '/ui/reservations/:reservation_ref/payment': async (service, {reservation_ref = ''}, {result}) => {
    settle(service, reservation_ref, {result})
    return {to: pathOf(['reservations', reservation_ref]), done: result === 'paid' ? 'paid' : 'failed'}
  },
  '/ui/deliveries/:delivery_id/redeliver': async (service, {delivery_id = ''}) => {
    await deliverAgain(service, delivery_id)
    return {to: pathOf(['deliveries', delivery_id]), done: 'delivered'}
  },
  '/ui/faults': async (service, _, fields) => {
    injectFault(service, orderOf(fields))
    return {to: '/ui/faults', done: 'fault'}
  },
  '/ui/faults/clear': async service => {
    service.faults.clear()
    return {to: '/ui/faults', done: 'cleared'}
  },
  '/ui/reset': async service => {
    resetState(service)
    return {to: '/', done: 'reset'}
  },
}

/** The fields of a form. Throws Refusal `invalid_request` for any other body. */
export function readForm(body: Uint8Array, contentType: string | undefined): Fields {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType?.trim() ?? '')) {
    throw new Refusal('invalid_request', 'the body must be a form, application/x-www-form-urlencoded')
  }
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(body)))
}

/** Either `advance_seconds` of a button, or `amount` and `unit`; NaN, which is refused, where a number is missing. */
function secondsOf({advance_seconds, amount, unit}: Fields): number {
  return advance_seconds === undefined
    ? numberOf(amount) * (CLOCK_UNITS[unit ?? ''] ?? Number.NaN)
    : numberOf(advance_seconds)
}

/** The fault as the control takes it: empty fields, and those that do not apply to its kind, are left out. */
function orderOf(fields: Fields): Record<string, unknown> {
  const words = ['operation', 'kind', 'code']
  const filled = Object.entries(fields).filter(
    ([name, value]) => value !== '' && faultField(fields.kind as FaultKind, name),
  )
  return Object.fromEntries(
    filled.map(([name, value]) => [name, words.includes(name) ? value : numberOf(value)]),
  )
}

function numberOf(text: string | undefined): number {
  return text?.trim() ? Number(text) : Number.NaN
}

/** The page a form came from, if it is one of these pages; else the overview. */
function ownPath(path: string | undefined): string {
  return path !== undefined && /^\/ui(\/[\w%.~-]+)+$/.test(path) ? path : '/'
}

/** A minute; just over the lifetime of an offer; that of a voucher link and of a token; the last delay of §6.4; a day. */
const STEPS = [
  ['+1 min', 60],
  ['+16 min', 16 * 60],
  ['+1 h', 3600],
  ['+2 h', 2 * 3600],
  ['+8 h', 8 * 3600],
  ['+24 h', 24 * 3600],
] as const

const CLOCK_UNITS: Readonly<Record<string, number>> = {seconds: 1, minutes: 60, hours: 3600, days: 86_400}

export function clockForms(visit: Visit): Piece {
  return html`<div class="actions">${STEPS.map(([text, seconds]) => moveButton(visit, text, seconds))}</div>
<form method="post" action="/ui/clock" class="actions"><input type="hidden" name="back" value="${visit.path}">
<label>Advance by<input type="number" name="amount" min="0" step="any" required inputmode="decimal"></label>
${select('unit', 'Unit', Object.keys(CLOCK_UNITS), 'minutes')}<button>Advance</button></form>
<p class="soft">Advancing the clock runs everything that falls due, each at its own time: offers and tokens expire, payments run out,
events are sent again. The clock only moves forward.</p>`
}

/** A button that advances the clock by `seconds` and returns to this page. */
export function moveButton(visit: Visit, text: string, seconds: number): Piece {
  return button('/ui/clock', text, {back: visit.path, advance_seconds: String(seconds)})
}
