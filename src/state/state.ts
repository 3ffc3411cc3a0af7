/**
 * What this machine remembers, in one directory; each file is opened when it is first needed, and made when something is
 * first written: who only reads makes none.
 */
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import type {Client} from '../contract/token-cache.js'
import type {Database} from '../storage/database.js'
import {openIfAny} from '../storage/database.js'
import {hasDatabaseFile} from '../storage/database-file.js'
import {isFull, StorageError} from '../storage/errors.js'
import {isWritableDirectory} from '../storage/files.js'
import {openEventsDatabase, openEventsToRead, openStateDatabase, openStateToRead} from './databases.js'
import {createEventStore, type EventStore} from './event-store.js'
import {EVENTS_NAME, STATE_NAME, TOKENS_NAME} from './file-names.js'
import {createJournalStore, type JournalStore} from './journal.js'
import {createPeopleStore, type PeopleStore} from './people-store.js'
import {createKeychain, createSecretStore, type Keychain, type SecretStore} from './secret-store.js'
import {type CityStore, createCityStore, createOfferStore, type OfferStore} from './seen-store.js'
import {createSettings, type Settings} from './settings.js'
import {createSubscriptionJournal, type SubscriptionJournal} from './subscription-journal.js'
import {
  createTokenStore,
  type Forgotten,
  forget,
  generationOf,
  openTokensDatabase,
  openTokensToRead,
  type TokenStore,
} from './token-store.js'

export interface State {
  readonly directory: string
  /**
   * False when the directory cannot be written (a read-only home): tokens then live in this process alone, as they do
   * when there is no room on the disk for tokens.db.
   */
  readonly writable: boolean
  readonly settings: Settings
  readonly tokens: TokenStore
  readonly secrets: SecretStore
  readonly journal: JournalStore
  readonly offers: OfferStore
  readonly cities: CityStore
  readonly people: PeopleStore
  readonly subscriptions: SubscriptionJournal
  readonly events: EventStore
  /**
   * Removes the secrets of `profile` and the tokens of its client, leaving no byte of them on disk, nor of tokens
   * replaced earlier. Returns whether there was anything; the keychain is `secrets.remove`'s. Throws StorageError.
   */
  forgetProfile(profile: string, client: Client | undefined): boolean
  /** The same for the tokens of a client that has no profile, as environment variables give it. */
  forgetClient(client: Client): boolean
  /** The same for every token and secret in tokens.db, and for the guests and contacts kept in state.db. */
  forgetEverything(): boolean
  /** Closes what was opened. */
  close(): void
}

/**
 * `directory` is created when something is first stored. Throws nothing; the parts throw StorageError when used.
 * `keychain` is given in tests.
 */
export function openState(directory: string, keychain: Keychain = createKeychain(directory)): State {
  return assemble(directory, keychain, {
    ...openingsToRead(directory),
    writes: true,
    tokens: () => openTokensDatabase(isWritableDirectory(directory) ? directory : undefined),
    state: () => openStateDatabase(directory),
    events: () => openEventsDatabase(directory),
  })
}

/**
 * The state with its databases opened to be read alone, for completion while somebody is typing: nothing is created,
 * changed or migrated, and a part whose file is not there holds nothing.
 */
export function openStateToLookAt(directory: string): State {
  const openings = openingsToRead(directory)
  const {tokensToRead: tokens, stateToRead: state, eventsToRead: events} = openings
  return assemble(directory, createKeychain(directory), {...openings, writes: false, tokens, state, events})
}

interface OpeningsToRead {
  readonly tokensToRead: () => Database
  readonly stateToRead: () => Database
  readonly eventsToRead: () => Database
}

interface Openings extends OpeningsToRead {
  /** Whether anything may be made or changed, permissions too. */
  readonly writes: boolean
  readonly tokens: () => Database
  readonly state: () => Database
  readonly events: () => Database
}

function openingsToRead(directory: string): OpeningsToRead {
  return {
    tokensToRead: () => openTokensToRead(directory),
    stateToRead: () => openStateToRead(directory),
    eventsToRead: () => openEventsToRead(directory),
  }
}

