/**
 * The journals in the shared store: reservations, committed before they are sent, and subscription requests whose outcome is
 * unknown. Bodies are encrypted, and compared by an HMAC, because identity numbers could be found from a plain hash by trial.
 */
import {
  atServiceOf,
  decide,
  entryMeant,
  isNeverSent,
  isOpen,
  type Journal,
  type JournalClient,
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
  sealedElsewhere,
  startedElsewhere,
  type TripFacts,
} from '../../contract/journal.js'
import {canonicalJson, parseExactly, stringify} from '../../contract/json.js'
import {underOneName} from '../../contract/network.js'
import type {Client} from '../../contract/token-cache.js'
import type {StoreConnection} from './connection.js'
import {leasesOf} from './locks.js'
import {hasLastingFingerprint, lastingFingerprint, requiredSeal, type Seal} from './seal.js'

interface Row extends Omit<JournalEntry, 'id' | 'body' | 'agreed' | 'booked' | 'trip' | 'result' | 'madeBy'> {
  readonly id: string
  readonly keyId: string
  readonly sealedBody: Uint8Array | null
  readonly lasting: string | null
  readonly agreed: string | null
  readonly booked: string | null
  readonly trip: string | null
  readonly result: string | null
  readonly madeBy: string | null
}

/** The columns of an entry, named after its fields. */
const ENTRY = `id, base_url AS "baseUrl", client_id AS "clientId", client_reference_id AS "clientReferenceId",
  offer_id AS "offerId", idempotency_key AS "idempotencyKey", key_id AS "keyId", sealed_body AS "sealedBody",
  body_fingerprint AS "bodySha256", intent_fingerprint AS "intentSha256", lasting_fingerprint AS lasting, outcome,
  reservation_ref AS "reservationRef", attempts, lost, agreed, booked, trip, result, made_by AS "madeBy",
  extract(epoch FROM created_at)::float8 AS "createdAt", extract(epoch FROM updated_at)::float8 AS "updatedAt"`

const OPEN = `outcome IN ('unresolved', 'unknown')`

const ABOUT = `SELECT ${ENTRY} FROM bookctl.reservations
  WHERE offer_id = $1 OR client_reference_id = $2 OR idempotency_key = $3 ORDER BY id DESC`

const FORGET = `WITH unsent AS (
    DELETE FROM bookctl.reservations WHERE id = $1 AND attempts = 0 AND outcome = 'unresolved' RETURNING id
  ) UPDATE bookctl.reservations SET outcome = 'forgotten', sealed_body = NULL, trip = NULL, result = NULL,
    updated_at = clock_timestamp() WHERE id = $1 AND NOT EXISTS (SELECT FROM unsent)`

const NOTE = `UPDATE bookctl.reservations SET outcome = $2, updated_at = clock_timestamp(), booked = coalesce($4, booked),
    result = coalesce($3,
      ((jsonb_set(result::jsonb, '{status}', to_jsonb(upper($2::text))) || $5::jsonb) #- '{payment,status}')::text)
  WHERE id = $1 AND NOT ${OPEN} AND outcome NOT IN ('forgotten', $2)`

export function createSharedJournal(store: StoreConnection, sealFor: (secret: string) => Seal): JournalStore {
  return {
    forClient: client =>
      clientJournal(store, client, client.clientSecret ? sealFor(client.clientSecret) : undefined),
    async list({unresolved = false, client, named = null, guests = null, byAgents, openOrChanged} = {}) {
      const sql = `SELECT ${ENTRY} FROM bookctl.reservations
        WHERE ($1::text IS NULL OR base_url = $1 AND client_id = $2) AND ${unresolved ? OPEN : 'TRUE'}
          AND ($3::text IS NULL
            OR $3 IN (client_reference_id, reservation_ref, offer_id, idempotency_key, made_by::jsonb ->> 'handle'))
          AND ($4::text IS NULL OR trip::jsonb ->> 'guests' = $4)
          AND ${byAgents ? 'made_by IS NOT NULL' : 'TRUE'}
          AND ($5::float8 IS NULL OR ${OPEN} OR updated_at >= clock_timestamp() - make_interval(secs => $5))
        ORDER BY created_at DESC, id DESC`
      const within = openOrChanged?.withinSeconds ?? null
      const values = [client?.baseUrl ?? null, client?.clientId ?? null, named, guests, within]
      const {rows} = await store.query<Row>(sql, values)
      // The keyed hashes of guests under different secrets differ, so those that are the same can be compared without a secret.
      return rows.map(row => ({...entryOf(row, undefined), trip: tripIn(row)}))
    },
    async each(visit, atOnce = 500) {
      const sql = `SELECT ${ENTRY} FROM bookctl.reservations WHERE id > $1 ORDER BY id LIMIT $2`
      let last = '0'
      let rows: Row[]
      do {
        rows = (await store.query<Row>(sql, [last, atOnce])).rows
        for (const row of rows) visit(entryOf(row, undefined))
        last = rows.at(-1)?.id ?? last
      } while (rows.length === atOnce)
    },
    async noteStatus(client, reservationRef, {outcome, booked, result, fee}) {
      const sql = `SELECT ${ENTRY} FROM bookctl.reservations WHERE client_id = $1 AND reservation_ref = $2`
      const cost = JSON.stringify(fee ? {cancellation: fee} : {})
      const {rows} = await store.query<Row>(sql, [client.clientId, reservationRef])
      for (const {id} of atServiceOf(client, rows))
        await store.query(NOTE, [id, outcome, jsonOf(result), jsonOf(booked), cost])
    },
  }
}

