/** Making a planned reservation, or finding out how an earlier one ended. */
import {conflictFailure, neverSent, repeatHint, resumeCommand} from '../../../api/reserve/failures.js'
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import type {ReserveParts, Stage} from '../../../api/reserve/reserve.js'
import {type Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {isNeverSent} from '../../../contract/journal.js'
import type {State} from '../../../state/state.js'
import type {Connection} from '../../session/connect.js'
import type {Target} from '../../session/target.js'
import {describeRequest, type Plan} from './reserve.js'

export interface RunHooks {
  /** Takes what should be known although it was made. */
  readonly warn: (text: string) => void
  /** Once it is aborted nothing more is sent. */
  readonly signal?: AbortSignal
  readonly onStage?: (stage: Stage) => void
}

interface RunParts extends ReserveParts {
  /** Forgets a journal that was for this run alone. */
  close(): void
}

/** Parts of api/reserve.ts; where nothing can be written, with a journal for this run alone. */
async function partsOf(
  connection: Connection,
  timeoutSeconds: number | undefined,
  signal: AbortSignal | undefined,
): Promise<RunParts> {
  const {api, clock, target, state} = connection
  const {openMemoryJournal} = await import('../../../state/state.js')
  const {journal, close} = state.writable ? {journal: state.journal, close() {}} : openMemoryJournal()
  return {
    api,
    clock,
    journal: journal.forClient({baseUrl: target.baseUrl, clientId: target.clientId}),
    journalKept: state.writable,
    ...(timeoutSeconds === undefined ? {} : {timeoutSeconds}),
    ...(signal ? {signal} : {}),
    close,
  }
}

/** Sends the reservation of `plan` and remembers that its offer is used. Throws Failure. */
export async function makeReservation(
  connection: Connection,
  plan: Plan,
  timeoutSeconds: number | undefined,
  hooks: RunHooks,
): Promise<ReserveOutcome> {
  const [{reserve}, {close, ...parts}] = await Promise.all([
    import('../../../api/reserve/reserve.js'),
    partsOf(connection, timeoutSeconds, hooks.signal),
  ])
  const outcome = await reserve(parts, plan.intent, hooks).finally(close)
  const {target, state} = connection
  const client = {baseUrl: target.baseUrl, clientId: target.clientId}
  try {
    if (state.writable) state.offers.markUsed(client, plan.intent.offerId, outcome.client_reference_id)
  } catch (error) {
    // The reservation is made: that must reach the user, whatever the disk says.
    hooks.warn(`the offer could not be noted as used: ${(error as Error).message}`)
  }
  return outcome
}

/** Finds out how an earlier reservation ended; see `resume` of api/reserve.ts. */
export async function resumeReservation(
  connection: Connection,
  reference: string,
  timeoutSeconds: number | undefined,
  hooks: RunHooks,
): Promise<ReserveOutcome> {
  requireJournal(connection.state)
  const [{resume}, {close, ...parts}] = await Promise.all([
    import('../../../api/reserve/reserve.js'),
    partsOf(connection, timeoutSeconds, hooks.signal),
  ])
  return resume(parts, reference, hooks).finally(close)
}

/**
 * The request that --resume would send again: the same key and body. Throws usage when the journal knows no such
 * reservation, or how it ended, so that nothing would be sent.
 */
export async function describeRepeat(state: State, reference: string, target: Target): Promise<object> {
  requireJournal(state)
  const {findEntry} = await import('../../../api/reserve/reserve.js')
  const client = {baseUrl: target.baseUrl, clientId: target.clientId}
  const entry = findEntry(state.journal.forClient(client), reference)
  if (isNeverSent(entry)) throw neverSent(entry)
  const {body, idempotencyKey, outcome} = entry
  if (body !== null) return describeRequest(idempotencyKey, JSON.parse(body) as object, target)
  throw outcomeKnown(outcome)
}

/** Throws what the journal has against sending it: usage for an outcome that is known. */
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
  if (state.writable) return
  throw usage(
    'journal_not_writable',
    '--resume: the configuration directory cannot be written, so no reservation was written down there',
    'run the command that reserved again, with the same --idempotency-key and --client-reference',
  )
}

/** How to find out what became of the reservation of `plan`, should it be stopped half-way. */
export function resumeHint({intent}: Plan, state: State): string {
  return state.writable ? resumeCommand(intent.clientReferenceId) : repeatHint(intent)
}
