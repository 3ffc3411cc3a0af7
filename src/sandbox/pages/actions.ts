/** What the forms of the sandbox's own page do: the work of the controls, then back to the page (303). */

import {Refusal} from '../base/refusal.js'
import type {Service} from '../base/service.js'
import {deliverAgain, moveClock, orderFault, settle} from '../controls/actions.js'
import {resetState} from '../controls/reset.js'
import {CLOCK_UNITS} from './clock.js'
import type {Done} from './layout.js'
import {pathOf} from './parts.js'

export type Fields = Readonly<Record<string, string>>

export interface Action {
  readonly path: string
  /** Acts, and says which page to go to and what to say there. Throws Refusal. */
  run(service: Service, parameters: Fields, fields: Fields): Promise<Outcome> | Outcome
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
