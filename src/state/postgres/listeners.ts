/**
 * The listening processes of a shared store on all machines, the counts of refused requests, and the figures for
 * `webhooks status`. Times are those of the database's clock.
 */
import {
  type Backlog,
  type EventKeeper,
  LISTENER_KEPT_SECONDS,
  type ListenerReport,
  type PendingTarget,
  REFUSALS_KEPT_SECONDS,
  type StoreOverview,
} from '../../contract/stored-events.js'
import {createOwner, fateOf} from '../../storage/temporary.js'
import type {StoreConnection} from './connection.js'

/** Counts are written in the order of their reasons, so that two listeners cannot wait for each other. */
const REPORT = `WITH entered AS (
    INSERT INTO bookctl.listeners (owner, profile, report, heartbeat_at) VALUES ($1, $2, $3, clock_timestamp())
    ON CONFLICT (owner) DO UPDATE SET report = excluded.report, heartbeat_at = excluded.heartbeat_at
  ), counted AS (
    INSERT INTO bookctl.refusals (minute, reason, count)
    SELECT date_trunc('minute', clock_timestamp()), reason, added
      FROM unnest($4::text[], $5::bigint[]) AS g (reason, added) ORDER BY reason
    ON CONFLICT (minute, reason) DO UPDATE SET count = refusals.count + excluded.count
  )
  DELETE FROM bookctl.refusals WHERE minute < clock_timestamp() - make_interval(secs => ${REFUSALS_KEPT_SECONDS})`

const OTHERS = `SELECT owner, heartbeat_at < clock_timestamp() - make_interval(secs => ${LISTENER_KEPT_SECONDS}) AS "isOld"
  FROM bookctl.listeners WHERE owner <> $1`

/** Creates the entry of this process. `beat` ignores the number of bytes, because only the server knows its disk. */
export function createListenerEntry(store: StoreConnection, profile: string) {
  const owner = createOwner()
  let isEntered = false
  const beat: EventKeeper['beat'] = async (report, refused) => {
    if (!isEntered) {
      const {rows} = await store.query<{owner: string; isOld: boolean}>(OTHERS, [owner])
      const gone = rows.filter(other => other.isOld || fateOf(other.owner, owner) === 'gone')
      const sql = 'DELETE FROM bookctl.listeners WHERE owner = ANY ($1::text[])'
      if (gone.length > 0) await store.query(sql, [gone.map(other => other.owner)])
    }
    await store.query(REPORT, [
      owner,
      profile,
      JSON.stringify(report),
      Object.keys(refused),
      Object.values(refused),
    ])
    isEntered = true
  }
  return {
    beat,
    async leave(): Promise<void> {
      if (isEntered) await store.query('DELETE FROM bookctl.listeners WHERE owner = $1', [owner])
    },
  }
}

const BACKLOG = `SELECT count(*)::int AS pending,
    extract(epoch FROM clock_timestamp() - min(e.received_at))::float8 AS "oldestPendingSeconds",
    (SELECT extract(epoch FROM received_at)::float8 FROM bookctl.events ORDER BY received_at DESC LIMIT 1) AS "lastEventAt"
  FROM bookctl.forwards f JOIN bookctl.events e USING (sequence) WHERE f.state = 'pending'`

export async function backlogOf(store: StoreConnection): Promise<Backlog> {
  const [backlog] = (await store.query<Backlog>(BACKLOG)).rows as [Backlog]
  return backlog
}

const PENDING_TARGETS = `SELECT target, count(*)::int AS pending FROM bookctl.forwards
  WHERE state = 'pending' GROUP BY target ORDER BY target`

const LISTENERS = `SELECT owner, profile, report,
    greatest(0, extract(epoch FROM clock_timestamp() - heartbeat_at))::float8 AS "silentSeconds"
  FROM bookctl.listeners ORDER BY heartbeat_at`
const LAST_HOUR = `SELECT coalesce(type, '(no type)') AS name, count(*)::int AS count FROM bookctl.events
  WHERE received_at >= clock_timestamp() - interval '1 hour' GROUP BY 1 ORDER BY 2 DESC, 1`
const REFUSED = `SELECT reason AS name, sum(count)::int AS count FROM bookctl.refusals
  WHERE minute > clock_timestamp() - interval '1 hour' GROUP BY 1 ORDER BY 2 DESC, 1`
const SIZES = `SELECT
    (SELECT count(*)::int FROM bookctl.forwards
      WHERE state = 'given_up' AND due_at >= clock_timestamp() - interval '1 day') AS "givenUpLastDay",
    (pg_total_relation_size('bookctl.events') + pg_total_relation_size('bookctl.forwards'))::float8 AS "storedBytes"`

type Listed = {readonly owner: string; readonly profile: string; readonly report: string} & {
  readonly silentSeconds: number
}
type Count = {readonly name: string; readonly count: number}

/** Returns the figures of the whole store. Throws a StorageError. */
export async function overviewOf(store: StoreConnection): Promise<StoreOverview> {
  const listed = await store.query<Listed>(LISTENERS)
  const counts = async (sql: string) =>
    Object.fromEntries((await store.query<Count>(sql)).rows.map(({name, count}) => [name, count]))
  const [sizes] = (await store.query<Pick<StoreOverview, 'givenUpLastDay' | 'storedBytes'>>(SIZES)).rows as [
    Pick<StoreOverview, 'givenUpLastDay' | 'storedBytes'>,
  ]
  return {
    ...(await backlogOf(store)),
    ...sizes,
    listeners: listed.rows.map(({report, ...entry}) => ({
      ...(JSON.parse(report) as ListenerReport),
      ...entry,
    })),
    pendingTargets: (await store.query<PendingTarget>(PENDING_TARGETS)).rows,
    lastHour: await counts(LAST_HOUR),
    refusedLastHour: await counts(REFUSED),
  }
}
