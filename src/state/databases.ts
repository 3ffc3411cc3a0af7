/** The databases in the configuration directory: their schemas and how they are opened. */
import {join} from 'node:path'
import {type Database, type DatabaseOptions, openDatabase} from '../storage/database.js'
import {EVENTS_NAME, STATE_NAME, TOKENS_NAME} from './file-names.js'
import {createDigest} from './journal.js'

export interface OwnDatabase extends DatabaseOptions {
  /** The name of the file. */
  readonly name: string
}

/** The generation of a new tokens.db. It also applies while there is no file. */
export const FIRST_GENERATION = 1

/**
 * The database with all secrets of this machine. A logout increments the generation, so that a process that started
 * earlier does not store its token again.
 */
export const TOKENS: OwnDatabase = {
  name: TOKENS_NAME,
  migrations: [
    `CREATE TABLE generation (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL);
     INSERT INTO generation VALUES (1, ${FIRST_GENERATION});
     CREATE TABLE access_tokens (
       base_url TEXT NOT NULL, client_id TEXT NOT NULL, secret_fingerprint TEXT NOT NULL,
       asked_scopes TEXT NOT NULL, access_token TEXT NOT NULL, scopes TEXT NOT NULL,
       obtained_at REAL NOT NULL, expires_at REAL NOT NULL,
       PRIMARY KEY (base_url, client_id, secret_fingerprint, asked_scopes)
     ) STRICT;
     CREATE TABLE client_secrets (
       profile TEXT PRIMARY KEY, secret TEXT NOT NULL
     ) STRICT;
     CREATE TABLE signing_secrets (
       subscription_id TEXT NOT NULL, profile TEXT NOT NULL, secret TEXT NOT NULL, stored_at REAL NOT NULL,
       PRIMARY KEY (profile, subscription_id)
     ) STRICT;`,
    `CREATE TABLE token_failures (
       base_url TEXT NOT NULL, client_id TEXT NOT NULL, secret_fingerprint TEXT NOT NULL,
       asked_scopes TEXT NOT NULL, route TEXT NOT NULL, failure TEXT NOT NULL, failed_at REAL NOT NULL,
       PRIMARY KEY (base_url, client_id, secret_fingerprint, asked_scopes, route)
     ) STRICT;`,
    // Secrets stored before this migration have no client id. They belong to their profile until its next login.
    `CREATE TABLE new_client_secrets (
       profile TEXT NOT NULL, client_id TEXT NOT NULL, secret TEXT NOT NULL,
       PRIMARY KEY (profile, client_id)
     ) STRICT;
     INSERT INTO new_client_secrets SELECT profile, '', secret FROM client_secrets;
     DROP TABLE client_secrets;
     ALTER TABLE new_client_secrets RENAME TO client_secrets;`,
    // Records when a signing secret was removed and by which command, without the secret.
    `CREATE TABLE signing_removals (
       profile TEXT NOT NULL, subscription_id TEXT NOT NULL, removed_at REAL NOT NULL, removed_by TEXT NOT NULL,
       PRIMARY KEY (profile, subscription_id)
     ) STRICT;`,
    // Records the subscription of a secret, so that a duplicate is noticed even if the service does not list
    // subscriptions.
    `ALTER TABLE signing_secrets ADD COLUMN base_url TEXT;
     ALTER TABLE signing_secrets ADD COLUMN url TEXT;
     ALTER TABLE signing_secrets ADD COLUMN events TEXT;`,
    // Records rotations: the subscription that this one replaces, or the secret that the service has replaced. Also
    // records since when the events have been subscribed without a gap.
    `ALTER TABLE signing_secrets ADD COLUMN replaces TEXT;
     ALTER TABLE signing_secrets ADD COLUMN earlier_secret TEXT;
     ALTER TABLE signing_secrets ADD COLUMN subscribed_since REAL;`,
    // Records what a removed secret was for, so that events that were due while it was subscribed can still be reported
    // as missing.
    `ALTER TABLE signing_removals ADD COLUMN base_url TEXT;
     ALTER TABLE signing_removals ADD COLUMN events TEXT;
     ALTER TABLE signing_removals ADD COLUMN subscribed_since REAL;`,
  ],
}

