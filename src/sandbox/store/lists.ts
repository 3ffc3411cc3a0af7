/** Lists, a page at a time. */
import type {Database, Value} from '../../storage/database.js'

export interface Paging {
  /** Sequence number of the last entry on the page before; null for the first page. */
  readonly after: number | null
  readonly limit: number
}

export interface Listed<Item> {
  readonly items: readonly Item[]
  /** `after` of the next page; null on the last. */
  readonly next: number | null
}

/** Without a value nothing is filtered by it. */
export type Condition = readonly [sql: string, value: Value | undefined]

export function listPage<Row extends {sequence: number}, Item>(
  database: Database,
  {select, where, order, limit}: {select: string; where: Condition[]; order: string; limit: number},
  fromRow: (row: Row) => Item,
): Listed<Item> {
  const asked = where.filter((each): each is [string, Value] => each[1] != null)
  const clause = asked.map(([sql]) => sql).join(' AND ') || 'TRUE'
  const sql = `${select} WHERE ${clause} ORDER BY ${order} LIMIT ?`
  const rows = database.all<Row>(sql, ...asked.map(([, value]) => value), limit + 1)
  const shown = rows.slice(0, limit)
  return {items: shown.map(fromRow), next: rows.length > limit ? (shown.at(-1)?.sequence ?? null) : null}
}

export function countByStatus(
  database: Database,
  table: 'reservations' | 'deliveries',
): ReadonlyMap<string, number> {
  const sql = `SELECT status, count(*) AS count FROM ${table} GROUP BY status ORDER BY status`
  return new Map(database.all<{status: string; count: number}>(sql).map(row => [row.status, row.count]))
}

export function countAll(database: Database, table: 'events' | 'subscriptions'): number {
  return database.get<{count: number}>(`SELECT count(*) AS count FROM ${table}`)?.count ?? 0
}
