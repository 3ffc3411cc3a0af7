/**
 * Stores in state.db every reservation that this machine tries to make, committed before it is sent, and the subscription
 * requests whose outcome is unknown.
 * The reservation journal has a digest of all its rows, which every change renews. SQLite does not notice a changed character
 * in a row, an old page or a damaged index, and a journal that lost an attempt would allow a second reservation.
 */
import {createHash} from 'node:crypto'
import {
  atServiceOf,
  decide,
  entryMeant,
  isOpen,
  type JournalEntry,
  type JournalStore,
  type JournalVerdict,
  type MadeBy,
  meantAmong,
  NOT_SENT,
  type Price,
  type RequestedSubscription,
  type ReservationIntent,
  replacedBy,
  type SubscriptionJournal,
  startedElsewhere,
  type TripFacts,
} from '../contract/journal.js'
import {parseExactly, stringify} from '../contract/json.js'
import {underOneName} from '../contract/network.js'
import type {Database} from '../storage/database.js'
import {withLock} from '../storage/lock.js'

const OPEN = `outcome IN ('unresolved', 'unknown')`

/** The kind of its lock files. They stay, so they show that reservations were tried even if the journal is gone. */
export const RESERVE_LOCK = 'reserve'

/** Creates the journals. `directory` contains the lock files; it is undefined if no other process uses the database. */
export function createJournals(
  database: Database,
  directory: string | undefined,
): {journal: JournalStore; subscriptions: SubscriptionJournal} {
  const rows = new VerifiedRows(database)
  const journal: JournalStore = {
    forClient(client, {isBatch = false} = {}) {
      /** Returns the entries of all clients that share the offer, the reference or the key with an intent, newest first. */
      const about = ({offerId, clientReferenceId, idempotencyKey}: ReservationIntent) =>
        rows
          .read(
            row =>
              row.offerId === offerId ||
              row.clientReferenceId === clientReferenceId ||
              row.idempotencyKey === idempotencyKey,
          )
          .map(entryOf)
      // The bytes of a body are erased; those of a batch once, because that rewrites the file. If the file is busy, the disk full
      // or this process killed, a later process erases them.
      const orLater = isBatch ? {atClose: true} : {orLater: true}
      return {
        client,
        async alone(offerId, waitMilliseconds, work, peek) {
          if (directory === undefined) return {gaveUp: false, value: await work()}
          // Creates the database before the lock file. The lock file stays, so a missing database is noticed later.
          database.transaction(() => {})
          const key = [underOneName(client.baseUrl), offerId].join('|')
          return withLock({directory, kind: RESERVE_LOCK, key, waitMilliseconds}, work, peek)
        },
        peek: async intent => decide(about(intent), intent, client),
        async begin(intent, now) {
          return database.transaction((): JournalVerdict => {
            const entries = about(intent)
            const verdict = decide(entries, intent, client)
            if (verdict) return verdict
            // Ids are never reused, so that no other process mistakes the new entry for its own.
            for (const {id} of replacedBy(entries, intent, client))
              rows.change(id, () => database.run('DELETE FROM reservations WHERE id = ?', id))
            const {clientReferenceId, offerId, idempotencyKey, body, bodySha256, intentSha256} = intent
            const hashes = [bodySha256, intentSha256]
            const values = [
              clientReferenceId,
              offerId,
              idempotencyKey,
              body,
              ...hashes,
              jsonOf(intent.agreed),
              jsonOf(intent.trip),
              jsonOf(intent.madeBy),
              now,
              now,
            ]
            const sql = `INSERT INTO reservations (base_url, client_id, client_reference_id, offer_id, idempotency_key,
              body, body_sha256, intent_sha256, agreed, trip, made_by, outcome, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'unresolved', ?, ?)`
            const row = rows.add(() => database.run(sql, client.baseUrl, client.clientId, ...values))
            return {kind: 'new', entry: entryOf(row)}
          })
        },
        async attempt(id, now) {
          return rows.change(id, () => {
            const sql = `UPDATE reservations SET attempts = attempts + 1, updated_at = ? WHERE id = ? AND ${OPEN}`
            if (database.run(sql, now, id) === 0) throw startedElsewhere()
            const sent = database.get<Row>('SELECT attempts FROM reservations WHERE id = ?', id) as Row
            return sent.attempts
          })
        },
        async notSent(id, attempts, now) {
          const sql = `UPDATE reservations SET outcome = ?, attempts = 0, body = NULL, updated_at = ?
          WHERE id = ? AND attempts = ? AND outcome = 'unresolved'`
          const update = () => database.run(sql, NOT_SENT, now, id, attempts)
          database.erase(() => rows.change(id, update), orLater)
        },
        async settle(id, {outcome, reservationRef = null, booked, result}, now) {
          const unknown = outcome === 'unknown' ? 1 : 0
          const sql = `UPDATE reservations SET outcome = ?, reservation_ref = ?, booked = ?, result = ?, updated_at = ?,
            lost = max(lost, ?), body = CASE WHEN ? THEN body ELSE NULL END
          WHERE id = ? AND ${OPEN}`
          const values = [outcome, reservationRef, jsonOf(booked), jsonOf(result), now, unknown, unknown, id]
          const update = () => database.run(sql, ...values)
          const change = () => rows.change(id, update)
          if (unknown) change()
          else database.erase(change, orLater)
        },
        async forget(id, now) {
          const unsent = `DELETE FROM reservations WHERE id = ? AND attempts = 0 AND outcome = 'unresolved'`
          const sql = `UPDATE reservations SET outcome = 'forgotten', body = NULL, trip = NULL, result = NULL, updated_at = ? WHERE id = ?`
          const change = () => database.run(unsent, id) || database.run(sql, now, id)
          database.erase(() => rows.change(id, change))
        },
        async find(clientReferenceId) {
          const named = rows.read(row => row.clientReferenceId === clientReferenceId)
          return entryMeant(named.map(entryOf), client)
        },
        async findAll(clientReferenceIds) {
          const wanted = new Set(clientReferenceIds)
          return meantAmong(rows.read(row => wanted.has(row.clientReferenceId)).map(entryOf), client)
        },
        fingerprint: sha256 => sha256,
      }
    },
    async list({unresolved = false, client, named, guests, byAgents = false, openOrChanged} = {}) {
      const namesOf = (row: Row) => [
        row.clientReferenceId,
        row.reservationRef,
        row.offerId,
        row.idempotencyKey,
      ]
      // Most rows are left out by the text, because reading the JSON of all takes a second for 100,000.
      const hasGuests = (row: Row) =>
        guests === undefined || (row.trip?.includes(guests) === true && entryOf(row).trip?.guests === guests)
      const hasHandle = ({madeBy}: Row, handle: string) =>
        madeBy?.includes(handle) === true && (JSON.parse(madeBy) as MadeBy).handle === handle
      const since = openOrChanged && openOrChanged.now - openOrChanged.withinSeconds
      const isWanted = (row: Row) =>
        (!unresolved || isOpen(row)) &&
        (!byAgents || row.madeBy !== null) &&
        (since === undefined || isOpen(row) || row.updatedAt >= since) &&
        (!client || (row.baseUrl === client.baseUrl && row.clientId === client.clientId)) &&
        (named === undefined || namesOf(row).includes(named) || hasHandle(row, named)) &&
        hasGuests(row)
      return rows
        .read(isWanted)
        .sort((left, right) => right.createdAt - left.createdAt || right.id - left.id)
        .map(entryOf)
    },
    async each(visit, atOnce = 500) {
      rows.each(atOnce, row => visit(entryOf({...row, body: null})))
    },
    async noteStatus(client, reservationRef, {outcome, booked, result, fee}, now) {
      const named = `${ROWS} WHERE client_id = ? AND reservation_ref = ?`
      for (const {id} of atServiceOf(client, database.all<Row>(named, client.clientId, reservationRef))) {
        const sql = `UPDATE reservations SET outcome = ?, updated_at = ?,
            booked = coalesce(?, booked),
            result = coalesce(?, json_remove(json_patch(json_set(result, '$.status', upper(?)), ?), '$.payment.status'))
          WHERE id = ? AND NOT ${OPEN} AND outcome NOT IN ('forgotten', ?)`
        const cost = JSON.stringify(fee ? {cancellation: fee} : {})
        const values = [outcome, now, jsonOf(booked), jsonOf(result), outcome, cost, id, outcome]
        rows.change(id, () => database.run(sql, ...values))
      }
    },
  }
  const subscriptions: SubscriptionJournal = {
    async begin({baseUrl, clientId}, {url, events}, {now, again}) {
      const key = [baseUrl, clientId, url] as const
      const where = 'WHERE base_url = ? AND client_id = ? AND url = ?'
      return database.transaction(() => {
        if (again) database.run(`DELETE FROM subscriptions_begun ${where}`, ...key)
        const sql = `SELECT id, url, events, begun_at AS begunAt FROM subscriptions_begun ${where} ORDER BY id LIMIT 1`
        const row = database.get<Omit<RequestedSubscription, 'events'> & {events: string}>(sql, ...key)
        if (row) return {earlier: {...row, events: JSON.parse(row.events) as string[]}}
        const insert = `INSERT INTO subscriptions_begun (base_url, client_id, url, events, begun_at)
          VALUES (?, ?, ?, ?, ?) RETURNING id`
        return {id: database.get<{id: number}>(insert, ...key, JSON.stringify(events), now)?.id ?? 0}
      })
    },
    async end(id) {
      database.run('DELETE FROM subscriptions_begun WHERE id = ?', id)
    },
  }
  return {journal, subscriptions}
}