/**
 * The journals of reservations and subscriptions, the offers and cities seen, people stored with the user's consent, and the
 * handles of agents.
 */
export const STATE: OwnDatabase = {
  name: STATE_NAME,
  migrations: [
    `CREATE TABLE reservations (
       id INTEGER PRIMARY KEY, base_url TEXT NOT NULL, client_id TEXT NOT NULL,
       client_reference_id TEXT NOT NULL, offer_id TEXT NOT NULL, idempotency_key TEXT NOT NULL, body TEXT,
       body_sha256 TEXT NOT NULL, intent_sha256 TEXT NOT NULL, outcome TEXT NOT NULL, reservation_ref TEXT,
       attempts INTEGER NOT NULL DEFAULT 0, lost INTEGER NOT NULL DEFAULT 0, result TEXT,
       created_at REAL NOT NULL, updated_at REAL NOT NULL
     ) STRICT;
     CREATE UNIQUE INDEX live_reference ON reservations (base_url, client_id, client_reference_id)
       WHERE outcome NOT IN ('cancelled', 'expired')
         AND (reservation_ref IS NOT NULL OR outcome NOT IN ('refused', 'failed'));
     CREATE INDEX reservation_offer ON reservations (base_url, client_id, offer_id);
     CREATE TABLE offers (
       base_url TEXT NOT NULL, client_id TEXT NOT NULL, offer_id TEXT NOT NULL, hotel_name TEXT, stars REAL,
       room_name TEXT, board TEXT, total TEXT, currency TEXT, nationality TEXT NOT NULL,
       check_in TEXT NOT NULL, check_out TEXT NOT NULL, rooms TEXT NOT NULL, searched_at REAL NOT NULL,
       expires_at REAL NOT NULL, used_by_reference TEXT, PRIMARY KEY (base_url, client_id, offer_id)
     ) STRICT;
     CREATE INDEX offer_age ON offers (searched_at);`,
    `CREATE TABLE subscriptions_begun (
       id INTEGER PRIMARY KEY, base_url TEXT NOT NULL, client_id TEXT NOT NULL, url TEXT NOT NULL,
       events TEXT NOT NULL, begun_at REAL NOT NULL
     ) STRICT;`,
    `CREATE TABLE cities (
       base_url TEXT NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL, country_code TEXT,
       PRIMARY KEY (base_url, id)
     ) STRICT, WITHOUT ROWID;`,
    `CREATE TABLE people (
       id INTEGER PRIMARY KEY, kind TEXT NOT NULL, person TEXT NOT NULL, details TEXT NOT NULL,
       kept_at REAL NOT NULL, UNIQUE (kind, person)
     ) STRICT;`,
    // Earlier rows have no client, so they are deleted. Users can enter the people again.
    `DROP TABLE people;
     CREATE TABLE people (
       id INTEGER PRIMARY KEY, base_url TEXT NOT NULL, client_id TEXT NOT NULL, kind TEXT NOT NULL,
       person TEXT NOT NULL, details TEXT NOT NULL, kept_at REAL NOT NULL,
       UNIQUE (base_url, client_id, kind, person)
     ) STRICT;
     ALTER TABLE offers ADD COLUMN details TEXT;`,
    // With AUTOINCREMENT, ids are never used again: a process whose entry was removed cannot mistake a newer entry for
    // its own.
    `CREATE TABLE new_reservations (
       id INTEGER PRIMARY KEY AUTOINCREMENT, base_url TEXT NOT NULL, client_id TEXT NOT NULL,
       client_reference_id TEXT NOT NULL, offer_id TEXT NOT NULL, idempotency_key TEXT NOT NULL, body TEXT,
       body_sha256 TEXT NOT NULL, intent_sha256 TEXT NOT NULL, outcome TEXT NOT NULL, reservation_ref TEXT,
       attempts INTEGER NOT NULL DEFAULT 0, lost INTEGER NOT NULL DEFAULT 0, result TEXT,
       created_at REAL NOT NULL, updated_at REAL NOT NULL
     ) STRICT;
     INSERT INTO new_reservations SELECT * FROM reservations;
     DROP TABLE reservations;
     ALTER TABLE new_reservations RENAME TO reservations;
     CREATE UNIQUE INDEX live_reference ON reservations (base_url, client_id, client_reference_id)
       WHERE outcome NOT IN ('cancelled', 'expired')
         AND (reservation_ref IS NOT NULL OR outcome NOT IN ('refused', 'failed'));
     CREATE INDEX reservation_offer ON reservations (base_url, client_id, offer_id);`,
    `CREATE TABLE journal_digest (
       one INTEGER PRIMARY KEY CHECK (one = 1), digest TEXT NOT NULL
     ) STRICT;`,
    // The agreed price of earlier entries is unknown. The digest covers all columns, so it is created again.
    `DELETE FROM journal_digest;
     ALTER TABLE reservations ADD COLUMN agreed TEXT;
     ALTER TABLE reservations ADD COLUMN booked TEXT;`,
    // Earlier entries have no trip facts.
    `DELETE FROM journal_digest;
     ALTER TABLE reservations ADD COLUMN trip TEXT;`,
    // No agent made earlier entries. The digest leaves out a missing agent, so that it need not be created again.
    'ALTER TABLE reservations ADD COLUMN made_by TEXT',
    `CREATE TABLE agent_handles (
       handle TEXT PRIMARY KEY, base_url TEXT NOT NULL, client_id TEXT NOT NULL, kind TEXT NOT NULL, prepared TEXT,
       digest TEXT NOT NULL, program TEXT NOT NULL, decision TEXT NOT NULL, decided_by TEXT, result TEXT,
       created_at REAL NOT NULL, expires_at REAL NOT NULL, used_at REAL
     ) STRICT;`,
  ],
  afterMigration: createDigest,
}

