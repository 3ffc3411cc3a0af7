/** Connects to the shared store. Only this file uses `pg`, which is loaded when a store is set and first used. */
import {Socket} from 'node:net'
import {setTimeout as sleep} from 'node:timers/promises'
import type {ClientBase, Pool, PoolConfig, QueryResult} from 'pg'
import {TLS_RULES} from '../../contract/network.js'
import type {StorageError} from '../../storage/errors.js'
import {isStarting, isTimeout, notPostgres, storeErrorOf, tooWeak} from './errors.js'
import {requireSchema} from './schema.js'
import {type StoreAddress, shownAddress} from './url.js'

export interface StoreOptions {
  readonly address: StoreAddress
  /** Certificates to trust, as PEM (default: those of Node). */
  readonly trusted: readonly string[] | undefined
  /** Maximum number of connections: one for a command, several for a receiver. */
  readonly most: number
  /** Time limit for each statement. */
  readonly timeoutMilliseconds: number
  /** Time limit for connecting (default `timeoutMilliseconds`). */
  readonly connectMilliseconds?: number
}

/** Facts about the server, which are read for each new connection. */
interface ServerFacts {
  /** The address without its password. */
  readonly shown: string
  /** The version as a number, for example 180004 for 18.4. */
  readonly version: number
  /** Whether the server rejects writes, because it is a standby or set to read-only. */
  readonly isReadOnly: boolean
  /** The server's clock minus this machine's, in seconds. */
  readonly offsetSeconds: number
  /**
   * Whether a connection pooler is in front of the server. A backend then also serves other clients, and its end says
   * nothing about this client.
   */
  readonly isPooled: boolean
  /**
   * The setting synchronous_commit: `on`, `remote_apply`, …. With `off`, a crash of the server can lose acknowledged
   * writes.
   */
  readonly synchronousCommit: string
}

export type StoreConnection = ReturnType<typeof openStore>

/**
 * Settings of each session: how soon a lost client or a stuck statement is noticed, and the isolation of transactions.
 */
const SESSION = {
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '10000',
  client_connection_check_interval: '2000',
  statement_timeout: '15000',
  lock_timeout: '5000',
  idle_in_transaction_session_timeout: '10000',
  default_transaction_isolation: 'read\\ committed',
}
const SESSION_OPTIONS = Object.entries(SESSION)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

const MOST_CLOSING_MILLISECONDS = 2000
/** The codes for a prepared statement that the server does not know, or already has. */
const UNPREPARED = ['26000', '42P05']

/** Creates the store. It reads the options and connects when it is first used. */
export function openStore(readOptions: () => Promise<StoreOptions>) {
  let options: Promise<StoreOptions> | undefined
  let pool: Promise<Pool> | undefined
  let schema: Promise<void> | undefined
  let facts: ServerFacts | undefined
  let takesOptions = true
  let canPrepare = true
  let silent: {readonly error: StorageError; readonly until: number} | undefined
  const onConnect = async (client: ClientBase, shown: string) => {
    facts = await readFacts(client, shown)
    // Otherwise a crash of the server could lose acknowledged writes.
    if (facts.synchronousCommit === 'off') await client.query('SET synchronous_commit TO on')
  }
  /**
   * Runs a statement on the pool. Tries again while the server is full or starting. With a `name` each connection prepares it
   * once, unless there is a pooler, which may run it on another backend each time.
   */
  const run = async (sql: string, values?: readonly unknown[], name?: string): Promise<QueryResult> => {
    options ??= readOptions()
    const given = await options
    const shown = shownAddress(given.address)
    if (silent && performance.now() < silent.until) throw silent.error
    const deadline = performance.now() + given.timeoutMilliseconds
    for (;;) {
      try {
        pool ??= openPool(given, takesOptions, client => onConnect(client, shown)).catch(error => {
          pool = undefined
          throw error
        })
        const isPrepared = name !== undefined && canPrepare && facts?.isPooled === false
        const query = {text: sql, ...(values ? {values: [...values]} : {}), ...(isPrepared ? {name} : {})}
        return await (await pool).query(query)
      } catch (error) {
        if (canPrepare && UNPREPARED.includes(codeOf(error))) {
          // A pooler that looks like a server. The statement was not run.
          canPrepare = false
          continue
        }
        if (takesOptions && codeOf(error) === '08P01') {
          // PgBouncer rejects these options, and has limits of its own.
          takesOptions = false
          pool = undefined
          continue
        }
        if (!isStarting(error) || performance.now() >= deadline) {
          const failed = storeErrorOf(error, shown)
          // A command has one connection. After a timeout, its statements fail at once for a second instead of waiting
          // again.
          if (given.most === 1 && isTimeout(error)) silent = {error: failed, until: performance.now() + 1000}
          throw failed
        }
        await sleep(50 + Math.random() * 200)
      }
    }
  }
  const factsOfServer = async () => {
    if (facts === undefined) await run('SELECT 1')
    return facts as unknown as ServerFacts
  }
  return {
    /**
     * Runs one statement as its own transaction. The first call creates or upgrades the schema. `count` is the number of rows
     * that were changed or returned.
     * Throws a StorageError. After `unreachable`, the statement may have been committed; repeat it with the same ids. A statement
     * that is run often gets a `name`, under which it is prepared.
     */
    async query<Row extends object>(sql: string, values?: readonly unknown[], name?: string) {
      schema ??= requireSchema(run, factsOfServer).catch(error => {
        schema = undefined
        throw error
      })
      await schema
      const {rows, rowCount} = await run(sql, values, name)
      return {rows: rows as Row[], count: rowCount ?? 0}
    },
    /** Returns the facts about the last connection. Connects if there was none. Throws a StorageError. */
    facts: factsOfServer,
    async close() {
      const open = await pool?.catch(() => undefined)
      pool = undefined
      // Closing does not wait for a server that does not answer, because that may be why the command was stopped.
      await Promise.race([
        open?.end().catch(() => {}),
        sleep(MOST_CLOSING_MILLISECONDS, undefined, {ref: false}),
      ])
    },
  }
}

