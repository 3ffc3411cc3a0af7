/**
 * Client secrets, one a profile, in tokens.db or in the keychain of the operating system; and the signing secrets
 * of webhook subscriptions, which the service shows only once (§2.7).
 */
import type {Database} from '../storage/database.js'
import type {Keychain} from './keychain.js'

/** Where a profile's client secret is kept. */
export type SecretPlace = 'file' | 'keychain'

export interface SigningSecret {
  readonly subscription_id: string
  readonly profile: string
  readonly secret: string
  /** Unix seconds. */
  readonly stored_at: number
}

export interface SecretStore {
  /** The client secret of `profile`, or undefined. Throws Failure when there is no keychain to ask. */
  read(profile: string, place: SecretPlace): Promise<string | undefined>
  write(profile: string, place: SecretPlace, secret: string): Promise<void>
  /** The same for tokens.db, done when it returns. */
  writeToFile(profile: string, secret: string): void
  /** Removes the secret alone, leaving no byte of it in tokens.db. */
  remove(profile: string, place: SecretPlace): Promise<boolean>
  putSigningSecret(entry: SigningSecret): void
  /** Signing secrets of `profile`, or of all, newest first. */
  listSigningSecrets(profile?: string): SigningSecret[]
  removeSigningSecret(profile: string, subscriptionId: string): boolean
}

/** `toRead` opens the database if there is one. */
export function createSecretStore(
  open: () => Database,
  keychain: Keychain,
  toRead: () => Database = open,
): SecretStore {
  const writeToFile = (profile: string, secret: string) =>
    void open().run('INSERT OR REPLACE INTO client_secrets VALUES (?, ?)', profile, secret)
  return {
    async read(profile, place) {
      if (place === 'keychain') return keychain.read(profile)
      const sql = 'SELECT secret FROM client_secrets WHERE profile = ?'
      return toRead().get<{secret: string}>(sql, profile)?.secret
    },
    async write(profile, place, secret) {
      if (place === 'keychain') return keychain.write(profile, secret)
      writeToFile(profile, secret)
    },
    writeToFile,
    async remove(profile, place) {
      if (place === 'keychain') return keychain.remove(profile)
      const database = open()
      const sql = 'DELETE FROM client_secrets WHERE profile = ?'
      return database.erase(() => database.run(sql, profile) > 0, {isNeeded: removed => removed})
    },
    putSigningSecret({subscription_id, profile, secret, stored_at}) {
      const sql = 'INSERT OR REPLACE INTO signing_secrets VALUES (?, ?, ?, ?)'
      open().run(sql, subscription_id, profile, secret, stored_at)
    },
    listSigningSecrets(profile) {
      const sql = 'SELECT * FROM signing_secrets WHERE ? IS NULL OR profile = ? ORDER BY stored_at DESC'
      return toRead().all<SigningSecret>(sql, profile ?? null, profile ?? null)
    },
    removeSigningSecret(profile, subscriptionId) {
      const database = open()
      const sql = 'DELETE FROM signing_secrets WHERE profile = ? AND subscription_id = ?'
      return database.erase(() => database.run(sql, profile, subscriptionId) > 0, {
        isNeeded: removed => removed,
        orLater: true,
      })
    },
  }
}
