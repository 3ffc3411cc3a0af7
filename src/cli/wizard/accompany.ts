/** After the reservation is made: waiting for the payment with the time in sight, and the voucher. */
import type {ReserveOutcome} from '../../api/reserve.js'
import {resumeCommand} from '../../api/reserve-failures.js'
import {Failure} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {StorageError} from '../../storage/errors.js'
import type {Connection} from '../connect.js'
import {isFinal, waitUntilConfirmed} from '../payment.js'
import type {Prompts} from '../prompts/prompts.js'
import {planVoucher, saveVoucher} from '../voucher.js'
import {minutesLeft} from './clocks.js'
import {plainly} from './questions.js'

/** Ours: as long as a payment page usually lives. */
const WAIT_SECONDS = 900
/** Ours: a voucher is produced some moments after the confirmation (§3). */
const VOUCHER_SECONDS = 30

export interface Accompanying {
  readonly prompts: Prompts
  readonly connection: Connection
  readonly tell: (text: string) => void
}

/** Waits for the payment, as long as the person likes, and offers the voucher. Returns the newest outcome. */
export async function accompany(
  parts: Accompanying,
  made: ReserveOutcome,
  seconds = WAIT_SECONDS,
): Promise<ReserveOutcome> {
  const outcome = isFinal(made) ? made : await awaitPayment(parts, made, seconds)
  parts.tell(
    `\nReservation ${sanitizeLine(outcome.reservation_ref ?? 'without a name', 64)}: ${sanitizeLine(outcome.outcome, 40)}.`,
  )
  if (outcome.outcome === 'confirmed' && outcome.reservation_ref !== null) {
    await offerVoucher(parts, outcome.reservation_ref)
  }
  return outcome
}

/** What the waiting ends with when it is paid. */
class Paid {
  constructor(readonly outcome: ReserveOutcome) {}
}

/** A question that the payment answers; Enter stops waiting. Ctrl-C there throws Failure with the way on. */
async function awaitPayment(
  {prompts, connection, tell}: Accompanying,
  made: ReserveOutcome,
  seconds: number,
): Promise<ReserveOutcome> {
  const {clock} = connection
  const began = clock.now()
  const reference = sanitizeLine(made.reservation_ref ?? 'the reservation', 64)
  const ended = new AbortController()
  const wayOn = `${resumeCommand(made.client_reference_id)} --wait`
  waitUntilConfirmed(connection, made, seconds, tell).then(
    outcome => ended.abort(new Paid(outcome)),
    error => ended.abort(error),
  )
  try {
    await prompts.text({
      message: 'Waiting for the payment; Enter stops the waiting',
      status: () =>
        `Waiting for ${minutesLeft(clock.now() - began)}; ${reference} is reserved and not paid yet`,
      signal: ended.signal,
    })
  } catch (error) {
    if (error instanceof Paid) return error.outcome
    if (!(error instanceof Failure) || error.kind !== 'interrupted') throw error
    throw new Failure('interrupted', 'stopped waiting for the payment', {
      code: 'interrupted',
      hint: `go on with: ${wayOn}`,
    })
  }
  tell(`Not waiting any more. Go on with: ${wayOn}`)
  return made
}

/** The voucher is an extra: when it cannot be had, that is told, and the reservation stays the result. */
async function offerVoucher({prompts, connection, tell}: Accompanying, reference: string): Promise<void> {
  if (!(await prompts.confirm({message: 'Download the voucher (PDF)?', default: true}))) return
  const order = (file: string | undefined) => ({
    reservationRef: reference,
    file,
    force: false,
    waitSeconds: VOUCHER_SECONDS,
  })
  try {
    const path = await freePath(prompts, file => planVoucher(order(file), true).path ?? '')
    const saved = await saveVoucher(connection, order(path), path)
    tell(`Voucher: ${sanitizeLine(saved.path, 200)} (${saved.bytes} bytes)`)
  } catch (error) {
    const isTold = error instanceof StorageError || (error instanceof Failure && error.kind !== 'interrupted')
    if (!isTold) throw error
    tell(`The voucher could not be had: ${sanitizeLine(error.message, 300)}`)
    tell(`Later: bookctl voucher download ${sanitizeLine(reference, 64)}`)
  }
}

/** A path where no file is: the usual one, or one the person names. */
async function freePath(prompts: Prompts, plan: (file: string | undefined) => string): Promise<string> {
  try {
    return plan(undefined)
  } catch (error) {
    if (!(error instanceof Failure) || error.details.code !== 'file_exists') throw error
    const file = await prompts.text({
      message: `${error.message}; write the voucher to which file`,
      check: plainly(plan),
    })
    return plan(file)
  }
}
