/** The booking wizard: `reserve` at a terminal with something missing. Nothing is sent before its summary. */
import {resumeCommand} from '../../../api/reserve/failures.js'
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {StorageError} from '../../../storage/errors.js'
import {today} from '../../input/dates.js'
import {DEFAULT_WAIT_SECONDS} from '../../input/flags.js'
import {interruption} from '../../terminal/prompts/prompts.js'
import {jsonResult} from '../../terminal/result.js'
import {say} from '../../terminal/talk.js'
import {
  type Awaited,
  awaited,
  paymentNote,
  paymentStateOf,
  type WaitHooks,
  waitUntilConfirmed,
} from '../reserve/booking.js'
import type {ReserveFlow} from '../reserve/pipeline.js'
import {describeRequest, refuseWithoutJournal, type Typed} from '../reserve/plan.js'
import {planVoucher, saveVoucher} from '../reserve/voucher.js'
import {tellLines} from './ask-search.js'
import {book} from './book.js'
import {type Booked, type Draft, minutesLeft, readDraft, SearchAgain, type WizardParts} from './draft.js'
import {chooseSeen, findOffer} from './find-offer.js'
import {resumingLines} from './resuming.js'

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
      draft.isOver = false
      draft.chosen = undefined
    }
  }
}

/** Runs the wizard when something is missing, and what follows any reservation. Returns whether it did. Throws Failure. */
export async function leadReservation(flow: ReserveFlow, typed: Typed): Promise<boolean> {
  const {command, flags} = flow
  const draft = readDraft(typed, flags)
  if (!draft) return false
  if (typed.offerId === undefined && draft.reference === undefined) flow.startsAnew()
  const connection = await command.connect()
  const parts = {connection, prompts: await command.prompts(), tell: tellLines, flags, flow, today: today()}
  command.whenStopped(() => {
    const lines = draft.isOver ? [] : resumingLines(draft, flags)
    if (lines.length > 0) say(['', ...lines])
  })
  const {plan, booking} = await runWizard(parts, draft)
  draft.isOver = true
  const {wait: seconds = DEFAULT_WAIT_SECONDS} = flags
  if (booking) await flow.show(booking, true, learn => accompany({...parts, learn}, booking, seconds))
  else await command.print(jsonResult(describeRequest(plan.intent, connection.target)))
  return true
}

/** A voucher is produced some moments after the confirmation (§3). */
const VOUCHER_SECONDS = 30

/** `learn` takes each newer state, `flow` the path of the voucher. */
type Accompanying = Pick<WizardParts, 'prompts' | 'connection' | 'tell'> &
  Partial<Pick<WizardParts, 'flags'>> &
  Pick<WaitHooks, 'learn'> & {readonly flow: Pick<ReserveFlow, 'voucher'>}

/** Waits where waiting can help, as long as the person likes, and offers the voucher. Returns the newest outcome. */
export async function accompany(parts: Accompanying, booking: ReserveOutcome, seconds: number) {
  const awaiting = awaited(booking)
  const newest = awaiting === 'nothing' ? booking : await awaitEnd(parts, booking, awaiting, seconds)
  const {outcome, reservation_ref: reference} = newest
  const note = paymentNote(newest, parts.connection.clock.now())
  const state = [sanitizeLine(outcome, 40), note].filter(Boolean).join('; ')
  parts.tell(`\nReservation ${sanitizeLine(reference ?? 'without a reference', 64)}: ${state}.`)
  if (outcome === 'confirmed' && reference !== null) await offerVoucher(parts, reference)
  return newest
}

/** A question that the confirmation answers; Enter stops waiting. Ctrl-C throws Failure with how to continue. */
async function awaitEnd(
  {prompts, connection, tell, learn, flags}: Accompanying,
  booking: ReserveOutcome,
  awaiting: Exclude<Awaited, 'nothing'>,
  seconds: number,
): Promise<ReserveOutcome> {
  const {clock} = connection
  const start = clock.now()
  const reference = sanitizeLine(booking.reservation_ref ?? 'the reservation', 64)
  let newest = booking
  const hooks = {
    warn: tell,
    learn: (outcome: ReserveOutcome) => {
      newest = outcome
      learn(outcome)
    },
  }
  // Aborted with the newest outcome, or with what ended the wait.
  const ended = new AbortController()
  const again = resumeCommand(booking.client_reference_id)
  const resumeHint = [again, '--wait', ...(flags?.service ?? [])].join(' ')
  waitUntilConfirmed(connection, booking, seconds, hooks).then(
    outcome => ended.abort(outcome),
    error => ended.abort(error),
  )
  try {
    await prompts.text({
      message: `Waiting for the ${awaiting}; press Enter to stop waiting`,
      status: () => {
        const payment = paymentStateOf(newest)
        const state = `${sanitizeLine(newest.outcome, 40)}${payment ? `, payment ${payment.kind}` : ''}`
        return `Waiting for ${minutesLeft(clock.now() - start)}; ${reference} is ${state}`
      },
      signal: ended.signal,
    })
  } catch (error) {
    if (error === newest) return newest
    if (!(error instanceof Failure) || error.kind !== 'interrupted') throw error
    throw interruption(`stopped waiting for the ${awaiting}`, `continue: ${resumeHint}`)
  }
  tell(`Stopped waiting. To continue: ${resumeHint}`)
  return newest
}

/** The voucher is an extra: a failed download is reported, and the reservation stays the result. */
async function offerVoucher({prompts, connection, tell, flow, flags}: Accompanying, reference: string) {
  const words = ['bookctl voucher download', sanitizeLine(reference, 64), ...(flags?.service ?? [])]
  const later = words.join(' ')
  try {
    if (!(await prompts.confirm({message: 'Download the voucher (PDF)?', default: true}))) return
    const path = planVoucher(reference, {}) ?? ''
    const saved = await saveVoucher(connection, reference, {wait: VOUCHER_SECONDS}, path)
    flow.voucher = saved.path
    tell(`Voucher: ${sanitizeLine(saved.path, 200)} (${saved.bytes} bytes)`)
  } catch (error) {
    if (error instanceof Failure && error.kind === 'interrupted')
      throw interruption('stopped before the voucher was downloaded', later)
    if (!(error instanceof StorageError || error instanceof Failure)) throw error
    tell(`Could not download the voucher: ${sanitizeLine(error.message, 300)}`)
    tell(`Later: ${later}`)
  }
}
