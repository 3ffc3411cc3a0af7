/** Reads lists from answers of any shape, page by page (§4.9 shows no list). */

import {parseUrl} from '../../contract/foreign-text.js'
import {type Fields, fieldsOf, isObject, type JsonObject} from '../../contract/json.js'
import type {OperationName} from '../../contract/operations.js'
import {integerIn, textIn, unwrap} from '../answers/facts.js'
import {holdsNo} from '../answers/refusals.js'
import {PAGING} from '../answers/vocabulary.js'
import type {Answer, Api, CallOptions} from '../types.js'

/** An entry of a list. `key` is its key if the list is an object (`{"EUR": {…}}`). */
export interface Entry {
  readonly value: JsonObject
  readonly key: string | undefined
  /** The name of the entry's group if the list is grouped (`{"TR": [{…}], "DE": [{…}]}`). */
  readonly group?: string | undefined
}

/** Limits on reading lists. Not in the interface. */
const LIST_LIMITS = {
  pages: 1000,
  /** Maximum number of objects and lists around the list in the answer. */
  depth: 6,
  /**
   * Maximum number of empty pages in a row. Services that filter after paging send some; a broken service could send
   * them forever.
   */
  emptyPages: 3,
  entriesPerPage: 200,
} as const

/**
 * Returns the entries of the list in `json`: the list in the envelope, else the outermost list that is not empty.
 * Returns undefined if there is no list at all.
 *
 * A list is an array, or an object whose keys are codes or numbers. An entry that is a text (`["EUR"]`, `{"EUR":
 * "Euro"}`) becomes an object with that `name`.
 */
export function findEntries(json: unknown): Entry[] | undefined {
  let empty: Entry[] | undefined
  let level: unknown[] = [unwrap(json)]
  for (let depth = 0; depth < LIST_LIMITS.depth && level.length > 0; depth++) {
    for (const value of level) {
      const entries = entriesOf(value)
      if (entries?.length) return entries
      empty ??= entries
    }
    const members = level.filter(isObject).flatMap(value => Object.entries(value))
    // `errors: []` belongs to the answer and is not the requested list.
    level = members.filter(([key]) => !/^(errors|warnings)$/i.test(key)).map(([, inner]) => inner)
  }
  return empty
}

/**
 * Throws a Failure if the answer has no list, not even an empty one. `what` names the list in the message, for example
 * `offers`.
 */
export function checkHoldsList(answer: Answer, what: string): void {
  if (!findEntries(answer.json)) throw holdsNo(answer, `list of ${what}`)
}

function entriesOf(value: unknown): Entry[] | undefined {
  if (Array.isArray(value)) {
    const entries = value.flatMap(item => entryOf(item))
    // A non-empty array without entries, such as `[7, null]`, is not a list of records.
    return entries.length === 0 && value.length > 0 ? undefined : entries
  }
  if (!isObject(value)) return undefined
  const members = Object.entries(value)
  const isGrouped = members.every(([key, inner]) => /^(\p{Lu}|\d)/u.test(key) && Array.isArray(inner))
  if (members.length > 1 && isGrouped)
    return members.flatMap(([group, inner]) =>
      (inner as unknown[]).flatMap(item => entryOf(item, undefined, group)),
    )
  if (members.length === 0 || !members.every(([key]) => /^([A-Z]{2,3}|\d+)$/.test(key))) return undefined
  return members.flatMap(([key, inner]) => entryOf(inner, key))
}

function entryOf(item: unknown, key?: string, group?: string): Entry[] {
  if (isObject(item)) return [{value: item, key, group}]
  return typeof item === 'string' && item !== '' ? [{value: {name: item}, key, group}] : []
}

export type WholeList<Item> = Pick<Awaited<ReturnType<typeof readPages<Item>>>, 'items' | 'isComplete'>

