/** Stores handles of agents in the shared store. What was prepared is encrypted, because it has personal data. */
import {
  type AgentHandle,
  type HandleStores,
  MOST_LIVE_HANDLES,
  type Prepared,
  tooManyHandles,
  USED_HANDLE_RETENTION_SECONDS,
} from '../../contract/agent-handles.js'
import type {JournalClient} from '../../contract/journal.js'
import {parseExactly, stringify} from '../../contract/json.js'
import {underOneName} from '../../contract/network.js'
import type {StoreConnection} from './connection.js'
import {leasesOf} from './locks.js'
import {requiredSeal, type Seal} from './seal.js'

type Row = Omit<AgentHandle, 'prepared' | 'result' | 'createdAt' | 'expiresAt' | 'usedAt'> & {
  readonly sealed: Uint8Array | null
  readonly result: string | null
  /** Seconds since it was made and used, and until it expires, by the database's clock. */
  readonly age: number
  readonly usedAge: number | null
  readonly left: number
}

const HANDLE = `handle, kind, sealed_plan AS sealed, program, decision, decided_by AS "decidedBy", result,
  extract(epoch FROM clock_timestamp() - created_at)::float8 AS age,
  extract(epoch FROM clock_timestamp() - used_at)::float8 AS "usedAge",
  extract(epoch FROM expires_at - clock_timestamp())::float8 AS "left"`

const USED_UNTIL = `clock_timestamp() - make_interval(secs => ${USED_HANDLE_RETENTION_SECONDS})`

const PRUNE = `DELETE FROM bookctl.agent_handles
  WHERE CASE WHEN used_at IS NULL THEN expires_at <= clock_timestamp() ELSE used_at <= ${USED_UNTIL} END`

const OF_CLIENT = 'base_url = $2 AND client_id = $3'

const FIND = `SELECT ${HANDLE} FROM bookctl.agent_handles
  WHERE handle = $1 AND ${OF_CLIENT} AND (expires_at > clock_timestamp() OR used_at > ${USED_UNTIL})`

/** Inserts nothing if all live handles were answered. */
const CREATE = `WITH live AS (
    SELECT handle, decision, created_at FROM bookctl.agent_handles
    WHERE ${OF_CLIENT} AND used_at IS NULL AND decision IN ('waiting', 'approved') AND expires_at > clock_timestamp()
  ), approved AS (
    SELECT count(*) AS number FROM live WHERE decision = 'approved'
  ), oldest AS (
    DELETE FROM bookctl.agent_handles WHERE decision = 'waiting' AND handle IN (
      SELECT handle FROM live WHERE decision = 'waiting' ORDER BY created_at DESC
      OFFSET greatest(${MOST_LIVE_HANDLES - 1} - (SELECT number FROM approved), 0))
  )
  INSERT INTO bookctl.agent_handles (handle, base_url, client_id, kind, sealed_plan, program, decision, created_at, expires_at)
  SELECT $1, $2, $3, $4, $5, $6, 'waiting', clock_timestamp(), clock_timestamp() + make_interval(secs => $7)
  WHERE (SELECT number FROM approved) < ${MOST_LIVE_HANDLES}`

const DECIDE = `UPDATE bookctl.agent_handles SET decision = $4, decided_by = $5
  WHERE handle = $1 AND ${OF_CLIENT} AND expires_at > clock_timestamp() AND used_at IS NULL AND decision = ANY ($6)`

const USE = `UPDATE bookctl.agent_handles SET used_at = coalesce(used_at, clock_timestamp())
  WHERE handle = $1 AND ${OF_CLIENT}`

const END = `UPDATE bookctl.agent_handles SET used_at = coalesce(used_at, clock_timestamp()), result = $4, sealed_plan = NULL
  WHERE handle = $1 AND ${OF_CLIENT} AND sealed_plan IS NOT NULL`

/** Creates the handle stores. `now` returns Unix seconds on this machine; the database stores times of its own clock. */
export function createSharedHandles(
  store: StoreConnection,
  sealFor: (secret: string) => Seal,
  now: () => number,
): HandleStores {
  return {
    forClient(given: JournalClient) {
      const {clientId, clientSecret} = given
      const baseUrl = underOneName(given.baseUrl)
      const seal = clientSecret ? sealFor(clientSecret) : undefined
      const alone = leasesOf(store)
      const placeOf = (handle: string) => ({
        table: 'agent_handles',
        column: 'sealed_plan',
        row: [baseUrl, clientId, handle],
      })
      const find = async (handle: string): Promise<AgentHandle | undefined> => {
        const [row] = (await store.query<Row>(FIND, [handle, baseUrl, clientId])).rows
        if (row === undefined) return undefined
        const {sealed, result, age, usedAge, left, ...rest} = row
        const text = sealed === null ? null : seal?.open(sealed, placeOf(handle))
        // It was made under another secret of the client, or was changed in the store.
        if (text === undefined) return undefined
        const at = now()
        return {
          ...rest,
          prepared: text === null ? null : (parseExactly(text) as Prepared),
          result: result === null ? null : (parseExactly(result) as Record<string, unknown>),
          createdAt: at - age,
          usedAt: usedAge === null ? null : at - usedAge,
          expiresAt: at + left,
        }
      }
      return {
        alone: (whose, ...rest) => alone(['agents', baseUrl, whose].join(' '), ...rest),
        async create({handle, prepared, program, expiresAt}, at) {
          await store.query(PRUNE)
          const sealed = requiredSeal(seal).seal(stringify(prepared) ?? '', placeOf(handle))
          const values = [handle, baseUrl, clientId, prepared.kind, sealed, program, expiresAt - at]
          if ((await store.query(CREATE, values)).count === 0) throw tooManyHandles()
        },
        find: handle => find(handle),
        async decide(handle, decision, by) {
          const replaced = decision === 'void' ? ['waiting', 'approved'] : ['waiting']
          await store.query(DECIDE, [handle, baseUrl, clientId, decision, by, replaced])
          return find(handle)
        },
        async use(handle) {
          await store.query(USE, [handle, baseUrl, clientId])
        },
        async end(handle, result) {
          const text = result === null ? null : (stringify(result) ?? null)
          await store.query(END, [handle, baseUrl, clientId, text])
        },
        async prune() {
          await store.query(PRUNE)
        },
      }
    },
  }
}
