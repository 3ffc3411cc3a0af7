/** The tables of the shared store, in their own schema. The first process that needs them creates them. */
import {tooNew} from './errors.js'

/** Keys of advisory locks: arbitrary numbers, but the same in every version. */
const MIGRATION_LOCK = 8_024_417_553
const BEGIN_LOCK = 8_024_417_554

/** Each migration upgrades the schema from version n to n + 1. Migrations are only ever appended. */
const MIGRATIONS = [
  `CREATE TABLE bookctl.clients (
     base_url text NOT NULL, client_id text NOT NULL, generation bigint NOT NULL DEFAULT 1,
     PRIMARY KEY (base_url, client_id)
   );
   CREATE TABLE bookctl.leases (
     name text PRIMARY KEY, holder uuid NOT NULL, until timestamptz NOT NULL, pid integer, started timestamptz
   );
   CREATE TABLE bookctl.access_tokens (
     base_url text NOT NULL, client_id text NOT NULL, key_id text NOT NULL, asked_scopes text NOT NULL,
     token_id text NOT NULL, sealed bytea NOT NULL, scopes text NOT NULL,
     obtained_at timestamptz NOT NULL, expires_at timestamptz NOT NULL,
     PRIMARY KEY (base_url, client_id, key_id, asked_scopes)
   );
   CREATE TABLE bookctl.token_failures (
     base_url text NOT NULL, client_id text NOT NULL, key_id text NOT NULL, asked_scopes text NOT NULL,
     route text NOT NULL, failure text NOT NULL, failed_at timestamptz NOT NULL,
     PRIMARY KEY (base_url, client_id, key_id, asked_scopes, route)
   );
   CREATE TABLE bookctl.reservations (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, base_url text NOT NULL, client_id text NOT NULL,
     client_reference_id text NOT NULL, offer_id text NOT NULL, idempotency_key text NOT NULL,
     key_id text NOT NULL, sealed_body bytea, body_fingerprint text NOT NULL, intent_fingerprint text NOT NULL,
     outcome text NOT NULL, reservation_ref text, attempts integer NOT NULL DEFAULT 0,
     lost boolean NOT NULL DEFAULT false, result text,
     created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL
   );
   CREATE UNIQUE INDEX live_reference ON bookctl.reservations (base_url, client_id, client_reference_id)
     WHERE outcome NOT IN ('cancelled', 'expired')
       AND (reservation_ref IS NOT NULL OR outcome NOT IN ('refused', 'failed', 'not_sent'));
   CREATE INDEX reservation_offer ON bookctl.reservations (base_url, client_id, offer_id);
   CREATE INDEX reservation_key ON bookctl.reservations (base_url, client_id, idempotency_key);
   CREATE INDEX reservation_ref ON bookctl.reservations (base_url, client_id, reservation_ref);
   CREATE FUNCTION bookctl.begin_reservation(
     given_url text, given_client text, given_reference text, given_offer text, given_key text, given_key_id text,
     given_body bytea, given_fingerprint text, given_intent text, seen text
   ) RETURNS SETOF bookctl.reservations LANGUAGE plpgsql AS $begin$
   BEGIN
     INSERT INTO bookctl.clients (base_url, client_id) VALUES (given_url, given_client) ON CONFLICT DO NOTHING;
     PERFORM FROM bookctl.clients WHERE base_url = given_url AND client_id = given_client FOR UPDATE;
     IF seen IS DISTINCT FROM (SELECT coalesce(string_agg(concat_ws(':', id, outcome, attempts), ' ' ORDER BY id), '')
       FROM bookctl.reservations WHERE base_url = given_url AND client_id = given_client
         AND (offer_id = given_offer OR client_reference_id = given_reference OR idempotency_key = given_key))
     THEN RETURN; END IF;
     DELETE FROM bookctl.reservations WHERE base_url = given_url AND client_id = given_client
       AND (offer_id = given_offer OR client_reference_id = given_reference OR idempotency_key = given_key)
       AND attempts = 0 AND reservation_ref IS NULL AND outcome IN ('unresolved', 'not_sent');
     RETURN QUERY INSERT INTO bookctl.reservations (base_url, client_id, client_reference_id, offer_id,
         idempotency_key, key_id, sealed_body, body_fingerprint, intent_fingerprint, outcome, created_at, updated_at)
       VALUES (given_url, given_client, given_reference, given_offer, given_key, given_key_id, given_body,
         given_fingerprint, given_intent, 'unresolved', clock_timestamp(), clock_timestamp()) RETURNING *;
   END $begin$;
   CREATE TABLE bookctl.offers (
     base_url text NOT NULL, client_id text NOT NULL, offer_id text NOT NULL, offer text NOT NULL,
     searched_at timestamptz NOT NULL, expires_at timestamptz NOT NULL, used_by_reference text,
     PRIMARY KEY (base_url, client_id, offer_id)
   );
   CREATE INDEX offer_age ON bookctl.offers (searched_at);
   CREATE TABLE bookctl.subscriptions_begun (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, base_url text NOT NULL, client_id text NOT NULL,
     url text NOT NULL, events text NOT NULL, begun_at timestamptz NOT NULL,
     UNIQUE (base_url, client_id, url)
   );
   CREATE TABLE bookctl.events (
     sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, profile text NOT NULL, event_id text NOT NULL,
     type text, received_at timestamptz NOT NULL, secret_name text NOT NULL, headers text NOT NULL,
     body bytea NOT NULL, arrival uuid NOT NULL, UNIQUE (event_id, profile)
   ) WITH (autovacuum_vacuum_insert_scale_factor = 0.05);
   CREATE INDEX event_age ON bookctl.events (received_at);
   CREATE TABLE bookctl.forwards (
     sequence bigint NOT NULL REFERENCES bookctl.events ON DELETE CASCADE, target text NOT NULL,
     state text NOT NULL CHECK (state IN ('pending', 'done', 'given_up')), attempts integer NOT NULL DEFAULT 0,
     due_at timestamptz NOT NULL, lease uuid, status integer, ms integer, error text,
     PRIMARY KEY (sequence, target)
   ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
   CREATE INDEX due_forwards ON bookctl.forwards (target, due_at) WHERE state = 'pending'`,
  // Entries of all clients are judged together, so they share one lock. Earlier rows have no lasting fingerprint.
  `ALTER TABLE bookctl.reservations ADD COLUMN lasting_fingerprint text;
   DROP INDEX bookctl.reservation_offer;
   DROP INDEX bookctl.reservation_key;
   CREATE INDEX reservation_offer ON bookctl.reservations (offer_id);
   CREATE INDEX reservation_reference ON bookctl.reservations (client_reference_id);
   CREATE INDEX reservation_key ON bookctl.reservations (idempotency_key);
   DROP FUNCTION bookctl.begin_reservation;
   CREATE FUNCTION bookctl.begin_reservation(
     given_url text, given_client text, given_reference text, given_offer text, given_key text, given_key_id text,
     given_body bytea, given_fingerprint text, given_intent text, given_lasting text, seen text, replaced bigint[]
   ) RETURNS SETOF bookctl.reservations LANGUAGE plpgsql AS $begin$
   BEGIN
     PERFORM pg_advisory_xact_lock(${BEGIN_LOCK});
     IF seen IS DISTINCT FROM (SELECT coalesce(string_agg(concat_ws(':', id, outcome, attempts), ' ' ORDER BY id), '')
       FROM bookctl.reservations
       WHERE offer_id = given_offer OR client_reference_id = given_reference OR idempotency_key = given_key)
     THEN RETURN; END IF;
     DELETE FROM bookctl.reservations WHERE id = ANY (replaced);
     RETURN QUERY INSERT INTO bookctl.reservations (base_url, client_id, client_reference_id, offer_id,
         idempotency_key, key_id, sealed_body, body_fingerprint, intent_fingerprint, lasting_fingerprint, outcome,
         created_at, updated_at)
       VALUES (given_url, given_client, given_reference, given_offer, given_key, given_key_id, given_body,
         given_fingerprint, given_intent, given_lasting, 'unresolved', clock_timestamp(), clock_timestamp())
       RETURNING *;
   END $begin$`,
  // The agreed price of earlier entries is unknown.
  `ALTER TABLE bookctl.reservations ADD COLUMN agreed text;
   ALTER TABLE bookctl.reservations ADD COLUMN booked text;
   DROP FUNCTION bookctl.begin_reservation;
   CREATE FUNCTION bookctl.begin_reservation(
     given_url text, given_client text, given_reference text, given_offer text, given_key text, given_key_id text,
     given_body bytea, given_fingerprint text, given_intent text, given_lasting text, given_agreed text, seen text,
     replaced bigint[]
   ) RETURNS SETOF bookctl.reservations LANGUAGE plpgsql AS $begin$
   BEGIN
     PERFORM pg_advisory_xact_lock(${BEGIN_LOCK});
     IF seen IS DISTINCT FROM (SELECT coalesce(string_agg(concat_ws(':', id, outcome, attempts), ' ' ORDER BY id), '')
       FROM bookctl.reservations
       WHERE offer_id = given_offer OR client_reference_id = given_reference OR idempotency_key = given_key)
     THEN RETURN; END IF;
     DELETE FROM bookctl.reservations WHERE id = ANY (replaced);
     RETURN QUERY INSERT INTO bookctl.reservations (base_url, client_id, client_reference_id, offer_id,
         idempotency_key, key_id, sealed_body, body_fingerprint, intent_fingerprint, lasting_fingerprint, agreed,
         outcome, created_at, updated_at)
       VALUES (given_url, given_client, given_reference, given_offer, given_key, given_key_id, given_body,
         given_fingerprint, given_intent, given_lasting, given_agreed, 'unresolved', clock_timestamp(),
         clock_timestamp())
       RETURNING *;
   END $begin$`,
  // Earlier entries have no trip facts.
  `ALTER TABLE bookctl.reservations ADD COLUMN trip text;
   DROP FUNCTION bookctl.begin_reservation;
   CREATE FUNCTION bookctl.begin_reservation(
     given_url text, given_client text, given_reference text, given_offer text, given_key text, given_key_id text,
     given_body bytea, given_fingerprint text, given_intent text, given_lasting text, given_agreed text, given_trip text,
     seen text, replaced bigint[]
   ) RETURNS SETOF bookctl.reservations LANGUAGE plpgsql AS $begin$
   BEGIN
     PERFORM pg_advisory_xact_lock(${BEGIN_LOCK});
     IF seen IS DISTINCT FROM (SELECT coalesce(string_agg(concat_ws(':', id, outcome, attempts), ' ' ORDER BY id), '')
       FROM bookctl.reservations
       WHERE offer_id = given_offer OR client_reference_id = given_reference OR idempotency_key = given_key)
     THEN RETURN; END IF;
     DELETE FROM bookctl.reservations WHERE id = ANY (replaced);
     RETURN QUERY INSERT INTO bookctl.reservations (base_url, client_id, client_reference_id, offer_id,
         idempotency_key, key_id, sealed_body, body_fingerprint, intent_fingerprint, lasting_fingerprint, agreed,
         trip, outcome, created_at, updated_at)
       VALUES (given_url, given_client, given_reference, given_offer, given_key, given_key_id, given_body,
         given_fingerprint, given_intent, given_lasting, given_agreed, given_trip, 'unresolved',
         clock_timestamp(), clock_timestamp())
       RETURNING *;
   END $begin$`,
  // Null in earlier events, whose bodies are searched: writing all rows again could outlast the time limit of a statement.
  `ALTER TABLE bookctl.events ADD COLUMN reservation_ref text;
   CREATE INDEX event_reservation ON bookctl.events (reservation_ref)`,
  // An earlier version did not record what it removed, so only events from the oldest one on are certainly all here.
  `CREATE TABLE bookctl.pruned (one integer PRIMARY KEY CHECK (one = 1), before timestamptz NOT NULL);
   INSERT INTO bookctl.pruned SELECT 1, min(received_at) FROM bookctl.events HAVING count(*) > 0`,
  `CREATE TABLE bookctl.listeners (
     owner text PRIMARY KEY, profile text NOT NULL, report text NOT NULL, heartbeat_at timestamptz NOT NULL
   );
   CREATE TABLE bookctl.refusals (
     minute timestamptz NOT NULL, reason text NOT NULL, count bigint NOT NULL, PRIMARY KEY (minute, reason)
   );
   CREATE INDEX given_up_forwards ON bookctl.forwards (due_at) WHERE state = 'given_up'`,
  // No agent made earlier entries.
  `ALTER TABLE bookctl.reservations ADD COLUMN made_by text;
   CREATE INDEX reservation_of_agent ON bookctl.reservations (updated_at) WHERE made_by IS NOT NULL;
   DROP FUNCTION bookctl.begin_reservation;
   CREATE FUNCTION bookctl.begin_reservation(
     given_url text, given_client text, given_reference text, given_offer text, given_key text, given_key_id text,
     given_body bytea, given_fingerprint text, given_intent text, given_lasting text, given_agreed text, given_trip text,
     given_made_by text, seen text, replaced bigint[]
   ) RETURNS SETOF bookctl.reservations LANGUAGE plpgsql AS $begin$
   BEGIN
     PERFORM pg_advisory_xact_lock(${BEGIN_LOCK});
     IF seen IS DISTINCT FROM (SELECT coalesce(string_agg(concat_ws(':', id, outcome, attempts), ' ' ORDER BY id), '')
       FROM bookctl.reservations
       WHERE offer_id = given_offer OR client_reference_id = given_reference OR idempotency_key = given_key)
     THEN RETURN; END IF;
     DELETE FROM bookctl.reservations WHERE id = ANY (replaced);
     RETURN QUERY INSERT INTO bookctl.reservations (base_url, client_id, client_reference_id, offer_id,
         idempotency_key, key_id, sealed_body, body_fingerprint, intent_fingerprint, lasting_fingerprint, agreed,
         trip, made_by, outcome, created_at, updated_at)
       VALUES (given_url, given_client, given_reference, given_offer, given_key, given_key_id, given_body,
         given_fingerprint, given_intent, given_lasting, given_agreed, given_trip, given_made_by, 'unresolved',
         clock_timestamp(), clock_timestamp())
       RETURNING *;
   END $begin$`,
  `CREATE TABLE bookctl.agent_handles (
     handle text PRIMARY KEY, base_url text NOT NULL, client_id text NOT NULL, kind text NOT NULL, sealed_plan bytea,
     program text NOT NULL, decision text NOT NULL, decided_by text, result text, created_at timestamptz NOT NULL,
     expires_at timestamptz NOT NULL, used_at timestamptz
   )`,
] as const