/**
 * The database with received events and their forwards. It is a file of its own: SQLite allows one writer per file, and
 * many events must not delay the reservation journal.
 */
export const EVENTS: OwnDatabase = {
  name: EVENTS_NAME,
  migrations: [
    `CREATE TABLE events (
       sequence INTEGER PRIMARY KEY, profile TEXT NOT NULL, event_id TEXT NOT NULL, type TEXT,
       received_at REAL NOT NULL, secret_name TEXT NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL,
       UNIQUE (profile, event_id)
     ) STRICT;
     CREATE TABLE forwards (
       sequence INTEGER NOT NULL REFERENCES events ON DELETE CASCADE, target TEXT NOT NULL,
       owner TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'given_up')),
       attempts INTEGER NOT NULL, next_attempt_at REAL NOT NULL, status INTEGER, ms INTEGER, error TEXT,
       PRIMARY KEY (sequence, target)
     ) STRICT, WITHOUT ROWID;
     CREATE INDEX due_forwards ON forwards (target, owner, next_attempt_at) WHERE state = 'pending';`,
    // Null for earlier events, whose bodies are searched instead. There is no index: it would cost a receiver a third
    // of its speed, and a search of 100,000 events takes only about a tenth of a second.
    'ALTER TABLE events ADD COLUMN reservation_ref TEXT',
    // An earlier version did not record what it removed. So only events since the oldest stored one are certainly
    // complete.
    `CREATE TABLE pruned (one INTEGER PRIMARY KEY CHECK (one = 1), before REAL NOT NULL) STRICT;
     INSERT INTO pruned SELECT 1, min(received_at) FROM events HAVING count(*) > 0;`,
    // `padding` makes a report as large as an event, for when the report has to show that the disk has space.
    `CREATE TABLE listeners (
       owner TEXT PRIMARY KEY, profile TEXT NOT NULL, report TEXT NOT NULL, heartbeat_at REAL NOT NULL, padding BLOB NOT NULL
     ) STRICT;
     CREATE TABLE refusals (
       minute INTEGER NOT NULL, reason TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (minute, reason)
     ) STRICT, WITHOUT ROWID;
     CREATE INDEX given_up_forwards ON forwards (next_attempt_at) WHERE state = 'given_up';`,
  ],
  hasLog: true,
  // The wait for another process is shorter than usual, because the sender of a webhook waits only 3 s (§6.4).
  busyTimeoutMilliseconds: 1500,
}

/** Opens a database in `directory`, or in memory if there is no directory. Throws a StorageError if that fails. */
export function openOwn({name, ...options}: OwnDatabase, directory: string | undefined): Database {
  return openDatabase(directory === undefined ? ':memory:' : join(directory, name), options)
}
