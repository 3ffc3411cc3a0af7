/**
 * The booking wizard: `reserve` at a terminal with something missing. Search, choose, guests, contact, payment, a summary
 * and one confirmation; nothing is sent to reserve before it. What was typed outlives an offer that expires or is gone.
 */
import {systemClock} from '../../session/connect.js'
import {cityText} from '../catalogue/city-names.js'
import {type PlanFlags, refuseWithoutJournal, stoppedBeforeSending, today} from '../reserve/reserve.js'
import {book} from './book.js'
import {
  type Begun,
  type Booked,
  type Draft,
  draftOf,
  readBegun as read,
  SearchAgain,
  type WizardParts,
} from './draft.js'
import {chooseSeen, findOffer} from './find-offer.js'

export {accompany} from './after-booking.js'

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

/** What flags and input file say; undefined when nothing is missing. Throws usage. */
export function readBegun(offerId: string | undefined, flags: PlanFlags): Promise<Begun | undefined> {
  return read(offerId, flags, today())
}

type Choices = Pick<WizardParts, 'today' | 'reader' | 'preferred' | 'agreed' | 'dryRun' | 'maxPrice' | 'key'>

/** How the flags of `reserve`, and this machine, set the wizard up. */
export function choicesOf(flags: PlanFlags & {readonly yes: boolean; readonly 'dry-run': boolean}): Choices {
  return {
    today: today(),
    reader: () => ({
      now: systemClock.now(),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    }),
    agreed: flags.yes,
    dryRun: flags['dry-run'],
    maxPrice: flags['max-price'],
    key: flags['idempotency-key'],
    preferred: flags.preferred,
  }
}