function codeOf(error: unknown): string {
  return String((error as {code?: unknown}).code)
}

async function openPool(
  {address, trusted, most, timeoutMilliseconds, connectMilliseconds = timeoutMilliseconds}: StoreOptions,
  takesOptions: boolean,
  onConnect: (client: ClientBase) => Promise<void>,
): Promise<Pool> {
  const {password, isEncrypted, ...place} = address
  // The native driver is disabled, because the tests do not cover it.
  Reflect.deleteProperty(process.env, 'NODE_PG_FORCE_NATIVE')
  const {default: pg} = await import('pg')
  const config: PoolConfig & {onConnect: (client: ClientBase) => Promise<void>} = {
    ...place,
    // The password is passed as a function, so that no error contains it. The function returns '' instead of undefined,
    // for which `pg` would read the environment.
    password: () => password ?? '',
    ssl: isEncrypted ? {...TLS_RULES, ...(trusted ? {ca: [...trusted]} : {})} : false,
    application_name: 'bookctl',
    max: most,
    // Idle connections stay open, because a lease names the backend of its holder.
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: connectMilliseconds,
    query_timeout: timeoutMilliseconds,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
    onConnect,
    stream: () => new GuardedSocket(notPostgres(shownAddress(address)), isEncrypted),
    ...(takesOptions ? {options: SESSION_OPTIONS} : {}),
  }
  const pool = new pg.Pool(config)
  // A connection that breaks while it is idle is replaced for the next statement.
  pool.on('error', () => {})
  pool.on('connect', client => void client.on('error', () => {}))
  return pool
}

/**
 * The type of PostgreSQL's first message on a connection without TLS: authentication (R), error (E), notice (N) or
 * protocol negotiation (v).
 */
const FIRST_BYTES = Buffer.from('RENv')

/**
 * A socket that closes with an error if the other side is not PostgreSQL. `pg` would crash the process or wait forever.
 */
class GuardedSocket extends Socket {
  constructor(
    private readonly problem: StorageError,
    /** True with TLS, because `pg` then checks the first byte itself. */
    private isChecked: boolean,
  ) {
    super()
  }

  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event !== 'data') return super.emit(event, ...values)
    try {
      if (!this.isChecked && !FIRST_BYTES.includes((values[0] as Buffer)[0] as number)) throw this.problem
      this.isChecked = true
      return super.emit(event, ...values)
    } catch {
      this.destroy(this.problem)
      return true
    }
  }
}

type FactsRow = Omit<ServerFacts, 'shown' | 'offsetSeconds' | 'isPooled'> & {
  encoding: string
  pid: number
  now: number
}

const READ_FACTS = `SELECT current_setting('server_version_num')::int AS version,
  pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool AS "isReadOnly",
  current_setting('server_encoding') AS encoding, pg_backend_pid() AS pid,
  current_setting('synchronous_commit') AS "synchronousCommit",
  extract(epoch FROM clock_timestamp())::float8 AS now`

const OLDEST_VERSION = 140_000

async function readFacts(client: ClientBase, shown: string): Promise<ServerFacts> {
  const began = Date.now()
  const [{encoding, pid, now, ...facts}] = (await client.query<FactsRow>(READ_FACTS)).rows as [FactsRow]
  const middleSeconds = (began + Date.now()) / 2000
  if (facts.version < OLDEST_VERSION)
    throw tooWeak(shown, `is PostgreSQL ${Math.floor(facts.version / 10_000)}`)
  if (encoding !== 'UTF8') throw tooWeak(shown, `stores text as ${encoding}, not as UTF8`)
  const {processID} = client as ClientBase & {readonly processID?: number | null}
  return {...facts, shown, offsetSeconds: now - middleSeconds, isPooled: processID !== pid}
}
