/**
 * Stores the ledger of each client's account (not in the interface). Every change of the balance is an entry, with the
 * balance after it.
 */
import {isoTime} from '../../contract/dates.js'
import {fromMinor} from '../../contract/money.js'
import type {Database} from '../../storage/database.js'
import type {Client} from './clients.js'
import {type Listed, listPage, type Paging} from './lists.js'

export interface LedgerEntry {
  /** Unix seconds. */
  readonly at: number
  /** A cancellation is a `refund` of the whole charge and, unless it is free, a `fee`. */
  readonly kind: 'booking' | 'refund' | 'fee'
  readonly reservationRef: string
  /** In minor units of the account's currency. A debit is negative. */
  readonly amountMinor: bigint
}

/** An entry in the form of answers. Amounts are decimal strings in the account's currency. */
export type WrittenEntry = ReturnType<typeof written>

/**
 * Changes the balance by the amount of `entry`, and records the entry. Must run in a transaction, after a check that
 * the balance is sufficient.
 */
export function addEntry(database: Database, clientId: string, entry: LedgerEntry): void {
  const {at, amountMinor} = entry
  const sql = `UPDATE clients SET balance_minor = balance_minor + ?, updated_at = ? WHERE client_id = ?
    RETURNING balance_minor AS balance`
  const changed = database.get<{balance: number}>(sql, amountMinor, at, clientId)
  if (changed) insertEntry(database, clientId, entry, BigInt(changed.balance))
}

function insertEntry(database: Database, clientId: string, entry: LedgerEntry, balanceMinor: bigint): void {
  const {at, kind, reservationRef, amountMinor} = entry
  const sql = `INSERT INTO ledger (client_id, at, kind, reservation_ref, amount_minor, balance_minor)
    VALUES (?, ?, ?, ?, ?, ?)`
  database.run(sql, clientId, at, kind, reservationRef, amountMinor, balanceMinor)
}

/** Records the entries, oldest first, that led to a client's balance before the ledger existed. */
export function addEarlierEntries(
  database: Database,
  {client_id, balance_minor}: Client,
  entries: readonly LedgerEntry[],
): void {
  const sum = entries.reduce((total, {amountMinor}) => total + amountMinor, 0n)
  let balance = BigInt(balance_minor) - sum
  for (const entry of entries) {
    balance += entry.amountMinor
    insertEntry(database, client_id, entry, balance)
  }
}

type EntryRow = Record<'sequence' | 'at' | 'amount' | 'balance', number> &
  Record<'kind' | 'reservation_ref', string>

const SELECT_ENTRIES =
  'SELECT sequence, at, kind, reservation_ref, amount_minor AS amount, balance_minor AS balance FROM ledger'

/**
 * Returns a page of a client's entries, newest first unless `isOldestFirst` is set. `after` is the last entry of the
 * previous page in the same order.
 */
export function listEntries(
  database: Database,
  {client_id, currency}: Client,
  {after, limit}: Paging,
  isOldestFirst = false,
): Listed<WrittenEntry> {
  const order = isOldestFirst ? 'sequence' : 'sequence DESC'
  const beyond = isOldestFirst ? 'sequence > ?' : 'sequence < ?'
  const filters = {'client_id = ?': client_id, [beyond]: after}
  const query = {select: SELECT_ENTRIES, filters, order, limit}
  return listPage(database, query, (row: EntryRow) => written(row, currency))
}

function written({at, kind, reservation_ref, amount, balance}: EntryRow, currency: string) {
  return {
    at: isoTime(at),
    kind,
    reservation_ref,
    amount: fromMinor(BigInt(amount), currency),
    balance: fromMinor(BigInt(balance), currency),
  }
}

/** Returns the balance before the first entry. This balance plus the amounts of all entries is the current balance. */
export function openingBalance(database: Database, {client_id, currency, balance_minor}: Client): string {
  const sql = `SELECT balance_minor - amount_minor AS opening FROM ledger WHERE client_id = ?
    ORDER BY sequence LIMIT 1`
  const first = database.get<{opening: number}>(sql, client_id)
  return fromMinor(BigInt(first?.opening ?? balance_minor), currency)
}