interface Reading<Item> extends Pick<CallOptions, 'body' | 'query' | 'parameters'> {
  /** Returns the items on a page and its number of entries. Throws a Failure if the page has no list. */
  readonly readPage: (answer: Answer) => {items: readonly Item[]; count: number}
  readonly idOf: (item: Item) => string
  /** The query of the page to start with: the `next` of an earlier page. */
  readonly after?: PageQuery | undefined
  /** Maximum number of items over all pages (default: all). `page` requests one page of any length. */
  readonly wanted?: number | 'page'
  /**
   * Maximum number of pages (default LIST_LIMITS.pages). `pageSize` is the maximum number of entries per page (default
   * LIST_LIMITS.entriesPerPage).
   */
  readonly mostPages?: number
  readonly pageSize?: number
}

/**
 * Returns every entry that `read` understands, from all pages and each id once. Throws a Failure if a call fails or an
 * answer has no list.
 */
export function readAll<Item extends {readonly raw: JsonObject}>(
  api: Api,
  name: OperationName,
  read: (entry: Entry) => Item | undefined,
  id: keyof Item,
  body?: object,
): Promise<WholeList<Item>> {
  const readPage = (answer: Answer) => {
    const entries = findEntries(answer.json)
    if (!entries) throw holdsNo(answer, 'list')
    return {items: entries.flatMap(entry => read(entry) ?? []), count: entries.length}
  }
  const idOf = (item: Item) => String(item[id] ?? JSON.stringify(item.raw))
  return readPages(api, name, {readPage, idOf, body})
}

/**
 * Returns the items of a list from as many pages as `reading` wants, each id once. `next` is the query for the items
 * after them. Throws a Failure if a call fails.
 */
export async function readPages<Item>(api: Api, name: OperationName, reading: Reading<Item>) {
  const {wanted} = reading
  const found: Item[] = []
  const most = typeof wanted === 'number' ? wanted : Number.POSITIVE_INFINITY
  const upTo = (next: NextPage) => {
    /** False if the service reports more items but gives no usable link to them. */
    return {items: found.slice(0, most), next, isComplete: next === undefined}
  }
  for await (const {items, asked, next} of eachPage(api, name, reading)) {
    found.push(...items)
    // The items beyond the limit are dropped, so the next request has to start with the same page.
    if (found.length > most) return upTo(asked ?? UNKNOWN_NEXT)
    if (next === undefined || next === UNKNOWN_NEXT || wanted === 'page' || found.length === most)
      return upTo(next)
  }
  return upTo(UNKNOWN_NEXT)
}

/** A page of a list. */
export interface Page<Item> {
  /** The items that no earlier page had. */
  readonly items: readonly Item[]
  /** The query of this page; undefined for the first page. */
  readonly asked: PageQuery | undefined
  /**
   * The query of the next page, `?` if there are more items but no usable link to them, or undefined on the last page.
   */
  readonly next: NextPage
}

/**
 * Yields a list page by page, each id once. Only the ids stay in memory. It ends after a page whose `next` is not a
 * query, or after `mostPages`. Throws a Failure if a call fails.
 */
export async function* eachPage<Item>(
  api: Api,
  name: OperationName,
  {
    readPage,
    idOf,
    after,
    wanted,
    mostPages = LIST_LIMITS.pages,
    pageSize = LIST_LIMITS.entriesPerPage,
    ...request
  }: Reading<Item>,
): AsyncGenerator<Page<Item>, void> {
  const seen = new Set<string>()
  const most = typeof wanted === 'number' ? wanted : Number.POSITIVE_INFINITY
  let asked = after
  let count = 0
  let emptyPages = 0
  for (let page = 0; page < mostPages; page++) {
    const limit = String(Math.min(pageSize, most - seen.size))
    const answer = await api.call(name, {
      ...request,
      query: {...request.query, ...(typeof wanted === 'number' && {limit}), ...asked},
    })
    const read = readPage(answer)
    const before = seen.size
    const items = read.items.filter(item => {
      const known = seen.size
      seen.add(idOf(item))
      return seen.size > known
    })
    count += read.count
    emptyPages = read.count === 0 ? emptyPages + 1 : 0
    // The total in the answer can only be compared if reading started at the first page.
    let next = nextPage(answer, api.baseUrl, after === undefined ? count : undefined)
    const leadsNowhere = next === UNKNOWN_NEXT || (asked && next && nextText(asked) === nextText(next))
    if (emptyPages > 0 && (leadsNowhere || emptyPages > LIST_LIMITS.emptyPages)) next = undefined
    else if (next !== undefined && (leadsNowhere || (seen.size === before && emptyPages === 0)))
      next = UNKNOWN_NEXT
    yield {items, asked, next}
    if (next === undefined || next === UNKNOWN_NEXT) return
    asked = next
  }
}

