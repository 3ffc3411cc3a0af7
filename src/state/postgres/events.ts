/**
 * Webhook events received by any machine, byte for byte as they came, and what is still to be forwarded, in the shared
 * store. An id is kept once for each profile. A forward belongs to whoever holds its lease, by the database's clock.
 */
import {randomUUID} from 'node:crypto'
import type {
  DueForward,
  EventFilter,
  EventForward,
  EventKeeper,
  EventStore,
  ForwardResult,
  NewEvent,
  StoredEvent,
} from '../../contract/stored-events.js'
import {packHeaders, unpackHeaders} from '../../contract/stored-events.js'
import type {StoreConnection} from './connection.js'
import {tooNew} from './errors.js'
import {SCHEMA_VERSION} from './schema.js'

interface Row {
  readonly sequence: string
  readonly profile: string
  readonly event_id: string
  readonly type: string | null
  readonly received_at: number
  readonly secret_name: string
  readonly headers: string
  readonly body: Uint8Array
}

const EVENT = `e.sequence, e.profile, e.event_id, e.type, extract(epoch FROM e.received_at)::float8 AS received_at,
  e.secret_name, e.headers, e.body`

export function createSharedEvents(store: StoreConnection): EventStore {
  return {
    async page(filter, from, limit) {
      const newestFirst = !('after' in from)
      const place = newestFirst ? (from.before ?? Number.MAX_SAFE_INTEGER) : from.after
      const {ids = null, types = null, since = null} = filter satisfies EventFilter
      const sql = `SELECT ${EVENT} FROM bookctl.events e WHERE sequence ${newestFirst ? '<' : '>'} $1
          AND ($2::text[] IS NULL OR event_id = ANY ($2)) AND ($3::text[] IS NULL OR type = ANY ($3))
          AND ($4::float8 IS NULL OR received_at >= to_timestamp($4))
        ORDER BY sequence ${newestFirst ? 'DESC' : 'ASC'} LIMIT $5`
      const {rows} = await store.query<Row>(sql, [place, ids, types, since, limit])
      return rows.map(eventOf)
    },
    async forwardsOf(sequence) {
      const sql = `SELECT target, state, attempts, status, ms, error FROM bookctl.forwards
        WHERE sequence = $1 ORDER BY target`
      const {rows} = await store.query<EventForward>(sql, [sequence])
      return rows
    },
    prune: (time, limit) => prune(store, time, limit),
  }
}

/** Never one that is still to be forwarded. */
async function prune(store: StoreConnection, time: number, limit: number): Promise<number> {
  const sql = `DELETE FROM bookctl.events WHERE sequence IN (
    SELECT sequence FROM bookctl.events e WHERE received_at < to_timestamp($1) AND NOT EXISTS (
      SELECT FROM bookctl.forwards f WHERE f.sequence = e.sequence AND f.state = 'pending')
    ORDER BY received_at LIMIT $2)`
  return (await store.query(sql, [time, limit])).count
}

/** One block of bytes and where each body is in it: as an array of bodies they would be sent as text of twice the size. */
const RECEIVE = `WITH given AS (
    SELECT * FROM unnest($3::text[], $4::text[], $5::float8[], $6::text[], $7::text[], $8::int[], $9::int[], $10::uuid[],
      $11::text[], $12::boolean[])
      AS g (event_id, type, received_at, secret_name, headers, start, length, arrival, targets, is_again)
  ), new AS (
    INSERT INTO bookctl.events (profile, event_id, type, received_at, secret_name, headers, body, arrival)
    SELECT $1, event_id, type, to_timestamp(received_at), secret_name, headers,
      substring($2::bytea FROM start FOR length), arrival FROM given ORDER BY event_id
    ON CONFLICT (profile, event_id) DO NOTHING RETURNING sequence, arrival
  ), forwarded AS (
    INSERT INTO bookctl.forwards (sequence, target, state, due_at)
    SELECT sequence, target, 'pending', clock_timestamp() FROM new JOIN given USING (arrival),
      unnest(string_to_array(targets, E'\\n')) AS target
  )
  SELECT (SELECT max(version) FROM bookctl.schema_version) AS version, ARRAY(
    SELECT arrival::text FROM new UNION ALL
    SELECT e.arrival::text FROM given g JOIN bookctl.events e USING (event_id, arrival)
      WHERE g.is_again AND e.profile = $1) AS own`

interface Received {
  readonly version: number
  /** The arrivals that stored their events, now or by a statement whose outcome was unknown. */
  readonly own: readonly string[]
}

/** Without MATERIALIZED the limit could be applied again for each row. */
const TAKE = `WITH due AS MATERIALIZED (
    SELECT sequence, target FROM bookctl.forwards
    WHERE state = 'pending' AND target = $1 AND due_at <= clock_timestamp()
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE bookctl.forwards f SET lease = $3, due_at = clock_timestamp() + make_interval(secs => $4)
    FROM due WHERE f.sequence = due.sequence AND f.target = due.target RETURNING f.sequence, f.attempts
  ) SELECT ${EVENT}, taken.attempts FROM taken JOIN bookctl.events e USING (sequence) ORDER BY sequence`

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

