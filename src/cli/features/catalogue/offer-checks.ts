/** Checks a reservation against the offer as this machine saw it: refusals and warnings. */
import {ageOn, nightsBetween} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import {isTcNumber} from '../../../contract/identifiers.js'
import {OFFER_VALIDITY_SECONDS} from '../../../contract/limits.js'
import {compareAmounts} from '../../../contract/money.js'
import type {Guest, ReservationRequest} from '../../../contract/reservations.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import {counted} from '../../terminal/text.js'

interface Circumstances {
  /** Unix seconds. */
  readonly now: number
  readonly maxPrice: string | undefined
  /** The journal knows this very reservation: it is being repeated, and its offer may well be used or expired. */
  readonly repeated: boolean
}

/** Refuses what is known to fail or to be unwanted. Throws usage. */
export function checkOffer(
  seen: SeenOffer | undefined,
  request: ReservationRequest,
  facts: Circumstances,
): void {
  const search = 'search again: bookctl hotels search'
  if (!facts.repeated && seen && seen.expires_at <= facts.now) {
    const problem = `offer ${seen.offer_id} expired; an offer is valid for ${OFFER_VALIDITY_SECONDS / 60} minutes`
    throw usage('offer_expired', problem, search)
  }
  if (!facts.repeated && seen?.used_by_reference) {
    const hint = `see bookctl journal; ${search}`
    throw usage('offer_already_used', `offer ${seen.offer_id} was used by ${seen.used_by_reference}`, hint)
  }
  if (seen && seen.nationality !== request.client_nationality) {
    const {client_nationality: now} = request
    throw usage(
      'nationality_changed',
      `the reservation says client nationality ${now}, but the offer was searched for ${seen.nationality}, and prices depend on it`,
      `search again with --nationality ${request.client_nationality}`,
    )
  }
  if (facts.maxPrice !== undefined) checkPrice(seen, facts.maxPrice)
}

function checkPrice(seen: SeenOffer | undefined, maxPrice: string): void {
  if (!seen?.total) {
    const problem = '--max-price: the price of this offer is not known here'
    throw usage('price_unknown', problem, 'search first: bookctl hotels search')
  }
  if (compareAmounts(seen.total, maxPrice) <= 0) return
  const cost = `the offer costs ${seen.total} ${seen.currency ?? ''}`
  throw usage('price_too_high', `${cost}, more than --max-price ${maxPrice}`)
}

/** Guests that look wrong, one line each; the service decides. */
export function findDoubts(seen: SeenOffer | undefined, guests: readonly Guest[]): string[] {
  const doubts = guests.flatMap((guest, index) => doubtIdentity(guest, `guests[${index}]`))
  return seen ? [...doubts, ...doubtNumbers(seen, guests), ...doubtAges(seen, guests)] : doubts
}

function doubtIdentity(guest: Guest, path: string): string[] {
  if (guest.identity?.type !== 'TC' || isTcNumber(guest.identity.number)) return []
  return [`${path}.identity.number: the TC identity number fails its checksum`]
}

function doubtNumbers(seen: SeenOffer, guests: readonly Guest[]): string[] {
  const searched = seen.rooms.reduce((sum, room) => sum + room.adults + room.children_ages.length, 0)
  if (searched === guests.length) return []
  const given = `${guests.length} ${guests.length === 1 ? 'is' : 'are'} given`
  return [`the offer was searched for ${counted(searched, 'guest')}; ${given}: the service may refuse it`]
}

/** A child's age may count at check-in or at check-out. */
function doubtAges(seen: SeenOffer, guests: readonly Guest[]): string[] {
  const born = guests.flatMap(guest => guest.birth_date ?? [])
  if (born.length < guests.length) return []
  const future = born.filter(date => nightsBetween(date, seen.check_in) < 0)
  if (future.length > 0) return ['a guest is born after the check-in']
  const searched = seen.rooms.flatMap(room => [...room.children_ages]).sort((a, b) => a - b)
  const adults = seen.rooms.reduce((sum, room) => sum + room.adults, 0)
  if (searched.length + adults !== guests.length) return []
  const fits = [seen.check_in, seen.check_out].some(day => {
    const children = born
      .map(date => ageOn(date, day))
      .filter(age => age < 18)
      .sort((a, b) => a - b)
    return children.join() === searched.join()
  })
  if (fits) return []
  const ages = searched.length > 0 ? `children of ${searched.join(', ')}` : 'no children'
  return [`the birth dates do not fit the ages searched (${adults} adults, ${ages})`]
}
