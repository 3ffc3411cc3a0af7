/**
 * Reads the journal as books: what this machine, or machines that share its store, tried to book at the service in use.
 */
import {isNeverSent, isOpen, type JournalEntry, type JournalStore} from '../../../contract/journal.js'
import {underOneName} from '../../../contract/network.js'
import type {Client} from '../../../contract/token-cache.js'
import {Books} from './books.js'
import {type Standing, standingOfState} from './standing.js'
import {isWithin, type Window} from './window.js'

/** How many entries are read at a time, which limits the memory for them. */
const READ_AT_ONCE = 100

/**
 * Reads the journal, or only the entries with a reference in `names`. It includes entries of other clients, because a
 * service may list their reservations too.
 */
export async function readJournalBooks(
  journal: JournalStore,
  client: Client,
  window: Window,
  names?: ReadonlySet<string>,
): Promise<Books> {
  const books = new Books(true)
  const service = underOneName(client.baseUrl)
  const take = (entry: JournalEntry) => {
    if (isNeverSent(entry) || underOneName(entry.baseUrl) !== service) return
    const isNamed = names?.has(entry.clientReferenceId) || names?.has(entry.reservationRef ?? '')
    if (names !== undefined && !isNamed) return
    const price = entry.booked ?? entry.agreed
    books.add({
      id: entry.id,
      reference: entry.clientReferenceId,
      reservationRef: entry.reservationRef,
      standing: standingOf(entry),
      status: books.shared(entry.outcome),
      amount: books.shared(price?.price ?? null),
      currency: books.shared(price?.currency ?? null),
      createdAt: Math.floor(entry.createdAt),
      isExpected: entry.clientId === client.clientId && isWithin(window, entry.createdAt),
      found: undefined,
      isFoundLive: false,
    })
  }
  await journal.each(take, READ_AT_ONCE)
  return books
}

/** Returns the client references of reservations with an unknown outcome that `client` can resolve. */
export async function unresolvedIn(journal: JournalStore, client: Client, window: Window): Promise<string[]> {
  const service = underOneName(client.baseUrl)
  const references = new Set<string>()
  await journal.each(entry => {
    const isOwn = entry.clientId === client.clientId && underOneName(entry.baseUrl) === service
    if (isOwn && isOpen(entry) && !isNeverSent(entry) && isWithin(window, entry.createdAt))
      references.add(entry.clientReferenceId)
  })
  return [...references]
}

function standingOf(entry: JournalEntry): Standing {
  if (isOpen(entry)) return 'open'
  if (entry.reservationRef === null) return entry.outcome === 'forgotten' ? 'given_up' : 'none'
  return entry.outcome === 'forgotten' ? 'made' : standingOfState(entry.outcome)
}
