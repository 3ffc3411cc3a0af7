/** What flags and input file of `reserve` already say, checked, so that the wizard asks for the rest alone. */
import {OFFER_ID_PREFIX} from '../../../contract/identifiers.js'
import type {Contact, Guest, ReservationRequest} from '../../../contract/reservations.js'
import {type Fields, isFields} from '../../input/guests.js'
import {mergeContact, offerOf, readInput, readReservation, TEMPLATE} from '../reserve/reservation.js'
import type {PlanFlags} from '../reserve/reserve.js'

export interface Begun {
  readonly offerId: string | undefined
  readonly nationality: string | undefined
  readonly reference: string | undefined
  readonly guests: readonly Guest[] | undefined
  readonly contact: Contact | undefined
  /** What of the contact flags, file and settings say, be it all or not. */
  readonly contactFields: Fields
  readonly payment: ReservationRequest['payment'] | undefined
  readonly maxPrice: string | undefined
  readonly key: string | undefined
}

/** Stands in for what is still to be asked, so that one set of checks reads the rest. */
const STAND_IN = {
  contact: {
    ...{name: 'A', surname: 'A', email: 'a@example.com'},
    ...{phone_country_code: '+90', phone_number: '5321234567'},
  },
  guest: {name: 'A', surname: 'A'},
  offer: `${OFFER_ID_PREFIX}1`,
}

/** Undefined when nothing is missing. `today`: YYYY-MM-DD. Throws usage for what is given and wrong. */
export async function readBegun(
  offerArgument: string | undefined,
  flags: PlanFlags,
  today: string,
): Promise<Begun | undefined> {
  const input = await readInput(flags.input)
  const offerId = offerOf(offerArgument, input)
  const given = mergeContact(input.contact, flags.contact, flags.preferred?.contact)
  const contactFields = isFields(given) ? given : {}
  const isWhole = Object.keys(TEMPLATE.contact).every(name => contactFields[name] !== undefined)
  const has = {
    guests: flags.guest !== undefined || input.guests !== undefined,
    contact: isWhole,
    payment: flags.pay !== undefined || input.payment !== undefined,
    nationality: flags.nationality !== undefined || input.client_nationality !== undefined,
    reference: flags['client-reference'] !== undefined || input.client_reference_id !== undefined,
  }
  if (offerId !== undefined && has.guests && has.contact && has.payment) return undefined
  const filled: Fields = {
    guests: [STAND_IN.guest],
    payment: {mode: 'account'},
    ...input,
    // What is no contact at all is refused by the same checks.
    ...(given === undefined || isFields(given) ? {contact: {...STAND_IN.contact, ...contactFields}} : {}),
  }
  const known = {nationality: 'TR', client: '', today}
  const checked = await readReservation(offerId ?? STAND_IN.offer, filled, flags, known)
  return {
    offerId,
    nationality: has.nationality ? checked.client_nationality : undefined,
    reference: has.reference ? checked.client_reference_id : undefined,
    guests: has.guests ? withoutStandIn(checked.guests, flags) : undefined,
    contact: has.contact ? checked.contact : undefined,
    contactFields,
    payment: has.payment ? checked.payment : undefined,
    maxPrice: flags['max-price'],
    key: flags['idempotency-key'],
  }
}

/** Guests of flags have the nationality of the client, which may be asked yet, unless it was typed. */
function withoutStandIn(guests: readonly Guest[], flags: PlanFlags): readonly Guest[] {
  const {guest: typed} = flags
  return guests.map((guest, index) => {
    if (typed === undefined || typed[index]?.nationality !== undefined) return guest
    const {nationality: _, ...rest} = guest
    return rest
  })
}
