/** What this machine stores, in one directory: each file is opened when first needed, and created by the first write. */
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {usage} from '../contract/failure.js'
import {
  isNeverSent,
  isUnresolved,
  type Journal,
  type JournalClient,
  type JournalEntry,
  type JournalStore,
} from '../contract/journal.js'
import type {EventKeeper} from '../contract/stored-events.js'
import type {Client, TokenClient, TokenStore} from '../contract/token-cache.js'
import {type Database, openDatabaseToRead} from '../storage/database.js'
import {hasDatabaseFile} from '../storage/database-file.js'
import {StorageError} from '../storage/errors.js'
import {isWritableDirectory} from '../storage/files.js'
import {EVENTS, type OwnDatabase, openOwn, STATE, TOKENS} from './databases.js'
import {STATE_NAME, TOKENS_NAME} from './file-names.js'
import {createJournalStore, createSubscriptionJournal, isJournalLost} from './journal.js'
import type {SharedStores, StoreOptions} from './postgres/shared.js'
import {createKeychain, createSecretStore, type Keychain} from './secret-store.js'
import {createCityStore, createOfferStore} from './seen-store.js'
import {createSettings} from './settings.js'
import {createTokenStore, type Forgotten, forget, generationOf, type SigningLoss} from './token-store.js'

export type State = ReturnType<typeof openState>

/** The store that this machine shares with others, if one is set. */
export interface StoreChoice {
  /** Whether one is set. Throws usage for a broken config.json. */
  isSet(): boolean
  /** Throws usage when its address cannot be used. */
  options(): Promise<Omit<StoreOptions, 'most'>>
  /** The client of the environment, if there is one: its tokens are this machine's too. */
  clients?(): Promise<readonly Omit<TokenClient, 'secretFingerprint'>[]>
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
  const {keychain = createKeychain(directory), store, warn = () => {}, writes = true} = options
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
  const people = async () => (await import('./people-store.js')).createPeopleStore(stateDatabase)
  const ownEvents = async () => (await import('./event-store.js')).createEventStore(eventsDatabase)
  const settings = createSettings(directory, {mayTighten: writes})
  const secrets = createSecretStore(tokensDatabase, keychain)
  const isShared = once(() => store?.isSet() === true)
  const shared = once(async () => {
    const {openSharedStores} = await import('./postgres/shared.js')
    return openSharedStores({...(await (store as StoreChoice).options()), most: 1})
  })
  /** The port in the store, or the one of this machine. */
  const place = <Name extends keyof Ports>(name: Name, local: Ports[Name], own: Partial<Ports[Name]> = {}) =>
    routed(async () => (isShared() ? ((await shared())[name] as unknown as Ports[Name]) : local), own)
  const journal = createJournalStore(stateDatabase, directory)
  const tokens = createTokenStore(tokensDatabase, () => (writable() ? directory : undefined), generation)
  /** The clients of this machine: of its profiles, whose secrets it may have, and of the environment. */
  const knownClients = async () => {
    const ofProfiles = Object.entries(settings.read().profiles).map(
      ([profile, {base_url: baseUrl, client_id: clientId, secret_store: place = 'file'}]) => {
        const secret = () => secrets.read({profile, clientId}, place)
        return {client: {baseUrl, clientId}, secret}
      },
    )
    const ofEnvironment = ((await store?.clients?.()) ?? []).map(({clientSecret, ...client}) => ({
      client,
      secret: async () => clientSecret,
    }))
    return [...ofEnvironment, ...ofProfiles]
  }
  return {
    directory,
    /** Whether a store is set that other machines share. */
    get isShared(): boolean {
      return isShared()
    },
    /** Whether what is shared outlives this process: in a store, or in a directory that can be written. */
    get remembers(): boolean {
      return isShared() || writable()
    },
    /** For `doctor`. Throws StorageError, and usage. */
    inspectStore: async () => (await shared()).inspect(),
    /** False for a read-only home: tokens are then not stored, as on a full disk. */
    get writable(): boolean {
      return writable()
    },
    settings,
    tokens: place('tokens', tokens, {
      /** Of a store, those that the secrets of this machine open. */
      async listAll() {
        if (!isShared()) return tokens.listAll()
        const {tokens: kept} = await shared()
        const lists = (await knownClients()).map(async ({client, secret}) => {
          const clientSecret = await secret()
          if (!clientSecret) return []
          const listed = await kept.list({...client, clientSecret, secretFingerprint: ''})
          return listed.map(token => ({client, token}))
        })
        return (await Promise.all(lists)).flat()
      },
    }),
    secrets,
    journal: place('journal', journal, {
      forClient(client: JournalClient) {
        const own = journal.forClient(client)
        if (!isShared()) return own
        return withoutLocal(
          routed(async () => (await shared()).journal.forClient(client), {client}),
          own,
        )
      },
    }),
    offers: place('offers', createOfferStore(stateDatabase)),
    cities: createCityStore(stateDatabase),
    /** Never in the store. */
    people,
    subscriptions: place('subscriptions', createSubscriptionJournal(stateDatabase)),
    events: routed(async () => (isShared() ? (await shared()).events : ownEvents())),
    /** Where a listening process keeps its events; opened when first used, on connections or a thread of its own. */
    async openEventKeeper(profile: string): Promise<EventKeeper> {
      if (!isShared()) return (await import('./event-worker.js')).startEventWorker({directory, profile})
      const {openSharedKeeper} = await import('./postgres/shared.js')
      return openSharedKeeper(profile, await (store as StoreChoice).options())
    },
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
    async forgetShared(which: readonly Client[] | 'all'): Promise<boolean> {
      if (!isShared()) return false
      const {tokens} = await shared()
      const clients = which === 'all' ? (await knownClients()).map(({client}) => client) : which
      let had = false
      for (const client of clients) had = (await tokens.forget(client)) || had
      return had
    },
    /** Closes what was opened. */
    async close(): Promise<void> {
      for (const database of [tokensDatabase, stateDatabase, eventsDatabase]) database.close()
      await shared.result?.then(stores => stores.close()).catch(() => {})
    },
  }
}

