/**
 * Stores the webhook events that any machine receives in the shared store, byte for byte and each id once per profile.
 * Only one receiver reports an event as new. Also stores the forwards. A forward belongs to the receiver that has its
 * lease, which ends by the database's clock.
 */
import {createHash, randomUUID} from 'node:crypto'
import {
  type DueForward,
  type EventForward,
  type EventKeeper,
  type EventRow,
  type EventStore,
  fromEventRow,
  type NewEvent,
  packHeaders,
  packReservation,
  pageOfReservation,
  type StoredEvent,
} from '../../contract/stored-events.js'
import type {StoreConnection} from './connection.js'
import {tooNew} from './errors.js'
import {backlogOf, createListenerEntry, overviewOf} from './listeners.js'
import {SCHEMA_VERSION} from './schema.js'

/** The columns of an event, named after its fields. */
const EVENT = `e.sequence, e.profile, e.event_id AS "eventId", e.type,
  extract(epoch FROM e.received_at)::float8 AS "receivedAt", e.secret_name AS "secretName", e.headers, e.body`

/**
 * Returns the statement that stores events. Their bodies are sent as one block, because an array of them would be sent as text of
 * twice the size. `stored` lists the arrivals that were stored. `also` is what else is stored, in further parts of WITH.
 */
const receiveWith = (also: string) => `WITH given AS (
    SELECT * FROM unnest($3::text[], $4::text[], $5::float8[], $6::text[], $7::text[], $8::int[], $9::int[], $10::uuid[],
      $11::text[], $12::text[])
      AS g (event_id, type, received_at, secret_name, headers, start, length, arrival, targets, reservation_ref)
  ), new AS (
    INSERT INTO bookctl.events (profile, event_id, type, received_at, secret_name, headers, body, arrival,
      reservation_ref)
    SELECT $1, event_id, type, to_timestamp(received_at), secret_name, headers,
      substring($2::bytea FROM start FOR length), arrival, reservation_ref FROM given ORDER BY event_id
    ON CONFLICT (profile, event_id) DO NOTHING RETURNING sequence, arrival
  )${also}
  SELECT (SELECT max(version) FROM bookctl.schema_version) AS version,
    ARRAY(SELECT arrival::text FROM new) AS stored`

/** Stores events that are forwarded to no address, for which the other statement takes a third longer. */
const RECEIVE = receiveWith('')
const RECEIVE_AND_FORWARD = receiveWith(`, forwarded AS (
    INSERT INTO bookctl.forwards (sequence, target, state, due_at)
    SELECT sequence, target, 'pending', clock_timestamp() FROM new JOIN given USING (arrival),
      unnest(string_to_array(targets, E'\\n')) AS target
  )`)

type Received = {readonly version: number; readonly stored: readonly string[]}

/**
 * The arrival of an event that no receiver has reported as new, because the receiver did not learn that it was stored.
 */
const UNREPORTED = '00000000-0000-0000-0000-000000000000'

/** Claims unreported events when they arrive again. The first receiver that does so reports them as new. */
const CLAIM = `UPDATE bookctl.events e SET arrival = g.arrival
  FROM unnest($2::text[], $3::uuid[]) AS g (event_id, arrival)
  WHERE e.profile = $1 AND e.event_id = g.event_id AND e.arrival = '${UNREPORTED}' RETURNING e.arrival::text`

const DISOWN = `UPDATE bookctl.events SET arrival = '${UNREPORTED}'
  WHERE event_id = ANY ($1::text[]) AND arrival = ANY ($2::uuid[])`

/** Selects due forwards and leases them. Without MATERIALIZED, the limit could be applied again for each row. */
const TAKE = `WITH due AS MATERIALIZED (
    SELECT sequence, target FROM bookctl.forwards
    WHERE state = 'pending' AND target = $1 AND due_at <= clock_timestamp()
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE bookctl.forwards f SET lease = $3, due_at = clock_timestamp() + make_interval(secs => $4)
    FROM due WHERE f.sequence = due.sequence AND f.target = due.target RETURNING f.sequence, f.attempts
  ) SELECT ${EVENT}, $1 AS target, taken.attempts FROM taken JOIN bookctl.events e USING (sequence) ORDER BY sequence`

const RENEW = `UPDATE bookctl.forwards f SET due_at = clock_timestamp() + make_interval(secs => $4)
  FROM unnest($1::bigint[], $2::text[]) AS g (sequence, target)
  WHERE f.sequence = g.sequence AND f.target = g.target AND f.lease = $3 AND f.state = 'pending'
  RETURNING f.sequence, f.target`