const LEASE_SECONDS = 20
const RENEWAL_MILLISECONDS = 5000
/** Sent no later than this after the last renewal began: then no one else has it. */
const TRUSTED_MILLISECONDS = 19_000
const MOST_IN_STATEMENT = {rows: 128, bytes: 1024 * 1024}
/** Events whose storing had an unknown outcome, so that the one that stored them is told of it when they come again. */
const MOST_UNKNOWN = 10_000

/** The store of a listening process. `now`: Unix seconds on this machine. */
export function createSharedKeeper(store: StoreConnection, now: () => number): EventKeeper {
  const lease = randomUUID()
  /** What this process holds, and until when, on the clock of performance.now(). */
  const held = new Map<string, {readonly sequence: number; readonly target: string; until: number}>()
  const unknown = new Map<string, string>()
  const nameOf = ({sequence, target}: {sequence: number; target: string}) => `${sequence} ${target}`
  const columns = (entries: readonly {sequence: number; target: string}[]) => [
    entries.map(({sequence}) => sequence),
    entries.map(({target}) => target),
  ]
  const renew = async () => {
    if (held.size === 0) return
    const until = performance.now() + TRUSTED_MILLISECONDS
    const entries = [...held.values()]
    const {rows} = await store.query<{sequence: string; target: string}>(RENEW, [
      ...columns(entries),
      lease,
      LEASE_SECONDS,
    ])
    const renewed = new Set(rows.map(row => `${row.sequence} ${row.target}`))
    for (const entry of entries) {
      const name = nameOf(entry)
      if (renewed.has(name)) entry.until = until
      else held.delete(name)
    }
  }
  // A renewal that fails is made up by the next; until then nothing is sent after its time.
  const renewal = setInterval(() => void renew().catch(() => {}), RENEWAL_MILLISECONDS).unref()

  const receiveSome = async (profile: string, events: readonly NewEvent[]) => {
    const arrivals = events.map(({eventId}) => unknown.get(eventId) ?? randomUUID())
    let end = 0
    const starts = events.map(({body}) => {
      end += body.length
      return end - body.length + 1
    })
    const values = [
      profile,
      Buffer.concat(events.map(event => event.body)),
      events.map(event => event.eventId),
      events.map(event => event.type),
      events.map(event => event.receivedAt),
      events.map(event => event.secretName),
      events.map(event => packHeaders(event.rawHeaders)),
      starts,
      events.map(event => event.body.length),
      arrivals,
      events.map(({targets}) => (targets.length === 0 ? null : targets.join('\n'))),
      events.map(event => unknown.has(event.eventId)),
    ]
    try {
      const {rows} = await store.query<Received>(RECEIVE, values)
      const [{version, own}] = rows as [Received]
      if (version > SCHEMA_VERSION) throw tooNew(store.shown, version)
      for (const {eventId} of events) unknown.delete(eventId)
      return arrivals.map(arrival => own.includes(arrival))
    } catch (error) {
      for (const [n, {eventId}] of events.entries())
        if (unknown.size < MOST_UNKNOWN) unknown.set(eventId, arrivals[n] as string)
      throw error
    }
  }

  return {
    async receive({profile}, events) {
      const first = [
        ...new Map(events.toReversed().map(event => [event.eventId, event])).values(),
      ].toReversed()
      const isNew = new Map<NewEvent, boolean>()
      for (const some of inStatements(first)) {
        const outcomes = await receiveSome(profile, some)
        for (const [n, event] of some.entries()) isNew.set(event, outcomes[n] === true)
      }
      return events.map(event => ({duplicate: isNew.get(event) !== true}))
    },
    // A lease ends by itself.
    adopt: async () => 0,
    async take(_, target, __, limit) {
      const until = performance.now() + TRUSTED_MILLISECONDS
      const {rows} = await store.query<Row & {attempts: number}>(TAKE, [target, limit, lease, LEASE_SECONDS])
      return rows.map((row): DueForward => {
        const {profile: ___, secretName: ____, ...event} = eventOf(row)
        held.set(nameOf({sequence: event.sequence, target}), {sequence: event.sequence, target, until})
        return {...event, target, attempts: row.attempts}
      })
    },
    holds: forward => (held.get(nameOf(forward))?.until ?? 0) > performance.now(),
    async settle(results: readonly ForwardResult[]) {
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
    prune: (time, limit) => prune(store, time, limit),
    async close() {
      clearInterval(renewal)
      if (held.size > 0) await store.query(RELEASE, [...columns([...held.values()]), lease]).catch(() => {})
      await store.close()
    },
  }
}

/** In their order, so many at a time that a statement stays small. */
function inStatements(events: readonly NewEvent[]): NewEvent[][] {
  const parts: NewEvent[][] = []
  let bytes = 0
  for (const event of events) {
    const last = parts.at(-1)
    bytes += event.body.length
    if (last && last.length < MOST_IN_STATEMENT.rows && bytes <= MOST_IN_STATEMENT.bytes) last.push(event)
    else {
      parts.push([event])
      bytes = event.body.length
    }
  }
  return parts
}

function eventOf(row: Row): StoredEvent {
  return {
    sequence: Number(row.sequence),
    profile: row.profile,
    eventId: row.event_id,
    type: row.type,
    receivedAt: row.received_at,
    secretName: row.secret_name,
    rawHeaders: unpackHeaders(row.headers),
    body: row.body,
  }
}
