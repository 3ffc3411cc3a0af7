/** The token cache in tokens.db, shared by all processes of this user (§5.7), and what a logout removes from that file. */
import {Failure} from '../contract/failure.js'
import type {CachedToken, Client, TokenCache, TokenClient, TokenRequestKind} from '../contract/token-cache.js'
import type {Database} from '../storage/database.js'
import {isFull} from '../storage/errors.js'
import {withLock} from '../storage/lock.js'
import {FIRST_GENERATION} from './databases.js'

export interface TokenStore extends TokenCache {
  /** Every stored token, whatever its secret, with its client: what `logout --all` revokes. */
  listAll(): {client: Client; token: CachedToken}[]
}

const WHOSE = 'WHERE base_url = ? AND client_id = ? AND secret_fingerprint = ?'

interface Row {
  base_url: string
  client_id: string
  access_token: string
  scopes: string
  asked_scopes: string
  obtained_at: number
  expires_at: number
}

/**
 * `toRead` opens the database if there is one; `directory` is where the lock files are; without one, the database belongs to this process alone. `generation` is
 * the one this process began in; whoever logs out empties it, so as to begin a new one.
 */
export function createTokenStore(
  open: () => Database,
  directory: () => string | undefined,
  generation: {began?: number | undefined},
  toRead: () => Database = open,
): TokenStore {
  const began = (opened: Database) => {
    generation.began ??= generationOf(opened)
    return opened
  }
  const database = () => began(open())
  const databaseToRead = () => began(toRead())
  return {
    list(client) {
      const sql = `SELECT * FROM access_tokens ${WHOSE} ORDER BY obtained_at DESC`
      return databaseToRead()
        .all<Row>(sql, ...whose(client))
        .map(tokenOf)
    },
    put(client, token) {
      const opened = database()
      unlessFull(() =>
        opened.transaction(() => {
          // Nobody else can log out of what this process has for itself.
          const isShared = directory() !== undefined
          if (!isShared || generationOf(opened) === generation.began) insert(opened, client, token)
        }),
      )
    },
    remove(client, accessToken) {
      const sql = `DELETE FROM access_tokens ${WHOSE} AND access_token = ?`
      unlessFull(() => database().run(sql, ...whose(client), accessToken))
    },
    noteFailure(client, request, {kind, message, details}, now) {
      const row = [...whose(client), ...kindOf(request), JSON.stringify({kind, message, details}), now]
      unlessFull(() =>
        database().run('INSERT OR REPLACE INTO token_failures VALUES (?, ?, ?, ?, ?, ?, ?)', ...row),
      )
    },
    failureBetween(client, request, since, until) {
      const when = 'failed_at BETWEEN ? AND ?'
      const sql = `SELECT failure FROM token_failures ${WHOSE} AND asked_scopes = ? AND route = ? AND ${when}`
      const values = [...whose(client), ...kindOf(request), since, until]
      const row = databaseToRead().get<{failure: string}>(sql, ...values)
      if (row === undefined) return undefined
      const {kind, message, details} = JSON.parse(row.failure) as Failure
      return new Failure(kind, message, details)
    },
    async alone(client, waitMilliseconds, work, peek) {
      const place = directory()
      if (place === undefined) return {gaveUp: false, value: await work()}
      const key = whose(client).join('\n')
      let begun = false
      const begin = () => {
        begun = true
        return work()
      }
      const lock = {directory: place, kind: 'tokens', key, waitMilliseconds}
      return withLock(lock, begin, peek).catch(async error => {
        // No room for the lock's file: a token too many is asked for, and that is all.
        if (begun || !isFull(error)) throw error
        return {gaveUp: false, value: await work()}
      })
    },
    listAll() {
      return databaseToRead()
        .all<Row>('SELECT * FROM access_tokens ORDER BY obtained_at DESC')
        .map(row => ({client: {baseUrl: row.base_url, clientId: row.client_id}, token: tokenOf(row)}))
    },
  }
}

function whose(client: TokenClient): [string, string, string] {
  return [client.baseUrl, client.clientId, client.secretFingerprint]
}

function kindOf({scopes, route}: TokenRequestKind): [string, string] {
  return [scopes.join(' '), route]
}

function insert(database: Database, client: TokenClient, token: CachedToken): void {
  database.run(
    'INSERT OR REPLACE INTO access_tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ...[...whose(client), token.askedScopes.join(' '), token.access_token],
    ...[token.scopes.join(' '), token.obtainedAt, token.expiresAt],
  )
}

/** A token that cannot be kept for lack of room is still a token: the next process asks for its own. */
function unlessFull(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (!isFull(error)) throw error
  }
}

function tokenOf(row: Row): CachedToken {
  return {
    access_token: row.access_token,
    scopes: words(row.scopes),
    askedScopes: words(row.asked_scopes),
    obtainedAt: row.obtained_at,
    expiresAt: row.expires_at,
  }
}

function words(text: string): string[] {
  return text.split(' ').filter(word => word !== '')
}

export function generationOf(database: Database): number {
  return database.get<{number: number}>('SELECT number FROM generation')?.number ?? FIRST_GENERATION
}

/** Whom to forget: one profile and the client behind it, or everyone. */
export type Forgotten =
  | {readonly profile?: string; readonly baseUrl?: string; readonly clientId?: string}
  | 'all'

/**
 * Deletes tokens and secrets, and every byte of them: in pages, in the log, and those replaced earlier.
 * Returns whether there was anything. Throws StorageError `busy` when another process keeps the file open too long.
 */
export function forget(database: Database, whom: Forgotten): boolean {
  const removed = database.erase(() => {
    database.run('UPDATE generation SET number = number + 1')
    return whom === 'all' ? forgetAll(database) : forgetOne(database, whom)
  })
  return removed > 0
}

function forgetAll(database: Database): number {
  database.run('DELETE FROM token_failures')
  return ['access_tokens', 'client_secrets', 'signing_secrets']
    .map(table => database.run(`DELETE FROM ${table}`))
    .reduce((sum, rows) => sum + rows)
}

function forgetOne(database: Database, whom: Exclude<Forgotten, 'all'>): number {
  let rows = 0
  if (whom.baseUrl !== undefined && whom.clientId !== undefined) {
    const whose = 'WHERE base_url = ? AND client_id = ?'
    rows += database.run(`DELETE FROM access_tokens ${whose}`, whom.baseUrl, whom.clientId)
    database.run(`DELETE FROM token_failures ${whose}`, whom.baseUrl, whom.clientId)
  }
  if (whom.profile !== undefined) {
    rows += database.run('DELETE FROM client_secrets WHERE profile = ?', whom.profile)
    rows += database.run('DELETE FROM signing_secrets WHERE profile = ?', whom.profile)
  }
  return rows
}
