/**
 * A lock for all machines. A row names its holder and the end of the holder's lease, by the database's clock. The lock
 * becomes free when the connection of the holder ends, or at the latest when the lease ends; a running holder renews
 * its lease.
 */
import {randomUUID} from 'node:crypto'
import {setTimeout as sleep} from 'node:timers/promises'
import type {Alone} from '../../contract/token-cache.js'
import type {StoreConnection} from './connection.js'

/**
 * After this many seconds, a holder that cannot renew its lease loses the lock, for example because its machine is cut
 * off.
 */
const LOCK_SECONDS = 15
const RENEWAL_MILLISECONDS = 5000

/** pg_stat_activity hides the start of another user's backend. Such a backend counts as running. */
const IS_FREE = `(l.until <= clock_timestamp() OR l.pid IS NOT NULL AND NOT EXISTS (
  SELECT FROM pg_stat_activity a WHERE a.pid = l.pid AND (a.backend_start IS NULL OR a.backend_start = l.started)))`

/**
 * Takes the lock. If the connection goes through a pooler ($4), the backend says nothing about its client and is not
 * recorded.
 */
const CLAIM = `INSERT INTO bookctl.leases AS l (name, holder, until, pid, started)
  SELECT $1, $2, clock_timestamp() + make_interval(secs => $3), a.pid, a.backend_start
    FROM (SELECT) AS one LEFT JOIN pg_stat_activity a ON a.pid = pg_backend_pid() AND NOT $4::boolean
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until, pid = excluded.pid,
    started = excluded.started
  WHERE l.holder = excluded.holder OR ${IS_FREE}`

const RENEW = `UPDATE bookctl.leases SET until = clock_timestamp() + make_interval(secs => $3)
  WHERE name = $1 AND holder = $2`

/**
 * Returns a lock function like `withLock` of storage, but for all machines. It throws a StorageError if the store
 * cannot be used.
 */
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
    // If a renewal fails, the next one makes up for it. If work takes longer than its lease, its writes are rejected.
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
