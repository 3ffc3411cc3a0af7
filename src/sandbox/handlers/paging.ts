/** Lists come in pages (ours): `limit` and the opaque cursor `after` of the page before. */
import {type Answer, invalidField, page} from '../base/answers.js'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200

/** Throws Refusal `validation_failed` when either is not what it must be. */
export function readPaging(query: URLSearchParams): {limit: number; after: number | null} {
  const limitText = query.get('limit') ?? String(DEFAULT_LIMIT)
  const limit = /^\d{1,4}$/.test(limitText) ? Number(limitText) : 0
  if (limit < 1 || limit > MAX_LIMIT) {
    throw invalidField('limit', 'invalid_value', `must be a number from 1 to ${MAX_LIMIT}`)
  }
  const afterText = query.get('after')
  const after = afterText === null ? null : readCursor(afterText)
  if (after === undefined) throw invalidField('after', 'invalid_value', 'is not a cursor of this list')
  return {limit, after}
}

/** One page of `found`, which holds one entry more than `limit` when there is a next page. */
export function pageOf<Entry extends {readonly sequence: number}>(
  found: readonly Entry[],
  limit: number,
  toJson: (entry: Entry) => unknown,
): Answer {
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const after = found.length > limit && last ? cursorOf(last.sequence) : null
  return page(shown.map(toJson), {limit, after})
}

function cursorOf(sequence: number): string {
  return Buffer.from(`s${sequence}`).toString('base64url')
}

function readCursor(cursor: string): number | undefined {
  const text = Buffer.from(cursor, 'base64url').toString()
  return /^s\d{1,15}$/.test(text) ? Number(text.slice(1)) : undefined
}
