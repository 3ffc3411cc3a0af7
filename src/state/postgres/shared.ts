/** What machines remember together, in one PostgreSQL: the second implementation of the ports of `contract`. */
import {openStore, type StoreOptions} from './connection.js'
import {storeErrorOf} from './errors.js'
import {createSharedEvents, createSharedKeeper} from './events.js'
import {createSharedJournal, createSharedSubscriptions} from './journal.js'
import {createSharedOffers} from './offers.js'
import {MISSING_PARTS} from './schema.js'
import {createSeal, type Seal} from './seal.js'
import {createSharedTokens} from './tokens.js'

export type {StoreOptions} from './connection.js'

export type SharedStores = ReturnType<typeof openSharedStores>

interface Inspected {
  /** Version of the tables. */
  readonly schema: number
  /** Whether its user may change the tables. */
  readonly isWritable: boolean
  /** Names of tables that were removed by hand. */
  readonly missing: string | null
  /** Standbys that have what was committed before it is acknowledged. */
  readonly syncStandbys: number
  /** Whether a crash of the server may lose what was acknowledged: fsync is off. */
  readonly losesOnCrash: boolean
}

/** Connects when first used. */
export function openSharedStores(options: StoreOptions) {
  const store = openStore(options)
  const seals = new Map<string, Seal>()
  /** Deriving the keys of a secret takes longer than looking them up. */
  const sealFor = (clientSecret: string) => {
    const seal = seals.get(clientSecret) ?? createSeal(clientSecret)
    seals.set(clientSecret, seal)
    return seal
  }
  return {
    tokens: createSharedTokens(store, sealFor, now),
    journal: createSharedJournal(store, sealFor),
    offers: createSharedOffers(store, now),
    subscriptions: createSharedSubscriptions(store),
    events: createSharedEvents(store, now),
    /** Whether it works, for `doctor`; `shown` is the address without its password. Throws StorageError. */
    async inspect() {
      await store.query(INSPECT)
      const began = performance.now()
      const [row] = (await store.query<Inspected>(INSPECT)).rows as [Inspected]
      const roundTripMilliseconds = performance.now() - began
      refuseDamaged(row, store.shown)
      return {...(await store.facts()), shown: store.shown, roundTripMilliseconds, ...row}
    },
    close: () => store.close(),
  }
}

/** The store of a process that listens; it has connections of its own. Throws StorageError when it cannot write there now. */
export async function openSharedKeeper(profile: string, options: Omit<StoreOptions, 'most'>) {
  // At first there is time: the schema may have to be made.
  const first = openStore({...options, most: 1})
  try {
    const [row] = (await first.query<Inspected>(`SELECT ${TABLES}`)).rows as [Inspected]
    if ((await first.facts()).isReadOnly) throw storeErrorOf({code: '25006'}, first.shown)
    refuseDamaged(row, first.shown)
    if (!row.isWritable) throw storeErrorOf({code: '42501'}, first.shown)
  } finally {
    await first.close()
  }
  // It answers within the 3 s of §6.4, whatever the store does.
  const limits = {most: 4, timeoutMilliseconds: 1500, connectMilliseconds: 1000}
  return createSharedKeeper(openStore({...options, ...limits}), profile, now)
}

function refuseDamaged({missing}: Inspected, shown: string) {
  if (missing !== null) throw storeErrorOf({code: '42P01', constraint: missing}, shown)
}

const TABLES = `(SELECT bool_and(has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
      AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
    FROM pg_class c WHERE c.relnamespace = 'bookctl'::regnamespace AND c.relkind = 'r'
      AND c.relname <> 'schema_version') AS "isWritable",
  (${MISSING_PARTS}) AS missing`

const INSPECT = `SELECT (SELECT max(version) FROM bookctl.schema_version) AS schema,
  ${TABLES},
  (SELECT count(*)::int FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')) AS "syncStandbys",
  current_setting('fsync') = 'off' AS "losesOnCrash"`

const now = () => Date.now() / 1000
