/**
 * The booking wizard: `reserve` at a terminal with something missing. Search, choose, guests, contact, payment, a summary
 * and one confirmation; nothing is sent to reserve before it. What was typed outlives an offer that expires or is gone.
 */
import {cityText} from '../catalogue/city-names.js'
import {refuseWithoutJournal, stoppedBeforeSending} from '../reserve/reserve.js'
import type {Begun} from './begun.js'
import {book} from './book.js'
import {type Booked, type Draft, draftOf, SearchAgain, type WizardParts} from './draft.js'
import {chooseSeen, findOffer} from './find-offer.js'

/**
 * Leads a person from what is given to a reservation. Throws Failure: `interrupted` with nothing booked, usage when the
 * person stops, and whatever the sending throws that no other answer can mend.
 */
export async function runWizard(parts: WizardParts, begun: Begun): Promise<Booked> {
  const {state, target} = parts.connection
  if (!state.writable) refuseWithoutJournal(begun.key !== undefined && begun.reference !== undefined)
  const draft = draftOf(begun)
  if (begun.offerId !== undefined) {
    const client = {baseUrl: target.baseUrl, clientId: target.clientId}
    const seen = state.writable ? state.offers.find(client, begun.offerId) : undefined
    const city = seen?.details?.city ?? undefined
    chooseSeen(draft, begun.offerId, seen, city === undefined ? undefined : cityText(city, parts.connection))
  }
  for (;;) {
    try {
      return await lead(parts, draft)
    } catch (error) {
      if (!(error instanceof SearchAgain)) throw stoppedBeforeSending(error, draft.refusedCount)
      parts.tell(`\n${error.message}`)
      draft.chosen = undefined
    }
  }
}

async function lead(parts: WizardParts, draft: Draft): Promise<Booked> {
  await findOffer(parts, draft)
  return book(parts, draft)
}
