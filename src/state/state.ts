/**
 * Everything that this machine stores, in one directory. Each file is opened when it is first needed, and created by
 * the first write.
 */
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import type {HandleStore, HandleStores} from '../contract/agent-handles.js'
import type {JournalClient, JournalStore, SubscriptionJournal} from '../contract/journal.js'
import type {OfferStore} from '../contract/seen-offers.js'
import type {EventKeeper, EventStore} from '../contract/stored-events.js'
import type {Client, TokenStore} from '../contract/token-cache.js'
import {type Database, openDatabaseToRead} from '../storage/database.js'
import {hasDatabaseFile, sizeOf} from '../storage/database-file.js'
import {StorageError} from '../storage/errors.js'
import {isWritableDirectory} from '../storage/files.js'
import {lockFilesOf} from '../storage/lock.js'
import {EVENTS, type OwnDatabase, openOwn, STATE, TOKENS} from './databases.js'
import {STATE_NAME, TOKENS_NAME} from './file-names.js'
import {createJournals, RESERVE_LOCK} from './journal.js'
import type {openSharedStores, StoreChoice} from './postgres/shared.js'
import {createKeychain, createSecretStore, type Keychain} from './secret-store.js'
import {createCityStore, createOfferStore} from './seen-store.js'
import {createSettings} from './settings.js'
import {createTokenStore, type Forgotten, forget, generationOf, type SigningLoss} from './token-store.js'

export type {StoreChoice} from './postgres/shared.js'
export type State = ReturnType<typeof openState>

/** The stores that machines can share: in files of this machine, or in the shared store if one is set. */
interface Stores {
  readonly tokens: TokenStore
  readonly journal: JournalStore
  readonly offers: OfferStore
  readonly subscriptions: SubscriptionJournal
  events(): Promise<EventStore>
  agentHandles(): Promise<HandleStores>
  openEventKeeper(profile: string): Promise<EventKeeper>
}

interface StateOptions {
  readonly keychain?: Keychain
  readonly store?: StoreChoice
  /** Receives warnings about the files. */
  readonly warn?: (text: string) => void
  /**
   * Whether files may be written (default true). False during completion, while the user is typing: then nothing is
   * created, changed or migrated, and a missing file counts as empty.
   */
  readonly writes?: boolean
}

/**
 * Opens everything that is stored in `directory`. Never throws, but its stores throw a StorageError when they are used.
 * If a shared store is set, tokens, journals, offers and events are only there.
 */
