/** `hotels search` at a terminal with values missing: asks for them, and shows the command that needs no asking. */
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Connection} from '../../session/connect.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import {withWayBack} from '../../terminal/prompts/way-back.js'
import {roomText, type SearchFlags} from '../catalogue/search-input.js'
import {today} from '../reserve/reserve.js'
import {askSearch, searchAsking} from './ask-search.js'

export async function completeSearch(
  prompts: Prompts,
  connection: Connection,
  given: SearchFlags,
  note: (text: string) => void,
): Promise<SearchFlags> {
  const asking = searchAsking(prompts, connection, today())
  const flags = await withWayBack(prompts, asked => askSearch({...asking, prompts: asked}, given))
  note(`The same without questions: ${commandOf(flags)}`)
  return flags
}

/** The command line of a search. */
export function commandOf(flags: SearchFlags): string {
  const {city, nights, nationality, currency, 'check-in': checkIn, 'check-out': checkOut} = flags
  const values = [
    ['city', city],
    ['check-in', checkIn],
    ['check-out', checkOut],
    ['nights', nights],
    ...(flags.room ?? []).map(room => ['room', roomText(room)]),
    ['nationality', nationality],
    ['currency', currency],
  ]
  const words = values.flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]))
  return sanitizeLine(`bookctl hotels search ${words.join(' ')}`)
}
