/**
 * In the shared store: the reservation journal, committed before anything is sent, its bodies sealed, and equal ones told
 * by an HMAC, since identity numbers can be tried; and subscriptions whose outcome is unknown.
 */
import {usage} from '../../contract/failure.js'
import {
  decide,
  isNeverSent,
  isOpen,
  type Journal,
  type JournalClient,
  type JournalEntry,
  type JournalStore,
  type JournalVerdict,
  NOT_SENT,
  type RequestedSubscription,
  type ReservationIntent,
  type SubscriptionJournal,
  sealedElsewhere,
  startedElsewhere,
} from '../../contract/journal.js'
import type {Client} from '../../contract/token-cache.js'
import type {StoreConnection} from './connection.js'
import {leasesOf} from './locks.js'
import type {Seal} from './seal.js'

interface Row extends Client, Omit<JournalEntry, 'id' | 'body' | 'result'> {
  readonly id: string
  readonly keyId: string
  readonly sealedBody: Uint8Array | null
  readonly result: string | null
}

/** An entry's columns, under the names of its fields. */
const ENTRY = `id, base_url AS "baseUrl", client_id AS "clientId", client_reference_id AS "clientReferenceId",
  offer_id AS "offerId", idempotency_key AS "idempotencyKey", key_id AS "keyId", sealed_body AS "sealedBody",
  body_fingerprint AS "bodySha256", intent_fingerprint AS "intentSha256", outcome,
  reservation_ref AS "reservationRef", attempts, lost, result,
  extract(epoch FROM created_at)::float8 AS "createdAt", extract(epoch FROM updated_at)::float8 AS "updatedAt"`

const OPEN = `outcome IN ('unresolved', 'unknown')`

const ABOUT = `SELECT ${ENTRY} FROM bookctl.reservations WHERE base_url = $1 AND client_id = $2
  AND (offer_id = $3 OR client_reference_id = $4 OR idempotency_key = $5) ORDER BY id DESC`

const FORGET = `WITH unsent AS (
    DELETE FROM bookctl.reservations WHERE id = $1 AND attempts = 0 AND outcome = 'unresolved' RETURNING id
  ) UPDATE bookctl.reservations SET outcome = 'forgotten', sealed_body = NULL, result = NULL,
    updated_at = clock_timestamp() WHERE id = $1 AND NOT EXISTS (SELECT FROM unsent)`

const NOTE = `UPDATE bookctl.reservations SET outcome = $4, updated_at = clock_timestamp(),
    result = coalesce($5, (jsonb_set(result::jsonb, '{status}', to_jsonb(upper($4::text))) #- '{payment,status}')::text)
  WHERE base_url = $1 AND client_id = $2 AND reservation_ref = $3 AND NOT ${OPEN}
    AND outcome NOT IN ('forgotten', $4)`

export function createSharedJournal(store: StoreConnection, sealFor: (secret: string) => Seal): JournalStore {
  return {
    forClient: client =>
      clientJournal(store, client, client.clientSecret ? sealFor(client.clientSecret) : undefined),
    async list({unresolved = false, client} = {}) {
      const sql = `SELECT ${ENTRY} FROM bookctl.reservations
        WHERE ($1::text IS NULL OR base_url = $1 AND client_id = $2) AND ${unresolved ? OPEN : 'TRUE'}
        ORDER BY created_at DESC, id DESC`
      const {rows} = await store.query<Row>(sql, [client?.baseUrl ?? null, client?.clientId ?? null])
      return rows.map(row => ({...entryOf(row, undefined), baseUrl: row.baseUrl, clientId: row.clientId}))
    },
    async noteStatus({baseUrl, clientId}, reservationRef, {outcome, result}) {
      const json = result ? JSON.stringify(result) : null
      await store.query(NOTE, [baseUrl, clientId, reservationRef, outcome, json])
    },
  }
}

