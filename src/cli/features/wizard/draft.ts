/** What the wizard has been told so far. It outlives an offer: when that expires, nothing has to be typed again. */
import type {FoundOffer} from '../../../api/operations/hotels.js'
import type {PaymentMode} from '../../../contract/common.js'
import type {Contact, Guest} from '../../../contract/reservations.js'
import type {Fields} from '../../input/guests.js'
import type {Said} from '../../terminal/prompts/way-back.js'
import type {SearchFlags} from '../catalogue/search-input.js'
import type {GuestForm, Place} from './ask-guest.js'
import type {Begun} from './begun.js'
import type {OfferView} from './choose-offer.js'
import type {ShownOffer} from './offer-lines.js'
import type {Stay} from './summary.js'

/** The offer to be reserved. */
export interface Chosen {
  readonly offerId: string
  /** Undefined, with `stay` and the expiry, when the offer was not searched on this machine. */
  readonly shown: ShownOffer | undefined
  readonly stay: Stay | undefined
  /** Unix seconds on this machine's clock. */
  readonly expiresAt: number | undefined
}

export interface Draft {
  search: SearchFlags
  view: OfferView
  nationality: string | undefined
  chosen: Chosen | undefined
  /** The offer chosen before the offers were searched anew. */
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
  readonly said: Said
}

/** Puts `draft` back to what it is now, as often as it is called. */
export function snapshot(draft: Draft): () => void {
  const {said: _, refusedCount: __, ...now} = draft
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
    said: new Map(),
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

export const BACK_TO_OFFERS = 'Back to the offers; guests and contact are kept.'

/** The offer is gone or unwanted: back to the search, which keeps its criteria. The message is told. */
export class SearchAgain extends Error {}
