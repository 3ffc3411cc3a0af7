/** The tools that find an offer: `search_hotels` and `show_offer`. */
import {z} from 'zod'
import {chargeOf} from '../../../api/answers/charges.js'
import {type OfferTerms, termsOf} from '../../../api/answers/terms-and-fees.js'
import {isoTime} from '../../../contract/dates.js'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {type SearchRequest, searchRequest} from '../../../contract/hotels.js'
import {canonicalJson, isObject} from '../../../contract/json.js'
import {MOST_ROOMS, OFFER_VALIDITY_SECONDS} from '../../../contract/limits.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import {readMaximum} from '../../input/checks.js'
import {readComingDay} from '../../input/dates.js'
import {missing} from '../../input/usage-errors.js'
import {cityLine, readCity} from '../catalogue/city-search.js'
import {price, search} from '../catalogue/hotels.js'
import type {Desk} from './desk.js'
import {OFFERS_A_PAGE} from './offer-pages.js'
import {
  amountOrNull,
  charge,
  cursorArgument,
  nextCursor,
  offerFields,
  offerIdArgument,
  offerTerms,
  textOrNull,
} from './schemas.js'
import {type Answer, defineTool, describeTool, readArguments, type Tool} from './tool.js'

const {shape} = searchRequest
const room = shape.rooms.element.extend({
  children_ages: shape.rooms.element.shape.children_ages
    .default([])
    .describe('Age of each child at check-in; leave it out if there are none'),
})

const searchInput = z.strictObject({
  city: z
    .union([z.string().min(1).max(100), z.int().positive()])
    .optional()
    .describe('Where to: the name of the city, such as "Antalya", or its id. Instead of destination'),
  destination: shape.destination.optional().describe('Where to, by id. Instead of city'),
  check_in: shape.check_in,
  check_out: shape.check_out.describe('Day of departure, YYYY-MM-DD: check_in plus the number of nights'),
  rooms: z.array(room).min(1).max(MOST_ROOMS).describe('The guests of each room: one element for each room'),
  client_nationality: shape.client_nationality
    .optional()
    .describe(
      'Nationality of the guests, ISO 3166-1 alpha-2. Prices depend on it: ask the person (default: that of the profile)',
    ),
  currency: shape.currency
    .optional()
    .describe('ISO 4217 currency code of the prices (default: that of the profile)'),
  max_price: z
    .union([z.string(), z.number().positive()])
    .optional()
    .describe(
      'Only offers that cost at most this, all rooms and nights together: "900 EUR", or 900 in the currency of the search',
    ),
  refundable: z.boolean().optional().describe('true: only offers that can be cancelled for a refund'),
  board: z.string().max(50).optional().describe('Only offers with these meals: RO, BB, HB, FB or AI'),
  sort: z
    .enum(['price', 'stars', 'name'])
    .optional()
    .describe('Cheapest, most stars, or by name first (default price)'),
  limit: z.int().min(1).max(OFFERS_A_PAGE).optional().describe(`Offers of a page (default ${OFFERS_A_PAGE})`),
  cursor: cursorArgument,
})
const nextPageInput = z.strictObject({cursor: z.string(), limit: searchInput.shape.limit})

const foundOffer = z.looseObject({
  ...offerFields,
  payment_modes: z
    .array(z.string())
    .nullable()
    .describe('How it can be paid: account, instant; null: not known'),
})

const searchTool = describeTool({
  name: 'search_hotels',
  title: 'Search hotel offers',
  description: `Searches hotel offers in a city for dates, rooms and nationality, and returns up to ${OFFERS_A_PAGE} of them, cheapest first; next_cursor gets more. Dates are exact: for "four nights in June" choose dates and say which, or ask. An offer is valid for ${OFFER_VALIDITY_SECONDS / 60} minutes (expires_at) and can be reserved once. Searching costs and reserves nothing.`,
  input: searchInput,
  output: {
    search: z.looseObject({}).describe('What was searched'),
    searched_at: z.string(),
    expires_at: z.string().describe('When the last of the offers expires'),
    offers: z.array(foundOffer),
    found: z.int().describe('How many offers fit, on all pages'),
    next_cursor: nextCursor,
    warning: z.string().optional(),
  },
})

