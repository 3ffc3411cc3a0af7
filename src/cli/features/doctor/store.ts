/** The check of the store that machines share, if one is set. */
import type {State} from '../../../state/state.js'
import {type Finding, fail, ok, skipped, warn} from './check.js'

const MOST_CLOCK_SECONDS = 5
const LONG_TRANSACTION_SECONDS = 3600

const GRANT = 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bookctl'
const SET_FSYNC = 'set fsync = on: a crash of the server would lose what was acknowledged'

/** What it throws is reported by `found`: unreachable, wrong password, no rights, a newer schema. */
export async function checkStore(state: State, offline: boolean): Promise<Finding> {
  if (!state.isShared) return skipped('none is set: what is remembered is in files of this machine')
  if (offline) return skipped('--offline')
  const store = await state.inspectStore()
  const {shown, roundTripMilliseconds, offsetSeconds, syncStandbys} = store
  const version = Math.floor(store.version / 10_000)
  const survives =
    syncStandbys > 0
      ? `survives a failover (${syncStandbys} synchronous standby)`
      : 'survives a crash, not a failover'
  const detail = `${shown}: PostgreSQL ${version}, schema ${store.schema}, ${roundTripMilliseconds.toFixed(1)} ms a round trip, clock ${offsetSeconds.toFixed(1)} s off; what is acknowledged ${survives}`
  if (store.isReadOnly)
    return fail('usage', `${shown} takes no writes`, 'use the address of the primary server')
  if (!store.isWritable) return fail('usage', `${shown} does not give this user the right to write`, GRANT)
  if (store.losesOnCrash) return warn(`${detail}; but fsync is off`, SET_FSYNC)
  if (Math.abs(offsetSeconds) > MOST_CLOCK_SECONDS)
    return warn(detail, 'set the clocks by NTP: offers and tokens end by the clock of this machine')
  if (store.oldestTransactionSeconds <= LONG_TRANSACTION_SECONDS) return ok(detail)
  const minutes = Math.round(store.oldestTransactionSeconds / 60)
  const fix = 'end it: until then no deleted row is cleared away'
  return warn(`${detail}; a transaction has been open for ${minutes} minutes`, fix)
}