function entryOf<T extends Row>({lost, agreed, booked, trip, result, madeBy, ...row}: T) {
  const read = <Value>(json: string | null) => (json === null ? null : (parseExactly(json) as Value))
  const prices = {agreed: read<Price>(agreed), booked: read<Price>(booked)}
  const about = {trip: read<TripFacts>(trip), result: read<Record<string, unknown>>(result)}
  return {...row, lost: lost === 1, ...prices, ...about, madeBy: read<MadeBy>(madeBy)}
}

const jsonOf = (value: object | null | undefined) => (value ? (stringify(value) ?? null) : null)

/** All columns, named after the fields of an entry. */
const ENTRY = `id, base_url AS baseUrl, client_id AS clientId, client_reference_id AS clientReferenceId,
  offer_id AS offerId, idempotency_key AS idempotencyKey, body, body_sha256 AS bodySha256,
  intent_sha256 AS intentSha256, outcome, reservation_ref AS reservationRef, attempts, lost, agreed,
  booked, trip, result, created_at AS createdAt, updated_at AS updatedAt, made_by AS madeBy`

const ROWS = `SELECT ${ENTRY} FROM reservations`

/** The fields that are stored as JSON. */
type Stored = 'agreed' | 'booked' | 'trip' | 'result' | 'madeBy'
type Row = Omit<JournalEntry, 'lost' | Stored> & {readonly lost: number} & Record<Stored, string | null>