const SETTLE = `UPDATE bookctl.forwards f SET state = g.state, attempts = f.attempts + 1, lease = NULL,
    due_at = clock_timestamp() + make_interval(secs => g.wait), status = g.status, ms = g.ms, error = g.error
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::float8[], $5::int[], $6::int[], $7::text[])
    AS g (sequence, target, state, wait, status, ms, error)
  WHERE f.sequence = g.sequence AND f.target = g.target AND f.lease = $8`

const RELEASE = `UPDATE bookctl.forwards f SET due_at = clock_timestamp(), lease = NULL
  FROM unnest($1::bigint[], $2::text[]) AS g (sequence, target)
  WHERE f.sequence = g.sequence AND f.target = g.target AND f.lease = $3 AND f.state = 'pending'`

const FORWARD_LEASE_SECONDS = 20
const RENEWAL_MILLISECONDS = 5000
/** How long a lease is relied on after its last renewal started. During this time, no other receiver can have it. */
const TRUSTED_MILLISECONDS = (FORWARD_LEASE_SECONDS - 1) * 1000
const MOST_IN_STATEMENT = {rows: 128, bytes: 1024 * 1024}
/**
 * How often arrivals with an unknown outcome are marked as unreported, and for how long this is repeated, because their
 * statement may be committed late.
 */
const DISOWN_MILLISECONDS = 500
const UNKNOWN_MILLISECONDS = 20_000
const MOST_UNKNOWN = 10_000
/** Maximum length of an event id in the index. A longer id is cut and gets a hash. */
const MOST_ID_LENGTH = 500

/** Identifies a forward. `pg` returns the sequence number as text. */
interface Place {
  readonly sequence: number | string
  readonly target: string
}

/**
 * Creates the event store of a listening process. `place` is the address of the store without its password. `now`
 * returns Unix seconds on this machine.
 */
