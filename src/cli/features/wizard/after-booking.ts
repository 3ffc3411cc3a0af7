/** After the reservation: waiting for payment or confirmation, and the voucher. */
import {resumeCommand} from '../../../api/reserve/failures.js'
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {StorageError} from '../../../storage/errors.js'
import {DEFAULT_WAIT_SECONDS} from '../../input/flags.js'
import {type WaitHooks, waitUntilConfirmed} from '../reserve/follow.js'
import {type Awaited, awaited, paymentNote, paymentStateOf} from '../reserve/payment.js'
import {planVoucher, saveVoucher} from '../reserve/voucher.js'
import type {WizardParts} from './draft.js'
import {minutesLeft} from './offer-clock.js'

/** A voucher is produced some moments after the confirmation (§3). */
const VOUCHER_SECONDS = 30

/** `learn` takes each newer state, `flow` the path of the voucher. */
type Accompanying = Pick<WizardParts, 'prompts' | 'connection' | 'tell'> &
  Pick<WaitHooks, 'learn'> & {readonly flow?: {voucher: string | undefined}}

/** Waits where waiting can help, as long as the person likes, and offers the voucher. Returns the newest outcome. */
export async function accompany(
  parts: Accompanying,
  booking: ReserveOutcome,
  seconds = DEFAULT_WAIT_SECONDS,
): Promise<ReserveOutcome> {
  const awaiting = awaited(booking)
  const outcome = awaiting === 'nothing' ? booking : await awaitEnd(parts, booking, awaiting, seconds)
  const note = paymentNote(outcome, parts.connection.clock.now())
  parts.tell(
    `\nReservation ${sanitizeLine(outcome.reservation_ref ?? 'without a reference', 64)}: ${sanitizeLine(outcome.outcome, 40)}${note === undefined ? '' : `; ${note}`}.`,
  )
  if (outcome.outcome === 'confirmed' && outcome.reservation_ref !== null) {
    await offerVoucher(parts, outcome.reservation_ref)
  }
  return outcome
}

/** A question that the confirmation answers; Enter stops waiting. Ctrl-C throws Failure with how to continue. */
async function awaitEnd(
  {prompts, connection, tell, learn}: Accompanying,
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
  let confirmed: ReserveOutcome | undefined
  const ended = new AbortController()
  const resumeHint = `${resumeCommand(booking.client_reference_id)} --wait`
  waitUntilConfirmed(connection, booking, seconds, hooks).then(
    outcome => {
      confirmed = outcome
      ended.abort()
    },
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
    if (confirmed) return confirmed
    if (!(error instanceof Failure) || error.kind !== 'interrupted') throw error
    throw new Failure('interrupted', `stopped waiting for the ${awaiting}`, {
      code: 'interrupted',
      hint: `continue: ${resumeHint}`,
    })
  }
  tell(`Stopped waiting. To continue: ${resumeHint}`)
  return newest
}

/** The voucher is an extra: a failed download is reported, and the reservation stays the result. */
async function offerVoucher({prompts, connection, tell, flow}: Accompanying, reference: string) {
  const later = `bookctl voucher download ${sanitizeLine(reference, 64)}`
  try {
    if (!(await prompts.confirm({message: 'Download the voucher (PDF)?', default: true}))) return
    const path = planVoucher(reference, {}) ?? ''
    const saved = await saveVoucher(connection, reference, {wait: VOUCHER_SECONDS}, path)
    if (flow) flow.voucher = saved.path
    tell(`Voucher: ${sanitizeLine(saved.path, 200)} (${saved.bytes} bytes)`)
  } catch (error) {
    if (error instanceof Failure && error.kind === 'interrupted') {
      throw new Failure('interrupted', 'stopped before the voucher was downloaded', {
        code: 'interrupted',
        hint: later,
      })
    }
    if (!(error instanceof StorageError || error instanceof Failure)) throw error
    tell(`Could not download the voucher: ${sanitizeLine(error.message, 300)}`)
    tell(`Later: ${later}`)
  }
}
