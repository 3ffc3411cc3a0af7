/** `journal` and `journal forget`. Forgetting removes personal data, but still prevents the same request from being sent. */
import {join} from 'node:path'
import {isoTime} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {type JournalEntry, NOT_SENT} from '../../../contract/journal.js'
import type {Client} from '../../../contract/token-cache.js'
import {STATE_NAME} from '../../../state/file-names.js'
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {checkIdentifier} from '../../input/checks.js'
import {dryRun} from '../../session/dry-run.js'
import {listResult, type Result, single} from '../../terminal/result.js'

export function journalRow(entry: JournalEntry) {
  return {
    client_reference_id: entry.clientReferenceId,
    offer_id: entry.offerId,
    outcome: entry.outcome,
    reservation_ref: entry.reservationRef,
    idempotency_key: entry.idempotencyKey,
    attempts: entry.attempts,
    created_at: isoTime(entry.createdAt),
    updated_at: isoTime(entry.updatedAt),
  }
}

type Row = ReturnType<typeof journalRow>

export const JOURNAL_COLUMNS = [
  'client_reference_id',
  'offer_id',
  'outcome',
  'reservation_ref',
  'idempotency_key',
  'attempts',
  'created_at',
  'updated_at',
] as const

/** The columns of `--by mcp`: who made it, the program of the agent, and the handle that it was prepared under. */
export const AGENT_COLUMNS = ['by', 'program', 'handle'] as const

export async function readJournal(state: State, unresolved: boolean): Promise<Result<Row>> {
  const entries = (await state.journal.list({unresolved})).map(journalRow)
  return {
    ...listResult({entries}, entries, JOURNAL_COLUMNS),
    shown: ['client_reference_id', 'outcome', 'reservation_ref', 'attempts', 'updated_at'],
    whenEmpty: unresolved ? 'No unresolved reservations.' : 'No reservations yet.',
  }
}

/** Returns the reservations that agents made, with the program and the handle of each. */
export async function readAgentJournal(state: State, unresolved: boolean) {
  const listed = await state.journal.list({unresolved, byAgents: true})
  const entries = listed.map(entry => ({
    ...journalRow(entry),
    by: 'mcp' as const,
    program: entry.madeBy?.program ?? null,
    handle: entry.madeBy?.handle ?? null,
  }))
  return {
    ...listResult({entries}, entries, [...JOURNAL_COLUMNS, ...AGENT_COLUMNS]),
    shown: ['client_reference_id', 'outcome', 'reservation_ref', 'program', 'handle', 'updated_at'],
    whenEmpty: unresolved ? 'No unresolved reservations of agents.' : 'No reservations of agents yet.',
  }
}

/** Outcomes after which offer and reference are free again and no personal data is stored. */
const NOTHING_STORED = ['refused', 'failed', 'cancelled', 'expired', NOT_SENT]
/** How long `forgetEntry` waits while another process is sending the same reservation. */
const WAIT_MILLISECONDS = 5000

/**
 * Returns the newest entry with that client reference; prefers the current client. Throws a usage error if there is none or
 * nothing to forget.
 */
export async function findForgettable(
  state: State,
  reference: string,
  baseUrl: string | undefined,
  clientInUse: () => Promise<Client | undefined>,
): Promise<JournalEntry> {
  const all = (await state.journal.list()).filter(entry => entry.clientReferenceId === reference)
  const entries = baseUrl === undefined ? all : all.filter(entry => entry.baseUrl === baseUrl)
  const clients = [...new Set(entries.map(nameOfClient))]
  const client = clients.length > 1 ? await clientInUse() : entries[0]
  const entry = entries.find(each => client && nameOfClient(each) === nameOfClient(client))
  if (clients.length > 1 && entry === undefined) {
    const message = `several clients have tried that reference: ${clients.join(', ')}`
    throw usage('ambiguous_reference', sanitizeLine(message, 400), 'name one of them: --profile NAME')
  }
  if (entry === undefined) {
    checkIdentifier('client_reference_id', 'REFERENCE', reference)
    const message = 'this machine has tried no reservation with that client reference'
    throw usage('unknown_reference', message, 'list attempts: bookctl journal')
  }
  if (entry.reservationRef !== null || !NOTHING_STORED.includes(entry.outcome)) return entry
  const words = `nothing was reserved (${sanitizeLine(entry.outcome, 40)}), and no guest data is stored`
  throw usage('nothing_to_forget', words, 'the reference and the offer are free')
}

const nameOfClient = ({baseUrl, clientId}: Client) => `${clientId} at ${baseUrl}`

export function describeForgetting(entry: JournalEntry): string[] {
  const {clientReferenceId, offerId, outcome, attempts, reservationRef} = entry
  const reservation =
    reservationRef === null ? 'a reservation may exist' : `the reservation ${reservationRef} exists`
  return [
    `Reference  ${clientReferenceId}, offer ${offerId}`,
    `Outcome    ${outcome} after ${attempts} attempt(s): ${attempts === 0 ? 'nothing was sent' : reservation}`,
    'This removes the guest data that was sent, so that it can no longer be resumed or shown from here.',
    'It cancels nothing. Ask the operator whether it exists before you book again: that could be a second booking.',
  ]
}

export function describeForgetChange({clientReferenceId, outcome}: JournalEntry, state: State): Result {
  const file = join(state.directory, STATE_NAME)
  const changes = [
    {file, action: 'set', what: `outcome of ${clientReferenceId}`, before: outcome, after: 'forgotten'},
    {file, action: 'remove', what: `request and answer kept of ${clientReferenceId}`},
  ] as const
  return dryRun([], changes)
}

/** Forgets an entry. Throws StorageError `busy` if another process is sending its reservation. */
export async function forgetEntry(state: State, entry: JournalEntry, now: number): Promise<Result> {
  // No secret is needed, because nothing sealed is read or written.
  const journal = state.journal.forClient({...entry, clientSecret: undefined})
  const forget = () => journal.forget(entry.id, now)
  const done = await journal.alone(entry.offerId, WAIT_MILLISECONDS, forget, async () => undefined)
  if (done.gaveUp)
    throw new StorageError('busy', 'another process is sending this reservation', 'run the command again')
  const row = {...journalRow(entry), outcome: 'forgotten', previous_outcome: entry.outcome}
  const shown = Object.fromEntries(FORGOTTEN_COLUMNS.map(name => [name, row[name]]))
  return single(shown, shown, row.client_reference_id)
}

export const FORGOTTEN_COLUMNS = [
  'client_reference_id',
  'offer_id',
  'outcome',
  'previous_outcome',
  'reservation_ref',
  'idempotency_key',
] as const