/**
 * The rows of the journal, verified by their digest. While the stored digest stays the same, they are read from memory: a batch
 * asks for each of its reservations, and to verify 10,000 rows takes 0.2 s.
 */
class VerifiedRows {
  private rows = new Map<number, Row>()
  /** The digest of `rows`; undefined before the first reading. */
  private digest: string | undefined

  constructor(private readonly database: Database) {}

  /** Returns the rows for which `isWanted` holds, newest first. Throws a StorageError when the journal or its file is damaged. */
  read(isWanted: (row: Row) => boolean): Row[] {
    const {database} = this
    if (!database.check()) return []
    if (this.digest === undefined || this.digest !== this.storedDigest()) {
      // One statement, because another process may write between two. It uses no index, because a damaged index can hide a row.
      const sql = `SELECT digest, whole.* FROM journal_digest
        LEFT JOIN (SELECT ${ENTRY} FROM reservations NOT INDEXED) AS whole ORDER BY id`
      const all = database.all<Row & {digest: string}>(sql)
      const rows = all.map(({digest: _, ...row}) => row).filter(row => row.id !== null)
      if (all[0]?.digest !== digestOf(rows)) database.refuse()
      this.rows = new Map(rows.map(row => [row.id, row]))
      this.digest = all[0]?.digest
    }
    return [...this.rows.values()].filter(isWanted).reverse()
  }