/** With a cursor alone it gives the next page. */
export const searchHotels: Tool = {
  ...searchTool,
  async run(given, desk) {
    const isNextPage = isObject(given) && given.cursor !== undefined && given.check_in === undefined
    if (!isNextPage) return findOffers(readArguments(searchInput, given), desk)
    const {cursor, limit = OFFERS_A_PAGE} = readArguments(nextPageInput, given)
    return {document: desk.offerPages.read(cursor, undefined, limit)}
  },
}

type SearchInput = z.output<typeof searchInput>

async function findOffers(given: SearchInput, desk: Desk): Promise<Answer> {
  const {limit = OFFERS_A_PAGE, cursor, max_price, sort = 'price', refundable, board} = given
  const request = await requestOf(given, desk)
  const maximum = max_price === undefined ? undefined : readMaximum('max_price', String(max_price))
  const wanted = {'max-price': maximum, sort, board, refundable: refundable ?? false}
  const wish = canonicalJson({request, ...wanted})
  if (cursor !== undefined) return {document: desk.offerPages.read(cursor, wish, limit)}
  const {items, document, warning = []} = await search(await desk.connect(), request, wanted)
  const {search: searched, searched_at, expires_at} = document as Searched
  const offers = items.map(({raw, ...offer}) => ({
    ...offer,
    payment_modes: termsOf(raw).paymentModes ?? null,
  }))
  const head = {search: searched, searched_at, expires_at}
  const page = desk.offerPages.open({wish, head, offers, expiresAt: Date.parse(expires_at) / 1000}, limit)
  const warnings = [warning].flat()
  return {document: page, ...(warnings.length > 0 && {added: {warning: warnings.join('; ')}})}
}

/** The head of the document of `hotels search`. */
interface Searched {
  readonly search: object
  readonly searched_at: string
  readonly expires_at: string
}

/** Builds the request of §2.2. Throws a usage error that names what is missing or wrong, and Failure when the city is looked up. */
async function requestOf(given: SearchInput, desk: Desk): Promise<SearchRequest> {
  const {city, destination, check_out, rooms} = given
  const client_nationality = given.client_nationality ?? desk.preferences.nationality
  const currency = given.currency ?? desk.preferences.currency
  const absent = [
    ...(city === undefined && destination === undefined ? ['city'] : []),
    ...(client_nationality === undefined ? ['client_nationality'] : []),
    ...(currency === undefined ? ['currency'] : []),
  ]
  if (absent.length > 0) throw missing(absent, 'ask the person for what you do not know', 'missing_argument')
  const check_in = readComingDay('check_in', given.check_in)
  const id = (await cityOf(city, desk)) ?? destination?.id
  if (destination !== undefined && destination.id !== id) {
    const named = typeof city === 'string' ? `${sanitizeLine(city, 60)} (${id})` : id
    throw usage(
      'invalid_input',
      `city is ${named}, and destination is ${destination.id}: these are different cities`,
      'give one of them',
    )
  }
  return readArguments(searchRequest, {
    destination: {type: 'CITY', id},
    check_in,
    check_out,
    rooms,
    client_nationality,
    currency,
  })
}

async function cityOf(city: number | string | undefined, desk: Desk): Promise<number | undefined> {
  const typed = typeof city === 'string' && /^\d+$/.test(city) ? Number(city) : city
  try {
    return await readCity(typed, desk.connect)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'usage') throw error
    // Names of cities are the service's own words, so they stand beside the error, and not in it.
    const isName = error.message.includes('several cities')
    const problem = isName
      ? 'city: several cities have this name'
      : error.message.replace(/^--city: /, 'city: ')
    const cities = knownCities(desk)
    const hint = cities.length > 0 ? 'choose one of cities, by its id' : 'read the resource bookctl://cities'
    throw new Failure(error.kind, problem, {code: error.details.code, hint, result: {cities}})
  }
}

