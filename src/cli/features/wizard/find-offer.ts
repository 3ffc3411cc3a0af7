/** Finds an offer: searches, lists the offers with the time left, and repeats until the user chooses one. */
import type {FoundOffer} from '../../../api/operations/hotels.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Room} from '../../../contract/hotels.js'
import type {OfferFound, SeenOffer} from '../../../contract/seen-offers.js'
import {fold, matches} from '../../input/match.js'
import {roomText} from '../../input/stay.js'
import {counted, nightsText} from '../../terminal/dates-and-amounts.js'
import type {Choice, Prompts, QuestionContext} from '../../terminal/prompts/prompts.js'
import {cityText} from '../catalogue/city-search.js'
import {filterOffers, offerFound, readSearch, type SearchFlags, search} from '../catalogue/hotels.js'
import {offerGlance, offerLine, priceText} from '../catalogue/offer-lines.js'
import {placesOf} from './ask-people.js'
import {askSearch, commandOf} from './ask-search.js'
import {type Draft, inRounds, startClock, type WizardDesk} from './draft.js'
import {untilServed} from './questions.js'

/** Lets the user choose an offer, and sets `draft.chosen`. Throws SearchAgain if the offers expire first. */
export async function findOffer(desk: WizardDesk, draft: Draft): Promise<void> {
  draft.chosen ??= await inRounds(desk, draft, {
    // If the search was complete from the start, Escape at the first question has nothing to undo.
    leave: draft.search.city === undefined ? undefined : () => {},
    round: (asked, changeNow) => searchAndChoose(asked, draft, changeNow),
    change: asked => askChange(asked, draft),
  })
}

/** Searches once and lets the user choose an offer. Returns undefined if the criteria must be changed. */
async function searchAndChoose(desk: WizardDesk, draft: Draft, changeNow: () => Promise<undefined>) {
  const {connection, flags} = desk
  await askSearch({...desk, preferred: flags.preferred}, draft.search)
  const request = readSearch(draft.search)
  draft.nationality = request.client_nationality
  const nights = nightsText(request.check_in, request.check_out)
  const city = cityText(request.destination.id, connection)
  desk.tell(`Searching: city ${city}, ${request.check_in}, ${nights} …`)
  const filters = {'max-price': flags['max-price']}
  const found = await untilServed(desk, () => search(connection, request, filters)).catch(error => {
    if (!(error instanceof Failure) || error.kind === 'interrupted') throw error
    if (error.kind !== 'refused') {
      desk.tell(`To search again later: ${commandOf(draft.search, flags.service)}`)
      throw error
    }
    // The user can change what the service refused, such as a currency.
    desk.tell(`\n${sanitizeLine(error.message, 400)}. Your answers are kept.`)
  })
  if (!found) return changeNow()
  if (found.warning !== undefined) desk.tell([found.warning].flat().join('\n'))
  const {now} = connection.clock
  const offers = found.items.map(offer => ({...offer, seen: offerFound(request, offer, now())}))
  reportLost(desk, draft, offers)
  if (offers.length === 0) {
    desk.tell(found.whenEmpty)
    return changeNow()
  }
  const expiresAt = offers.reduce((last, {seen}) => Math.max(last, seen.expires_at), 0)
  const clock = startClock(expiresAt, now, 'These offers')
  const choice = await chooseOffer(desk.prompts, offers, now, draft, clock).finally(clock.stop)
  if (!choice) return changeNow()
  draft.lost = choice.seen
  seat(draft, request.rooms)
  return {offerId: choice.offer_id, seen: choice.seen}
}

/** Sets the places of the guests from the searched rooms, unless the guests were given. */
function seat(draft: Draft, rooms: readonly Room[]): void {
  const places = placesOf(rooms)
  if (draft.guestsGiven || JSON.stringify(places) === JSON.stringify(draft.places)) return
  // If the number is the same, the guests stay, and only their ages are checked again.
  if (places.length !== draft.places?.length) draft.forms = []
  draft.places = places
}

export function chooseSeen(draft: Draft, offerId: string, seen: SeenOffer | undefined): void {
  draft.chosen = {offerId, seen}
  if (!seen) return
  draft.nationality ??= seen.nationality
  draft.search = {
    'check-in': seen.check_in,
    'check-out': seen.check_out,
    room: [...seen.rooms],
    nationality: seen.nationality,
    city: seen.details?.city ?? undefined,
    currency: seen.currency ?? undefined,
  }
  seat(draft, seen.rooms)
}

