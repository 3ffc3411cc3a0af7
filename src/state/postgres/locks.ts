/**
 * One at a time, for all machines: a row says who works and until when, by the clock of the database. It is free as soon
 * as its holder's connection is gone, and at the latest when its time is over, so a holder that lives renews it.
 */
import {randomUUID} from 'node:crypto'
import {setTimeout as sleep} from 'node:timers/promises'
import type {Alone} from '../../contract/token-cache.js'
import type {StoreConnection} from './connection.js'

/** A holder that cannot renew it, because its machine is cut off, has lost it after this long. */
const LOCK_SECONDS = 15
const RENEWAL_MILLISECONDS = 5000

/** For the backend of another user its start is null: then it counts as alive. */
const IS_FREE = `(l.until <= clock_timestamp() OR l.pid IS NOT NULL AND NOT EXISTS (
  SELECT FROM pg_stat_activity a WHERE a.pid = l.pid AND (a.backend_start IS NULL OR a.backend_start = l.started)))`

/** Behind a pooler ($4) the backend says nothing of its client. */
const CLAIM = `INSERT INTO bookctl.leases AS l (name, holder, until, pid, started)
  SELECT $1, $2, clock_timestamp() + make_interval(secs => $3), a.pid, a.backend_start
    FROM (SELECT) AS one LEFT JOIN pg_stat_activity a ON a.pid = pg_backend_pid() AND NOT $4::boolean
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until, pid = excluded.pid,
    started = excluded.started
  WHERE l.holder = excluded.holder OR ${IS_FREE}`

const RENEW = `UPDATE bookctl.leases SET until = clock_timestamp() + make_interval(secs => $3)
  WHERE name = $1 AND holder = $2`

/** As `withLock` of storage, for all machines. Throws StorageError when the store cannot be used. */
export const leasesOf =
  (store: StoreConnection): Alone<string> =>
  async (name, waitMilliseconds, work, peek) => {
    const holder = randomUUID()
    const deadline = performance.now() + waitMilliseconds
    const {isPooled} = await store.facts()
    while ((await store.query(CLAIM, [name, holder, LOCK_SECONDS, isPooled])).count === 0) {
      const seen = await peek()
      if (seen !== undefined) return {gaveUp: false, value: seen}
      if (performance.now() >= deadline) return {gaveUp: true}
      await sleep(80 + Math.random() * 170)
    }
    // A renewal that fails is made up by the next; work that outlives its lease is fenced where it writes.
    const renew = () => void store.query(RENEW, [name, holder, LOCK_SECONDS]).catch(() => {})
    const renewal = setInterval(renew, RENEWAL_MILLISECONDS).unref()
    try {
      return {gaveUp: false, value: await work()}
    } finally {
      clearInterval(renewal)
      const release = 'DELETE FROM bookctl.leases WHERE name = $1 AND holder = $2'
      await store.query(release, [name, holder]).catch(() => {})
    }
  }
