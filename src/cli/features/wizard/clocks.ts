/** A moment of the hotel, on three clocks: the hotel's (the offset in the text itself), the reader's, and UTC. */
import {sanitizeLine} from '../../../contract/foreign-text.js'

export interface Reader {
  /** Unix seconds. */
  readonly now: number
  /** IANA time zone of this machine. */
  readonly timeZone: string
}

/** Unix seconds of a timestamp with an offset; undefined for anything else. */
export function instantOf(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}[T ].*(Z|[+-]\d{2}:?\d{2})$/i.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at / 1000
}

/** Lines such as `2030-05-29 18:00 hotel (+03:00)`, one a clock; one line when no clock can be told. */
export function onThreeClocks(text: string, {timeZone}: Reader): string[] {
  const at = instantOf(text)
  if (at === undefined) return [`${sanitizeLine(text, 40)} (the answer names no time zone)`]
  const hotel = offsetOf(text) ? `${asWritten(text)} hotel clock` : 'hotel clock: not in the answer'
  return [hotel, `${clock(at, timeZone)} your clock (${timeZone})`, `${clock(at, 'UTC')} UTC`]
}

/** `2030-05-29 18:00 (+03:00)`: the moment as its own text has it; anything else as it is. */
export function asWritten(text: string): string {
  const offset = offsetOf(text) ?? 'UTC'
  return instantOf(text) === undefined
    ? sanitizeLine(text, 40)
    : `${text.slice(0, 10)} ${text.slice(11, 16)} (${offset})`
}

function offsetOf(text: string): string | undefined {
  return /[+-]\d{2}:?\d{2}$/.exec(text)?.[0]
}

/** `2030-05-29 18:00` in a time zone. */
function clock(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    ...{year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit'},
  })
  return format.format(at * 1000)
}

/** `14:05`, minutes and seconds of what is left; `0:00` when nothing is. */
export function minutesLeft(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