function assemble(directory: string, keychain: Keychain, open: Openings): State {
  const opened = new Map<() => Database, Database>()
  const lazily = (open: () => Database) => () => {
    const database = opened.get(open) ?? open()
    opened.set(open, database)
    return database
  }
  const writable = once(() => open.writes && isWritableDirectory(directory))
  const tokensDatabase = lazily(open.tokens)
  /** The database, or an empty one while there is no file and this process has not begun one. */
  const toRead = (open: () => Database, name: string, database: () => Database) => () =>
    opened.has(open) ? database() : openIfAny(join(directory, name), database)
  /** The same; in a home that cannot be written, what lies there is read all the same. */
  const toReadAnywhere = (open: () => Database, name: string, readOnly: () => Database) => {
    const looked = lazily(readOnly)
    const database = lazily(open)
    return toRead(open, name, () => (writable() ? database() : looked()))
  }
  const secretsToRead = toReadAnywhere(open.tokens, TOKENS_NAME, open.tokensToRead)
  const tokensInMemory = lazily(() => openTokensDatabase(undefined))
  let noRoom = false
  /** Tokens need no disk: with none left they live in this process, as in a home that cannot be written. */
  const tokenDatabase = () => {
    try {
      if (!noRoom) return tokensDatabase()
    } catch (error) {
      if (!isFull(error)) throw error
      noRoom = true
    }
    return tokensInMemory()
  }
  const keptTokens = toRead(open.tokens, TOKENS_NAME, tokenDatabase)
  const tokensToRead = () => (noRoom ? tokensInMemory() : keptTokens())
  const generation: {began?: number | undefined} = {}
  /** What is asked for with a secret belongs to the generation in which the secret was read. */
  const secretsOfGeneration = () => {
    const database = secretsToRead()
    generation.began ??= generationOf(database)
    return database
  }
  const forgetTokens = (whom: Forgotten) => {
    generation.began = undefined
    const path = join(directory, TOKENS_NAME)
    if (!writable() && hasDatabaseFile(path)) throw notRemovable(path)
    return forget(tokensDatabase(), whom)
  }
  const stateDatabase = lazily(open.state)
  const stateToRead = toReadAnywhere(open.state, STATE_NAME, open.stateToRead)
  const people = createPeopleStore(stateDatabase, stateToRead)
  const eventsDatabase = lazily(open.events)
  const eventsToRead = toReadAnywhere(open.events, EVENTS_NAME, open.eventsToRead)
  const lockDirectory = () => (writable() && !noRoom ? directory : undefined)
  return {
    directory,
    get writable() {
      return writable()
    },
    settings: createSettings(directory, {mayTighten: open.writes}),
    tokens: createTokenStore(tokenDatabase, lockDirectory, generation, tokensToRead),
    secrets: createSecretStore(tokensDatabase, keychain, secretsOfGeneration),
    journal: createJournalStore(stateDatabase, directory, stateToRead),
    offers: createOfferStore(stateDatabase, stateToRead),
    cities: createCityStore(stateDatabase, stateToRead),
    people,
    subscriptions: createSubscriptionJournal(stateDatabase),
    events: createEventStore(eventsDatabase, eventsToRead),
    forgetProfile: (profile, client) => forgetTokens({profile, ...client}),
    forgetClient: forgetTokens,
    forgetEverything() {
      const hadTokens = forgetTokens('all')
      return (existsSync(join(directory, STATE_NAME)) && people.forgetAll()) || hadTokens
    },
    close() {
      for (const database of opened.values()) database.close()
      opened.clear()
    },
  }
}

function notRemovable(path: string): StorageError {
  const hint = 'make the directory writable and run it again: what is stored there is still there'
  return new StorageError('not_writable', `cannot write ${path}: nothing was removed from it`, hint)
}

/**
 * A journal that ends with this process and touches no disk, for a home that cannot be written: what it holds cannot be
 * found again, so the caller must be able to repeat a reservation by its key and client reference.
 */
export function openMemoryJournal(): {readonly journal: JournalStore; close(): void} {
  const database = openStateDatabase(undefined)
  return {journal: createJournalStore(() => database, undefined), close: () => database.close()}
}

function once<T>(compute: () => T): () => T {
  let result: {value: T} | undefined
  return () => {
    result ??= {value: compute()}
    return result.value
  }
}
