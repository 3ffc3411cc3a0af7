/**
 * State of the wizard: the answers so far, which are kept if an offer is lost; rounds of questions; the time left for
 * an offer.
 */
import type {PaymentMode} from '../../../contract/hotels.js'
import type {Contact, Guest} from '../../../contract/reservations.js'
import type {OfferFound} from '../../../contract/seen-offers.js'
import type {KeptGuest} from '../../../state/people-store.js'
import {completeGuests, type Fields} from '../../input/guests.js'
import {combined} from '../../input/usage-errors.js'
import type {Connection} from '../../session/connect.js'
import type {Prompts, QuestionContext} from '../../terminal/prompts/prompts.js'
import {type Answers, unlessBack, withWayBack} from '../../terminal/prompts/way-back.js'
import type {SearchFlags} from '../catalogue/hotels.js'
import type {ReserveFlags} from '../reserve/flags.js'
import type {ReservePipeline} from '../reserve/pipeline.js'
import type {Typed} from '../reserve/request.js'

export interface WizardDesk {
  readonly prompts: Prompts
  readonly connection: Connection
  readonly flags: ReserveFlags
  readonly tell: (text: string) => void
  readonly today: string
  readonly pipeline: Pick<ReservePipeline, 'book' | 'stop'>
}

export interface Chosen {
  readonly offerId: string
  /** Undefined if the offer was not found by a search on this machine. */
  readonly seen: OfferFound | undefined
}

/** A place in a searched room, for one guest. */
export interface Place {
  /** For example `Room 2, child 1 (aged 7)`. */
  readonly label: string
  /** `ADULT`, `CHILD`, or another word of the service. */
  readonly type: string
  readonly age: number | undefined
  readonly isLead: boolean
}

/** The answers about a guest so far. */
export type GuestForm = Partial<Omit<KeptGuest, 'identity'>> & {
  /** Null if the guest has no identity document. */
  identity?: Guest['identity'] | null
}

/** The answers of the wizard. Undefined values are still to be asked. */
export class Draft {
  readonly offerId: string | undefined
  search: SearchFlags
  /** Order and filter of the offer list, kept while the user leaves the list and returns. */
  view = {sort: 'price' as 'price' | 'stars' | 'name', refundable: false}
  nationality: string | undefined
  chosen: Chosen | undefined
  /** The offer that was chosen before a new search. */
  lost: OfferFound | undefined
  /** Whether flags or the file of --input name the guests. If so, a search for other rooms does not change them. */
  readonly guestsGiven: boolean
  places: readonly Place[] | undefined
  forms: GuestForm[]
  guests: readonly Guest[] | undefined
  contact: Contact | undefined
  /** The contact fields from flags, file and settings, even if incomplete. */
  readonly contactFields: Fields = {}
  payment: PaymentMode | undefined
  /** The client reference. If empty, it is derived from the request. */
  reference: string | undefined
  /** Whether the answers are no longer needed, because they were sent or the wizard has ended. */
  isOver = false
  keep: 'nothing' | 'without identity' | 'everything' | undefined
  /** The latest answers, offered as defaults if the same question is asked again. */
  readonly answers: Answers = new Map()

  constructor(given: Partial<Draft> = {}, guests: readonly Partial<Guest>[] | undefined = given.guests) {
    const {nationality} = given
    this.search = nationality === undefined ? {} : {nationality}
    this.guestsGiven = guests !== undefined
    this.places = guests?.map(({name, surname, type = 'ADULT', is_lead: isLead = false}, index) => {
      const label = [name, surname].filter(Boolean).join(' ') || `Guest ${index + 1}`
      return {label, type, age: undefined, isLead}
    })
    this.forms = guests?.map(formOf) ?? []
    Object.assign(this, given)
  }
}

/**
 * Returns the known answers about a guest. If name and identity are complete, missing fields count as answered, because
 * the user left them out on purpose.
 */
function formOf({type: _, is_lead: __, identity, ...given}: Partial<Guest>): GuestForm {
  const isWhole = given.name && given.surname && (!identity || (identity.type && identity.number))
  if (isWhole) return {birth_date: '', gender: '', nationality: '', ...given, identity: identity ?? null}
  return identity?.type && identity.number ? {...given, identity} : given
}

/** Returns a function that restores `draft` to its present state, as often as it is called. */
function snapshot(draft: Draft): () => void {
  const {answers: _, ...now} = draft
  const kept = structuredClone(now)
  return () => void Object.assign(draft, structuredClone(kept))
}

interface Rounds<T> {
  /** Is called for Escape at the first question of the first round. If undefined, Escape does nothing there. */
  readonly leave: (() => void) | undefined
  readonly clock?: QuestionContext | undefined
  /**
   * Asks a round of questions. Returns undefined if something must be changed first. `changeNow` asks for that change
   * within this round, so that the user can go back.
   */
  readonly round: (desk: WizardDesk, changeNow: () => Promise<undefined>) => Promise<T | undefined>
  readonly change: (desk: WizardDesk) => Promise<void>
}

/**
 * Asks in rounds until a round has a result, with a change between two rounds. Escape at the first question of a round
 * undoes the change before it.
 */
export async function inRounds<T>(desk: WizardDesk, draft: Draft, rounds: Rounds<T>): Promise<T> {
  const {leave, clock: context, round, change} = rounds
  let goBack = leave
  for (;;) {
    let undo: (() => void) | undefined
    const lead = (prompts: Prompts) => {
      const asked = {...desk, prompts}
      undo = undefined
      return round(asked, async () => {
        undo = snapshot(draft)
        await change(asked)
        return undefined
      })
    }
    const options = {answers: draft.answers, leaves: goBack !== undefined, restore: snapshot(draft), context}
    const result = await unlessBack(withWayBack(desk.prompts, lead, options), () => void goBack?.())
    if (result !== undefined) return result
    goBack = undo ?? snapshot(draft)
    const changing = (prompts: Prompts) => change({...desk, prompts})
    if (!undo) await unlessBack(withWayBack(desk.prompts, changing, {leaves: true, context}), () => {})
  }
}

/**
 * Is thrown to go back to the search, with its criteria kept, because the offer is gone or unwanted. The message is
 * printed.
 */
export class SearchAgain extends Error {}

/**
 * Starts the countdown of an offer, which is shown with each question. At `expiresAt` (Unix seconds), the signal is
 * aborted with SearchAgain. `now` returns the time of this machine.
 */
export function startClock(expiresAt: number, now: () => number, what: string) {
  const controller = new AbortController()
  const expire = () => controller.abort(new SearchAgain(`${what} expired: searching again.`))
  const timer = setTimeout(expire, Math.max(0, (expiresAt - now()) * 1000)).unref()
  return {
    status: () => `${what}: ${minutesLeft(expiresAt - now())} left`,
    signal: controller.signal,
    stop: () => clearTimeout(timer),
  }
}

/** Formats seconds as minutes and seconds, `14:05`; at least `0:00`. */
export function minutesLeft(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** Returns a draft with the typed values, some of which may be missing. Throws a usage error if a value is invalid. */
export function readDraft(typed: Typed): Draft {
  if (typed.errors.length > 0) throw combined(typed.errors)
  const {offerId, request} = typed
  const {client_nationality: nationality, client_reference_id: reference, guests, contact, payment} = request
  const contactFields = (typed.contact ?? {}) as Fields
  const given = {offerId, contactFields, nationality, reference, guests, contact, payment: payment?.mode}
  // There are no errors, so these are guests with missing fields.
  const partial = typed.guests as readonly Fields[] | undefined
  return new Draft(given, guests ?? (partial && completeGuests(partial)))
}