  /**
   * Passes all rows to `visit`, which must not write, oldest first, `atOnce` at a time. Throws a StorageError, at the end too, when the journal or its
   * file is damaged.
   */
  each(atOnce: number, visit: (row: Row) => void): void {
    const {database} = this
    if (!database.check()) return
    // In one transaction, because the digest is that of all rows, and another process may write meanwhile.
    database.transaction(() => {
      let digest = ''
      let last = 0
      let rows: Row[]
      do {
        rows = database.all<Row>(`${ROWS} NOT INDEXED WHERE id > ? ORDER BY id LIMIT ?`, last, atOnce)
        digest = digestOf(rows, digest)
        for (const row of rows) visit(row)
        last = rows.at(-1)?.id ?? last
      } while (rows.length === atOnce)
      if (this.storedDigest() !== digest) database.refuse()
    })
  }

  /** Runs `insert`, which adds one row, and renews the digest, in one transaction. Returns the row. */
  add(insert: () => void): Row {
    return this.database.transaction(() => {
      insert()
      const [row] = this.database.all<Row>(`${ROWS} WHERE id = last_insert_rowid()`) as [Row]
      this.renew(row.id, [], [row])
      return row
    })
  }

  /** Runs `work`, which may change or delete only the row with this id, and renews the digest, in one transaction. */
  change<T>(id: number, work: () => T): T {
    const stored = () => this.database.all<Row>(`${ROWS} WHERE id = ?`, id)
    return this.database.transaction(() => {
      const before = stored()
      const result = work()
      this.renew(id, before, stored())
      return result
    })
  }

  /**
   * Renews the digest after a row was added, changed or deleted, in the same transaction. The digest of a damaged journal still
   * does not match afterwards. If the transaction is undone, the digest in memory is another than the stored one.
   */
  private renew(id: number, before: readonly Row[], after: readonly Row[]): void {
    const {database} = this
    const digest = this.storedDigest() ?? ''
    if (!/^[0-9a-f]{64}$/.test(digest)) database.refuse()
    const renewed = digestOf([...before, ...after], digest)
    if (renewed === digest) return
    database.run('UPDATE journal_digest SET digest = ?', renewed)
    if (this.digest !== digest) return
    const known = this.rows.get(id)
    if (digestOf(known ? [known] : []) !== digestOf(before)) database.refuse()
    const [row] = after
    // A changed row keeps its place, and a new one is the newest.
    if (row) this.rows.set(id, row)
    else this.rows.delete(id)
    this.digest = renewed
  }

  private storedDigest(): string | undefined {
    return this.database.get<{digest: string}>('SELECT digest FROM journal_digest')?.digest
  }
}

/** Creates the digest of a journal that has none. */
export function createDigest(database: Database): void {
  const rows = database.all<Row>(ROWS)
  database.run('INSERT INTO journal_digest VALUES (1, ?) ON CONFLICT DO NOTHING', digestOf(rows))
}

/**
 * Combines `digest` and the hashes of the rows by XOR. The order of rows does not matter, and a row given twice cancels out. In
 * a journal each row counts once, because ids are never reused. `madeBy` counts only where there is one, so that the digest of a
 * journal from before that column is still valid, and tells of damage.
 */
function digestOf(rows: readonly Row[], digest = ''): string {
  let sum = BigInt(`0x0${digest}`)
  for (const {madeBy, ...row} of rows) {
    const values = Object.values(madeBy === null ? row : {...row, madeBy})
    const hash = createHash('sha256').update(JSON.stringify(values))
    sum ^= BigInt(`0x${hash.digest('hex')}`)
  }
  return sum.toString(16).padStart(64, '0')
}
