/** Connections to the shared store. The only file that uses `pg`, which is loaded when a store is set and first used. */
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
  /** Certificates to trust (PEM), or undefined for the runtime's own. */
  readonly trusted: readonly string[] | undefined
  /** Connections at most: one for a command, a handful for a receiver. */
  readonly most: number
  /** For each statement. */
  readonly timeoutMilliseconds: number
  /** For connecting (default the same). */
  readonly connectMilliseconds?: number
}

/** What is asked of the server at each new connection. */
interface ServerFacts {
  /** The address without its password. */
  readonly shown: string
  /** For example 180004. */
  readonly version: number
  /** Whether it takes no writes: a standby, or set so. */
  readonly isReadOnly: boolean
  /** Seconds to add to this machine's clock to have the server's. */
  readonly offsetSeconds: number
  /** Behind a pooler the backend serves others too, so its end says nothing of ours. */
  readonly isPooled: boolean
  /** `on`, `remote_apply`, …; `off` acknowledges what a crash of the server loses. */
  readonly synchronousCommit: string
}

export type StoreConnection = ReturnType<typeof openStore>

/** Settings of each session that bound how long a lost client or a stuck statement is noticed, and what a commit means. */
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

/** Reads the options and connects when first used. */
export function openStore(readOptions: () => Promise<StoreOptions>) {
  let options: Promise<StoreOptions> | undefined
  let pool: Promise<Pool> | undefined
  let schema: Promise<void> | undefined
  let facts: ServerFacts | undefined
  let takesOptions = true
  let silent: {readonly error: StorageError; readonly until: number} | undefined
  const onConnect = async (client: ClientBase, shown: string) => {
    facts = await readFacts(client, shown)
    // Otherwise a crash of the server could lose what it has acknowledged.
    if (facts.synchronousCommit === 'off') await client.query('SET synchronous_commit TO on')
  }
  /** On the pool, again while the server is full or starting. */
  const run = async (sql: string, values?: readonly unknown[]): Promise<QueryResult> => {
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
        return await (await pool).query(sql, values ? [...values] : undefined)
      } catch (error) {
        if (takesOptions && (error as {code?: unknown}).code === '08P01') {
          // PgBouncer knows no options, and sets its own limits.
          takesOptions = false
          pool = undefined
          continue
        }
        if (!isStarting(error) || performance.now() >= deadline) {
          const failed = storeErrorOf(error, shown)
          // A command does not wait again for a server that has just let its time limit pass.
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
     * Runs one statement, a transaction of its own; the schema is made or brought up to date before the first one. After
     * StorageError `unreachable` it may have been committed or not: repeat it by the same ids. `count`: how many rows were
     * changed or returned.
     */
    async query<Row extends object>(sql: string, values?: readonly unknown[]) {
      schema ??= requireSchema(run, factsOfServer).catch(error => {
        schema = undefined
        throw error
      })
      await schema
      const {rows, rowCount} = await run(sql, values)
      return {rows: rows as Row[], count: rowCount ?? 0}
    },
    /** Of the last connection; connects if there was none. Throws StorageError. */
    facts: factsOfServer,
    async close() {
      const open = await pool?.catch(() => undefined)
      pool = undefined
      // A server that does not answer is not waited for: the command may have been stopped because of it.
      await Promise.race([
        open?.end().catch(() => {}),
        sleep(MOST_CLOSING_MILLISECONDS, undefined, {ref: false}),
      ])
    },
  }
}

async function openPool(
  {address, trusted, most, timeoutMilliseconds, connectMilliseconds = timeoutMilliseconds}: StoreOptions,
  takesOptions: boolean,
  onConnect: (client: ClientBase) => Promise<void>,
): Promise<Pool> {
  const {password, isEncrypted, ...place} = address
  // The native driver would be another program than the one that is tested.
  Reflect.deleteProperty(process.env, 'NODE_PG_FORCE_NATIVE')
  const {default: pg} = await import('pg')
  const config: PoolConfig & {onConnect: (client: ClientBase) => Promise<void>} = {
    ...place,
    // Given as a function, so that no error shows it; pg would read the environment again for undefined.
    password: () => password ?? '',
    ssl: isEncrypted ? {...TLS_RULES, ...(trusted ? {ca: [...trusted]} : {})} : false,
    application_name: 'bookctl',
    max: most,
    // A lease names the backend of its holder, which must stay as long as the process.
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
  // A connection that breaks while nothing runs on it is replaced by the next statement's.
  pool.on('error', () => {})
  pool.on('connect', client => void client.on('error', () => {}))
  return pool
}

/** Messages with which a PostgreSQL begins where no TLS was asked for: a way to sign in, a refusal, notices. */
const FIRST_BYTES = Buffer.from('RENv')

/** Ends the connection where `pg` would end the process, or wait, at what no PostgreSQL says. */
class GuardedSocket extends Socket {
  constructor(
    private readonly problem: StorageError,
    /** With TLS `pg` itself checks the first byte. */
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