function clientJournal(store: StoreConnection, client: JournalClient, seal: Seal | undefined): Journal {
  const {baseUrl, clientId} = client
  const alone = leasesOf(store)
  /** The verdict on `intent`, with the rows it is about, and what is stored of its body. */
  const judge = async (intent: ReservationIntent) => {
    const sealing = required(seal)
    const {offerId, clientReferenceId, idempotencyKey} = intent
    const about = [baseUrl, clientId, offerId, clientReferenceId, idempotencyKey]
    const {rows} = await store.query<Row>(ABOUT, about)
    const bodySha256 = sealing.fingerprint(intent.bodySha256)
    const intentSha256 = sealing.fingerprint(intent.intentSha256)
    const entries = rows.map(row => entryOf(row, seal))
    const verdict = decide(entries, {...intent, bodySha256, intentSha256})
    const other = rows.find(row => row.keyId !== sealing.keyId && isOpen(row) && !isNeverSent(row))
    // Whether it is the same reservation is unknown, so no second one is started.
    if (other && verdict?.kind !== 'resolved') throw sealedElsewhere(other.clientReferenceId)
    const sealed = () => [
      sealing.keyId,
      sealing.seal(intent.body, placeOf(client, idempotencyKey)),
      bodySha256,
      intentSha256,
    ]
    return {rows, verdict, sealed}
  }
  return {
    alone: (offerId, ...rest) => alone(['reserve', baseUrl, clientId, offerId].join(' '), ...rest),
    peek: async intent => (await judge(intent)).verdict,
    async begin(intent): Promise<JournalVerdict> {
      for (;;) {
        const {rows, verdict, sealed} = await judge(intent)
        if (verdict) return verdict
        const {clientReferenceId, offerId, idempotencyKey} = intent
        const names = [baseUrl, clientId, clientReferenceId, offerId, idempotencyKey]
        const seen = rows.toReversed().map(({id, outcome, attempts}) => `${id}:${outcome}:${attempts}`)
        const sql = `SELECT ${ENTRY} FROM bookctl.begin_reservation($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
        const [row] = (await store.query<Row>(sql, [...names, ...sealed(), seen.join(' ')])).rows
        // None: another process wrote in between, so it is judged again.
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
    async settle(id, {outcome, reservationRef = null, result}) {
      const sql = `UPDATE bookctl.reservations SET outcome = $2, reservation_ref = $3, result = $4,
        lost = lost OR $2 = 'unknown', sealed_body = CASE WHEN $2 = 'unknown' THEN sealed_body END,
        updated_at = clock_timestamp() WHERE id = $1 AND ${OPEN}`
      await store.query(sql, [id, outcome, reservationRef, result ? JSON.stringify(result) : null])
    },
    async forget(id) {
      await store.query(FORGET, [id])
    },
    async find(clientReferenceId) {
      const sql = `SELECT ${ENTRY} FROM bookctl.reservations
        WHERE base_url = $1 AND client_id = $2 AND client_reference_id = $3 ORDER BY id DESC LIMIT 1`
      const [row] = (await store.query<Row>(sql, [baseUrl, clientId, clientReferenceId])).rows
      return row && entryOf(row, seal)
    },
  }
}

function required(seal: Seal | undefined): Seal {
  if (seal) return seal
  const hint = 'use the client id and secret (bookctl login), or reserve without a shared store'
  throw usage(
    'no_secret_to_seal',
    'in a shared store a reservation is sealed with the client secret, and BOOKCTL_TOKEN comes without one',
    hint,
  )
}

function placeOf({baseUrl, clientId}: Client, idempotencyKey: string) {
  return {table: 'reservations', column: 'sealed_body', row: [baseUrl, clientId, idempotencyKey]}
}

function entryOf(row: Row, seal: Seal | undefined): JournalEntry {
  const {baseUrl, clientId, keyId: _, sealedBody, id, result, ...rest} = row
  const place = placeOf({baseUrl, clientId}, row.idempotencyKey)
  const body = sealedBody === null ? null : (seal?.open(sealedBody, place) ?? null)
  return {
    ...rest,
    id: Number(id),
    body,
    result: result === null ? null : (JSON.parse(result) as Record<string, unknown>),
  }
}

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
        // Otherwise it has just ended, on another machine.
        if (row) return {earlier: {...row, id: Number(row.id), events: JSON.parse(row.events) as string[]}}
      }
    },
    async end(id) {
      await store.query('DELETE FROM bookctl.subscriptions_begun WHERE id = $1', [id])
    },
  }
}
