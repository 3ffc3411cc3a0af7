/** From a chosen offer to a reservation: the questions still open, the summary, the one confirmation, the sending. */

import type {ReserveOutcome} from '../../../api/reserve/reserve.js'
import {Failure, usage} from '../../../contract/failure.js'
import {IDENTIFIERS, isIdentifier} from '../../../contract/identifiers.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import {unlessBack, withWayBack} from '../../terminal/prompts/way-back.js'
import {isSettled, modeWords, type Plan, planReservation, stoppedWords} from '../reserve/reserve.js'
import {askChange} from './ask-change.js'
import {askContactOrKept} from './ask-contact-kept.js'
import {askGuests, placesOf} from './ask-guests.js'
import {askPayment, type Balance, readBalance} from './ask-payment.js'
import {askRooms} from './ask-search.js'
import {
  BACK_TO_OFFERS,
  type Booked,
  type Chosen,
  type Draft,
  REFERENCE,
  SearchAgain,
  snapshot,
  type WizardParts,
} from './draft.js'
import {askKeep, keepPeople, peopleHere} from './keep-people.js'
import {leadOn} from './lead-on.js'
import {startClock} from './offer-clock.js'
import {knownTerms} from './offer-lines.js'
import {askCountry, clocked} from './questions.js'
import {describeSummary} from './summary.js'

interface Booking extends WizardParts {
  /** Asked of the service once, however often the questions are gone through. */
  readonly readBalance: () => Promise<Balance>
}

/** Throws SearchAgain when the offer expires or is gone; Failure as the wizard does. */
export async function book(parts: WizardParts, draft: Draft): Promise<Booked> {
  const chosen = draft.chosen as Chosen
  const {now} = parts.connection.clock
  const clock = chosen.expiresAt === undefined ? undefined : startClock(chosen.expiresAt, now, 'This offer')
  const prompts = clocked(parts.prompts, clock)
  try {
    let undoChange: (() => void) | undefined
    for (;;) {
      let balance: Promise<Balance> | undefined
      const readOnce = () => {
        balance ??= readBalance(parts.connection.api)
        return balance
      }
      const lead = (asked: Prompts) =>
        prepare({...parts, prompts: asked, readBalance: readOnce}, draft, chosen)
      // An offer that was not chosen from a list has no question before it.
      const leaves = undoChange !== undefined || draft.lost !== undefined
      const asking = withWayBack(prompts, lead, {said: draft.said, leaves, restore: snapshot(draft)})
      const prepared = await unlessBack(asking, () => undefined)
      if (prepared === undefined && undoChange === undefined) throw new SearchAgain(BACK_TO_OFFERS)
      if (prepared === undefined) undoChange?.()
      else if (parts.dryRun) return {plan: prepared.plan, made: undefined}
      else if (prepared.agreed) {
        const made = await send(parts, prepared.plan, draft)
        if (made) return {plan: prepared.plan, made}
      }
      undoChange = snapshot(draft)
      const change = withWayBack(prompts, asked => askChange(asked, draft), {leaves: true})
      await unlessBack(change, () => {})
    }
  } finally {
    clock?.stop()
  }
}

/** Asks for what is missing, shows the whole of it, and asks whether it is meant. */
async function prepare(parts: Booking, draft: Draft, chosen: Chosen) {
  await askMissing(parts, draft, chosen)
  const plan = await planOf(parts, draft, chosen)
  const {shown: offer, stay} = chosen
  parts.tell(describeSummary({...plan, offer, stay, target: parts.connection.target}, parts.reader()))
  return {plan, agreed: parts.dryRun || (await agrees(parts, plan))}
}

/** Asks for everything that is not known yet. */
async function askMissing(parts: Booking, draft: Draft, chosen: Chosen): Promise<void> {
  const {connection, today, prompts} = parts
  const people = peopleHere(connection)
  draft.nationality ??= await askCountry(
    prompts,
    'Nationality the offer was searched for',
    parts.preferred?.nationality,
  )
  if (!draft.guests) {
    draft.places ??= placesOf(await askRooms(prompts))
    const known = {checkIn: chosen.stay?.checkIn, today, nationality: draft.nationality}
    draft.guests = await askGuests(prompts, draft.places, draft.forms, known, people)
  }
  const lead = draft.guests.find(guest => guest.is_lead) ?? draft.guests[0]
  draft.contact ??= await askContactOrKept(prompts, lead, people, draft.contactFields)
  if (!draft.payment) {
    const cost = chosen.shown?.price ?? {total: null, currency: null}
    const balance = await parts.readBalance()
    draft.payment = await askPayment(prompts, {
      ...{cost, balance},
      modes: chosen.shown && knownTerms(chosen.shown).paymentModes,
    })
  }
  draft.reference ??= await askReference(prompts)
  draft.keep ??= people ? await askKeep(prompts, draft, people) : 'nothing'
}

function askReference(prompts: Prompts): Promise<string> {
  return prompts.text({
    message: REFERENCE,
    empty: 'one made for you',
    check: typed => {
      if (typed === '' || (isIdentifier('client_reference_id', typed) && typed !== '-')) return
      throw usage('invalid_input', `must be ${IDENTIFIERS.client_reference_id.expected}`)
    },
  })
}

/** The plan of the request, as `reserve` makes it of flags. Throws SearchAgain when the offer expired. */
async function planOf(parts: WizardParts, draft: Draft, {offerId}: Chosen): Promise<Plan> {
  const {maxPrice, key, connection} = parts
  const input = {
    client_nationality: draft.nationality,
    contact: draft.contact,
    guests: draft.guests?.map(guest => ({...guest, nationality: guest.nationality ?? draft.nationality})),
    payment: {mode: draft.payment},
    ...(draft.reference ? {client_reference_id: draft.reference} : {}),
  }
  try {
    return await planReservation({offerId, input, maxPrice, key}, {}, connection.target, connection.state)
  } catch (error) {
    if (!(error instanceof Failure) || error.details.code !== 'offer_expired') throw error
    throw new SearchAgain(`${error.message}: searching again for the same.`)
  }
}

/** The one confirmation. What is made already needs none: it is only shown again. */
async function agrees({agreed, connection, prompts}: WizardParts, plan: Plan): Promise<boolean> {
  if (agreed || isSettled(plan)) return true
  return prompts.confirm({message: `Reserve this now (${modeWords(connection.target)})?`})
}

/** Sends it; undefined when it was refused in a way that other answers may mend, which is told. */
async function send(parts: WizardParts, plan: Plan, draft: Draft): Promise<ReserveOutcome | undefined> {
  parts.tell('Reserving …')
  try {
    const made = await parts.send(plan)
    keepPeople(parts, draft)
    return made
  } catch (error) {
    // Whoever has to log in anew need not type the people again.
    if (error instanceof Failure && error.kind === 'not_allowed') keepPeople(parts, draft)
    if (error instanceof Failure && error.kind === 'refused' && error.details.status !== undefined) {
      draft.refusedCount++
      parts.refused?.(stoppedWords(draft.refusedCount))
    }
    parts.tell(leadOn(error, draft))
    return undefined
  }
}