export const SCHEMA_VERSION: number = MIGRATIONS.length

const PARTS = [...MIGRATIONS.join('').matchAll(/CREATE (?:TABLE|FUNCTION|UNIQUE INDEX) (?:bookctl\.)?(\w+)/g)]

/**
 * Selects the names of missing tables, functions and unique indexes, which somebody must have removed by hand; null if there
 * are none.
 */
export const MISSING_PARTS = `SELECT string_agg(name, ', ')
  FROM unnest(ARRAY[${PARTS.map(([, name]) => `'bookctl.${name}'`)}]) AS name
  WHERE to_regclass(name) IS NULL AND to_regproc(name) IS NULL`

type Run = (sql: string) => Promise<{readonly rows: object[]}>

/** Creates or upgrades the schema. If it is up to date, the user only needs the right to read its version. */
export async function requireSchema(run: Run, facts: () => Promise<{readonly shown: string}>): Promise<void> {
  let version = await schemaVersion(run)
  if (version < SCHEMA_VERSION) {
    await run(migration())
    version = await schemaVersion(run)
  }
  if (version > SCHEMA_VERSION) throw tooNew((await facts()).shown, version)
}

/** Returns the version of the schema, or 0 when there is none. */
async function schemaVersion(run: Run): Promise<number> {
  const {rows} = await run(`SELECT to_regclass('bookctl.schema_version') IS NOT NULL AS "isMade"`)
  if (!(rows[0] as {isMade: boolean}).isMade) return 0
  const found = await run('SELECT coalesce(max(version), 0) AS version FROM bookctl.schema_version')
  return (found.rows[0] as {version: number}).version
}