/** For a home that cannot be written. Lost with this process, so the caller must be able to repeat by key and reference. */
export function openMemoryJournal(): {readonly journal: JournalStore; close(): void} {
  const database = openOwn(STATE, undefined)
  return {journal: createJournalStore(database, undefined), close: () => database.close()}
}

type Ports = Pick<SharedStores, 'journal' | 'offers' | 'subscriptions'> & {
  readonly tokens: TokenStore
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

type Methods = Record<string, (...args: readonly unknown[]) => unknown>

/** A port that is found at each call, whose methods are asynchronous, but for those it has of its `own`. */
function routed<Port extends object>(find: () => Promise<Port>, own: Partial<Port> = {}): Port {
  const get = (methods: Methods, name: string) => {
    // Nothing that is awaited may look like a promise itself.
    if (name === 'then' || name in methods) return methods[name]
    return async (...args: readonly unknown[]) => ((await find()) as Methods)[name]?.(...args)
  }
  return new Proxy(own as Methods, {get}) as Port
}

/** The journal of a store, on a machine that has one of its own from before: a reservation started there is not started again. */
function withoutLocal(shared: Journal, local: Journal): Journal {
  const refuse = (entry: JournalEntry | undefined) => {
    if (entry === undefined || isNeverSent(entry)) return
    const {clientReferenceId, outcome} = entry
    const problem = `this reservation is in the journal of this machine, from before the store was set (client reference ${clientReferenceId}, ${outcome}); nothing was sent`
    const hint = 'without the store (unset BOOKCTL_STORE, or bookctl config unset store) run: bookctl journal'
    throw usage('begun_without_store', problem, hint)
  }
  return routed(async () => shared, {
    client: local.client,
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
  })
}
