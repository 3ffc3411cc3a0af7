/**
 * The stores that machines share in one PostgreSQL. They implement the ports in `contract`, as the files of a machine
 * do.
 */
import {usage} from '../../contract/failure.js'
import {
  isNeverSent,
  isUnresolved,
  type Journal,
  type JournalEntry,
  type JournalStore,
} from '../../contract/journal.js'
import type {Client, TokenClient} from '../../contract/token-cache.js'
import {openStore, type StoreOptions} from './connection.js'
import {storeErrorOf} from './errors.js'
import {createSharedEvents, createSharedKeeper} from './events.js'
import {createSharedJournal, createSharedSubscriptions} from './journal.js'
import {createSharedOffers} from './offers.js'
import {MISSING_PARTS} from './schema.js'
import {createSeal, type Seal} from './seal.js'
import {createSharedTokens} from './tokens.js'

/** The store that this machine shares with others, if one is set. */
export interface StoreChoice {
  /**
   * Returns the function that opens the store, or undefined if none is set. Throws a usage error if config.json is
   * invalid.
   */
  opener(): typeof openSharedStores | undefined
  /** Returns the options for connecting. Throws a usage error if the address is invalid. */
  options(): Promise<Omit<StoreOptions, 'most'>>
  /** Returns the client in the environment, if there is one. Its tokens belong to this machine too. */
  clients?(): Promise<readonly Omit<TokenClient, 'secretFingerprint'>[]>
}

/** What the shared stores need to know about this machine. */
interface Machine {
  /** The journal in the machine's own files, from before the store was set. */
  readonly journal: JournalStore
  /** Returns the clients of this machine, each with a function that reads its secret. */
  knownClients(): Promise<readonly {client: Client; secret: () => Promise<string | undefined>}[]>
}

interface Inspected {
  /** The version of the tables. */
  readonly schema: number
  /** Whether the database user may change the tables. */
  readonly isWritable: boolean
  /** The names of tables that were removed by hand, or null if there are none. */
  readonly missing: string | null
  /** The number of standby servers that must have a write before it is acknowledged. */
  readonly syncStandbys: number
  /** Whether a crash of the server may lose acknowledged writes, because fsync is off. */
  readonly losesOnCrash: boolean
}

/**
 * Creates the stores. They connect when they are first used. `listAll` returns only tokens of clients that `machine`
 * knows.
 */
export function openSharedStores(readOptions: StoreChoice['options'], machine: Machine) {
  const store = openStore(async () => ({...(await readOptions()), most: 1}))
  const seals = new Map<string, Seal>()
  /** Caches the keys for each secret, because deriving them is slow. */
  const sealFor = (clientSecret: string) => {
    const seal = seals.get(clientSecret) ?? createSeal(clientSecret)
    seals.set(clientSecret, seal)
    return seal
  }
  const tokens = createSharedTokens(store, sealFor, now)
  const journal = createSharedJournal(store, sealFor)
  return {
    tokens: {
      ...tokens,
      async listAll() {
        const lists = (await machine.knownClients()).map(async ({client, secret}) => {
          const clientSecret = await secret()
          if (!clientSecret) return []
          const listed = await tokens.list({...client, clientSecret, secretFingerprint: ''})
          return listed.map(token => ({client, token}))
        })
        return (await Promise.all(lists)).flat()
      },
    },
    journal: {
      ...journal,
      forClient: client => withoutLocal(journal.forClient(client), machine.journal.forClient(client)),
    } as JournalStore,
    offers: createSharedOffers(store, now),
    subscriptions: createSharedSubscriptions(store),
    events: async () => createSharedEvents(store, now),
    agentHandles: async () => (await import('./agent-handles.js')).createSharedHandles(store, sealFor, now),
    openEventKeeper: async (profile: string) => openSharedKeeper(profile, await readOptions()),
    /**
     * Deletes the tokens of these clients, or of all clients that this machine knows. Returns whether there were any.
     */
    async forgetTokens(which: readonly Client[] | 'all'): Promise<boolean> {
      const clients = which === 'all' ? (await machine.knownClients()).map(({client}) => client) : which
      let had = false
      for (const client of clients) had = (await tokens.forget(client)) || had
      return had
    },
    /**
     * Checks the store for `doctor`. `shown` is the address without its password. Throws a StorageError if the store
     * cannot be used.
     */
    async inspect() {
      await store.query(INSPECT)
      const began = performance.now()
      const [row] = (await store.query<Inspected>(INSPECT)).rows as [Inspected]
      const roundTripMilliseconds = performance.now() - began
      const facts = await store.facts()
      refuseDamaged(row, facts.shown)
      return {...facts, roundTripMilliseconds, ...row}
    },
    close: () => store.close(),
  }
}

/**
 * Combines a shared journal with this machine's own one from before the store was set. A reservation that was started
 * in the local journal is not started again in the shared one.
 */
function withoutLocal(shared: Journal, local: Journal): Journal {
  const refuse = (entry: JournalEntry | undefined) => {
    if (entry === undefined || isNeverSent(entry)) return
    const {clientReferenceId, outcome} = entry
    const problem = `this reservation is in the journal of this machine, from before the store was set (client reference ${clientReferenceId}, ${outcome}); nothing was sent`
    const hint = 'without the store (unset BOOKCTL_STORE, or bookctl config unset store) run: bookctl journal'
    throw usage('begun_without_store', problem, hint)
  }
  return {
    ...shared,
    async begin(intent, now) {
      refuse((await local.peek(intent))?.entry)
      return shared.begin(intent, now)
    },
    async peek(intent) {
      refuse((await local.peek(intent))?.entry)
      return shared.peek(intent)
    },
    async find(clientReferenceId) {
      const own = await local.find(clientReferenceId)
      if (own && isUnresolved(own)) refuse(own)
      const entry = await shared.find(clientReferenceId)
      if (entry === undefined) refuse(own)
      return entry
    },
  }
}

/**
 * Opens the event store of a listening process, with its own connections. Throws a StorageError if the process cannot
 * write to it now.
 */
export async function openSharedKeeper(profile: string, options: Omit<StoreOptions, 'most'>) {
  // The first connection has more time, because the schema may have to be created.
  const first = openStore(async () => ({...options, most: 1}))
  let place = ''
  try {
    const [row] = (await first.query<Inspected>(`SELECT ${TABLES}`)).rows as [Inspected]
    const {isReadOnly, shown} = await first.facts()
    place = shown
    if (isReadOnly) throw storeErrorOf({code: '25006'}, shown)
    refuseDamaged(row, shown)
    if (!row.isWritable) throw storeErrorOf({code: '42501'}, shown)
  } finally {
    await first.close()
  }
  // The receiver must answer within the 3 s of §6.4, so the store has less time than that.
  const limits = {most: 4, timeoutMilliseconds: 1500, connectMilliseconds: 1000}
  const store = openStore(async () => ({...options, ...limits}))
  return createSharedKeeper(store, profile, place, now)
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
