/**
 * The listening processes in events.db, the counts of refused requests, and the figures for `webhooks status`. Each
 * process writes a report every few seconds and removes it when it stops in order, so an entry whose process no longer
 * runs belongs to a killed process.
 */
import {
  type Backlog,
  LISTENER_KEPT_SECONDS,
  type ListenerReport,
  type PendingTarget,
  REFUSALS_KEPT_SECONDS,
  type StoredListener,
  type StoreOverview,
} from '../contract/stored-events.js'
import type {Database} from '../storage/database.js'
import {fateOf} from '../storage/temporary.js'

const REPORT = `INSERT INTO listeners (owner, profile, report, heartbeat_at, padding) VALUES (?, ?, ?, ?, randomblob(?))
  ON CONFLICT (owner) DO UPDATE SET report = excluded.report, heartbeat_at = excluded.heartbeat_at, padding = excluded.padding`

const COUNT_REFUSED = `INSERT INTO refusals (minute, reason, count) VALUES (?, ?, ?)
  ON CONFLICT (minute, reason) DO UPDATE SET count = count + excluded.count`

/**
 * Creates the entry of the process `owner`. It has the methods of the port, but without promises. Times are Unix
 * seconds.
 */
export function createListenerEntry(database: Database, owner: string, profile: string, now: () => number) {
  let isEntered = false
  const removeGone = () => {
    const listed = 'SELECT owner, heartbeat_at AS heartbeatAt FROM listeners'
    for (const other of database.all<{owner: string; heartbeatAt: number}>(listed)) {
      const isOld = other.heartbeatAt < now() - LISTENER_KEPT_SECONDS
      if (isOld || fateOf(other.owner, owner) === 'gone')
        database.run('DELETE FROM listeners WHERE owner = ?', other.owner)
    }
  }
  return {
    beat(report: ListenerReport, refused: Readonly<Record<string, number>>, bytes: number): void {
      database.transaction(() => {
        if (!isEntered) removeGone()
        database.run(REPORT, owner, profile, JSON.stringify(report), now(), bytes)
        const minute = Math.floor(now() / 60)
        for (const [reason, count] of Object.entries(refused))
          database.run(COUNT_REFUSED, minute, reason, count)
        database.run('DELETE FROM refusals WHERE minute < ?', minute - REFUSALS_KEPT_SECONDS / 60)
      })
      isEntered = true
    },
    backlog: (): Backlog => backlogOf(database, now()),
    leave(): void {
      if (isEntered) database.run('DELETE FROM listeners WHERE owner = ?', owner)
    },
  }
}

const PENDING = `SELECT pending, (SELECT received_at FROM events WHERE sequence = oldest) AS oldestAt
  FROM (SELECT count(*) AS pending, min(sequence) AS oldest FROM forwards WHERE state = 'pending')`
const PENDING_TARGETS = `SELECT target, count(*) AS pending FROM forwards WHERE state = 'pending' GROUP BY target`
const LAST_EVENT = 'SELECT received_at AS lastAt FROM events ORDER BY sequence DESC LIMIT 1'

function backlogOf(database: Database, now: number): Backlog {
  const {pending = 0, oldestAt = null} =
    database.get<{pending: number; oldestAt: number | null}>(PENDING) ?? {}
  const {lastAt = null} = database.get<{lastAt: number}>(LAST_EVENT) ?? {}
  return {
    pending,
    oldestPendingSeconds: oldestAt === null ? null : Math.max(0, now - oldestAt),
    lastEventAt: lastAt,
  }
}

const HAS_LISTENERS = `SELECT 1 AS found FROM sqlite_master WHERE name = 'listeners'`
const SIZE = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size'

/**
 * Returns the figures of the whole file at `now` (Unix seconds). If the file is from an earlier version and cannot be
 * migrated, it has no listeners.
 */
export function overviewOf(database: Database, now: number): StoreOverview {
  const hasListeners = database.get(HAS_LISTENERS) !== undefined
  const hour = now - 3600
  const byType = `SELECT coalesce(type, '(no type)') AS name, count(*) AS count FROM events
    WHERE sequence >= ? AND received_at >= ? GROUP BY 1 ORDER BY 2 DESC, 1`
  const byReason = `SELECT reason AS name, sum(count) AS count FROM refusals WHERE minute >= ? GROUP BY 1 ORDER BY 2 DESC, 1`
  const givenUp = `SELECT count(*) AS count FROM forwards WHERE state = 'given_up' AND next_attempt_at >= ?`
  return {
    ...backlogOf(database, now),
    listeners: hasListeners ? listenersOf(database, now) : [],
    lastHour: counts(database.all(byType, firstSince(database, hour), hour)),
    refusedLastHour: hasListeners ? counts(database.all(byReason, Math.floor(hour / 60) + 1)) : {},
    givenUpLastDay: database.get<{count: number}>(givenUp, now - 24 * 3600)?.count ?? 0,
    pendingTargets: database.all<PendingTarget>(PENDING_TARGETS),
    storedBytes: database.get<{bytes: number}>(SIZE)?.bytes ?? 0,
  }
}

function listenersOf(database: Database, now: number): StoredListener[] {
  const sql =
    'SELECT owner, profile, report, heartbeat_at AS heartbeatAt FROM listeners ORDER BY heartbeat_at'
  const rows = database.all<{owner: string; profile: string; report: string; heartbeatAt: number}>(sql)
  return rows.map(({owner, profile, report, heartbeatAt}) => ({
    ...(JSON.parse(report) as ListenerReport),
    owner,
    profile,
    silentSeconds: Math.max(0, now - heartbeatAt),
  }))
}

function counts(rows: readonly {readonly name: string; readonly count: number}[]): Record<string, number> {
  return Object.fromEntries(rows.map(({name, count}) => [name, count]))
}

/** By how many seconds events may be out of order after the clock was set back. */
const CLOCK_SECONDS = 300

/**
 * Returns a sequence number below which no event was received after `time`. It is found by bisection, because an index
 * by time would cost receivers more than it is worth for a rare query.
 */
function firstSince(database: Database, time: number): number {
  const range = 'SELECT min(sequence) AS low, max(sequence) AS high FROM events'
  const found = database.get<{low: number | null; high: number | null}>(range)
  let low = found?.low ?? 0
  let high = found?.high ?? 0
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const next = 'SELECT received_at AS at FROM events WHERE sequence >= ? ORDER BY sequence LIMIT 1'
    const {at = 0} = database.get<{at: number}>(next, middle) ?? {}
    if (at < time - CLOCK_SECONDS) low = middle + 1
    else high = middle
  }
  return low
}
