/**
 * Stores client secrets, in tokens.db or in the system's keychain, and the signing secrets of webhook subscriptions,
 * which the service shows only once (§2.7). A profile has one client secret, or two while a login replaces it. Each is
 * stored with its client id, so that it is never sent with a different id.
 */
import {setTimeout as sleep} from 'node:timers/promises'
import type {AsyncEntry} from '@napi-rs/keyring'
import {Failure} from '../contract/failure.js'
import type {Database} from '../storage/database.js'

/** Where the client secret of a profile is stored. */
type SecretPlace = 'file' | 'keychain'

/** The profile and the client that a secret belongs to. */
interface SecretOwner {
  readonly profile: string
  readonly clientId: string
}

/** Identifies a signing secret. */
export interface SigningSecretName {
  readonly subscription_id: string
  readonly profile: string
}

export interface SigningSecret extends SigningSecretName {
  readonly secret: string
  /** Unix seconds. */
  readonly stored_at: number
  readonly subscribed?: Subscribed | undefined
  /** During a rotation, the id of the subscription that this one replaces. */
  readonly replaces?: string | undefined
  /** During a rotation by the service itself, the secret that it has replaced. */
  readonly earlier_secret?: string | undefined
  /**
   * Since when the events have been subscribed without a gap, in Unix seconds. A rotation keeps the time of the first
   * subscription. Undefined for secrets that earlier versions stored.
   */
  readonly subscribed_since?: number | undefined
}

/** The subscription of a signing secret. Unknown for secrets that earlier versions stored. */
interface Subscribed {
  /** The base URL of the service. */
  readonly baseUrl: string
  /** The URL to which the service sends events. */
  readonly url: string
  readonly events: readonly string[]
}

export interface Removal {
  /** Unix seconds. */
  readonly removed_at: number
  /** The command that removed the secret, for example `logout --all`. */
  readonly removed_by: string
}

/**
 * The record that a signing secret was removed. The service never shows it again, so this record explains why an event
 * is refused, and which events may have been lost. What was subscribed is unknown for secrets that earlier versions
 * stored or removed.
 */
export interface RemovedSigningSecret extends SigningSecretName, Removal {
  readonly subscribed?: Omit<Subscribed, 'url'> | undefined
  /** Since when the events were subscribed, in Unix seconds. */
  readonly subscribed_since?: number | undefined
}

