/** What this machine stores, in one directory: each file is opened when first needed, and created by the first write. */
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import type {JournalStore, SubscriptionJournal} from '../contract/journal.js'
import type {OfferStore} from '../contract/seen-offers.js'
import type {EventKeeper, EventStore} from '../contract/stored-events.js'
import type {Client, TokenStore} from '../contract/token-cache.js'
import {type Database, openDatabaseToRead} from '../storage/database.js'
import {hasDatabaseFile} from '../storage/database-file.js'
import {StorageError} from '../storage/errors.js'
import {isWritableDirectory} from '../storage/files.js'
import {EVENTS, type OwnDatabase, openOwn, STATE, TOKENS} from './databases.js'
import {STATE_NAME, TOKENS_NAME} from './file-names.js'
import {createJournals, isJournalLost} from './journal.js'
import type {openSharedStores, StoreChoice} from './postgres/shared.js'
import {createKeychain, createSecretStore, type Keychain} from './secret-store.js'
import {createCityStore, createOfferStore} from './seen-store.js'
import {createSettings} from './settings.js'
import {createTokenStore, type Forgotten, forget, generationOf, type SigningLoss} from './token-store.js'

export type {StoreChoice} from './postgres/shared.js'
export type State = ReturnType<typeof openState>

/** What machines may share: in files of this machine, or in the store that is set. */
interface Stores {
  readonly tokens: TokenStore
  readonly journal: JournalStore
  readonly offers: OfferStore
  readonly subscriptions: SubscriptionJournal
  events(): Promise<EventStore>
  openEventKeeper(profile: string): Promise<EventKeeper>
}

interface StateOptions {
  readonly keychain?: Keychain
  readonly store?: StoreChoice
  /** Takes warnings about the files. */
  readonly warn?: (text: string) => void
  /** False while the user is typing: nothing is created, changed, permissions too, or migrated; what has no file is empty. */
  readonly writes?: boolean
}

/** Throws nothing; the parts throw StorageError when used. With a store, what machines share is there and nowhere else. */
export function openState(directory: string, options: StateOptions = {}) {
  const {store, warn = () => {}, writes = true} = options
  const writable = once(() => writes && isWritableDirectory(directory))
  const warnOfLostJournal = once(() => {
    if (isJournalLost(directory))
      warn(
        `Warning: ${join(directory, STATE_NAME)} is gone, although this machine has tried reservations: earlier attempts cannot be known, so check with the service before you repeat one`,
      )
  })
  /** Queries find nothing while there is no file; where nothing may or can be written, they open it for reading only. */
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
  /** The clients of this machine: of its profiles, whose secrets it may have, and of the environment. */
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
    /** False for a read-only home: tokens are then not stored, as on a full disk. */
    get writable(): boolean {
      return writable()
    },
    /** Whether what is shared outlives this process: in a store, or in a directory that can be written. */
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
    /** Where a listening process keeps its events; opened when first used, on connections or a thread of its own. */
    openEventKeeper: (profile: string): Promise<EventKeeper> => stores().openEventKeeper(profile),
    /** For `doctor`, where a store is set. Throws StorageError, and a usage error for an address that cannot be used. */
    inspectStore: () => sharedStores().inspect(),
    /** Never in the store, as what follows. */
    get secrets() {
      return secrets()
    },
    get cities() {
      return createCityStore(stateDatabase)
    },
    people,
    /**
     * Removes the client secrets of profiles, but none from the keychain, and the tokens of clients to the last byte; with
     * `all` the kept guests and contacts too; and of the signing secrets those of `signing`. Returns whether there were any.
     */
    async forget(which: Forgotten, signing?: SigningLoss): Promise<boolean> {
      generation.began = undefined
      const path = join(directory, TOKENS_NAME)
      if (!writable() && hasDatabaseFile(path)) {
        const hint = 'make the directory writable and run it again; the file was not changed'
        throw new StorageError('not_writable', `cannot write ${path}: nothing was removed from it`, hint)
      }
      const had = writable() && forget(tokensDatabase, which, signing)
      const hasPeople = which === 'all' && existsSync(join(directory, STATE_NAME))
      return (hasPeople && (await people()).forgetAll()) || had
    },
    /** Removes the tokens of clients, or of all that this machine knows, from the store; false when none is set. */
    forgetShared: async (which: readonly Client[] | 'all'): Promise<boolean> =>
      isShared() && sharedStores().forgetTokens(which),
    /** Closes what was opened. */
    async close(): Promise<void> {
      for (const database of [tokensDatabase, stateDatabase, eventsDatabase]) database.close()
      await sharedStores.result?.close()
    },
  }
}

/** For a home that cannot be written. Lost with this process, so the caller must be able to repeat by key and reference. */
export function openMemoryJournal(): {readonly journal: JournalStore; close(): void} {
  const database = openOwn(STATE, undefined)
  return {journal: createJournals(database, undefined).journal, close: () => database.close()}
}

interface Once<T> {
  (): T
  /** Undefined until it was first called. */
  result?: T
}

function once<T>(compute: () => T): Once<T> {
  const get: Once<T> = () => {
    if (!('result' in get)) get.result = compute()
    return get.result as T
  }
  return get
}

/** The part of a database that changes nothing. */
type Queried = Pick<Database, 'all' | 'get' | 'check'>

const EMPTY: Queried = {all: () => [], get: () => undefined, check: () => false}
