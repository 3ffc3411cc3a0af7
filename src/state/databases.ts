/** The databases of the configuration directory: their schemas, and how each is opened. */
import {join} from 'node:path'
import {type Database, openDatabase, openDatabaseToRead} from '../storage/database.js'
import {EVENTS_NAME, STATE_NAME} from './file-names.js'

const STATE_MIGRATIONS = [
  `CREATE TABLE reservations (
     id INTEGER PRIMARY KEY,
     base_url TEXT NOT NULL,
     client_id TEXT NOT NULL,
     client_reference_id TEXT NOT NULL,
     offer_id TEXT NOT NULL,
     idempotency_key TEXT NOT NULL,
     body TEXT,
     body_sha256 TEXT NOT NULL,
     intent_sha256 TEXT NOT NULL,
     outcome TEXT NOT NULL,
     reservation_ref TEXT,
     attempts INTEGER NOT NULL DEFAULT 0,
     lost INTEGER NOT NULL DEFAULT 0,
     result TEXT,
     created_at REAL NOT NULL,
     updated_at REAL NOT NULL
   ) STRICT;
   CREATE UNIQUE INDEX live_reference ON reservations (base_url, client_id, client_reference_id)
     WHERE outcome NOT IN ('cancelled', 'expired')
       AND (reservation_ref IS NOT NULL OR outcome NOT IN ('refused', 'failed'));
   CREATE INDEX reservation_offer ON reservations (base_url, client_id, offer_id);
   CREATE TABLE offers (
     base_url TEXT NOT NULL,
     client_id TEXT NOT NULL,
     offer_id TEXT NOT NULL,
     hotel_name TEXT,
     stars REAL,
     room_name TEXT,
     board TEXT,
     total TEXT,
     currency TEXT,
     nationality TEXT NOT NULL,
     check_in TEXT NOT NULL,
     check_out TEXT NOT NULL,
     rooms TEXT NOT NULL,
     searched_at REAL NOT NULL,
     expires_at REAL NOT NULL,
     used_by_reference TEXT,
     PRIMARY KEY (base_url, client_id, offer_id)
   ) STRICT;
   CREATE INDEX offer_age ON offers (searched_at);`,
  `CREATE TABLE subscriptions_begun (
     id INTEGER PRIMARY KEY,
     base_url TEXT NOT NULL,
     client_id TEXT NOT NULL,
     url TEXT NOT NULL,
     events TEXT NOT NULL,
     begun_at REAL NOT NULL
   ) STRICT;`,
  `CREATE TABLE cities (
     base_url TEXT NOT NULL,
     id INTEGER NOT NULL,
     name TEXT NOT NULL,
     country_code TEXT,
     PRIMARY KEY (base_url, id)
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE people (
     id INTEGER PRIMARY KEY,
     kind TEXT NOT NULL,
     person TEXT NOT NULL,
     details TEXT NOT NULL,
     kept_at REAL NOT NULL,
     UNIQUE (kind, person)
   ) STRICT;`,
  // Of those kept before it is not known for whom, so they are asked for once more.
  `DROP TABLE people;
   CREATE TABLE people (
     id INTEGER PRIMARY KEY,
     base_url TEXT NOT NULL,
     client_id TEXT NOT NULL,
     kind TEXT NOT NULL,
     person TEXT NOT NULL,
     details TEXT NOT NULL,
     kept_at REAL NOT NULL,
     UNIQUE (base_url, client_id, kind, person)
   ) STRICT;
   ALTER TABLE offers ADD COLUMN details TEXT;`,
  // AUTOINCREMENT: a process whose entry was removed must not take another's, made since, for its own.
  `CREATE TABLE reservations_anew (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     base_url TEXT NOT NULL,
     client_id TEXT NOT NULL,
     client_reference_id TEXT NOT NULL,
     offer_id TEXT NOT NULL,
     idempotency_key TEXT NOT NULL,
     body TEXT,
     body_sha256 TEXT NOT NULL,
     intent_sha256 TEXT NOT NULL,
     outcome TEXT NOT NULL,
     reservation_ref TEXT,
     attempts INTEGER NOT NULL DEFAULT 0,
     lost INTEGER NOT NULL DEFAULT 0,
     result TEXT,
     created_at REAL NOT NULL,
     updated_at REAL NOT NULL
   ) STRICT;
   INSERT INTO reservations_anew SELECT * FROM reservations;
   DROP TABLE reservations;
   ALTER TABLE reservations_anew RENAME TO reservations;
   CREATE UNIQUE INDEX live_reference ON reservations (base_url, client_id, client_reference_id)
     WHERE outcome NOT IN ('cancelled', 'expired')
       AND (reservation_ref IS NOT NULL OR outcome NOT IN ('refused', 'failed'));
   CREATE INDEX reservation_offer ON reservations (base_url, client_id, offer_id);`,
]

/** Opens state.db in `directory`, or one that lives in this process when there is no directory to write to. */
export function openStateDatabase(directory: string | undefined): Database {
  const path = directory === undefined ? ':memory:' : join(directory, STATE_NAME)
  return openDatabase(path, {migrations: STATE_MIGRATIONS})
}

/** Opens state.db in `directory` to be read alone, and creates nothing. Throws StorageError when it is not there. */
export function openStateToRead(directory: string): Database {
  return openDatabaseToRead(join(directory, STATE_NAME))
}

const EVENTS_MIGRATIONS = [
  `CREATE TABLE events (
     sequence INTEGER PRIMARY KEY,
     profile TEXT NOT NULL,
     event_id TEXT NOT NULL,
     type TEXT,
     received_at REAL NOT NULL,
     secret_name TEXT NOT NULL,
     headers TEXT NOT NULL,
     body BLOB NOT NULL,
     UNIQUE (profile, event_id)
   ) STRICT;
   CREATE TABLE forwards (
     sequence INTEGER NOT NULL REFERENCES events ON DELETE CASCADE,
     target TEXT NOT NULL,
     owner TEXT NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'given_up')),
     attempts INTEGER NOT NULL,
     next_attempt_at REAL NOT NULL,
     status INTEGER,
     ms INTEGER,
     error TEXT,
     PRIMARY KEY (sequence, target)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX due_forwards ON forwards (target, owner, next_attempt_at) WHERE state = 'pending';`,
]

/** Ours: longer than this nothing waits for another process's transaction; the sender has 3 s (§6.4). */
const BUSY_MILLISECONDS = 1500

export function openEventsDatabase(directory: string): Database {
  return openDatabase(join(directory, EVENTS_NAME), {
    migrations: EVENTS_MIGRATIONS,
    busyTimeoutMilliseconds: BUSY_MILLISECONDS,
  })
}

/** Opens events.db in `directory` to be read alone, and creates nothing. Throws StorageError when it is not there. */
export function openEventsToRead(directory: string): Database {
  return openDatabaseToRead(join(directory, EVENTS_NAME))
}