/** How many cities are named to an assistant whose client does not read resources. */
const MOST_CITIES = 40

function knownCities({state, target}: Desk): string[] {
  const cities = state.writable ? state.cities.list(target) : []
  return cities.slice(0, MOST_CITIES).map(cityLine)
}

export const showOffer = defineTool({
  name: 'show_offer',
  title: 'Show an offer',
  description:
    'Shows what an offer costs now, its terms and what cancelling costs from when on. Use it for the offers that a person is about to choose from. price_checked is false where the service has no way to ask for a price: the price of the search stands then.',
  input: z.strictObject({offer_id: offerIdArgument}),
  output: {
    offer: z.looseObject({
      ...offerFields,
      check_in: textOrNull('Day of arrival'),
      check_out: textOrNull('Day of departure'),
      rooms: z.array(z.looseObject({})).nullable().describe('The rooms and guests of the search'),
      client_nationality: textOrNull(
        'The nationality that was searched for; the reservation must have the same',
      ),
      terms: z.looseObject(offerTerms),
      charge: charge
        .nullable()
        .describe('What the account is charged, in its own currency; null: not stated'),
    }),
    changed: z
      .boolean()
      .nullable()
      .describe('Whether the price differs from that of the search; null: not known'),
    seen: z
      .looseObject({total: amountOrNull, currency: z.string().nullable(), searched_at: z.string()})
      .nullable()
      .describe('The price of the search'),
    valid_seconds: z.number().nullable().describe('For how long it can still be reserved'),
    price_checked: z.boolean().describe('Whether the service was asked for the price now'),
  },
  run: async ({offer_id}, desk) => {
    const connection = await desk.connect()
    const seen = desk.state.remembers ? await desk.state.offers.find(connection.target, offer_id) : undefined
    const asked = await price(connection, offer_id).catch(error => {
      if (error instanceof Failure && error.details.code === 'path_not_shown' && seen) return undefined
      throw error
    })
    return {
      document: asked
        ? offerNow(asked.document as Compared, seen)
        : offerSeen(seen as SeenOffer, connection.clock.now()),
    }
  },
})

/** The document of `hotels price`. */
type Compared = Awaited<ReturnType<typeof price>>['items'][number]

function offerNow({offer: {raw, ...offer}, ...compared}: Compared, seen: SeenOffer | undefined) {
  return {
    offer: {...offer, ...stayOf(seen), terms: termsText(termsOf(raw)), charge: chargeOf(raw)},
    ...compared,
    price_checked: true,
  }
}

function offerSeen(seen: SeenOffer, now: number) {
  const {offer_id, hotel_name, stars, room_name, board, total, currency, details} = seen
  return {
    offer: {
      offer_id,
      hotel_id: null,
      hotel_name,
      stars,
      room_name,
      board,
      price: {total, currency: currency ?? details?.currency ?? null},
      refundable: details?.refundable ?? null,
      free_cancellation_until: details?.free_cancellation_until ?? null,
      expires_at: isoTime(seen.expires_at),
      ...stayOf(seen),
      terms: termsText((details?.terms ?? {}) as Partial<OfferTerms>),
      charge: details?.charge ?? null,
    },
    changed: null,
    seen: {total, currency, searched_at: isoTime(seen.searched_at)},
    valid_seconds: Math.max(0, Math.floor(seen.expires_at - now)),
    price_checked: false,
  }
}

/** Returns what only the search knows of an offer; null where this machine has not seen the search. */
function stayOf(seen: SeenOffer | undefined) {
  const {check_in = null, check_out = null, rooms = null, nationality = null} = seen ?? {}
  return {check_in, check_out, rooms, client_nationality: nationality}
}

function termsText({policies, dueAtProperty, paymentModes, roomsLeft, remarks}: Partial<OfferTerms>) {
  return {
    payment_modes: paymentModes ?? null,
    cancellation_policies: policies ?? null,
    due_at_property: dueAtProperty ?? null,
    rooms_left: roomsLeft ?? null,
    remarks: remarks ?? null,
  }
}
