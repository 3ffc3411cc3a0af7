/** Lists in answers of any shape (§4.9 shows none): the records under whatever name they stand, page after page. */
import type {OperationName} from '../contract/operations.js'
import type {Answer, Api, CallOptions} from './api.js'
import {isObject, type JsonObject, own, textOf} from './json-walk.js'
import {notUnderstood} from './refusals.js'
import {unwrap} from './shapes.js'

/** One entry of a list: its object, and the key it stood under when the list is an object (`{"EUR": {…}}`). */
export interface Entry {
  readonly value: JsonObject
  readonly key: string | undefined
}

/** Ours: more pages than this are not read. */
const MOST_PAGES = 200
/** Ours: a list lies at most so deep in its answer. */
const MOST_DEPTH = 6

/**
 * The entries of the list in `json`: that in the envelope, else the outermost with something in it; undefined when there
 * is none, not even an empty one. A list is an array, or an object with a code or number for each key; an entry that is
 * a plain text (`["EUR"]`, `{"EUR": "Euro"}`) becomes its `name`.
 */
export function findEntries(json: unknown): Entry[] | undefined {
  let empty: Entry[] | undefined
  let level: unknown[] = [unwrap(json)]
  for (let depth = 0; depth < MOST_DEPTH && level.length > 0; depth++) {
    for (const value of level) {
      const entries = entriesOf(value)
      if (entries?.length) return entries
      empty ??= entries
    }
    level = level.flatMap(value => (isObject(value) ? Object.values(value) : []))
  }
  return empty
}

function entriesOf(value: unknown): Entry[] | undefined {
  if (Array.isArray(value)) return value.flatMap(item => entryOf(item, undefined))
  if (!isObject(value)) return undefined
  const members = Object.entries(value)
  if (members.length === 0 || !members.every(([key]) => /^([A-Z]{2,3}|\d+)$/.test(key))) return undefined
  return members.flatMap(([key, inner]) => entryOf(inner, key))
}

function entryOf(item: unknown, key: string | undefined): Entry[] {
  if (isObject(item)) return [{value: item, key}]
  return typeof item === 'string' && item !== '' ? [{value: {name: item}, key}] : []
}

export interface Page {
  readonly answer: Answer
  readonly entries: readonly Entry[]
  /** What asks for the next page (ours: as `after`), or undefined on the last. */
  readonly next: string | undefined
}

/** One page of a list. Throws Failure, also when the answer holds no list. */
export async function readPage(api: Api, name: OperationName, options: CallOptions = {}): Promise<Page> {
  const answer = await api.call(name, options)
  const entries = findEntries(answer.json)
  if (!entries) throw notUnderstood(answer, 'it holds no list')
  return {answer, entries, next: nextCursor(answer.json)}
}

export interface Reader<Item> {
  /** Undefined for an entry that is none of what is listed. */
  readonly read: (entry: Entry) => Item | undefined
  readonly idOf: (item: Item) => string
}

/**
 * Every entry of a list as the reader reads it, each id once, over all pages. A cursor that leads to nothing new ends
 * it. Throws Failure.
 */
export async function readAll<Item>(
  api: Api,
  name: OperationName,
  {read, idOf}: Reader<Item>,
  options: CallOptions = {},
): Promise<Item[]> {
  const found = new Map<string, Item>()
  let after: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = after === undefined ? options.query : {...options.query, after}
    const {entries, next} = await readPage(api, name, query ? {...options, query} : options)
    const before = found.size
    for (const item of entries.flatMap(entry => read(entry) ?? [])) {
      if (!found.has(idOf(item))) found.set(idOf(item), item)
    }
    if (next === undefined || next === after || found.size === before) break
    after = next
  }
  return [...found.values()]
}

const CURSORS = ['after', 'next_cursor', 'nextCursor', 'next_page_token', 'nextPageToken']
const PAGING = ['meta', 'pagination', 'paging', 'page_info', 'pageInfo']

/** The cursor of the next page: beside the list, or in an object about paging. */
export function nextCursor(json: unknown): string | undefined {
  if (!isObject(json)) return undefined
  const data = own(json, 'data')
  const places = [json, ...(isObject(data) ? [data] : [])]
  const inside = places.flatMap(place => PAGING.map(key => own(place, key)).filter(isObject))
  return textOf(...[...inside, ...places].flatMap(place => CURSORS.map(key => own(place, key))))
}