function clientJournal(store: StoreConnection, client: JournalClient, seal: Seal | undefined): Journal {
  const {baseUrl, clientId} = client
  const alone = leasesOf(store)
  /**
   * Returns the entry of a row. If the row was encrypted with an earlier secret but is the same request, the entry gets the
   * hashes of `intent`, so that the two compare as equal.
   */
  const entryFor = async (row: Row, intent: ReservationIntent): Promise<JournalEntry> => {
    const entry = entryOf(row, seal)
    const isOwn = row.clientId === clientId && row.keyId !== seal?.keyId
    if (!isOwn || row.lasting === null || !(await hasLastingFingerprint(lastingText(intent), row.lasting)))
      return entry
    const {bodySha256, intentSha256} = intent
    const isWhole = row.clientReferenceId === intent.clientReferenceId
    return {...entry, intentSha256, ...(isWhole ? {bodySha256} : {})}
  }
  /** Returns the verdict on `given`, the entries that it is based on, and the intent with keyed hashes. */
  const judge = async (given: ReservationIntent) => {
    const {offerId, clientReferenceId, idempotencyKey} = given
    const {rows} = await store.query<Row>(ABOUT, [offerId, clientReferenceId, idempotencyKey])
    const hashed = (text: string) => seal?.fingerprint(text) ?? ''
    const bodySha256 = hashed(given.bodySha256)
    const intentSha256 = hashed(given.intentSha256)
    const intent = {...given, bodySha256, intentSha256}
    const entries = await Promise.all(rows.map(row => entryFor(row, intent)))
    const verdict = decide(entries, intent, client)
    const sealing = verdict?.kind === 'conflict' ? seal : requiredSeal(seal)
    const isSealedElsewhere = (row: Row) => row.clientId === clientId && row.keyId !== sealing?.keyId
    const other = atServiceOf(client, rows).find(
      row => isSealedElsewhere(row) && isOpen(row) && !isNeverSent(row),
    )
    // The entry may be the same reservation, but cannot be compared, so no second one is started.
    if (other && verdict?.kind !== 'resolved') throw sealedElsewhere(other)
    return {entries, verdict, intent}
  }
  return {
    client,
    alone: (offerId, ...rest) => alone(['reserve', underOneName(baseUrl), offerId].join(' '), ...rest),
    peek: async intent => (await judge(intent)).verdict,
    async begin(given): Promise<JournalVerdict> {
      for (;;) {
        const {entries, verdict, intent} = await judge(given)
        if (verdict) return verdict
        const sealing = requiredSeal(seal)
        const {clientReferenceId, offerId, idempotencyKey, body, bodySha256, intentSha256} = intent
        const values = [
          ...[baseUrl, clientId, clientReferenceId, offerId, idempotencyKey],
          ...[sealing.keyId, sealing.seal(body, placeOf(client, idempotencyKey)), bodySha256, intentSha256],
          await lastingFingerprint(lastingText(intent)),
          jsonOf(intent.agreed),
          jsonOf(tripOf(intent, sealing)),
          jsonOf(intent.madeBy),
          entries
            .toReversed()
            .map(({id, outcome, attempts}) => `${id}:${outcome}:${attempts}`)
            .join(' '),
          replacedBy(entries, intent, client).map(({id}) => id),
        ]
        const sql = `SELECT ${ENTRY}
          FROM bookctl.begin_reservation($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`
        const [row] = (await store.query<Row>(sql, values)).rows
        // No row means that another process wrote in the meantime, so the intent is judged again.
        if (row) return {kind: 'new', entry: entryOf(row, seal)}
      }
    },
    async attempt(id) {
      const sql = `UPDATE bookctl.reservations SET attempts = attempts + 1, updated_at = clock_timestamp()
        WHERE id = $1 AND ${OPEN} RETURNING attempts`
      const [row] = (await store.query<{attempts: number}>(sql, [id])).rows
      if (row === undefined) throw startedElsewhere()
      return row.attempts
    },
    async notSent(id, attempts) {
      const sql = `UPDATE bookctl.reservations SET outcome = $3, attempts = 0, sealed_body = NULL,
        updated_at = clock_timestamp() WHERE id = $1 AND attempts = $2 AND outcome = 'unresolved'`
      await store.query(sql, [id, attempts, NOT_SENT])
    },
    async settle(id, {outcome, reservationRef = null, booked, result}) {
      const sql = `UPDATE bookctl.reservations SET outcome = $2, reservation_ref = $3, result = $4, booked = $5,
        lost = lost OR $2 = 'unknown', sealed_body = CASE WHEN $2 = 'unknown' THEN sealed_body END,
        updated_at = clock_timestamp() WHERE id = $1 AND ${OPEN}`
      await store.query(sql, [id, outcome, reservationRef, jsonOf(result), jsonOf(booked)])
    },
    async forget(id) {
      await store.query(FORGET, [id])
    },
    async find(clientReferenceId) {
      const sql = `SELECT ${ENTRY} FROM bookctl.reservations
        WHERE client_reference_id = $1 ORDER BY id DESC`
      const {rows} = await store.query<Row>(sql, [clientReferenceId])
      return entryMeant(
        rows.map(row => entryOf(row, seal)),
        client,
      )
    },
    async findAll(clientReferenceIds) {
      const wanted = [...new Set(clientReferenceIds)]
      const sql = `SELECT ${ENTRY} FROM bookctl.reservations
        WHERE client_reference_id = ANY ($1) ORDER BY id DESC`
      const {rows} = await store.query<Row>(sql, [wanted])
      return meantAmong(
        rows.map(row => entryOf(row, seal)),
        client,
      )
    },
    fingerprint: sha256 => seal?.fingerprint(sha256) ?? '',
  }
}

