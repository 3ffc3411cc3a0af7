/** What the wizard works with, and the answers so far, which outlive an offer: when that expires, nothing is typed again. */
import type {FoundOffer} from '../../../api/operations/hotels.js'
import type {ReserveOutcome} from '../../../api/reserve/reserve.js'
import type {PaymentMode} from '../../../contract/common.js'
import type {Contact, Guest} from '../../../contract/reservations.js'
import type {Fields} from '../../input/guests.js'
import type {Connection} from '../../session/connect.js'
import type {Preferences} from '../../session/defaults.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import type {Said} from '../../terminal/prompts/way-back.js'
import type {SearchFlags} from '../catalogue/search-input.js'
import type {Plan} from '../reserve/reserve.js'
import type {GuestForm, Place} from './ask-guest.js'
import type {Begun} from './begun.js'
import type {OfferView} from './choose-offer.js'
import type {Reader} from './clocks.js'
import type {ShownOffer} from './offer-lines.js'
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
