/**
 * The tables of the local sandbox as migrations, which are only ever appended; the removal of expired rows; and single
 * values.
 */
import {OFFER_VALIDITY_SECONDS} from '../../contract/limits.js'
import {KEY_RETENTION_SECONDS} from '../../contract/operation-details.js'
import type {Database} from '../../storage/database.js'

export const MIGRATIONS = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE clients (
    client_id TEXT PRIMARY KEY, account_id TEXT NOT NULL, name TEXT NOT NULL, secret_hash BLOB NOT NULL,
    scopes TEXT NOT NULL, currency TEXT NOT NULL, balance_minor INTEGER NOT NULL, updated_at REAL NOT NULL
  ) STRICT;
  CREATE TABLE tokens (
    token_hash BLOB PRIMARY KEY, client_id TEXT NOT NULL, scopes TEXT NOT NULL, expires_at REAL NOT NULL
  ) STRICT;
  CREATE TABLE searches (search_id TEXT PRIMARY KEY, client_id TEXT NOT NULL, criteria TEXT NOT NULL) STRICT;
  CREATE TABLE offers (
    offer_id TEXT PRIMARY KEY, search_id TEXT NOT NULL REFERENCES searches, offer TEXT NOT NULL,
    expires_at REAL NOT NULL, reservation_ref TEXT
  ) STRICT;
  CREATE TABLE reservations (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, reservation_ref TEXT NOT NULL UNIQUE, client_id TEXT NOT NULL,
    client_reference_id TEXT NOT NULL, offer_id TEXT NOT NULL UNIQUE, status TEXT NOT NULL,
    created_at REAL NOT NULL, payment_token TEXT UNIQUE, payment_expires_at REAL,
    debited_minor INTEGER NOT NULL, record TEXT NOT NULL,
    UNIQUE (client_id, client_reference_id)
  ) STRICT;
  CREATE INDEX reservations_due ON reservations (payment_expires_at) WHERE status = 'PENDING_PAYMENT';
  CREATE TABLE idempotency_keys (
    client_id TEXT NOT NULL, key TEXT NOT NULL, body_hash TEXT NOT NULL, status INTEGER NOT NULL,
    body TEXT NOT NULL, created_at REAL NOT NULL, PRIMARY KEY (client_id, key)
  ) STRICT;
  CREATE TABLE events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL UNIQUE, client_id TEXT NOT NULL,
    type TEXT NOT NULL, created_at REAL NOT NULL, data TEXT NOT NULL
  ) STRICT;
  CREATE TABLE subscriptions (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, subscription_id TEXT NOT NULL UNIQUE, client_id TEXT NOT NULL,
    url TEXT NOT NULL, events TEXT NOT NULL, secret TEXT NOT NULL, is_active INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE deliveries (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, delivery_id TEXT NOT NULL UNIQUE,
    subscription_id TEXT NOT NULL, event_id TEXT NOT NULL, status TEXT NOT NULL, next_attempt_at REAL,
    attempts TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  `,
  `
  ALTER TABLE deliveries ADD COLUMN signed_at INTEGER;
  CREATE INDEX deliveries_due ON deliveries (next_attempt_at) WHERE status = 'PENDING';
  CREATE INDEX deliveries_of_subscription ON deliveries (subscription_id);
  `,
  `
  CREATE INDEX reservations_of_status ON reservations (status, sequence);
  CREATE INDEX deliveries_of_status ON deliveries (status, sequence);
  CREATE INDEX deliveries_of_event ON deliveries (event_id);
  CREATE INDEX events_of_reservation ON events (json_extract(data, '$.reservation_ref'));
  `,
  `
  CREATE INDEX deliveries_waiting ON deliveries (subscription_id, next_attempt_at) WHERE status = 'PENDING';
  CREATE INDEX subscriptions_of_client ON subscriptions (client_id);
  CREATE INDEX events_of_type ON events (type);
  CREATE INDEX reservations_of_client ON reservations (client_id, created_at);
  CREATE INDEX reservations_of_client_and_status ON reservations (client_id, status, created_at);
  ALTER TABLE reservations ADD COLUMN search_text TEXT;
  CREATE INDEX reservations_without_search_text ON reservations (sequence) WHERE search_text IS NULL;
  `,
  `
  PRAGMA secure_delete = OFF;
  DROP TABLE offers;
  DROP TABLE searches;
  PRAGMA secure_delete = ON;
  CREATE TABLE searches (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, client_id TEXT NOT NULL, criteria TEXT NOT NULL,
    searched_at REAL NOT NULL
  ) STRICT;
  CREATE INDEX searches_by_age ON searches (searched_at);
  CREATE INDEX tokens_by_expiry ON tokens (expires_at);
  CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
  `,
  `
  CREATE TABLE ledger (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, client_id TEXT NOT NULL, at REAL NOT NULL, kind TEXT NOT NULL,
    reservation_ref TEXT NOT NULL, amount_minor INTEGER NOT NULL, balance_minor INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX ledger_of_client ON ledger (client_id, sequence);
  `,
  `
  CREATE TABLE seen_requests (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, last INTEGER NOT NULL, requests TEXT NOT NULL
  ) STRICT;
  CREATE TABLE seen_attempts (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, client_id TEXT NOT NULL, record TEXT NOT NULL
  ) STRICT;
  `,
  `ALTER TABLE seen_requests ADD COLUMN paths TEXT NOT NULL DEFAULT '[]'`,
] as const

/**
 * Tables whose rows expire: the table, the indexed column with Unix seconds, and how many seconds after that time a row
 * is still needed.
 */
const EXPIRING = [
  ['searches', 'searched_at', OFFER_VALIDITY_SECONDS],
  ['tokens', 'expires_at', 0],
  ['idempotency_keys', 'created_at', KEY_RETENTION_SECONDS],
] as const

/** How many rows of a table are removed at a time. This takes a few milliseconds. */
const STEP = 500
/** How many seconds expired rows stay, so that one commit can remove many. */
const WAIT_SECONDS = 60

/**
 * Removes one step of expired rows if any are due at `now` (Unix seconds), and returns their space to the system.
 * Returns when to call again: `now` for at once, Infinity for never.
 */
export function removeExpired(database: Database, now: number): number {
  const due = EXPIRING.flatMap(([table, column, seconds]) => {
    const sql = `SELECT min(${column}) AS oldest FROM ${table}`
    const oldest = database.get<{oldest: number | null}>(sql)?.oldest ?? null
    return oldest === null ? [] : [{table, column, seconds, at: oldest + seconds + WAIT_SECONDS}]
  })
  const first = Math.min(...due.map(({at}) => at))
  if (first > now) return first
  database.transaction(() => {
    for (const {table, column, seconds} of due) {
      const oldest = `SELECT rowid FROM ${table} WHERE ${column} <= ? ORDER BY ${column} LIMIT ${STEP}`
      database.run(`DELETE FROM ${table} WHERE rowid IN (${oldest})`, now - seconds)
    }
  })
  database.all(`PRAGMA incremental_vacuum(${STEP})`)
  // Only a checkpoint makes the file and its log smaller.
  database.all('PRAGMA wal_checkpoint(TRUNCATE)')
  return now
}

/** Empties every table, keeping only the last port. Must run in a transaction. */
export function emptyTables(database: Database): void {
  const port = readMeta(database, 'last_port')
  const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
  for (const {name} of database.all<{name: string}>(tables)) database.run(`DELETE FROM ${name}`)
  if (port !== undefined) writeMeta(database, 'last_port', port)
}

/**
 * The names of single values: the seconds by which the clock was moved, the key for voucher links and sealed ids, the
 * port at which the sandbox was last served, and the time of the last check that the database can be written.
 */
type MetaName = 'clock_offset_seconds' | 'voucher_secret' | 'last_port' | 'checked_at'

export function readMeta(database: Database, name: MetaName): string | undefined {
  return database.get<{value: string}>('SELECT value FROM meta WHERE name = ?', name)?.value
}

export function writeMeta(database: Database, name: MetaName, value: string): void {
  database.run('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)', name, value)
}
