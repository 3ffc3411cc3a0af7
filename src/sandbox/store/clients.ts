/**
 * Stores clients (credentials, §5.3) with their accounts, and access tokens. Secrets and tokens are stored as SHA-256
 * hashes.
 */
import {timingSafeEqual} from 'node:crypto'
import {ACCESS_TOKEN_PREFIX} from '../../contract/identifiers.js'
import {ACCESS_TOKEN_LIFETIME_SECONDS} from '../../contract/limits.js'
import {SCOPE_NAMES, type Scope} from '../../contract/operations.js'
import type {Database} from '../../storage/database.js'
import {randomId, sha256} from '../base/random.js'
import {STAMP_LENGTH, stampsOf} from './sealed-ids-and-links.js'

/** A row of the table. `scopes` are those that the operator granted, separated by spaces. */
export type Client = Readonly<Record<'client_id' | 'account_id' | 'name' | 'scopes' | 'currency', string>> &
  Readonly<Record<'balance_minor' | 'updated_at', number>> & {readonly secret_hash: Uint8Array}

const READ_SCOPES = SCOPE_NAMES.filter(scope => scope.endsWith(':read'))

/** The client that `sandbox env` prints. Events without a client are recorded for it. */
export const MAIN_CLIENT = 'cid_sandbox'

/** The clients that every local sandbox starts with. Balances are in cents of EUR. */
const START_UP_CLIENTS = [
  {id: MAIN_CLIENT, name: 'Sandbox Travel', scopes: SCOPE_NAMES, balance: 10_000_000n},
  {id: 'cid_sandbox_poor', name: 'Shoestring Travel', scopes: SCOPE_NAMES, balance: 1000n},
  {id: 'cid_sandbox_readonly', name: 'Window Shoppers', scopes: READ_SCOPES, balance: 10_000_000n},
] as const

/** Returns the secret of a start-up client, for example `sk_test_sandbox` for `cid_sandbox`. */
export function startUpSecret(clientId: string): string {
  return clientId.replace(/^cid/, 'sk_test')
}

export function addStartUpClients(database: Database, now: number): void {
  for (const {id, name, scopes, balance} of START_UP_CLIENTS) {
    const sql = `INSERT INTO clients (client_id, account_id, name, secret_hash, scopes, currency, balance_minor, updated_at)
      VALUES (?, ?, ?, ?, ?, 'EUR', ?, ?) ON CONFLICT DO NOTHING`
    const account = id.replace(/^cid/, 'acc')
    const secret = sha256(startUpSecret(id))
    database.run(sql, id, account, name, secret, scopes.join(' '), balance, now)
  }
}

export function findClient(database: Database, clientId: string): Client | undefined {
  return database.get<Client>('SELECT * FROM clients WHERE client_id = ?', clientId)
}

export function listClients(database: Database): Client[] {
  return database.all<Client>('SELECT * FROM clients ORDER BY rowid')
}

/** Returns the client with these credentials, or undefined. An unknown client takes as long to check as a wrong secret. */
export function checkCredentials(database: Database, clientId: string, clientSecret: string) {
  const client = findClient(database, clientId)
  const matches = timingSafeEqual(sha256(clientSecret), client?.secret_hash ?? Buffer.alloc(32))
  return matches ? client : undefined
}

/** Returns the id of the client with this secret, or undefined. */
export function clientWith(database: Database, clientSecret: string): string | undefined {
  const sql = 'SELECT client_id AS id FROM clients WHERE secret_hash = ?'
  return database.get<{id: string}>(sql, sha256(clientSecret))?.id
}

/** Issues an access token with `scopes` that is valid from `now` (Unix seconds). Only its hash is stored. */
export function issueToken(database: Database, clientId: string, scopes: readonly Scope[], now: number) {
  const expiresAt = now + ACCESS_TOKEN_LIFETIME_SECONDS
  const stamp = stampsOf(database, 'tokens').seal({expiresAt, sequence: 0, index: 0})
  const token = randomId(`${ACCESS_TOKEN_PREFIX}${stamp}`)
  const sql = 'INSERT INTO tokens (token_hash, client_id, scopes, expires_at) VALUES (?, ?, ?, ?)'
  database.run(sql, sha256(token), clientId, scopes.join(' '), expiresAt)
  return token
}

/**
 * Returns the client id and the scopes of a valid token. Returns `expired` for an expired token, even if its row was
 * removed, and undefined for an unknown or revoked one. `now` is in Unix seconds.
 */
export function findToken(database: Database, token: string, now: number) {
  const sql = 'SELECT client_id, scopes, expires_at FROM tokens WHERE token_hash = ?'
  const stored = database.get<{client_id: string; scopes: string; expires_at: number}>(sql, sha256(token))
  if (stored) return stored.expires_at > now ? stored : 'expired'
  const stamp = stampsOf(database, 'tokens').open(
    token.slice(ACCESS_TOKEN_PREFIX.length).slice(0, STAMP_LENGTH),
  )
  return stamp && stamp.expiresAt <= now ? 'expired' : undefined
}

/** Makes the token expire at `now` (Unix seconds), unless it expires earlier. */
export function expireToken(database: Database, token: string, now: number): void {
  const sql = 'UPDATE tokens SET expires_at = ? WHERE token_hash = ? AND expires_at > ?'
  database.run(sql, now, sha256(token), now)
}

export function forgetToken(database: Database, token: string): void {
  database.run('DELETE FROM tokens WHERE token_hash = ?', sha256(token))
}