/** The query parameters that select a page. */
type PageQuery = Readonly<Record<string, string>>
/** The value of `next` if there are more items but the answer has no usable link to them. */
export const UNKNOWN_NEXT = '?'
type NextPage = PageQuery | typeof UNKNOWN_NEXT | undefined

/**
 * Returns the query for the next page, or undefined on the last page. `got` is the number of entries so far, to compare
 * with the answer's total; it is undefined if reading did not start at the first page.
 */
function nextPage(answer: Answer, baseUrl: string, got?: number): NextPage {
  const places = placesOf(answer.json)
  const flags = places.flatMap(fields => PAGING.more.map(name => fields.get(name)))
  if (flags.includes(false)) return undefined
  for (const fields of places) {
    for (const name of PAGING.next) {
      const next = fields.get(name)
      const text = isObject(next) ? textIn(fieldsOf(next), PAGING.link) : textIn(fields, [name])
      if (text === null) continue
      if (/^(https?:|[/?])/i.test(text)) return linkQuery(text, baseUrl) ?? UNKNOWN_NEXT
      return name === 'next_page' && /^\d+$/.test(text) ? {page: text} : {after: text}
    }
  }
  const header = /<([^>]*)>[^,]*\brel="?next"?/.exec(answer.headers.link ?? '')?.[1]
  if (header !== undefined) return linkQuery(header, baseUrl) ?? UNKNOWN_NEXT
  const countIn = (names: readonly string[]) =>
    places.map(fields => integerIn(fields, names)).find(found => found !== null)
  const page = countIn(PAGING.page)
  const pages = countIn(PAGING.pages)
  const total = countIn(PAGING.total)
  if (page != null && pages != null) return page < pages ? {page: String(page + 1)} : undefined
  const isShort = got !== undefined && total != null && total > got
  return flags.includes(true) || isShort ? UNKNOWN_NEXT : undefined
}

/**
 * Returns the objects in which an answer may describe its pages: objects for paging first, then those around the list.
 */
function placesOf(json: unknown): Fields[] {
  if (!isObject(json)) return []
  const around = [json, json.data].filter(isObject).map(fieldsOf)
  const insideOf = (fields: Fields) => PAGING.holders.map(name => fieldsOf(fields.get(name)))
  return [...around.flatMap(insideOf).flatMap(fields => [fields, ...insideOf(fields)]), ...around]
}

/** Returns the query of a link under the base URL, or undefined for any other link. */
function linkQuery(link: string, baseUrl: string): PageQuery | undefined {
  const base = new URL(baseUrl)
  const url = parseUrl(link, `${baseUrl}/`)
  if (url === undefined) return undefined
  const isUnder = url.pathname.startsWith(`${base.pathname}/`) || /^[/?]/.test(link)
  const query = Object.fromEntries(url.searchParams)
  return url.origin === base.origin && isUnder && Object.keys(query).length > 0 ? query : undefined
}

/** Returns the value for `--after`: a bare cursor, or `?` and a query. */
export function nextText(next: Exclude<NextPage, undefined>): string {
  if (next === UNKNOWN_NEXT) return next
  const {after, ...rest} = next
  return after !== undefined && Object.keys(rest).length === 0 ? after : `?${new URLSearchParams(next)}`
}

/** Parses the value of `--after`, as `nextText` wrote it. */
export function readNext(text: string | undefined): PageQuery | undefined {
  if (text === undefined) return undefined
  return text.startsWith('?') ? Object.fromEntries(new URLSearchParams(text)) : {after: text}
}
