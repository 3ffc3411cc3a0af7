/**
 * events.db: the webhook events received, and those still to be handed on. A file of its own: SQLite has one writer a
 * file, and a flood of events must not hold up the reservation journal.
 */
import {join} from 'node:path'
import {type Database, openDatabase, openDatabaseToRead} from '../storage/database.js'
import {EVENTS_NAME} from './file-names.js'

const MIGRATIONS = [
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
    migrations: MIGRATIONS,
    busyTimeoutMilliseconds: BUSY_MILLISECONDS,
  })
}

/** Opens events.db in `directory` to be read alone, and creates nothing. Throws StorageError when it is not there. */
export function openEventsToRead(directory: string): Database {
  return openDatabaseToRead(join(directory, EVENTS_NAME))
}
