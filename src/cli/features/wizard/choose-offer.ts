/** The list of offers to move through: typing narrows it, its last lines sort it, narrow it or change the search. */
import type {FoundOffer} from '../../../api/operations/hotels.js'
import {fold, matches} from '../../input/fold.js'
import type {Choice, Prompts} from '../../terminal/prompts/prompts.js'
import {narrow} from '../catalogue/narrow.js'
import type {Reader} from './clocks.js'
import {counted} from './dates.js'
import {createFit, type Fit, offerGlance, offerLine} from './offer-lines.js'

export type OfferChoice = {readonly offer: FoundOffer} | 'change search'

/** How the list stands: kept while the person moves in and out of it. */
export interface OfferView {
  sort: 'price' | 'stars' | 'name'
  refundable: boolean
}

type Picked = OfferChoice | 'refundable' | 'sort'

/** Lets a person choose. `wanted`: what was chosen before the offers were searched anew; it comes first. */
export async function chooseOffer(
  prompts: Prompts,
  offers: readonly FoundOffer[],
  reader: () => Reader,
  view: OfferView,
  wanted?: FoundOffer,
): Promise<OfferChoice> {
  const fitted = await createFit()
  for (;;) {
    const listed = listOf(offers, view, wanted)
    const picked = await prompts.search<Picked>({
      message: `Offer (${counted(listed.length, 'offer')}, ${sortWords(view)}: hotel, board, terms)`,
      find: typed => withActions(found(listed, typed, reader(), fitted), actions(view), typed),
    })
    if (picked === 'sort') view.sort = NEXT[view.sort]
    else if (picked === 'refundable') view.refundable = !view.refundable
    else return picked
  }
}

const NEXT = {price: 'stars', stars: 'name', name: 'price'} as const
const ORDER_WORDS = {price: 'cheapest first', stars: 'most stars first', name: 'by name'}

function sortWords({sort, refundable}: OfferView): string {
  return `${ORDER_WORDS[sort]}${refundable ? ', refundable only' : ''}`
}

/** The offer wanted first, then the others in order. */
function listOf(
  offers: readonly FoundOffer[],
  view: OfferView,
  wanted: FoundOffer | undefined,
): FoundOffer[] {
  const listed = narrow(offers, view)
  const same = wanted && findSame(offers, wanted)
  return same ? [same, ...listed.filter(offer => offer !== same)] : listed
}

function found(listed: readonly FoundOffer[], typed: string, reader: Reader, fitted: Fit): Choice<Picked>[] {
  return listed
    .filter(offer => matches(wordsOf(offer), typed))
    .map(offer => ({
      value: {offer},
      names: [offer.offer_id],
      name: offerLine(offer, reader, fitted),
      description: offerGlance(offer, reader),
    }))
}

/** Actions last; what is typed of one brings it to the front, which matters where a list is cut. */
function withActions(
  offers: readonly Choice<Picked>[],
  all: readonly Choice<Picked>[],
  typed: string,
): Choice<Picked>[] {
  const named = typed.trim() === '' ? [] : all.filter(({name}) => matches(name, typed))
  return [...named, ...offers, ...all.filter(action => !named.includes(action))]
}

function wordsOf({hotel_name, room_name, board, stars, refundable, price}: FoundOffer): string {
  // Of the others nothing is said, else typing `refundable` would find them too.
  const terms = refundable === true ? 'refundable free cancellation' : ''
  return [hotel_name, room_name, board, `${stars}*`, terms, price.total, price.currency].join(' ')
}

function actions(view: OfferView): Choice<Picked>[] {
  const refundable = view.refundable ? 'Show all offers again' : 'Show only those with a refund'
  return [
    {value: 'refundable', name: `[${refundable}]`, isAction: true},
    {value: 'sort', name: `[Sort: ${ORDER_WORDS[NEXT[view.sort]]}]`, isAction: true},
    {value: 'change search', name: '[Change the search]', isAction: true},
  ]
}

/** The offer of the same room, hotel, board and terms in another search. */
export function findSame(offers: readonly FoundOffer[], wanted: FoundOffer): FoundOffer | undefined {
  const key = keyOf(wanted)
  return offers.find(offer => keyOf(offer) === key)
}

function keyOf({hotel_name, room_name, board, refundable}: FoundOffer): string {
  return JSON.stringify([fold(hotel_name ?? ''), fold(room_name ?? ''), board, refundable])
}
