/**
 * A digest of all rows of the reservation journal, renewed with each change. SQLite does not notice a changed character of a
 * row, a page of yesterday or a damaged index; a journal that forgot an attempt would let it be made a second time.
 */
import {createHash} from 'node:crypto'
import type {JournalEntry} from '../contract/journal.js'
import type {Database} from '../storage/database.js'

/** Every column, under the names of the fields of an entry. */
export const ENTRY = `id, base_url AS baseUrl, client_id AS clientId, client_reference_id AS clientReferenceId,
  offer_id AS offerId, idempotency_key AS idempotencyKey, body, body_sha256 AS bodySha256,
  intent_sha256 AS intentSha256, outcome, reservation_ref AS reservationRef, attempts, lost, agreed,
  booked, result, created_at AS createdAt, updated_at AS updatedAt`

/** What is stored as JSON. */
type Stored = 'agreed' | 'booked' | 'result'
export type Row = Omit<JournalEntry, 'lost' | Stored> & {readonly lost: number} & Record<
    Stored,
    string | null
  >

/** The rows that are wanted, newest first. Throws StorageError when anything of the journal or its file is damaged. */
export function readJournal(database: Database, isWanted: (row: Row) => boolean): Row[] {
  if (!database.check()) return []
  // One statement, because another process may write between two; without an index, which may hide a row.
  const sql = `SELECT digest, whole.* FROM journal_digest
    LEFT JOIN (SELECT ${ENTRY} FROM reservations NOT INDEXED) AS whole ORDER BY id DESC`
  const all = database.all<Row & {digest: string}>(sql)
  const rows = all.map(({digest: _, ...row}) => row).filter(row => row.id !== null)
  if (all[0]?.digest !== textOf(sum(rows))) database.refuse()
  return rows.filter(isWanted)
}

/** Runs `work`, which changes or removes the row with this id and no other, and renews the digest, in one transaction. */
export function changeEntry<T>(database: Database, id: number, work: () => T): T {
  return database.transaction(() => {
    const before = sum(rowsOf(database, id))
    const result = work()
    renew(database, before ^ sum(rowsOf(database, id)))
    return result
  })
}

/** Inserts a row with `work`, and returns it; inside a transaction. */
export function addEntry(database: Database, work: () => unknown): Row {
  work()
  const {id} = database.get<{id: number}>('SELECT last_insert_rowid() AS id') as {id: number}
  const rows = rowsOf(database, id)
  renew(database, sum(rows))
  return rows[0] as Row
}

function rowsOf(database: Database, id: number): Row[] {
  return database.all<Row>(`SELECT ${ENTRY} FROM reservations WHERE id = ?`, id)
}

function renew(database: Database, changed: bigint): void {
  const {digest = ''} = database.get<{digest: string}>('SELECT digest FROM journal_digest') ?? {}
  if (!/^[0-9a-f]{64}$/.test(digest)) database.refuse()
  if (changed !== 0n)
    database.run('UPDATE journal_digest SET digest = ?', textOf(BigInt(`0x${digest}`) ^ changed))
}

/** For a journal that has no digest yet. */
export function createDigest(database: Database): void {
  const rows = database.all<Row>(`SELECT ${ENTRY} FROM reservations`)
  database.run('INSERT INTO journal_digest VALUES (1, ?) ON CONFLICT DO NOTHING', textOf(sum(rows)))
}

/** The order of rows makes no difference, and a row counts once because ids are never used twice. */
function sum(rows: readonly Row[]): bigint {
  return rows.reduce((total, row) => total ^ digestOf(row), 0n)
}

function digestOf(row: Row): bigint {
  const hash = createHash('sha256').update(JSON.stringify(Object.values(row)))
  return BigInt(`0x${hash.digest('hex')}`)
}

function textOf(digest: bigint): string {
  return digest.toString(16).padStart(64, '0')
}