/** Tells the user whether the room chosen before is still available, and at what price. */
function reportLost({tell}: WizardDesk, {lost}: Draft, offers: readonly Listed[]): void {
  if (!lost) return
  const same = findSame(offers, lost)
  const name = sanitizeLine(lost.hotel_name ?? 'The room chosen', 60)
  const before = sanitizeLine(priceText(lost), 40)
  const now = same && sanitizeLine(priceText(same.seen), 40)
  if (!same) tell(`${name}: the room you chose is not among the new offers.`)
  else if (before === now) tell(`${name}: the room you chose is still available, at the same price (${now}).`)
  else tell(`${name}: the room you chose is still available; its price CHANGED from ${before} to ${now}.`)
}

async function askChange({prompts, connection}: WizardDesk, draft: Draft): Promise<void> {
  const {city, room, nationality, currency, 'check-in': from, 'check-out': to} = draft.search
  const nights = from && to ? `, ${nightsText(from, to)}` : ''
  const changed = await prompts.choose<readonly (keyof SearchFlags)[]>({
    message: 'What do you want to change in the search?',
    choices: [
      {value: ['city'], name: `City (${cityText(city ?? '', connection)})`},
      {value: ['check-in', 'check-out', 'nights'], name: `Dates (${from}${nights})`},
      {value: ['room'], name: `Rooms and guests (${room?.map(roomText).join(' and ')})`},
      {value: ['nationality'], name: `Nationality (${nationality})`},
      {value: ['currency'], name: `Currency (${currency})`},
      {value: [], name: 'Nothing; search again'},
    ],
  })
  if (changed.length > 0) draft.lost = undefined
  draft.search = {...draft.search, ...Object.fromEntries(changed.map(name => [name, undefined]))}
}

/** An offer as the search returned it, and `seen` in the form in which it is stored. */
export type Listed = FoundOffer & {readonly seen: OfferFound}

type Picked = Listed | 'change search' | 'refundable' | 'sort'

/**
 * Lets the user choose an offer. Returns undefined if the search must be changed. The offer chosen in an earlier search
 * comes first.
 */
export async function chooseOffer(
  prompts: Prompts,
  offers: readonly Listed[],
  now: () => number,
  {view, lost}: Pick<Draft, 'view' | 'lost'>,
  clock?: QuestionContext,
): Promise<Listed | undefined> {
  const same = lost && findSame(offers, lost)
  for (;;) {
    const others = filterOffers(offers, view).filter(offer => offer !== same)
    const listed = same ? [same, ...others] : others
    const order = `${ORDER_WORDS[view.sort]}${view.refundable ? ', refundable only' : ''}`
    const picked = await prompts.search<Picked>({
      ...clock,
      message: `Offer (${counted(listed.length, 'offer')}, ${order}: hotel, board, terms)`,
      find: typed => withActions(found(listed, typed, now()), view, typed),
    })
    if (picked === 'sort') view.sort = NEXT[view.sort]
    else if (picked === 'refundable') view.refundable = !view.refundable
    else return picked === 'change search' ? undefined : picked
  }
}

const NEXT = {price: 'stars', stars: 'name', name: 'price'} as const
const ORDER_WORDS = {price: 'cheapest first', stars: 'most stars first', name: 'by name'}

function found(listed: readonly Listed[], typed: string, now: number): Choice<Picked>[] {
  return listed
    .filter(offer => matches(wordsOf(offer), typed))
    .map(offer => ({
      value: offer,
      names: [offer.offer_id],
      name: offerLine(offer.seen, now),
      description: offerGlance(offer.seen, now),
    }))
}

/** Adds the actions after the offers. An action that matches the typed text comes first, because a long list is cut. */
function withActions(offers: readonly Choice<Picked>[], view: Draft['view'], typed: string) {
  const refundable = view.refundable ? 'Show all offers' : 'Show refundable offers only'
  const all: Choice<Picked>[] = [
    {value: 'refundable', name: `[${refundable}]`, isAction: true},
    {value: 'sort', name: `[Sort: ${ORDER_WORDS[NEXT[view.sort]]}]`, isAction: true},
    {value: 'change search', name: '[Change the search]', isAction: true},
  ]
  const named = typed.trim() === '' ? [] : all.filter(({name}) => matches(name, typed))
  return [...named, ...offers, ...all.filter(action => !named.includes(action))]
}

function wordsOf({hotel_name, room_name, board, stars, refundable, price}: FoundOffer): string {
  // Only refundable offers get these words; otherwise typing `refundable` would find the others too.
  const terms = refundable === true ? 'refundable free cancellation' : ''
  return [hotel_name, room_name, board, `${stars}*`, terms, price.total, price.currency].join(' ')
}

/** Returns the offer of another search with the same hotel, room, board and refundability. */
export function findSame(offers: readonly Listed[], wanted: OfferFound): Listed | undefined {
  const keyOf = ({hotel_name, room_name, board, details}: OfferFound) =>
    JSON.stringify([fold(hotel_name ?? ''), fold(room_name ?? ''), board, details?.refundable])
  const key = keyOf(wanted)
  return offers.find(({seen}) => keyOf(seen) === key)
}
