/** Stores handles of agents in state.db. A handle that is deleted leaves no byte on the disk, because it has personal data. */
import {createHash} from 'node:crypto'
import {
  type AgentHandle,
  type HandleStore,
  type HandleStores,
  MOST_LIVE_HANDLES,
  type Prepared,
  tooManyHandles,
  USED_HANDLE_RETENTION_SECONDS,
} from '../contract/agent-handles.js'
import {parseExactly, stringify} from '../contract/json.js'
import {underOneName} from '../contract/network.js'
import type {Database} from '../storage/database.js'
import {withLock} from '../storage/lock.js'

/** The kind of its lock files. */
const AGENT_LOCK = 'agents'

const HANDLE = `handle, kind, prepared, digest, program, decision, decided_by AS decidedBy, used_at AS usedAt, result,
  created_at AS createdAt, expires_at AS expiresAt`

type Row = Omit<AgentHandle, 'prepared' | 'result'> & {
  readonly prepared: string | null
  readonly digest: string
  readonly result: string | null
}

/** Creates the handle stores. `directory` contains the lock files. */
export function createHandleStores(database: Database, directory: string): HandleStores {
  /** Deletes what has expired. It is erased from the file when the file is closed, because that rewrites it. */
  const deleteExpired = (now: number): number =>
    database.run(
      'DELETE FROM agent_handles WHERE CASE WHEN used_at IS NULL THEN expires_at <= ? ELSE used_at <= ? END',
      now,
      now - USED_HANDLE_RETENTION_SECONDS,
    )
  return {
    forClient({baseUrl, clientId}) {
      const client = [underOneName(baseUrl), clientId] as const
      const ofClient = 'base_url = ? AND client_id = ?'
      const live = `${ofClient} AND used_at IS NULL AND decision`
      const find = (handle: string, now: number): AgentHandle | undefined => {
        const sql = `SELECT ${HANDLE} FROM agent_handles
          WHERE handle = ? AND ${ofClient} AND (expires_at > ? OR used_at > ?)`
        const values = [handle, ...client, now, now - USED_HANDLE_RETENTION_SECONDS]
        const row = database.get<Row>(sql, ...values)
        if (row === undefined) return undefined
        const {digest, prepared, result, ...rest} = row
        // A changed character of what is sent, or of the price, must not go unnoticed.
        if (prepared !== null && digestOf(prepared) !== digest) database.refuse()
        return {
          ...rest,
          prepared: prepared === null ? null : (parseExactly(prepared) as Prepared),
          result: result === null ? null : (parseExactly(result) as Record<string, unknown>),
        }
      }
      /** Deletes the oldest handles that nobody has answered, so that there is room for one. */
      const makeRoom = (): number => {
        const count = `SELECT count(*) AS count FROM agent_handles WHERE ${live}`
        const countOf = (decision: string) =>
          database.get<{count: number}>(`${count} = ?`, ...client, decision)?.count ?? 0
        const approved = countOf('approved')
        if (approved >= MOST_LIVE_HANDLES) throw tooManyHandles()
        const tooMany = approved + countOf('waiting') - (MOST_LIVE_HANDLES - 1)
        if (tooMany <= 0) return 0
        const oldest = `SELECT handle FROM agent_handles WHERE ${live} = 'waiting' ORDER BY created_at, rowid LIMIT ?`
        return database.run(`DELETE FROM agent_handles WHERE handle IN (${oldest})`, ...client, tooMany)
      }
      const store: HandleStore = {
        async alone(whose, waitMilliseconds, work, peek) {
          const key = [client[0], whose].join('|')
          return withLock({directory, kind: AGENT_LOCK, key, waitMilliseconds}, work, peek)
        },
        async create({handle, prepared, program, expiresAt}, now) {
          const text = stringify(prepared) ?? ''
          const insert = `INSERT INTO agent_handles (handle, base_url, client_id, kind, prepared, digest, program, decision,
            created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?)`
          const values = [handle, ...client, prepared.kind, text, digestOf(text), program, now, expiresAt]
          database.erase(
            () => {
              const deleted = deleteExpired(now) + makeRoom()
              database.run(insert, ...values)
              return deleted
            },
            {atClose: true},
          )
        },
        find: async (handle, now) => find(handle, now),
        async decide(handle, decision, by, now) {
          return database.transaction(() => {
            const replaced = decision === 'void' ? "('waiting', 'approved')" : "('waiting')"
            const sql = `UPDATE agent_handles SET decision = ?, decided_by = ?
              WHERE handle = ? AND ${ofClient} AND expires_at > ? AND used_at IS NULL AND decision IN ${replaced}`
            database.run(sql, decision, by, handle, ...client, now)
            return find(handle, now)
          })
        },
        async use(handle, now) {
          const sql = `UPDATE agent_handles SET used_at = coalesce(used_at, ?) WHERE handle = ? AND ${ofClient}`
          database.run(sql, now, handle, ...client)
        },
        async end(handle, result, now) {
          const sql = `UPDATE agent_handles SET used_at = coalesce(used_at, ?), result = ?, prepared = NULL
            WHERE handle = ? AND ${ofClient} AND prepared IS NOT NULL`
          const values = [now, result === null ? null : (stringify(result) ?? null), handle, ...client]
          database.erase(() => database.run(sql, ...values), {orLater: true})
        },
        async prune(now) {
          database.erase(() => deleteExpired(now), {orLater: true})
        },
      }
      return store
    },
  }
}

/** Deletes what agents of all clients have prepared and not carried out. Returns whether there was any. */
export function forgetPrepared(database: Database): boolean {
  return database.erase(() => database.run('DELETE FROM agent_handles WHERE prepared IS NOT NULL')) > 0
}

function digestOf(prepared: string): string {
  return createHash('sha256').update(prepared).digest('hex')
}
