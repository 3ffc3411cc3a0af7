/** What the wizard works with: the answers so far, which outlive an offer; rounds of questions; the time left on an offer. */
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
  /** Undefined when the offer was not searched on this machine. */
  readonly seen: OfferFound | undefined
}

/** A place in a room, as it was searched. */
export interface Place {
  /** `Room 2, child 1 (aged 7)`. */
  readonly label: string
  /** `ADULT`, `CHILD`, or another word of the service. */
  readonly type: string
  readonly age: number | undefined
  readonly isLead: boolean
}

/** The answers about a guest so far. */
export type GuestForm = Partial<Omit<KeptGuest, 'identity'>> & {
  /** Null: none is given. */
  identity?: Guest['identity'] | null
}

/** Everything that is not given is still to be asked. */
export class Draft {
  readonly offerId: string | undefined
  search: SearchFlags
  /** The state of the list, kept while the person moves in and out of it. */
  view = {sort: 'price' as 'price' | 'stars' | 'name', refundable: false}
  nationality: string | undefined
  chosen: Chosen | undefined
  /** The offer chosen before the offers were searched again. */
  lost: OfferFound | undefined
  /** Whether flags or file named the guests, who then stay, whatever rooms are searched. */
  readonly guestsGiven: boolean
  places: readonly Place[] | undefined
  forms: GuestForm[]
  guests: readonly Guest[] | undefined
  contact: Contact | undefined
  /** The fields of the contact that flags, file and settings give, complete or not. */
  readonly contactFields: Fields = {}
  payment: PaymentMode | undefined
  /** Empty: derived from the request. */
  reference: string | undefined
  /** Whether the answers lead nowhere any more: they were sent, or the wizard has ended. */
  isOver = false
  keep: 'nothing' | 'without identity' | 'everything' | undefined
  /** The latest answers, offered again where the same question is asked. */
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
 * What is left to ask of a guest: nothing where name and identity are whole, since what flags leave out stays out; else all
 * that was not given.
 */
function formOf({type: _, is_lead: __, identity, ...given}: Partial<Guest>): GuestForm {
  const isWhole = given.name && given.surname && (!identity || (identity.type && identity.number))
  if (isWhole) return {birth_date: '', gender: '', nationality: '', ...given, identity: identity ?? null}
  return identity?.type && identity.number ? {...given, identity} : given
}

/** Puts `draft` back to what it is now, as often as it is called. */
function snapshot(draft: Draft): () => void {
  const {answers: _, ...now} = draft
  const kept = structuredClone(now)
  return () => void Object.assign(draft, structuredClone(kept))
}

interface Rounds<T> {
  /** What Escape does at the first question of the first round; undefined: nothing. */
  readonly leave: (() => void) | undefined
  readonly clock?: QuestionContext | undefined
  /** Undefined: something has to be changed first. `changeNow` lets the person change it, or go back into this round. */
  readonly round: (desk: WizardDesk, changeNow: () => Promise<undefined>) => Promise<T | undefined>
  readonly change: (desk: WizardDesk) => Promise<void>
}

/** Asks in rounds until one has a result, with a change between two; Escape at the first question undoes the change. */
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

/** The offer is gone or unwanted: back to the search, which keeps its criteria. The message is printed. */
export class SearchAgain extends Error {}

/** The time left, shown with questions; at `expiresAt` (Unix seconds) the signal throws SearchAgain. `now`: this machine's clock. */
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

/** `14:05`, minutes and seconds; never less than `0:00`. */
export function minutesLeft(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** The draft of what was typed, in which something is lacking. Throws a usage error for invalid values. */
export function readDraft(typed: Typed): Draft {
  if (typed.errors.length > 0) throw combined(typed.errors)
  const {offerId, request} = typed
  const {client_nationality: nationality, client_reference_id: reference, guests, contact, payment} = request
  const contactFields = (typed.contact ?? {}) as Fields
  const given = {offerId, contactFields, nationality, reference, guests, contact, payment: payment?.mode}
  // Nothing in them is wrong, so they are guests with something missing.
  const partial = typed.guests as readonly Fields[] | undefined
  return new Draft(given, guests ?? (partial && completeGuests(partial)))
}