/** Selects what a schema `bookctl` of another program contains, under any names. */
const OTHERS = `SELECT FROM pg_depend WHERE refclassid = 'pg_namespace'::regclass
  AND refobjid = to_regnamespace('bookctl') AND objid <> to_regclass('bookctl.schema_version')`

/**
 * Returns the statement that upgrades the schema to `version`. It is one statement, so it needs no open transaction: it waits
 * for other migrations, checks again, and runs the missing steps.
 * CREATE … IF NOT EXISTS is not enough, because it fails when two processes run it at once. After the wait, only the catalogue
 * table pg_tables, and not to_regclass, shows what the other process has created.
 */
export function migration(version: number = SCHEMA_VERSION): string {
  const steps = MIGRATIONS.slice(0, version).map(
    (sql, n) => `IF known < ${n + 1} THEN
      EXECUTE $ddl$${sql}$ddl$;
      INSERT INTO bookctl.schema_version (version) VALUES (${n + 1});
    END IF;`,
  )
  return `DO $do$ DECLARE known integer; BEGIN
    PERFORM set_config('lock_timeout', '10s', true);
    PERFORM pg_advisory_xact_lock(${MIGRATION_LOCK});
    IF NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'bookctl' AND tablename = 'schema_version') THEN
      CREATE SCHEMA IF NOT EXISTS bookctl;
      CREATE TABLE bookctl.schema_version (version integer PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now());
    END IF;
    SELECT coalesce(max(version), 0) INTO known FROM bookctl.schema_version;
    IF known = 0 AND EXISTS (${OTHERS}) THEN
      RAISE EXCEPTION 'not a schema of bookctl' USING ERRCODE = 'invalid_schema_name';
    END IF;
    ${steps.join('\n')}
  END $do$`
}
