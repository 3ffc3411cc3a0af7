/** Sending a planned reservation or repeating an earlier one, and what is true when a signal stops it half-way. */
import {setTimeout as sleep} from 'node:timers/promises'
import {conflictFailure, neverSent, repeatHint, resumeCommand} from '../../../api/reserve/failures.js'
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import type {ReserveParts, Stage} from '../../../api/reserve/reserve.js'
import {type Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {isNeverSent} from '../../../contract/journal.js'
import type {State} from '../../../state/state.js'
import type {Connection} from '../../session/connect.js'
import {journalClientOf, type Target} from '../../session/target.js'
import type {StopNote} from '../../shell/running.js'
import {describeRequest, type Plan} from './plan.js'

type RunOptions = Omit<ReserveParts, 'api' | 'journal' | 'clock' | 'journalKept' | 'warn'> & {
  readonly warn: (text: string) => void
}

/**
 * Sends the reservation planned, or finds out how the one with that client reference ended; see api/reserve. Throws Failure.
 * Where nothing can be written, the journal is for this run alone.
 */
export async function makeReservation(
  {api, clock, target, state}: Connection,
  planned: Plan | string,
  options: RunOptions,
): Promise<ReserveOutcome> {
  const isResumed = typeof planned === 'string'
  if (isResumed) requireJournal(state)
  const [{reserve, resume}, {openMemoryJournal}] = await Promise.all([
    import('../../../api/reserve/reserve.js'),
    import('../../../state/state.js'),
  ])
  const {journal, close} = state.remembers ? {journal: state.journal, close() {}} : openMemoryJournal()
  const kept = {journal: journal.forClient(journalClientOf(target)), journalKept: state.remembers}
  const parts = {...options, api, clock, ...kept}
  const sending = isResumed ? resume(parts, planned) : reserve(parts, planned.intent)
  const outcome = await sending.finally(close)
  try {
    // Remembers that the offer is used.
    if (state.remembers && !isResumed)
      await state.offers.markUsed(target, planned.intent.offerId, outcome.client_reference_id)
  } catch (error) {
    // The reservation is made: that must reach the user, whatever the disk says.
    options.warn(`the offer could not be marked as used: ${(error as Error).message}`)
  }
  return outcome
}

/** The request that --resume would send again. Throws usage when it is unknown, or how it ended is known. */
export async function describeRepeat(state: State, reference: string, target: Target): Promise<object> {
  requireJournal(state)
  const {findEntry} = await import('../../../api/reserve/reserve.js')
  const entry = await findEntry(state.journal.forClient(journalClientOf(target)), reference)
  if (isNeverSent(entry)) throw neverSent(entry)
  const {body, idempotencyKey, outcome} = entry
  if (body === null) throw outcomeKnown(outcome)
  return describeRequest({body, idempotencyKey}, target)
}

/** Throws usage when the journal forbids sending it, or knows its outcome. */
export function requireSending({standing}: Plan): void {
  if (standing?.kind === 'conflict') throw conflictFailure(standing)
  if (standing?.kind === 'resolved') throw outcomeKnown(standing.entry.outcome)
}

function outcomeKnown(outcome: string): Failure {
  return usage(
    'outcome_known',
    `--dry-run: nothing would be sent, since the outcome is known: ${sanitizeLine(outcome, 40)}`,
    'leave --dry-run out to see it',
  )
}

/** Throws usage where no reservation can have been written down. */
function requireJournal(state: State): void {
  if (state.remembers) return
  throw usage(
    'journal_not_writable',
    '--resume: the configuration directory cannot be written, so no reservation was recorded there',
    'run the command that reserved again, with the same --idempotency-key and --client-reference',
  )
}

/** How to find out the outcome if it is stopped half-way. */
export function resumeHint({intent}: Plan, state: State): string {
  return state.remembers ? resumeCommand(intent.clientReferenceId) : repeatHint(intent)
}

/** An exchange that is ended is settled at once; another process's token may be waited for longer. */
const LONGEST_STOP_MILLISECONDS = 1000

/** Certain before a reservation is sent, and after `refused` ones. */
export function nothingSentNote(refused = 0): StopNote {
  const sent =
    refused === 1 ? 'the one request sent was refused' : `all ${refused} requests sent were refused`
  const none = 'nothing was sent to reserve, nothing was booked'
  return {state: refused === 0 ? none : `nothing was booked: ${sent}`, hint: 'to book, run the command again'}
}

const WAITING: StopNote = {
  state: 'nothing was sent by this command, but another one may be making the same reservation',
  hint: 'check its outcome: bookctl journal',
}

/** `nothingSent`: what is certain until something is; `hint`: the command that finds out the outcome. */
export function startRun(nothingSent: StopNote, hint: string) {
  const stopping = new AbortController()
  let stage: Stage = 'waiting'
  let booking: ReserveOutcome | undefined
  let ended: Promise<unknown> = Promise.resolve()
  let recorded: Promise<void> = Promise.resolve()
  return {
    signal: stopping.signal,
    onStage(next: Stage) {
      stage = next
    },
    onStopping(recording: Promise<void>) {
      recorded = recording
    },
    /** Returns what `sending` returns. */
    follow(sending: Promise<ReserveOutcome>) {
      const keep = (outcome: ReserveOutcome) => {
        booking = outcome
      }
      ended = sending.then(keep, () => {})
      return sending
    },
    /** Waits a moment for what was under way to be settled, and for what is recorded because of the stop. */
    async stop() {
      stopping.abort()
      const longest = sleep(LONGEST_STOP_MILLISECONDS, undefined, {ref: false})
      await Promise.race([stage === 'sent' ? ended : recorded, longest])
    },
    note(): StopNote {
      // Without its state, which may be another by now.
      if (booking) return {state: `the reservation ${nameOf(booking)} was made`, hint}
      if (stage === 'sent') return {hint}
      return stage === 'unsent' ? nothingSent : WAITING
    },
  }
}

export function nameOf({reservation_ref, client_reference_id}: ReserveOutcome): string {
  return sanitizeLine(reservation_ref ?? `with the client reference ${client_reference_id}`, 128)
}