export function openState(directory: string, options: StateOptions = {}) {
  const {store, warn = () => {}, writes = true} = options
  const writable = once(() => writes && isWritableDirectory(directory))
  const warnOfLostJournal = once(() => {
    const path = join(directory, STATE_NAME)
    if (hasDatabaseFile(path)) return
    if (lockFilesOf(directory).some(name => name.startsWith(`${RESERVE_LOCK}-`)))
      warn(
        `Warning: ${path} is gone, although this machine has tried reservations: earlier attempts cannot be known, so check with the service before you repeat one`,
      )
  })
  /**
   * Returns a database that is opened when it is first used. While there is no file, queries find nothing. If the file
   * must not or cannot be written, queries open it read-only.
   */
  const whenUsed = (own: OwnDatabase, onQuery?: (queried: Queried) => void): Database => {
    const path = join(directory, own.name)
    const toLookAt = once(() => openDatabaseToRead(path, own))
    const toOpen = once(() => {
      if (own === STATE) warnOfLostJournal()
      return openOwn(own, directory)
    })
    const toWrite = writes ? toOpen : toLookAt
    const toRead = () => {
      if (toWrite.result) return toWrite.result
      if (!hasDatabaseFile(path)) {
        if (own === STATE) warnOfLostJournal()
        return EMPTY
      }
      return writable() ? toWrite() : toLookAt()
    }
    const queried = () => {
      const database = toRead()
      onQuery?.(database)
      return database
    }
    return {
      all: (sql, ...values) => queried().all(sql, ...values),
      get: (sql, ...values) => queried().get(sql, ...values),
      run: (sql, ...values) => toWrite().run(sql, ...values),
      transaction: work => toWrite().transaction(work),
      erase: (work, options) => toWrite().erase(work, options),
      check: () => toRead().check(),
      copyTo: path => toWrite().copyTo(path),
      requireInPlace: () => toWrite().requireInPlace(),
      refuse: () => toWrite().refuse(),
      close() {
        for (const opened of [toWrite, toLookAt]) {
          opened.result?.close()
          delete opened.result
        }
      },
    }
  }
  const generation: {began?: number | undefined} = {}
  const tokensDatabase = whenUsed(TOKENS, queried => {
    // A token belongs to the generation in which its client secret was read.
    generation.began ??= generationOf(queried)
  })
  const stateDatabase = whenUsed(STATE)
  const eventsDatabase = whenUsed(EVENTS)
  const settings = createSettings(directory, {mayTighten: writes})
  const secrets = once(() => createSecretStore(tokensDatabase, options.keychain ?? createKeychain(directory)))
  const people = async () => (await import('./people-store.js')).createPeopleStore(stateDatabase)
  /** Returns the clients of this machine: the client in the environment, and those of the profiles. */
  const knownClients = async () => {
    const ofProfiles = Object.entries(settings.read().profiles).map(
      ([profile, {base_url: baseUrl, client_id: clientId, secret_store: place = 'file'}]) => {
        const secret = () => secrets().read({profile, clientId}, place)
        return {client: {baseUrl, clientId}, secret}
      },
    )
    const ofEnvironment = ((await store?.clients?.()) ?? []).map(({clientSecret, ...client}) => ({
      client,
      secret: async () => clientSecret,
    }))
    return [...ofEnvironment, ...ofProfiles]
  }
  const opener = once(() => store?.opener())
  const isShared = () => opener() !== undefined
  const journals = once(() => createJournals(stateDatabase, directory))
  const sharedStores = once(() => {
    const {options} = store as StoreChoice
    const open = opener() as typeof openSharedStores
    return open(options, {journal: journals().journal, knownClients})
  })
  const stores = once((): Stores => {
    if (isShared()) return sharedStores()
    return {
      tokens: createTokenStore(tokensDatabase, () => (writable() ? directory : undefined), generation),
      ...journals(),
      offers: createOfferStore(stateDatabase),
      events: async () => (await import('./event-store.js')).createEventStore(eventsDatabase),
      agentHandles: async () =>
        (await import('./agent-handles.js')).createHandleStores(stateDatabase, directory),
      openEventKeeper: async profile =>
        (await import('./event-worker.js')).startEventWorker({directory, profile}),
    }
  })
  return {
    directory,
    settings,
    /** Whether a store is set that other machines share. */
    get isShared(): boolean {
      return isShared()
    },
    /** Whether the directory can be written. If not, tokens are not stored, as on a full disk. */
    get writable(): boolean {
      return writable()
    },
    /** Whether journal and tokens are kept after this process ends: in a shared store, or in a writable directory. */
    get remembers(): boolean {
      return isShared() || writable()
    },
    get tokens(): TokenStore {
      return stores().tokens
    },
    get journal(): JournalStore {
      return stores().journal
    },
    get offers(): OfferStore {
      return stores().offers
    },
    get subscriptions(): SubscriptionJournal {
      return stores().subscriptions
    },
    events: () => stores().events(),
    /** Returns the handles of agents of this client. */
    agentHandles: async (client: JournalClient): Promise<HandleStore> =>
      (await stores().agentHandles()).forClient(client),
    /**
     * Copies the events of this machine, with their pending forwards, to the file `path`, even while events are
     * received. Returns the numbers of events and bytes, or undefined if this machine has no events. Throws a
     * StorageError.
     */
    async backUpEvents(path: string, existing: 'replace' | 'create') {
      if (!hasDatabaseFile(join(directory, EVENTS.name))) return undefined
      const {backUp} = await import('../storage/backup.js')
      const bytes = backUp(eventsDatabase, path, existing)
      const copy = openDatabaseToRead(path, EVENTS)
      try {
        const {events} = copy.get<{events: number}>('SELECT count(*) AS events FROM events') ?? {events: 0}
        return {events, bytes}
      } finally {
        copy.close()
      }
    },
    /**
     * Reports whether a backup of events may replace what is at `path`: nothing, an empty file, or an earlier backup. A
     * file with a log next to it is an events.db in use and not a backup.
     */
    async isReplaceableBackup(path: string): Promise<boolean> {
      const {isCopyOf} = await import('../storage/backup.js')
      return sizeOf(path) === 0 || (sizeOf(`${path}-wal`) === 0 && isCopyOf(path, EVENTS.migrations))
    },
    /**
     * Opens the event store of a listening process, with its own connections or thread. It connects when it is first
     * used.
     */
    openEventKeeper: (profile: string): Promise<EventKeeper> => stores().openEventKeeper(profile),
    /** Checks the shared store for `doctor`. Throws a StorageError, or a usage error if the address is invalid. */
    inspectStore: () => sharedStores().inspect(),
    /** Secrets, cities and people are never in the shared store. */
    get secrets() {
      return secrets()
    },
    get cities() {
      return createCityStore(stateDatabase)
    },
    people,
    /**
     * Deletes the client secrets of profiles (except in the keychain) and the tokens of clients, so that no byte
     * remains. With `all`, also deletes stored guests and contacts, and what agents have prepared. Of the signing secrets, deletes only those in
     * `signing`. Returns whether there was anything to delete.
     */
    async forget(which: Forgotten, signing?: SigningLoss): Promise<boolean> {
      generation.began = undefined
      const path = join(directory, TOKENS_NAME)
      if (!writable() && hasDatabaseFile(path)) {
        const hint = 'make the directory writable and run it again; the file was not changed'
        throw new StorageError('not_writable', `cannot write ${path}: nothing was removed from it`, hint)
      }
      const hadSecrets = writable() ? forget(tokensDatabase, which, signing) : false
      if (which !== 'all' || !existsSync(join(directory, STATE_NAME))) return hadSecrets
      const {forgetPrepared} = await import('./agent-handles.js')
      const hadPeople = (await people()).forgetAll()
      const hadPrepared = forgetPrepared(stateDatabase)
      return hadSecrets || hadPeople || hadPrepared
    },
    /**
     * Deletes the tokens of these clients, or of all clients that this machine knows, from the shared store. Returns
     * whether there were any, and false if no store is set.
     */
    forgetShared: async (which: readonly Client[] | 'all'): Promise<boolean> =>
      isShared() && sharedStores().forgetTokens(which),
    /** Closes all databases and connections that were opened. */
    async close(): Promise<void> {
      for (const database of [tokensDatabase, stateDatabase, eventsDatabase]) database.close()
      await sharedStores.result?.close()
    },
  }
}

/**
 * Opens a journal in memory, for a read-only home. It is lost when the process ends. To repeat a request, a later run
 * therefore needs the same key and reference as flags.
 */
export function openMemoryJournal(): {readonly journal: JournalStore; close(): void} {
  const database = openOwn(STATE, undefined)
  return {journal: createJournals(database, undefined).journal, close: () => database.close()}
}

interface Once<T> {
  (): T
  /** The result. Missing until the first call. */
  result?: T
}

function once<T>(compute: () => T): Once<T> {
  const get: Once<T> = () => {
    if (!('result' in get)) get.result = compute()
    return get.result as T
  }
  return get
}

/** The methods of a database that only read. */
type Queried = Pick<Database, 'all' | 'get' | 'check'>

const EMPTY: Queried = {all: () => [], get: () => undefined, check: () => false}