/** Creates the store. It reads `database` before it reads any client secret, even one in the keychain. */
export function createSecretStore(database: Database, keychain: Keychain) {
  /** Writes a client secret to tokens.db. It is synchronous. */
  const writeToFile = ({profile, clientId}: SecretOwner, secret: string) =>
    void database.run('INSERT OR REPLACE INTO client_secrets VALUES (?, ?, ?)', profile, clientId, secret)
  // All columns are selected, because a read-only tokens.db of an earlier version has no client_id. After an upgrade,
  // the client_id of such secrets is empty.
  const rowsOf = ({profile}: SecretOwner) =>
    database.all<{client_id?: string; secret: string}>(
      'SELECT * FROM client_secrets WHERE profile = ?',
      profile,
    )
  return {
    writeToFile,
    /** Returns the client secret, or undefined. Throws a Failure if the keychain is not available. */
    async read(owner: SecretOwner, place: SecretPlace): Promise<string | undefined> {
      const rows = rowsOf(owner)
      if (place === 'keychain')
        return (await keychain.read(accountOf(owner))) ?? (await keychain.read(owner.profile))
      const row = rows.find(row => row.client_id === owner.clientId) ?? rows.find(row => !row.client_id)
      return row?.secret
    },
    async write(owner: SecretOwner, place: SecretPlace, secret: string): Promise<void> {
      if (place === 'keychain') return keychain.write(accountOf(owner), secret)
      writeToFile(owner, secret)
    },
    /**
     * Deletes the client secrets of the profile, except that of `kept`. Returns whether there were any. In tokens.db,
     * no byte of them remains; with `kept`, if the file is busy, the next process that opens it erases the bytes. In
     * the keychain, deletes the secret of `owner` and one that an earlier version stored without a client id.
     */
    async remove(owner: SecretOwner, place: SecretPlace, kept?: SecretOwner): Promise<boolean> {
      if (place === 'keychain') {
        const accounts = [accountOf(owner), owner.profile].filter(name => !kept || name !== accountOf(kept))
        let removed = false
        for (const account of accounts)
          if ((await keychain.read(account)) !== undefined)
            removed = (await keychain.remove(account)) || removed
        return removed
      }
      if (!rowsOf(owner).some(row => row.client_id !== kept?.clientId)) return false
      const sql = 'DELETE FROM client_secrets WHERE profile = ? AND client_id IS NOT ?'
      const deleteRows = () => database.run(sql, owner.profile, kept?.clientId ?? null)
      return database.erase(deleteRows, {orLater: kept !== undefined}) > 0
    },
    putSigningSecret(kept: SigningSecret): void {
      const {subscription_id, profile, secret, stored_at, subscribed, replaces, earlier_secret} = kept
      const key = [profile, subscription_id]
      const ofThis = 'WHERE profile = ? AND subscription_id = ?'
      database.transaction(() => {
        const before = database.get<{secret: string}>(`SELECT secret FROM signing_secrets ${ofThis}`, ...key)
        const {baseUrl = null, url = null, events = []} = subscribed ?? {}
        const about = [baseUrl, url, events.join(' ')]
        const rotation = [replaces ?? null, earlier_secret ?? null, kept.subscribed_since ?? null]
        const sql = `INSERT OR REPLACE INTO signing_secrets (subscription_id, profile, secret, stored_at, base_url, url, events,
          replaces, earlier_secret, subscribed_since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
        database.run(sql, subscription_id, profile, secret, stored_at, ...about, ...rotation)
        database.run(`DELETE FROM signing_removals ${ofThis}`, ...key)
        // Events that were signed with the earlier secret can no longer be verified.
        const replacesSecret = before !== undefined && ![secret, earlier_secret].includes(before.secret)
        if (replacesSecret)
          recordRemoval(database, kept, {removed_at: stored_at, removed_by: 'webhooks create'})
      })
    },
    /** Deletes the secret that the service has replaced, at the end of a rotation. Returns whether there was one. */
    removeEarlierSecret({profile, subscription_id}: SigningSecretName, removal: Removal): boolean {
      const sql = `UPDATE signing_secrets SET earlier_secret = NULL
        WHERE profile = ? AND subscription_id = ? AND earlier_secret IS NOT NULL`
      const remove = () => {
        const removed = database.run(sql, profile, subscription_id)
        const name = {profile, subscription_id: nameOfEarlier(subscription_id)}
        if (removed > 0) recordRemoval(database, name, removal)
        return removed
      }
      return database.erase(remove, {orLater: true}) > 0
    },
    /** Returns the signing secrets of `profile`, or of all profiles, newest first. */
    listSigningSecrets(profile: string | null = null): SigningSecret[] {
      const sql = 'SELECT * FROM signing_secrets WHERE ? IS NULL OR profile = ? ORDER BY stored_at DESC'
      return database.all<SigningRow>(sql, profile, profile).map(signingSecretOf)
    },
    removeSigningSecret(name: SigningSecretName, removal: Removal): boolean {
      return database.erase(() => deleteSigningSecrets(database, [name], removal), {orLater: true}) > 0
    },
    /** Returns the records of removed signing secrets of `profile`, or of all profiles, last removed first. */
    listRemovedSigningSecrets(profile: string | null = null): RemovedSigningSecret[] {
      // A read-only tokens.db of an earlier version does not have this table.
      const known = "SELECT 1 FROM sqlite_master WHERE name = 'signing_removals'"
      if (database.get(known) === undefined) return []
      const sql = 'SELECT * FROM signing_removals WHERE ? IS NULL OR profile = ? ORDER BY removed_at DESC'
      return database.all<RemovalRow>(sql, profile, profile).map(removedSecretOf)
    },
    /** Reports whether tokens.db contains a secret of the profile. */
    holdsFor(profile: string): boolean {
      const isOf = (table: string) =>
        database.get(`SELECT 1 FROM ${table} WHERE profile = ?`, profile) !== undefined
      return isOf('client_secrets') || isOf('signing_secrets')
    },
  }
}

const EARLIER = ' (earlier)'

/** Returns the name for the secret that a subscription had before the service replaced it. */
export function nameOfEarlier(subscriptionId: string): string {
  return subscriptionId + EARLIER
}

/** Returns the id of the subscription in the name of a secret, which may be that of an earlier secret. */
export function subscriptionOfSecret(name: string): string {
  return name.endsWith(EARLIER) ? name.slice(0, -EARLIER.length) : name
}

type SigningRow = Pick<SigningSecret, 'subscription_id' | 'profile' | 'secret' | 'stored_at'> & {
  // A read-only tokens.db of an earlier version does not have these columns.
  readonly base_url?: string | null
  readonly url?: string | null
  readonly events?: string | null
  readonly replaces?: string | null
  readonly earlier_secret?: string | null
  readonly subscribed_since?: number | null
}

function signingSecretOf({base_url: baseUrl, url, events, ...row}: SigningRow): SigningSecret {
  const {subscription_id, profile, secret, stored_at, replaces, earlier_secret, subscribed_since} = row
  const types = events?.split(' ').filter(Boolean) ?? []
  return {
    subscription_id,
    profile,
    secret,
    stored_at,
    ...(baseUrl && url ? {subscribed: {baseUrl, url, events: types}} : {}),
    ...(replaces ? {replaces} : {}),
    ...(earlier_secret ? {earlier_secret} : {}),
    ...(subscribed_since ? {subscribed_since} : {}),
  }
}

/**
 * Deletes the named signing secrets in the caller's transaction and records their removal. Rotations that were to
 * replace them end. Returns the number of deleted secrets.
 */
export function deleteSigningSecrets(
  database: Pick<Database, 'run' | 'get'>,
  names: readonly SigningSecretName[],
  removal: Removal,
): number {
  let deleted = 0
  for (const {profile, subscription_id} of names) {
    const where = 'WHERE profile = ? AND subscription_id = ?'
    const ended = 'UPDATE signing_secrets SET replaces = NULL WHERE profile = ? AND replaces = ?'
    database.run(ended, profile, subscription_id)
    const row = database.get<SigningRow>(`SELECT * FROM signing_secrets ${where}`, profile, subscription_id)
    if (row === undefined) continue
    database.run(`DELETE FROM signing_secrets ${where}`, profile, subscription_id)
    recordRemoval(database, signingSecretOf(row), removal)
    deleted += 1
  }
  return deleted
}

function recordRemoval(
  database: Pick<Database, 'run'>,
  {profile, subscription_id, subscribed, subscribed_since, stored_at}: RemovedName,
  {removed_at, removed_by}: Removal,
): void {
  const {baseUrl = null, events = []} = subscribed ?? {}
  const about = [baseUrl, events.join(' '), subscribed_since ?? stored_at ?? null]
  const sql = `INSERT OR REPLACE INTO signing_removals
    (profile, subscription_id, removed_at, removed_by, base_url, events, subscribed_since) VALUES (?, ?, ?, ?, ?, ?, ?)`
  database.run(sql, profile, subscription_id, removed_at, removed_by, ...about)
}

type RemovedName = SigningSecretName &
  Partial<Pick<SigningSecret, 'subscribed' | 'subscribed_since' | 'stored_at'>>

type RemovalRow = SigningSecretName &
  Removal &
  // A read-only tokens.db of an earlier version does not have these columns.
  Partial<Record<'base_url' | 'events', string | null> & Record<'subscribed_since', number | null>>

function removedSecretOf({base_url: baseUrl, events, subscribed_since, ...row}: RemovalRow) {
  const types = events?.split(' ').filter(Boolean) ?? []
  return {
    ...row,
    ...(baseUrl && types.length > 0 ? {subscribed: {baseUrl, events: types}} : {}),
    ...(subscribed_since ? {subscribed_since} : {}),
  } satisfies RemovedSigningSecret
}

/** Returns the name of the secret in the keychain. */
function accountOf({profile, clientId}: SecretOwner): string {
  return `${profile} ${clientId}`
}

const KEYCHAIN_MILLISECONDS = 3000

export type Keychain = ReturnType<typeof createKeychain>

/** The methods of the keyring's entry that are used. */
export type KeychainEntry = Pick<AsyncEntry, 'getPassword' | 'setPassword' | 'deleteCredential'>

/**
 * Opens the system's keychain through an optional native package, which is loaded on first use. `directory` is part of
 * the account names.
 */
export function createKeychain(
  directory: string,
  loadEntry: (name: string) => Promise<KeychainEntry> = loadSystemEntry,
  limitMilliseconds = KEYCHAIN_MILLISECONDS,
) {
  const use = async <T>(account: string, work: (entry: KeychainEntry, signal: AbortSignal) => Promise<T>) => {
    const done = new AbortController()
    const {signal} = done
    try {
      const entry = await loadEntry(`${account} (${directory})`)
      // The time limit does not rely on the signal, because a native call may ignore it.
      const late = sleep(limitMilliseconds, undefined, {signal}).then(() => {
        throw new Error('no answer in time')
      })
      return await Promise.race([work(entry, signal), late])
    } catch (error) {
      // The keychain's own message is not shown, because it may contain the secret.
      const isMissing = (error as {code?: string}).code === 'ERR_MODULE_NOT_FOUND'
      const why = isMissing
        ? 'the package @napi-rs/keyring is not installed'
        : 'it did not answer or refused access'
      throw new Failure('not_allowed', `cannot use the keychain of this system: ${why}`, {
        code: 'keychain_unavailable',
        hint: 'run `bookctl login` without --keychain to store the secret in a private file, or set BOOKCTL_CLIENT_SECRET',
      })
    } finally {
      done.abort()
    }
  }
  return {
    read: async (account: string) =>
      (await use(account, (entry, signal) => entry.getPassword(signal))) ?? undefined,
    write: (account: string, secret: string) =>
      use(account, (entry, signal) => entry.setPassword(secret, signal)),
    remove: (account: string) => use(account, (entry, signal) => entry.deleteCredential(signal)),
  }
}

async function loadSystemEntry(account: string): Promise<KeychainEntry> {
  const {AsyncEntry} = await import('@napi-rs/keyring')
  return new AsyncEntry('bookctl', account)
}
