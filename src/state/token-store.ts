/**
 * The token cache in tokens.db, which all processes of this user share (§5.7), and what a logout deletes from that
 * file.
 */
import {Failure} from '../contract/failure.js'
import type {CachedToken, Client, TokenClient, TokenStore} from '../contract/token-cache.js'
import type {Database} from '../storage/database.js'
import {isFull} from '../storage/errors.js'
import {withLock} from '../storage/lock.js'
import {FIRST_GENERATION} from './databases.js'
import {deleteSigningSecrets, type Removal, type SigningSecretName} from './secret-store.js'

const WHOSE = 'WHERE base_url = ? AND client_id = ? AND secret_fingerprint = ?'

/** The columns of a token and its client, named after the fields. */
const TOKEN = `base_url AS baseUrl, client_id AS clientId, access_token, scopes, asked_scopes AS askedScopes,
  obtained_at AS obtainedAt, expires_at AS expiresAt`

type Row = Client & Omit<CachedToken, 'scopes' | 'askedScopes'> & {scopes: string; askedScopes: string}

/**
 * Creates the token store. `directory` returns the directory of the lock files, or undefined if it cannot be written.
 * In that case, and on a full disk, nothing is stored, and each process has its own tokens. `generation` is the
 * generation of the file when this process first read it; a logout by this process clears it.
 */
export function createTokenStore(
  database: Database,
  directory: () => string | undefined,
  generation: {began?: number | undefined},
): TokenStore {
  const stored = <T>(work: () => T, none: T): T => {
    if (directory() === undefined) return none
    try {
      return work()
    } catch (error) {
      if (!isFull(error)) throw error
      return none
    }
  }
  /** Returns tokens with their clients, newest first. */
  const select = (where: string, ...values: string[]) => {
    const sql = `SELECT ${TOKEN} FROM access_tokens ${where} ORDER BY obtained_at DESC`
    const words = (text: string) => text.split(' ').filter(Boolean)
    return stored(() => database.all<Row>(sql, ...values), []).map(
      ({baseUrl, clientId, scopes, askedScopes, ...token}) => ({
        client: {baseUrl, clientId},
        token: {...token, scopes: words(scopes), askedScopes: words(askedScopes)},
      }),
    )
  }
  return {
    async list(client) {
      return select(WHOSE, ...whose(client)).map(({token}) => token)
    },
    async put(client, {askedScopes, access_token, scopes, obtainedAt, expiresAt}) {
      const values = [askedScopes.join(' '), access_token, scopes.join(' '), obtainedAt, expiresAt]
      const sql = 'INSERT OR REPLACE INTO access_tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?)'
      const put = () => {
        if (generationOf(database) === generation.began) database.run(sql, ...whose(client), ...values)
      }
      stored(() => database.transaction(put), undefined)
    },
    async remove(client, accessToken) {
      const sql = `DELETE FROM access_tokens ${WHOSE} AND access_token = ?`
      stored(() => database.run(sql, ...whose(client), accessToken), 0)
    },
    async noteFailure(client, {scopes, route}, {kind, message, details}, now) {
      const row = [...whose(client), scopes.join(' '), route, JSON.stringify({kind, message, details}), now]
      const sql = 'INSERT OR REPLACE INTO token_failures VALUES (?, ?, ?, ?, ?, ?, ?)'
      stored(() => database.run(sql, ...row), 0)
    },
    async failureBetween(client, {scopes, route}, since, until) {
      const when = 'failed_at BETWEEN ? AND ?'
      const sql = `SELECT failure FROM token_failures ${WHOSE} AND asked_scopes = ? AND route = ? AND ${when}`
      const values = [...whose(client), scopes.join(' '), route, since, until]
      const row = stored(() => database.get<{failure: string}>(sql, ...values), undefined)
      if (row === undefined) return undefined
      const {kind, message, details} = JSON.parse(row.failure) as Failure
      return new Failure(kind, message, details)
    },
    async alone(client, waitMilliseconds, work, peek) {
      const place = directory()
      if (place === undefined) return {gaveUp: false, value: await work()}
      const key = whose(client).join('\n')
      let started = false
      const start = () => {
        started = true
        return work()
      }
      const lock = {directory: place, kind: 'tokens', key, waitMilliseconds}
      return withLock(lock, start, peek).catch(async error => {
        // On a full disk there is no space for the lock file. At worst, one more token is requested.
        if (started || !isFull(error)) throw error
        return {gaveUp: false, value: await work()}
      })
    },
    async listAll() {
      return select('')
    },
  }
}

function whose(client: TokenClient): [string, string, string] {
  return [client.baseUrl, client.clientId, client.secretFingerprint]
}

export function generationOf(database: Pick<Database, 'get'>): number {
  return database.get<{number: number}>('SELECT number FROM generation')?.number ?? FIRST_GENERATION
}

/** What a logout deletes: the client secrets of these profiles and the tokens of these clients, or everything. */
export type Forgotten = {readonly profiles: readonly string[]; readonly clients: readonly Client[]} | 'all'

/**
 * The signing secrets that a logout deletes too. The user was shown these, because the service never shows them again.
 */
export interface SigningLoss extends Removal {
  readonly names: readonly SigningSecretName[]
}

/**
 * Deletes secrets and tokens in one transaction, including tokens that were replaced earlier, so that no byte remains.
 * Returns whether there were any. Throws a StorageError.
 */
export function forget(database: Database, which: Forgotten, signing?: SigningLoss): boolean {
  const all = which === 'all' ? 1 : 0
  const {profiles, clients} = which === 'all' ? {profiles: [], clients: []} : which
  const pairs = JSON.stringify(clients.map(({baseUrl, clientId}) => [baseUrl, clientId]))
  const isNamed = '(base_url, client_id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))'
  const ofClients = (table: string) => database.run(`DELETE FROM ${table} WHERE ? OR ${isNamed}`, all, pairs)
  const names = JSON.stringify(profiles)
  const ofProfiles = (table: string) =>
    database.run(`DELETE FROM ${table} WHERE ? OR profile IN (SELECT value FROM json_each(?))`, all, names)
  let removed = 0
  database.erase(() => {
    removed = ofClients('access_tokens') + ofProfiles('client_secrets')
    if (signing) removed += deleteSigningSecrets(database, signing.names, signing)
    ofClients('token_failures')
    return database.run('UPDATE generation SET number = number + 1')
  })
  return removed > 0
}
