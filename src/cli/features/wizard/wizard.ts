/** The booking wizard: `reserve` at a terminal with something missing. Nothing is sent before its summary. */

import {today} from '../../input/dates.js'
import {jsonResult} from '../../terminal/result.js'
import type {ReserveFlow} from '../reserve/flow.js'
import {describeRequest, refuseWithoutJournal, type Typed} from '../reserve/plan.js'
import {accompany} from './after-booking.js'
import {tellerOf} from './ask-search.js'
import {book} from './book.js'
import {type Booked, type Draft, readDraft, SearchAgain, type WizardParts} from './draft.js'
import {chooseSeen, findOffer} from './find-offer.js'

/** Throws `interrupted`, usage when the person stops, and what no answer can mend. */
export async function runWizard(parts: WizardParts, draft: Draft): Promise<Booked> {
  const {state, target} = parts.connection
  const {offerId, reference} = draft
  if (!state.remembers)
    refuseWithoutJournal(parts.flags['idempotency-key'] !== undefined && reference !== undefined)
  if (offerId !== undefined)
    chooseSeen(draft, offerId, state.remembers ? await state.offers.find(target, offerId) : undefined)
  for (;;) {
    try {
      await findOffer(parts, draft)
      return await book(parts, draft)
    } catch (error) {
      if (!(error instanceof SearchAgain)) throw error
      parts.tell(`\n${error.message}`)
      draft.chosen = undefined
    }
  }
}

/** Runs the wizard when something is missing, and what follows any reservation. Returns whether it did. Throws Failure. */
export async function leadReservation(flow: ReserveFlow, typed: Typed): Promise<boolean> {
  const {command, flags} = flow
  const draft = readDraft(typed, flags)
  if (!draft) return false
  const connection = await command.connect()
  const parts = {connection, prompts: await command.prompts(), tell: tellerOf(command)}
  const {plan, booking} = await runWizard(
    {
      ...parts,
      flags,
      today: today(),
      send: chosen => flow.send(connection, chosen),
      refused: () => flow.refused(),
    },
    draft,
  )
  if (booking)
    await flow.show(booking, true, learn => accompany({...parts, learn, flow}, booking, flags.wait))
  else await command.print(jsonResult(describeRequest(plan.intent, connection.target)))
  return true
}
