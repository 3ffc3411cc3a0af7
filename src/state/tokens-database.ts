/**
 * tokens.db: everything on this machine that opens a door. Deleted bytes are overwritten (secure_delete), and
 * `erase` leaves none in the log either. The generation is counted up by every logout, so that a process that was
 * asking for a token meanwhile cannot write it back.
 */
import {join} from 'node:path'
import {type Database, openDatabase, openDatabaseToRead} from '../storage/database.js'
import {TOKENS_NAME} from './file-names.js'

/** That of a new tokens.db, and so of one that is not there yet. */
const FIRST_GENERATION = 1

const MIGRATIONS = [
  `CREATE TABLE generation (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL);
   INSERT INTO generation VALUES (1, ${FIRST_GENERATION});
   CREATE TABLE access_tokens (
     base_url TEXT NOT NULL,
     client_id TEXT NOT NULL,
     secret_fingerprint TEXT NOT NULL,
     asked_scopes TEXT NOT NULL,
     access_token TEXT NOT NULL,
     scopes TEXT NOT NULL,
     obtained_at REAL NOT NULL,
     expires_at REAL NOT NULL,
     PRIMARY KEY (base_url, client_id, secret_fingerprint, asked_scopes)
   ) STRICT;
   CREATE TABLE client_secrets (
     profile TEXT PRIMARY KEY,
     secret TEXT NOT NULL
   ) STRICT;
   CREATE TABLE signing_secrets (
     subscription_id TEXT NOT NULL,
     profile TEXT NOT NULL,
     secret TEXT NOT NULL,
     stored_at REAL NOT NULL,
     PRIMARY KEY (profile, subscription_id)
   ) STRICT;`,
  `CREATE TABLE token_failures (
     base_url TEXT NOT NULL,
     client_id TEXT NOT NULL,
     secret_fingerprint TEXT NOT NULL,
     asked_scopes TEXT NOT NULL,
     route TEXT NOT NULL,
     failure TEXT NOT NULL,
     failed_at REAL NOT NULL,
     PRIMARY KEY (base_url, client_id, secret_fingerprint, asked_scopes, route)
   ) STRICT;`,
  // Those kept before have no client; they are the profile's until its next login.
  `CREATE TABLE client_secrets_anew (
     profile TEXT NOT NULL,
     client_id TEXT NOT NULL,
     secret TEXT NOT NULL,
     PRIMARY KEY (profile, client_id)
   ) STRICT;
   INSERT INTO client_secrets_anew SELECT profile, '', secret FROM client_secrets;
   DROP TABLE client_secrets;
   ALTER TABLE client_secrets_anew RENAME TO client_secrets;`,
]

/** Opens tokens.db in `directory`, or one that lives in this process when there is no directory to write to. */
export function openTokensDatabase(directory: string | undefined): Database {
  const path = directory === undefined ? ':memory:' : join(directory, TOKENS_NAME)
  return openDatabase(path, {migrations: MIGRATIONS})
}

/** Opens tokens.db in `directory` to be read alone, and creates nothing. Throws StorageError when it is not there. */
export function openTokensToRead(directory: string): Database {
  return openDatabaseToRead(join(directory, TOKENS_NAME))
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
