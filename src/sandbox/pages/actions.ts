/** What the forms of the pages do: the work of the controls, then back to the page (303). The forms that move the clock. */
import {Refusal} from '../base/answers.js'
import {deliverAgain, moveClock, orderFault, resetState, settle} from '../controls/actions.js'
import type {RunningService} from '../http/operation.js'
import type {Done, Visit} from './layout.js'
import {button, html, type Piece, pathOf, select} from './parts.js'

export type Fields = Readonly<Record<string, string>>

export interface Action {
  readonly path: string
  /** Acts, and says which page to go to and what to say there. Throws Refusal. */
  run(service: RunningService, parameters: Fields, fields: Fields): Promise<Outcome> | Outcome
}

interface Outcome {
  readonly to: string
  readonly done: Done
}

export const ACTIONS: readonly Action[] = [
  {
    path: '/ui/clock',
    run: async (service, _, fields) => {
      await moveClock(service, {advance_seconds: secondsOf(fields)})
      return {to: ownPath(fields.back), done: 'clock'}
    },
  },
  {
    path: '/ui/reservations/:reservation_ref/payment',
    run: (service, {reservation_ref = ''}, {result}) => {
      settle(service, reservation_ref, {result})
      return {to: pathOf(['reservations', reservation_ref]), done: result === 'paid' ? 'paid' : 'failed'}
    },
  },
  {
    path: '/ui/deliveries/:delivery_id/redeliver',
    run: async (service, {delivery_id = ''}) => {
      await deliverAgain(service, delivery_id)
      return {to: pathOf(['deliveries', delivery_id]), done: 'delivered'}
    },
  },
  {
    path: '/ui/faults',
    run: (service, _, fields) => {
      orderFault(service, orderOf(fields))
      return {to: '/ui/faults', done: 'fault'}
    },
  },
  {
    path: '/ui/faults/clear',
    run: service => {
      service.faults.clear()
      return {to: '/ui/faults', done: 'cleared'}
    },
  },
  {
    path: '/ui/reset',
    run: service => {
      resetState(service)
      return {to: '/', done: 'reset'}
    },
  },
]

/** The fields of a form. Throws Refusal `invalid_request` for any other body. */
export function readForm(body: Uint8Array, contentType: string | undefined): Fields {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType?.trim() ?? '')) {
    throw new Refusal('invalid_request', 'the body must be a form, application/x-www-form-urlencoded')
  }
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(body)))
}

/** Either `advance_seconds` of a button, or `amount` and `unit`; NaN, which is refused, where there is no number. */
function secondsOf({advance_seconds, amount, unit}: Fields): number {
  return advance_seconds === undefined
    ? numberOf(amount) * (CLOCK_UNITS[unit ?? ''] ?? Number.NaN)
    : numberOf(advance_seconds)
}

/** The order as the control takes it: fields left empty are left out. */
function orderOf(fields: Fields): Record<string, unknown> {
  const words = ['operation', 'kind', 'code']
  const filled = Object.entries(fields).filter(([, value]) => value !== '')
  return Object.fromEntries(
    filled.map(([name, value]) => [name, words.includes(name) ? value : numberOf(value)]),
  )
}

function numberOf(text: string | undefined): number {
  return text?.trim() ? Number(text) : Number.NaN
}

/** The page a form came from, if it is one of the sandbox's own; else the overview. */
function ownPath(path: string | undefined): string {
  return path !== undefined && /^\/ui(\/[\w%.~-]+)+$/.test(path) ? path : '/'
}

/** Over a minute, an offer's validity, a voucher link's, a token's, the last delay of §6.4, and a day. */
const STEPS = [
  ['+1 min', 60],
  ['+16 min', 16 * 60],
  ['+1 h', 3600],
  ['+2 h', 2 * 3600],
  ['+8 h', 8 * 3600],
  ['+24 h', 24 * 3600],
] as const

export const CLOCK_UNITS: Readonly<Record<string, number>> = {
  seconds: 1,
  minutes: 60,
  hours: 3600,
  days: 86_400,
}

export function clockForms(visit: Visit): Piece {
  return html`<div class="actions">${STEPS.map(([text, seconds]) => moveButton(visit, text, seconds))}</div>
<form method="post" action="/ui/clock" class="actions"><input type="hidden" name="back" value="${visit.path}">
<label>Move it by<input type="number" name="amount" min="0" step="any" required inputmode="decimal"></label>
${select('unit', 'Unit', Object.keys(CLOCK_UNITS), 'minutes')}<button>Move</button></form>
<p class="soft">What falls due on the way happens, each thing at its own time: offers and tokens expire, payments run out, events
are sent again. The clock only moves forward.</p>`
}

/** A button that moves the clock by `seconds` and comes back to this page. */
export function moveButton(visit: Visit, text: string, seconds: number): Piece {
  return button('/ui/clock', text, {back: visit.path, advance_seconds: String(seconds)})
}
