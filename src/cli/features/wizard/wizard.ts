/**
 * The booking wizard: `reserve` at a terminal with something missing. Search, choose, guests, contact, payment, a summary
 * and one confirmation; nothing is sent to reserve before it. What was typed outlives an offer that expires or is gone.
 */
import {systemClock} from '../../session/clock.js'
import {jsonResult} from '../../terminal/result.js'
import {cityText} from '../catalogue/city-names.js'
import type {ReserveFlow} from '../reserve/flow.js'
import {describeRequest, refuseWithoutJournal, stoppedBeforeSending, today} from '../reserve/plan.js'
import {accompany} from './after-booking.js'
import {book} from './book.js'
import {
  type Begun,
  type Booked,
  type Draft,
  draftOf,
  readBegun,
  SearchAgain,
  type WizardParts,
} from './draft.js'
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
    const seen = state.writable ? state.offers.find(target, begun.offerId) : undefined
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

/** Runs the wizard when something is missing, and what follows any reservation. Returns whether it did. Throws Failure. */
export async function leadReservation(flow: ReserveFlow, offerId: string | undefined): Promise<boolean> {
  const {shell, flags} = flow
  const begun = await readBegun(offerId, flags, today())
  if (!begun) return false
  const connection = await shell.connect()
  const tell = (text: string) => {
    for (const line of text.split('\n')) shell.warn(line)
  }
  const parts = {connection, prompts: await shell.prompts(), tell}
  const {plan, made} = await runWizard(
    {
      ...parts,
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
      send: chosen => flow.send(connection, chosen),
      refused: words => flow.refused(words),
    },
    begun,
  )
  if (made) await flow.show(made, true, learn => accompany({...parts, learn}, made, flags.wait))
  else await shell.print(jsonResult(describeRequest(plan.intent, connection.target)))
  return true
}
