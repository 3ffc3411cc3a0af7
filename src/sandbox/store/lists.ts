/**
 * Pages lists. The interface shows no paging; here, requests have `limit` and an opaque cursor `after` from the
 * previous page.
 */
import {PAGE_LIMITS} from '../../contract/operation-details.js'
import type {Database, Value} from '../../storage/database.js'
import {type Answer, invalidField} from '../base/answers.js'

export interface Paging {
  /** Sequence number of the last entry of the previous page; null for the first page. */
  readonly after: number | null
  readonly limit: number
}

export interface Listed<Item> {
  readonly items: readonly Item[]
  /** The value of `after` for the next page; null on the last page. */
  readonly next: number | null
}

interface Query {
  readonly select: string
  /** SQL conditions, each with its value. A condition with the value null or undefined is left out. */
  readonly filters: Readonly<Record<string, Value | undefined>>
  readonly order: string
  readonly limit: number
}

export function listPage<Row extends {sequence: number}, Item>(
  database: Database,
  {select, filters, order, limit}: Query,
  fromRow: (row: Row) => Item,
): Listed<Item> {
  const asked = Object.entries(filters).filter((each): each is [string, Value] => each[1] != null)
  const clause = asked.map(([condition]) => condition).join(' AND ') || 'TRUE'
  const sql = `${select} WHERE ${clause} ORDER BY ${order} LIMIT ?`
  const rows = database.all<Row>(sql, ...asked.map(([, value]) => value), limit + 1)
  const shown = rows.slice(0, limit)
  return {items: shown.map(fromRow), next: rows.length > limit ? (shown.at(-1)?.sequence ?? null) : null}
}

/** Returns `limit` and `after` from a query. Throws the Refusal `validation_failed` if one is invalid. */
export function readPaging(query: URLSearchParams): Paging {
  const {min, max} = PAGE_LIMITS
  const limitText = query.get('limit') ?? String(PAGE_LIMITS.default)
  const limit = /^\d{1,4}$/.test(limitText) ? Number(limitText) : 0
  if (limit < min || limit > max) {
    throw invalidField('limit', 'invalid_value', `must be a number from ${min} to ${max}`)
  }
  const cursor = query.get('after')
  if (cursor === null) return {limit, after: null}
  const [, after] = /^s(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (after === undefined) throw invalidField('after', 'invalid_value', 'is not a cursor of this list')
  return {limit, after: Number(after)}
}

/** Returns an answer with one page of a list. */
export function pageOf({items, next}: Listed<unknown>, limit: number): Answer {
  const after = next === null ? null : Buffer.from(`s${next}`).toString('base64url')
  return {status: 200, json: {data: items, meta: {limit, after, before: null}}}
}
