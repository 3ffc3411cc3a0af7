/**
 * Translates errors of PostgreSQL, of the network and of `pg` into StorageErrors. The details of the original errors
 * are not shown, because they may quote stored values.
 */
import {StorageError, type StorageFault} from '../../storage/errors.js'

/**
 * How to translate an error. `start` matches the start of the error code, followed by the PostgreSQL function that
 * raised the error, which distinguishes equal codes in any language. `isPassing` says that a later attempt may succeed
 * although the fault alone does not imply it.
 */
type Reading = readonly [start: RegExp, fault: StorageFault, problem: string, hint: string, isPassing?: true]

const CHECK_ADDRESS = 'check BOOKCTL_STORE, or the setting store'
const CHECK_SERVER = `check that the server runs and can be reached from here; ${CHECK_ADDRESS}`
const SEE_LOG = 'see the log of the server'
const SEE_LOCKS =
  'run the command again; if a table is locked, pg_locks on the server shows who holds the lock'
const SET_PASSWORD = 'set PGPASSWORD, or a line of ~/.pgpass that only you can read'
const MAKE_DATABASE =
  "make it (CREATE DATABASE … ENCODING 'UTF8'), or correct BOOKCTL_STORE or the setting store"
const GRANT_CONNECT = 'GRANT CONNECT ON DATABASE … TO the user, or use another database'
const GRANT_RIGHTS =
  'see bookctl doctor: the user needs CREATE on the database, to make the schema bookctl, or else USAGE of that schema and SELECT, INSERT, UPDATE and DELETE on all its tables'
const NOT_OUR_SCHEMA = 'has a schema bookctl, but another program made it, or it is damaged'
const RESTORE_SCHEMA =
  'use another database, or restore the schema, or, if nothing in it is needed, DROP SCHEMA bookctl CASCADE; it was not changed'
const READ_ONLY = 'takes no writes: it is a standby, or set to read only'
const USE_PRIMARY = 'use the address of the primary server'
const FREE_SPACE = 'free space on the server; what was stored before is unchanged'
const SWITCH_TLS_ON = 'set ssl = on there: only a server on this machine is spoken to without it'
const NAME_AUTHORITY =
  'pass the certificate authority with --ca-file, and use the host name of its certificate'
const NOT_TRUSTED = 'has no certificate that this machine trusts'

/** The translations. The first match wins. */
const READINGS: readonly Reading[] = [
  [/^28P01/, 'not_allowed', 'refuses the password', SET_PASSWORD],
  [/^28/, 'not_allowed', 'does not let this user in', CHECK_ADDRESS],
  [/^3D000/, 'not_ours', 'has no such database', MAKE_DATABASE],
  [/^42501 CheckMyDatabase/, 'not_allowed', 'does not let this user connect to the database', GRANT_CONNECT],
  [/^42501/, 'not_writable', 'does not give this user the rights it needs', GRANT_RIGHTS],
  // bookctl's statements fit its own tables, so such an error means that the schema is foreign. 42704 is excluded,
  // because an old server reports it for a setting that it does not know.
  [/^(3F000|42(?!704))/, 'not_ours', NOT_OUR_SCHEMA, RESTORE_SCHEMA],
  // After a failover, the address may lead to the new primary server.
  [/^25006/, 'not_writable', READ_ONLY, USE_PRIMARY, true],
  [/^53100/, 'full', 'has no disk space left', FREE_SPACE],
  [/^40/, 'busy', 'is busy with the same rows', 'run the command again'],
  [/^55P03/, 'busy', 'has a table or row that another session locks', SEE_LOCKS],
  [/^(QUERY_TIMEOUT|57014)/, 'unreachable', 'did not answer in time', SEE_LOCKS],
  [/^55000/, 'unreachable', 'lets no one connect now', 'see ALLOW_CONNECTIONS of the database'],
  [/^NO_TLS/, 'unreachable', 'speaks no TLS', SWITCH_TLS_ON],
  [/^(CERT|DEPTH|SELF|UNABLE|ERR_TLS|ERR_SSL)/, 'unreachable', NOT_TRUSTED, NAME_AUTHORITY],
  [/^53[34]00/, 'unreachable', 'has no connection left', 'raise max_connections, or put a pooler before it'],
  [/^5[38]/, 'failed', 'cannot work now', SEE_LOG, true],
  [/^(57|08|E[A-Z]+|$)/, 'unreachable', 'cannot be reached', CHECK_SERVER],
  [/^/, 'failed', 'failed', SEE_LOG],
]

type Thrown = Partial<Record<'code' | 'message' | 'constraint' | 'routine', string>>

/** Converts an error to a StorageError. `shown` is the address without its password. */
export function storeErrorOf(error: unknown, shown: string): StorageError {
  if (error instanceof StorageError) return error
  const {code: given, message = '', constraint, routine} = error as Thrown
  if (/error establishing an SSL/.test(message)) return notPostgres(shown)
  const code = given === undefined || given === POOLER ? (codeOf(message) ?? given ?? 'unknown') : given
  const place = routine ? `${code} ${routine}` : code
  const [, fault, problem, hint, isPassing] = READINGS.find(([start]) => start.test(place)) as Reading
  const named = [code, constraint].filter(Boolean).join(', ')
  const text = `the store ${shown} ${problem}${named === '' ? '' : ` (${named})`}`
  // The original error is not kept as the cause. It refers to the client, whose key must not be printed.
  return new StorageError(fault, text, hint, {...(isPassing && {isPassing})})
}

/** The code that PgBouncer gives most of its errors. */
const POOLER = '08P01'

/**
 * Returns a code, derived from the message, for an error to which `pg` or a pooler gave none. Returns undefined for an
 * unknown message.
 */
function codeOf(message: string): string | undefined {
  // `timeout exceeded` comes from `pg-pool`: every connection is waiting for the answer to a statement.
  if (/query read timeout|timeout exceeded/i.test(message)) return 'QUERY_TIMEOUT'
  if (/timeout/i.test(message)) return 'ETIMEDOUT'
  if (/does not support SSL/.test(message)) return 'NO_TLS'
  if (/terminated|not queryable|ended|closed/i.test(message)) return 'ECONNRESET'
  if (/password|SASL|SCRAM|authentication failed|no such user/i.test(message)) return '28P01'
  if (/no such database|database .* does not exist/i.test(message)) return '3D000'
  return undefined
}

/**
 * Reports whether the server will probably accept connections soon, because it is starting or all its connections are
 * in use.
 */
export function isStarting(error: unknown): boolean {
  return ['53300', '57P03'].includes(String((error as {code?: unknown}).code))
}

/** Reports whether connecting or a statement timed out. */
export function isTimeout(error: unknown): boolean {
  const {message = '', code = codeOf(message)} = error as Thrown
  return code === 'ETIMEDOUT' || code === 'QUERY_TIMEOUT'
}

export function notPostgres(shown: string): StorageError {
  return new StorageError('not_ours', `what answers at ${shown} is no PostgreSQL`, CHECK_ADDRESS)
}

export function tooWeak(shown: string, what: string): StorageError {
  const hint = 'use a database with encoding UTF8 on PostgreSQL 14 or newer'
  return new StorageError('not_ours', `the store ${shown} ${what}`, hint)
}

export function tooNew(shown: string, version: number): StorageError {
  const message = `the store ${shown} has the schema ${version} of a newer bookctl`
  return new StorageError('too_new', message, 'update this bookctl')
}
