/** Lists come in pages (ours): `limit` and the opaque cursor `after` of the page before. */
import {PAGE_LIMITS} from '../../contract/operation-details.js'
import {type Answer, invalidField, page} from '../base/answers.js'
import type {Listed, Paging} from '../store/lists.js'

/** Throws Refusal `validation_failed` when either is not what it must be. */
export function readPaging(query: URLSearchParams): Paging {
  const limitText = query.get('limit') ?? String(PAGE_LIMITS.default)
  const limit = /^\d{1,4}$/.test(limitText) ? Number(limitText) : 0
  if (limit < PAGE_LIMITS.min || limit > PAGE_LIMITS.max) {
    throw invalidField(
      'limit',
      'invalid_value',
      `must be a number from ${PAGE_LIMITS.min} to ${PAGE_LIMITS.max}`,
    )
  }
  const cursor = query.get('after')
  if (cursor === null) return {limit, after: null}
  const [, after] = /^s(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (after === undefined) throw invalidField('after', 'invalid_value', 'is not a cursor of this list')
  return {limit, after: Number(after)}
}

export function pageOf<Item>(
  {items, next}: Listed<Item>,
  {limit}: Paging,
  toJson: (item: Item) => unknown,
): Answer {
  const cursor = next === null ? null : Buffer.from(`s${next}`).toString('base64url')
  return page(items.map(toJson), limit, cursor)
}
