/** Lists in answers of any shape (§4.9 shows none): the records under whatever name they stand, page after page. */

import {isObject, type JsonObject} from '../../contract/json.js'
import type {OperationName} from '../../contract/operations.js'
import {unwrap} from '../answers/facts.js'
import {holdsNo} from '../answers/refusals.js'
import type {Answer, Api, CallOptions} from '../types.js'
import {isEnd, isSamePage, nextPage, type PageQuery, UNKNOWN_NEXT} from './paging.js'

/** One entry of a list: its object, and the key it stood under when the list is an object (`{"EUR": {…}}`). */
export interface Entry {
  readonly value: JsonObject
  readonly key: string | undefined
  /** The name of its group when the list is grouped (`{"TR": [{…}], "DE": [{…}]}`). */
  readonly group?: string | undefined
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
    level = level.flatMap(value => (isObject(value) ? membersOf(value) : []))
  }
  return empty
}

/** An answer's own `errors: []` is no list of what was asked for. */
function membersOf(value: JsonObject): unknown[] {
  return Object.entries(value).flatMap(([key, inner]) => (/^(errors|warnings)$/i.test(key) ? [] : [inner]))
}

/** Throws Failure where the answer holds no list at all, not even an empty one; `what` names it: `offers`. */
export function checkHoldsList(answer: Answer, what: string): void {
  if (!findEntries(answer.json)) throw holdsNo(answer, `list of ${what}`)
}

function entriesOf(value: unknown): Entry[] | undefined {
  if (Array.isArray(value)) {
    const entries = value.flatMap(item => entryOf(item, undefined))
    // `[7, null]` is not an empty list, but one of something else.
    return entries.length === 0 && value.length > 0 ? undefined : entries
  }
  if (!isObject(value)) return undefined
  const members = Object.entries(value)
  if (
    members.length > 1 &&
    members.every(([key, inner]) => /^(\p{Lu}|\d)/u.test(key) && Array.isArray(inner))
  )
    return members.flatMap(([group, inner]) =>
      (inner as unknown[]).flatMap(item => entryOf(item, undefined)).map(entry => ({...entry, group})),
    )
  if (members.length === 0 || !members.every(([key]) => /^([A-Z]{2,3}|\d+)$/.test(key))) return undefined
  return members.flatMap(([key, inner]) => entryOf(inner, key))
}

function entryOf(item: unknown, key: string | undefined): Entry[] {
  if (isObject(item)) return [{value: item, key}]
  return typeof item === 'string' && item !== '' ? [{value: {name: item}, key}] : []
}

export interface Reader<Item> {
  /** Undefined for an entry that is none of what is listed. */
  readonly read: (entry: Entry) => Item | undefined
  readonly idOf: (item: Item) => string
}

export interface WholeList<Item> {
  readonly items: readonly Item[]
  /** False where the service says that there are more, and what it says of them leads to none. */
  readonly isComplete: boolean
}

/**
 * Every entry of a list as the reader reads it, each id once, over all pages. Throws Failure, also when an answer holds
 * no list.
 */
export function readAll<Item>(
  api: Api,
  name: OperationName,
  {read, idOf}: Reader<Item>,
  options: CallOptions = {},
): Promise<WholeList<Item>> {
  const readPage = (answer: Answer) => {
    const entries = findEntries(answer.json)
    if (!entries) throw holdsNo(answer, 'list')
    return {items: entries.flatMap(entry => read(entry) ?? []), count: entries.length}
  }
  return readPages(api, name, readPage, idOf, options)
}

/** The same for a list of another kind: `readPage` returns the items of a page, and how many entries it had. */
export async function readPages<Item>(
  api: Api,
  name: OperationName,
  readPage: (answer: Answer) => {items: readonly Item[]; count: number},
  idOf: (item: Item) => string,
  options: CallOptions = {},
): Promise<WholeList<Item>> {
  const found = new Map<string, Item>()
  let entriesRead = 0
  let asked: PageQuery | undefined
  let emptyPages = 0
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await api.call(name, asked ? {...options, query: {...options.query, ...asked}} : options)
    const {items, count} = readPage(answer)
    const before = found.size
    for (const item of items) if (!found.has(idOf(item))) found.set(idOf(item), item)
    entriesRead += count
    const next = nextPage(answer, api.baseUrl, entriesRead)
    emptyPages = count === 0 ? emptyPages + 1 : 0
    if (next === undefined || isEnd(emptyPages, asked, next))
      return {items: [...found.values()], isComplete: true}
    if (next === UNKNOWN_NEXT || isSamePage(asked, next)) break
    if (found.size === before && emptyPages === 0) break
    asked = next
  }
  return {items: [...found.values()], isComplete: false}
}
