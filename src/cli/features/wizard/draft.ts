/** What the wizard works with, and the answers so far, which outlive an offer: when that expires, nothing is typed again. */
import type {FoundOffer} from '../../../api/operations/hotels.js'
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import type {PaymentMode} from '../../../contract/common.js'
import {OFFER_ID_PREFIX} from '../../../contract/identifiers.js'
import type {Contact, Guest, ReservationRequest} from '../../../contract/reservations.js'
import {type Fields, isFields} from '../../input/guests.js'
import type {Connection} from '../../session/connect.js'
import type {Preferences} from '../../session/settings.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import type {Answers} from '../../terminal/prompts/way-back.js'
import type {SearchFlags} from '../catalogue/hotel-search.js'
import type {Plan, PlanFlags} from '../reserve/plan.js'
import {mergeContact, offerOf, readInput, readReservation, TEMPLATE} from '../reserve/reservation.js'
import type {GuestForm, Place} from './ask-guests.js'
import type {Reader, ShownOffer} from './offer-lines.js'
import type {Stay} from './summary.js'

export interface WizardParts {
  readonly prompts: Prompts
  readonly connection: Connection
  /** Says something between two questions. */
  readonly tell: (text: string) => void
  readonly reader: () => Reader
  /** The calendar day here, YYYY-MM-DD. */
  readonly today: string
  /** What the settings give, to be offered where it is asked for. */
  readonly preferred?: Preferences | undefined
  readonly maxPrice: string | undefined
  readonly key: string | undefined
  /** Whether the person agreed beforehand (--yes). */
  readonly agreed: boolean
  /** Whether to stop before sending (--dry-run). */
  readonly dryRun: boolean
  /** Sends the reservation of `plan`. Throws Failure. */
  readonly send: (plan: Plan) => Promise<ReserveOutcome>
  /** Told, after each refusal, what is true of the reservation when the wizard is stopped from then on. */
  readonly refused?: (words: string) => void
}

export interface Booked {
  readonly plan: Plan
  /** Undefined after a dry run. */
  readonly made: ReserveOutcome | undefined
}

/** The offer to be reserved. */
export interface Chosen {
  readonly offerId: string
  /** Undefined, with `stay` and the expiry, when the offer was not searched on this machine. */
  readonly shown: ShownOffer | undefined
  readonly stay: Stay | undefined
  /** Unix seconds on this machine's clock. */
  readonly expiresAt: number | undefined
}

/** How the list stands: kept while the person moves in and out of it. */
export interface OfferView {
  sort: 'price' | 'stars' | 'name'
  refundable: boolean
}

export interface Draft {
  search: SearchFlags
  view: OfferView
  nationality: string | undefined
  chosen: Chosen | undefined
  /** The offer chosen before the offers were searched again. */
  lost: FoundOffer | undefined
  /** Whether flags or file named the guests: then they stay, whatever rooms are searched. */
  readonly guestsGiven: boolean
  places: readonly Place[] | undefined
  forms: GuestForm[]
  guests: readonly Guest[] | undefined
  contact: Contact | undefined
  /** What of the contact flags, file and settings say. */
  readonly contactFields: Fields
  payment: PaymentMode | undefined
  /** Empty: one is made from the request. */
  reference: string | undefined
  /** What of the people is kept afterwards. */
  keep: 'nothing' | 'without identity' | 'everything' | undefined
  /** How many reservations were sent and refused. */
  refusedCount: number
  /** The latest answers, offered again where the same is asked. */
  readonly answers: Answers
}

/** Puts `draft` back to what it is now, as often as it is called. */
export function snapshot(draft: Draft): () => void {
  const {answers: _, refusedCount: __, ...now} = draft
  const kept = structuredClone(now)
  return () => void Object.assign(draft, structuredClone(kept))
}

export function draftOf(begun: Begun): Draft {
  const {guests, contact, contactFields, payment, reference, nationality} = begun
  return {
    search: nationality === undefined ? {} : {nationality},
    view: {sort: 'price', refundable: false},
    nationality,
    chosen: undefined,
    lost: undefined,
    guestsGiven: guests !== undefined,
    places: guests?.map(placeOf),
    forms: guests?.map(formOf) ?? [],
    guests,
    contact,
    contactFields,
    payment: payment?.mode,
    reference,
    keep: undefined,
    refusedCount: 0,
    answers: new Map(),
  }
}

function placeOf({name, surname, type, is_lead}: Guest): Place {
  return {label: `${name} ${surname}`, type, age: undefined, isLead: is_lead}
}

/** A form in which nothing is left to ask: what flags leave out is left out. */
function formOf({name, surname, birth_date = '', gender = '', nationality = '', identity}: Guest): GuestForm {
  return {name, surname, birth_date, gender, nationality, identity: identity ?? null}
}

/** Questions whose last answer is not offered again once it was refused. */
export const PAYMENT = 'Payment'
export const REFERENCE = 'Your own booking reference'

export const BACK_TO_OFFERS = 'Back to the offers; your answers about guests and contact are kept.'

/** The offer is gone or unwanted: back to the search, which keeps its criteria. The message is told. */
export class SearchAgain extends Error {}

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
