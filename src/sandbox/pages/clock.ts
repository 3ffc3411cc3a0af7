/** The forms that move the clock: the steps that matter to the service, and any other. */
import {button, html, type Piece, select} from './parts.js'
import type {Visit} from './visit.js'

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