export function createSharedKeeper(
  store: StoreConnection,
  profile: string,
  place: string,
  now: () => number,
): EventKeeper {
  const lease = randomUUID()
  const entry = createListenerEntry(store, profile)
  /**
   * The forwards that this process has leased, and how long each lease is relied on, in milliseconds of
   * performance.now().
   */
  const held = new Map<string, Place & {until: number}>()
  /** Arrivals that were answered with 503 although they may have been stored. */
  const unknown = new Map<string, {readonly eventId: string; readonly until: number}>()
  const nameOf = ({sequence, target}: Place) => `${sequence} ${target}`
  const columns = (entries: readonly Place[]) => [
    entries.map(({sequence}) => sequence),
    entries.map(({target}) => target),
  ]
  const renew = async () => {
    if (held.size === 0) return
    const until = performance.now() + TRUSTED_MILLISECONDS
    const entries = [...held.values()]
    const {rows} = await store.query<Place>(RENEW, [...columns(entries), lease, FORWARD_LEASE_SECONDS])
    const renewed = new Set(rows.map(nameOf))
    for (const entry of entries) {
      const name = nameOf(entry)
      if (renewed.has(name)) entry.until = until
      else held.delete(name)
    }
  }
  // If a renewal fails, the next one makes up for it. Until then, nothing is sent whose lease is no longer relied on.
  const renewal = setInterval(() => void renew().catch(() => {}), RENEWAL_MILLISECONDS).unref()

  const disown = async () => {
    if (unknown.size === 0) return
    const some = [...unknown]
    await store.query(DISOWN, [some.map(([, {eventId}]) => eventId), some.map(([arrival]) => arrival)])
    for (const [arrival, {until}] of some) if (until < performance.now()) unknown.delete(arrival)
  }
  const disowning = setInterval(() => void disown().catch(() => {}), DISOWN_MILLISECONDS).unref()

  /** Stores events and returns the arrivals to report as new. */
  const receiveSome = async (arrivals: readonly Arrival[]) => {
    const events = arrivals.map(({event}) => event)
    let end = 0
    const starts = events.map(({body}) => {
      end += body.length
      return end - body.length + 1
    })
    const values = [
      profile,
      Buffer.concat(events.map(({body}) => body)),
      arrivals.map(({eventId}) => eventId),
      events.map(({type}) => type),
      events.map(({receivedAt}) => receivedAt),
      events.map(({secretName}) => secretName),
      events.map(({rawHeaders}) => packHeaders(rawHeaders)),
      starts,
      events.map(({body}) => body.length),
      arrivals.map(({arrival}) => arrival),
      events.map(({targets}) => (targets.length === 0 ? null : targets.join('\n'))),
      events.map(({reservationRef}) => packReservation(reservationRef)),
    ]
    const isForwarded = events.some(({targets}) => targets.length > 0)
    const {rows} = isForwarded
      ? await store.query<Received>(RECEIVE_AND_FORWARD, values, 'receive_and_forward')
      : await store.query<Received>(RECEIVE, values, 'receive')
    const [{version, stored}] = rows as [Received]
    if (version > SCHEMA_VERSION) throw tooNew((await store.facts()).shown, version)
    const isNew = new Set(stored)
    const known = arrivals.filter(({arrival}) => !isNew.has(arrival))
    if (known.length === 0) return isNew
    const claim = [profile, known.map(({eventId}) => eventId), known.map(({arrival}) => arrival)]
    for (const {arrival} of (await store.query<{arrival: string}>(CLAIM, claim)).rows) isNew.add(arrival)
    return isNew
  }

  return {
    async receive(events) {
      const first = new Map<string, Arrival>()
      const arrivals = events.map(event => {
        const eventId = storableId(event.eventId)
        if (first.has(eventId)) return ''
        const arrival = randomUUID()
        first.set(eventId, {event, eventId, arrival})
        return arrival
      })
      const isNew = new Set<string>()
      try {
        await disown()
        for (const some of inStatements([...first.values()]))
          for (const arrival of await receiveSome(some)) isNew.add(arrival)
      } catch (error) {
        // All these events are answered with 503, even those that were stored.
        const until = performance.now() + UNKNOWN_MILLISECONDS
        for (const {arrival, eventId} of first.values())
          if (unknown.size < MOST_UNKNOWN) unknown.set(arrival, {eventId, until})
        throw error
      }
      return arrivals.map(arrival => ({duplicate: !isNew.has(arrival)}))
    },
    // Leases expire by themselves, so there is nothing to take over.
    adopt: async () => 0,
    async take(target, _, limit) {
      const until = performance.now() + TRUSTED_MILLISECONDS
      const values = [target, limit, lease, FORWARD_LEASE_SECONDS]
      const {rows} = await store.query<EventRow<DueForward>>(TAKE, values)
      const taken = rows.map(row => fromEventRow(row))
      for (const {sequence} of taken) held.set(nameOf({sequence, target}), {sequence, target, until})
      return taken
    },
    holds(forward) {
      const isTrusted = (held.get(nameOf(forward))?.until ?? 0) > performance.now()
      // The caller will not send this forward. Its lease must not be renewed, or no receiver would send it.
      if (!isTrusted) held.delete(nameOf(forward))
      return isTrusted
    },
    async settle(results) {
      const at = now()
      await store.query(SETTLE, [
        ...columns(results),
        results.map(({state}) => state),
        results.map(({nextAttemptAt}) => Math.max(0, nextAttemptAt - at)),
        results.map(({status}) => status),
        results.map(({ms}) => ms && Math.round(ms)),
        results.map(({error}) => error),
        lease,
      ])
      for (const result of results) held.delete(nameOf(result))
    },
    place,
    prune: (time, limit) => prune(store, now() - time, limit),
    beat: entry.beat,
    backlog: () => backlogOf(store),
    overview: () => overviewOf(store),
    async close() {
      clearInterval(renewal)
      clearInterval(disowning)
      await disown().catch(() => {})
      await entry.leave().catch(() => {})
      if (held.size > 0) await store.query(RELEASE, [...columns([...held.values()]), lease]).catch(() => {})
      await store.close()
    },
  }
}

/** An event as it arrives, with the id under which it is stored, and an id of this arrival. */
interface Arrival {
  readonly event: NewEvent
  readonly eventId: string
  readonly arrival: string
}

function storableId(id: string): string {
  if (id.length <= MOST_ID_LENGTH) return id
  return `${id.slice(0, MOST_ID_LENGTH)}… ${createHash('sha256').update(id).digest('hex')}`
}

/** Splits arrivals, in order, into parts that each fit into a small statement. */
function inStatements(arrivals: readonly Arrival[]): Arrival[][] {
  const parts: Arrival[][] = []
  let bytes = 0
  for (const arrival of arrivals) {
    const {length} = arrival.event.body
    const last = parts.at(-1)
    bytes += length
    if (last && last.length < MOST_IN_STATEMENT.rows && bytes <= MOST_IN_STATEMENT.bytes) last.push(arrival)
    else {
      parts.push([arrival])
      bytes = length
    }
  }
  return parts
}

