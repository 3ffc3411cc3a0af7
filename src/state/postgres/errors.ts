/** What an error of PostgreSQL, of the network or of `pg` means. Its details may quote stored values and are not shown. */
import {StorageError, type StorageFault} from '../../storage/errors.js'

interface Reading {
  /** Start of the code. */
  readonly code: RegExp
  readonly fault: StorageFault
  readonly problem: string
  readonly hint: string
  /** Whether a later attempt may succeed, although the fault alone does not say so. */
  readonly isPassing?: true
}

const CHECK_ADDRESS = 'check BOOKCTL_STORE, or the setting store'
const CHECK_SERVER = `check that the server runs and can be reached from here; ${CHECK_ADDRESS}`
const SEE_LOG = 'see the log of the server'

/** The first that fits counts. */
const READINGS: readonly Reading[] = [
  {
    code: /^28P01/,
    fault: 'not_allowed',
    problem: 'refuses the password',
    hint: 'set PGPASSWORD, or a line of ~/.pgpass that only you can read',
  },
  {code: /^28/, fault: 'not_allowed', problem: 'does not let this user in', hint: CHECK_ADDRESS},
  {
    code: /^3D000/,
    fault: 'not_ours',
    problem: 'has no such database',
    hint: "make it (CREATE DATABASE … ENCODING 'UTF8'), or correct BOOKCTL_STORE or the setting store",
  },
  {
    code: /^42501/,
    fault: 'not_writable',
    problem: 'does not give this user the rights it needs',
    hint: 'let the user create the schema bookctl, or use its tables once someone else has made it',
  },
  {
    code: /^25006/,
    fault: 'not_writable',
    problem: 'takes no writes: it is a standby, or set to read only',
    hint: 'use the address of the primary server',
    // After a failover the address leads to the new primary.
    isPassing: true,
  },
  {
    code: /^53100/,
    fault: 'full',
    problem: 'has no disk space left',
    hint: 'free space on the server; what was stored before is unchanged',
  },
  {code: /^(40|55P03)/, fault: 'busy', problem: 'is busy with the same rows', hint: 'run the command again'},
  {
    code: /^NO_TLS/,
    fault: 'unreachable',
    problem: 'speaks no TLS',
    hint: 'set ssl = on there: only a server on this machine is spoken to without it',
  },
  {
    code: /^(CERT|DEPTH|SELF|UNABLE|ERR_TLS|ERR_SSL)/,
    fault: 'unreachable',
    problem: 'has no certificate that this machine trusts',
    hint: 'pass the certificate authority with --ca-file, and use the host name of its certificate',
  },
  {
    code: /^53[34]00/,
    fault: 'unreachable',
    problem: 'has no connection left',
    hint: 'raise max_connections, or put a pooler before it',
  },
  {code: /^5[38]/, fault: 'failed', problem: 'cannot work now', hint: SEE_LOG, isPassing: true},
  {code: /^(57|08|E[A-Z]+|$)/, fault: 'unreachable', problem: 'cannot be reached', hint: CHECK_SERVER},
  {code: /^/, fault: 'failed', problem: 'failed', hint: SEE_LOG},
]

/** `shown`: the address without its password. */
export function storeErrorOf(error: unknown, shown: string): StorageError {
  if (error instanceof StorageError) return error
  const {
    code: given,
    message = '',
    constraint,
  } = error as {code?: string; message?: string; constraint?: string}
  if (/error establishing an SSL/.test(message)) return notPostgres(shown)
  const code = given === undefined || given === POOLER ? (codeOf(message) ?? given ?? 'unknown') : given
  const {fault, problem, hint, isPassing} = READINGS.find(reading => reading.code.test(code)) as Reading
  const named = [code, constraint].filter(Boolean).join(', ')
  const text = `the store ${shown} ${problem}${named === '' ? '' : ` (${named})`}`
  // The cause of `pg` names the client, whose key must not be printed.
  return new StorageError(fault, text, hint, {...(isPassing && {isPassing})})
}

/** PgBouncer gives this to most of its errors. */
const POOLER = '08P01'

/** Of errors to which `pg` or a pooler gives no code of their own. */
function codeOf(message: string): string | undefined {
  if (/timeout/i.test(message)) return 'ETIMEDOUT'
  if (/does not support SSL/.test(message)) return 'NO_TLS'
  if (/terminated|not queryable|ended|closed/i.test(message)) return 'ECONNRESET'
  if (/password|SASL|SCRAM|authentication failed|no such user/i.test(message)) return '28P01'
  if (/no such database|database .* does not exist/i.test(message)) return '3D000'
  return undefined
}

/** Whether the server will soon take this connection: it is starting, or all of its connections are in use. */
export function isStarting(error: unknown): boolean {
  return ['53300', '57P03'].includes(String((error as {code?: unknown}).code))
}

/** Whether the server did not answer in time, to a connection or to a statement. */
export function isTimeout(error: unknown): boolean {
  const {code, message = ''} = error as {code?: string; message?: string}
  return code === 'ETIMEDOUT' || (code === undefined && codeOf(message) === 'ETIMEDOUT')
}

export function notPostgres(shown: string): StorageError {
  return new StorageError('not_ours', `what answers at ${shown} is no PostgreSQL`, CHECK_ADDRESS)
}

export function tooWeak(shown: string, what: string): StorageError {
  return new StorageError(
    'not_ours',
    `the store ${shown} ${what}`,
    'use a database with encoding UTF8 on PostgreSQL 14 or newer',
  )
}

export function tooNew(shown: string, version: number): StorageError {
  return new StorageError(
    'too_new',
    `the store ${shown} has the schema ${version} of a newer bookctl`,
    'update this bookctl',
  )
}
