/**
 * What this machine stores, in one directory; each file is opened when it is first needed, and created when something is
 * first written: reading creates none.
 */
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import type {JournalStore} from '../contract/journal.js'
import type {Client} from '../contract/token-cache.js'
import {type Database, openIfAny} from '../storage/database.js'
import {hasDatabaseFile} from '../storage/database-file.js'
import {isFull, StorageError} from '../storage/errors.js'
import {isWritableDirectory} from '../storage/files.js'
import {EVENTS, type OwnDatabase, openOwn, openOwnToRead, STATE, TOKENS} from './databases.js'
import {createEventStore} from './event-store.js'
import {STATE_NAME, TOKENS_NAME} from './file-names.js'
import {createJournalStore} from './journal.js'
import {createPeopleStore} from './people-store.js'
import {createKeychain, createSecretStore, type Keychain} from './secret-store.js'
import {createCityStore, createOfferStore} from './seen-store.js'
import {createSettings} from './settings.js'
import {createSubscriptionJournal} from './subscription-journal.js'
import {createTokenStore, type Forgotten, forget, generationOf} from './token-store.js'

export type State = ReturnType<typeof assemble>

/**
 * `directory` is created when something is first stored. Throws nothing; the parts throw StorageError when used.
 * `keychain` is given in tests.
 */
export function openState(directory: string, keychain: Keychain = createKeychain(directory)): State {
  return assemble(directory, keychain, true)
}

/**
 * The state for reading only, for completion while the user is typing: nothing is created, changed or migrated, and a
 * part whose file does not exist is empty.
 */
export function openStateToLookAt(directory: string): State {
  return assemble(directory, createKeychain(directory), false)
}

/** `writes`: whether anything may be created or changed, permissions too. */
function assemble(directory: string, keychain: Keychain, writes: boolean) {
  const opened = new Map<string, Database>()
  const lazily = (key: string, open: () => Database) => () => {
    const database = opened.get(key) ?? open()
    opened.set(key, database)
    return database
  }
  const toLookAt = (own: OwnDatabase) => lazily(`${own.name} to read`, () => openOwnToRead(own, directory))
  const toWrite = (own: OwnDatabase, place: () => string | undefined = () => directory) =>
    writes ? lazily(own.name, () => openOwn(own, place())) : toLookAt(own)
  const writable = once(() => writes && isWritableDirectory(directory))
  /** `database`, or an empty one while there is no file and this process has not created one. */
  const ifAny =
    ({name}: OwnDatabase, database: () => Database) =>
    () =>
      opened.has(name) ? database() : openIfAny(join(directory, name), database)
  /** The same; in a directory that cannot be written, the file is read all the same. */
  const toRead = (own: OwnDatabase, database: () => Database) => {
    const looked = toLookAt(own)
    return ifAny(own, () => (writable() ? database() : looked()))
  }
  const tokensDatabase = toWrite(TOKENS, () => (isWritableDirectory(directory) ? directory : undefined))
  const secretsToRead = toRead(TOKENS, tokensDatabase)
  const tokensInMemory = lazily('tokens in memory', () => openOwn(TOKENS, undefined))
  let noRoom = false
  /** Tokens need no disk: when it is full they live in this process, as in a directory that cannot be written. */
  const tokenDatabase = () => {
    try {
      if (!noRoom) return tokensDatabase()
    } catch (error) {
      if (!isFull(error)) throw error
      noRoom = true
    }
    return tokensInMemory()
  }
  const storedTokens = ifAny(TOKENS, tokenDatabase)
  const tokensToRead = () => (noRoom ? tokensInMemory() : storedTokens())
  const generation: {began?: number | undefined} = {}
  /** A token belongs to the generation in which its client secret was read. */
  const secretsOfGeneration = () => {
    const database = secretsToRead()
    generation.began ??= generationOf(database)
    return database
  }
  const forgetTokens = (which: Forgotten) => {
    generation.began = undefined
    const path = join(directory, TOKENS_NAME)
    if (!writable() && hasDatabaseFile(path)) {
      const hint = 'make the directory writable and run it again; the file was not changed'
      throw new StorageError('not_writable', `cannot write ${path}: nothing was removed from it`, hint)
    }
    return forget(tokensDatabase(), which)
  }
  const stateDatabase = toWrite(STATE)
  const stateToRead = toRead(STATE, stateDatabase)
  const people = createPeopleStore(stateDatabase, stateToRead)
  const eventsDatabase = toWrite(EVENTS)
  const lockDirectory = () => (writable() && !noRoom ? directory : undefined)
  return {
    directory,
    /**
     * False when the directory cannot be written (a read-only home): tokens then live in this process only, as they do
     * when the disk is full.
     */
    get writable(): boolean {
      return writable()
    },
    settings: createSettings(directory, {mayTighten: writes}),
    tokens: createTokenStore(tokenDatabase, lockDirectory, generation, tokensToRead),
    secrets: createSecretStore(tokensDatabase, keychain, secretsOfGeneration),
    journal: createJournalStore(stateDatabase, directory, stateToRead),
    offers: createOfferStore(stateDatabase, stateToRead),
    cities: createCityStore(stateDatabase, stateToRead),
    people,
    subscriptions: createSubscriptionJournal(stateDatabase),
    events: createEventStore(eventsDatabase, toRead(EVENTS, eventsDatabase)),
    /**
     * Removes the secrets of `profile` and the tokens of its client, leaving no byte of them on disk, nor of tokens
     * replaced earlier, but nothing from the keychain: see `secrets.remove`. Returns whether there was anything. Throws
     * StorageError.
     */
    forgetProfile: async (profile: string, client: Client | undefined) => forgetTokens({profile, ...client}),
    /** The same for the tokens of a client that has no profile, as environment variables give it. */
    forgetClient: async (client: Client) => forgetTokens(client),
    /** The same for every token and secret in tokens.db, and for the guests and contacts in state.db. */
    async forgetEverything(): Promise<boolean> {
      const hadTokens = forgetTokens('all')
      return (existsSync(join(directory, STATE_NAME)) && people.forgetAll()) || hadTokens
    },
    /** Closes what was opened. */
    close(): void {
      for (const database of opened.values()) database.close()
      opened.clear()
    },
  }
}

/**
 * A journal in memory, for a home that cannot be written. Its entries are lost with this process, so the caller must be able
 * to repeat a reservation by its key and client reference.
 */
export function openMemoryJournal(): {readonly journal: JournalStore; close(): void} {
  const database = openOwn(STATE, undefined)
  return {journal: createJournalStore(() => database, undefined), close: () => database.close()}
}

function once<T>(compute: () => T): () => T {
  let result: {value: T} | undefined
  return () => {
    result ??= {value: compute()}
    return result.value
  }
}
