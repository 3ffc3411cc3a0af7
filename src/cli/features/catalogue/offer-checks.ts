/** Checks a reservation against the offer as this machine saw it: refusals and warnings. */
import {ageOn, nightsBetween} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import {isTcNumber} from '../../../contract/identifiers.js'
import {OFFER_VALIDITY_SECONDS} from '../../../contract/limits.js'
import {compareAmounts} from '../../../contract/money.js'
import type {Guest, ReservationRequest} from '../../../contract/reservations.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import {counted} from '../../terminal/dates-and-amounts.js'

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
  {client_nationality: nationality}: ReservationRequest,
  {now, maxPrice, repeated}: Circumstances,
): void {
  const search = 'search again: bookctl hotels search'
  if (!repeated && seen && seen.expires_at <= now) {
    const problem = `offer ${seen.offer_id} expired; an offer is valid for ${OFFER_VALIDITY_SECONDS / 60} minutes`
    throw usage('offer_expired', problem, search)
  }
  if (!repeated && seen?.used_by_reference) {
    const problem = `offer ${seen.offer_id} was used by ${seen.used_by_reference}`
    throw usage('offer_already_used', problem, `see bookctl journal; ${search}`)
  }
  if (seen && seen.nationality !== nationality) {
    const problem = `the reservation says client nationality ${nationality}, but the offer was searched for ${seen.nationality}, and prices depend on it`
    throw usage('nationality_changed', problem, `search again with --nationality ${nationality}`)
  }
  if (maxPrice === undefined) return
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
  const wrongNumbers = guests.flatMap(({identity}, index) => {
    if (identity?.type !== 'TC' || isTcNumber(identity.number)) return []
    return [`guests[${index}].identity.number: the TC identity number fails its checksum`]
  })
  return seen ? [...wrongNumbers, ...doubtParty(seen, guests)] : wrongNumbers
}

/** Their number and ages beside those searched. A child's age may count at check-in or at check-out. */
function doubtParty({rooms, check_in, check_out}: SeenOffer, guests: readonly Guest[]): string[] {
  const adults = rooms.reduce((sum, room) => sum + room.adults, 0)
  const ages = rooms.flatMap(room => room.children_ages).sort((a, b) => a - b)
  const party = adults + ages.length
  const given = `${guests.length} ${guests.length === 1 ? 'is' : 'are'} given`
  const number = `the offer was searched for ${counted(party, 'guest')}; ${given}: the service may refuse it`
  const doubts = party === guests.length ? [] : [number]
  const born = guests.flatMap(guest => guest.birth_date ?? [])
  if (born.some(date => nightsBetween(date, check_in) < 0))
    return [...doubts, 'a guest is born after the check-in']
  if (doubts.length > 0 || born.length < guests.length) return doubts
  const fits = [check_in, check_out].some(day => {
    const children = born.map(date => ageOn(date, day)).filter(age => age < 18)
    return children.sort((a, b) => a - b).join() === ages.join()
  })
  const searched = ages.length > 0 ? `children of ${ages.join(', ')}` : 'no children'
  return fits ? [] : [`the birth dates do not fit the ages searched (${adults} adults, ${searched})`]
}