/**
 * Selects the events that may be about a reservation. Events that earlier versions stored have no `reservation_ref`;
 * their bodies must contain the reference, or an escape such as \u0052, which may stand for a character of it.
 */
const CANDIDATES = `SELECT sequence FROM bookctl.events WHERE reservation_ref = $6
  UNION ALL SELECT sequence FROM bookctl.events WHERE reservation_ref IS NULL
    AND (position(convert_to($6, 'UTF8') IN body) > 0 OR position('\\x5c753030'::bytea IN body) > 0)`

/** Creates the store for commands that read events. `now` returns Unix seconds on this machine. */
export function createSharedEvents(store: StoreConnection, now: () => number): EventStore {
  const page: EventStore['page'] = async (filter, from, limit) => {
    const newestFirst = !('after' in from)
    const place = newestFirst ? (from.before ?? Number.MAX_SAFE_INTEGER) : from.after
    const {ids = null, types = null, since = null, reservation} = filter
    const ofReservation = reservation === undefined ? '' : `AND sequence IN (${CANDIDATES})`
    const sql = `SELECT ${EVENT} FROM bookctl.events e WHERE sequence ${newestFirst ? '<' : '>'} $1
        AND ($2::text[] IS NULL OR event_id = ANY ($2)) AND ($3::text[] IS NULL OR type = ANY ($3))
        AND ($4::float8 IS NULL OR received_at >= to_timestamp(greatest($4, 0))) ${ofReservation}
      ORDER BY sequence ${newestFirst ? 'DESC' : 'ASC'} LIMIT $5`
    const values = [place, ids, types, since, limit, ...(reservation === undefined ? [] : [reservation])]
    const {rows} = await store.query<EventRow<StoredEvent>>(sql, values)
    return rows.map(row => fromEventRow(row))
  }
  return {
    async page(filter, from, limit) {
      const {reservation} = filter
      if (reservation === undefined) return page(filter, from, limit)
      return pageOfReservation(reservation, from, limit, (place, most) => page(filter, place, most))
    },
    async forwardsOf(sequence) {
      const sql = `SELECT target, state, attempts, status, ms, error FROM bookctl.forwards
        WHERE sequence = $1 ORDER BY target`
      const {rows} = await store.query<EventForward>(sql, [sequence])
      return rows
    },
    prune: (time, limit) => prune(store, now() - time, limit),
    async giveUpForwards(target, limit) {
      // Without the lease, a receiver that is sending the forward does not record the answer.
      const sql = `WITH given_up AS (
        UPDATE bookctl.forwards SET state = 'given_up', due_at = clock_timestamp(), lease = NULL
        WHERE target = $1 AND sequence IN (
          SELECT sequence FROM bookctl.forwards WHERE state = 'pending' AND target = $1 LIMIT $2 FOR UPDATE) RETURNING 1
      ) SELECT count(*)::int AS count FROM given_up`
      const {rows} = await store.query<{count: number}>(sql, [target, limit])
      return rows[0]?.count ?? 0
    },
    async prunedBefore() {
      const sql = 'SELECT extract(epoch FROM before)::float8 AS before FROM bookctl.pruned'
      const {rows} = await store.query<{before: number}>(sql)
      return rows[0]?.before ?? null
    },
    overview: () => overviewOf(store),
  }
}

/**
 * Deletes at most `limit` events older than `age` seconds by the database's clock, and returns their number. The upper
 * bound keeps the time within PostgreSQL's range.
 */
async function prune(store: StoreConnection, age: number, limit: number): Promise<number> {
  const sql = `WITH oldest AS (
    SELECT clock_timestamp() - make_interval(secs => least($1::float8, 1e10)) AS kept_from
  ), removed AS (
    DELETE FROM bookctl.events WHERE sequence IN (
      SELECT sequence FROM bookctl.events e WHERE received_at < (SELECT kept_from FROM oldest) AND NOT EXISTS (
        SELECT FROM bookctl.forwards f WHERE f.sequence = e.sequence AND f.state = 'pending')
      ORDER BY received_at LIMIT $2) RETURNING sequence
  ), marked AS (
    INSERT INTO bookctl.pruned (one, before) SELECT 1, kept_from FROM oldest WHERE EXISTS (SELECT FROM removed)
    ON CONFLICT (one) DO UPDATE SET before = greatest(pruned.before, excluded.before)
  ) SELECT count(*)::int AS count FROM removed`
  const {rows} = await store.query<{count: number}>(sql, [age, limit])
  return rows[0]?.count ?? 0
}