/** Returns the text that a lasting fingerprint is made of: the request without its reference and identity numbers. */
function lastingText({body}: ReservationIntent): string {
  const withoutNumbers = (key: string, value: unknown) =>
    key === 'number' || key === 'client_reference_id' ? undefined : value
  return canonicalJson(JSON.parse(body, withoutNumbers))
}

function tripOf({trip}: ReservationIntent, seal: Seal): TripFacts | null {
  return trip && {...trip, guests: trip.guests && seal.fingerprint(trip.guests)}
}

function placeOf({baseUrl, clientId}: Client, idempotencyKey: string) {
  return {table: 'reservations', column: 'sealed_body', row: [baseUrl, clientId, idempotencyKey]}
}

function entryOf(row: Row, seal: Seal | undefined): JournalEntry {
  const {keyId, lasting: _, sealedBody, id, agreed, booked, trip: __, result, madeBy, ...rest} = row
  const place = placeOf(row, row.idempotencyKey)
  const facts = tripIn(row)
  const body = sealedBody === null ? null : (seal?.open(sealedBody, place) ?? null)
  return {
    ...rest,
    id: Number(id),
    body,
    agreed: read<Price>(agreed),
    booked: read<Price>(booked),
    // The hash of the guests is keyed with the client secret of that time, so it cannot be compared under another one.
    trip: facts && {...facts, guests: keyId === seal?.keyId ? facts.guests : null},
    result: read<Record<string, unknown>>(result),
    madeBy: read<MadeBy>(madeBy),
  }
}

const read = <Value>(json: string | null) => (json === null ? null : (parseExactly(json) as Value))
const tripIn = ({trip}: Row) => read<TripFacts>(trip)
const jsonOf = (value: object | null | undefined) => (value ? (stringify(value) ?? null) : null)

export function createSharedSubscriptions(store: StoreConnection): SubscriptionJournal {
  const where = 'WHERE base_url = $1 AND client_id = $2 AND url = $3'
  const insert = `INSERT INTO bookctl.subscriptions_begun (base_url, client_id, url, events, begun_at)
    VALUES ($1, $2, $3, $4, clock_timestamp()) ON CONFLICT (base_url, client_id, url) DO NOTHING RETURNING id`
  const find = `SELECT id, url, events, extract(epoch FROM begun_at)::float8 AS "begunAt"
    FROM bookctl.subscriptions_begun ${where}`
  type Row = Omit<RequestedSubscription, 'id' | 'events'> & {id: string; events: string}
  return {
    async begin({baseUrl, clientId}, {url, events}, {again}) {
      const key = [baseUrl, clientId, url]
      if (again) await store.query(`DELETE FROM bookctl.subscriptions_begun ${where}`, key)
      for (;;) {
        const [inserted] = (await store.query<{id: string}>(insert, [...key, JSON.stringify(events)])).rows
        if (inserted) return {id: Number(inserted.id)}
        const [row] = (await store.query<Row>(find, key)).rows
        // If there is no row, another machine has just ended the request.
        if (row) return {earlier: {...row, id: Number(row.id), events: JSON.parse(row.events) as string[]}}
      }
    },
    async end(id) {
      await store.query('DELETE FROM bookctl.subscriptions_begun WHERE id = $1', [id])
    },
  }
}
