/** `tours search` at a terminal with values missing: asks for them, and shows the command that needs no asking. */
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Connection} from '../../session/connect.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import {withWayBack} from '../../terminal/prompts/way-back.js'
import type {TourFlags} from '../catalogue/tours.js'
import {today} from '../reserve/reserve.js'
import {askCity} from './ask-city.js'
import {askCurrency, searchAsking} from './ask-search.js'

export async function completeTourSearch(
  prompts: Prompts,
  connection: Connection,
  given: TourFlags,
  note: (text: string) => void,
): Promise<TourFlags> {
  const asking = searchAsking(prompts, connection, today())
  const {city, currency} = await withWayBack(prompts, async asked => ({
    city: given.city || (await askCity({...asking, prompts: asked})),
    currency: given.currency || (await askCurrency(asked)),
  }))
  note(sanitizeLine(`The same without questions: bookctl tours search --city ${city} --currency ${currency}`))
  return {...given, city, currency}
}
