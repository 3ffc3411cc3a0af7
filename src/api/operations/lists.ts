/** Lists in answers of any shape (§4.9 shows none): the records under any name, page after page. */

import {parseUrl} from '../../contract/foreign-text.js'
import {type Fields, fieldsOf, isObject, type JsonObject} from '../../contract/json.js'
import type {OperationName} from '../../contract/operations.js'
import {integerIn, textIn, unwrap} from '../answers/facts.js'
import {holdsNo} from '../answers/refusals.js'
import {PAGING} from '../answers/vocabulary.js'
import type {Answer, Api, CallOptions} from '../types.js'

/** One entry of a list: its object, and its key when the list is an object (`{"EUR": {…}}`). */
export interface Entry {
  readonly value: JsonObject
  readonly key: string | undefined
  /** The name of its group when the list is grouped (`{"TR": [{…}], "DE": [{…}]}`). */
  readonly group?: string | undefined
}

/** Not in the interface. */
const LIST_LIMITS = {
  pages: 1000,
  /** Objects around the list in its answer. */
  depth: 6,
  /** Empty pages tolerated in a row: services that filter after paging send some, and a broken one repeats `next` forever. */
  emptyPages: 3,
  entriesPerPage: 200,
} as const

/**
 * The entries of the list in `json`: that in the envelope, else the outermost that is not empty; undefined when there is
 * none, not even an empty one. A list is an array, or an object with a code or number for each key; an entry that is
 * a plain text (`["EUR"]`, `{"EUR": "Euro"}`) becomes its `name`.
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
    // An answer's own `errors: []` is not the list that was asked for.
    level = members.filter(([key]) => !/^(errors|warnings)$/i.test(key)).map(([, inner]) => inner)
  }
  return empty
}

/** Throws Failure where the answer holds no list at all, not even an empty one; `what` names it: `offers`. */
export function checkHoldsList(answer: Answer, what: string): void {
  if (!findEntries(answer.json)) throw holdsNo(answer, `list of ${what}`)
}

function entriesOf(value: unknown): Entry[] | undefined {
  if (Array.isArray(value)) {
    const entries = value.flatMap(item => entryOf(item))
    // `[7, null]` is not an empty list, but one of something else.
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

interface Reading<Item> extends Pick<CallOptions, 'body' | 'query'> {
  /** The items of a page, and how many entries it had. Throws Failure. */
  readonly readPage: (answer: Answer) => {items: readonly Item[]; count: number}
  readonly idOf: (item: Item) => string
  /** Where to start, as an earlier page named its `next`. */
  readonly after?: PageQuery | undefined
  /** How many items to ask for, over as many pages as that needs (default all); `page`: one page, whatever its length. */
  readonly wanted?: number | 'page'
}

/** Every entry that `read` understands, each id once, over all pages. Throws Failure, also if the answer holds no list. */
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

/** The items of a list, each id once, page after page; `next` asks for those after them. Throws Failure. */
export async function readPages<Item>(api: Api, name: OperationName, reading: Reading<Item>) {
  const {readPage, idOf, after, wanted, body} = reading
  const found = new Map<string, Item>()
  const most = typeof wanted === 'number' ? wanted : Number.POSITIVE_INFINITY
  const upTo = (next: NextPage) => {
    const items = [...found.values()].slice(0, most)
    /** False when the service reports more and gives no working link to them. */
    return {items, next, isComplete: next === undefined}
  }
  let asked = after
  let count = 0
  let emptyPages = 0
  for (let page = 0; page < LIST_LIMITS.pages; page++) {
    const limit = String(Math.min(LIST_LIMITS.entriesPerPage, most - found.size))
    const query = {...reading.query, ...(typeof wanted === 'number' && {limit}), ...asked}
    const answer = await api.call(name, {body, query})
    const read = readPage(answer)
    const before = found.size
    for (const item of read.items) if (!found.has(idOf(item))) found.set(idOf(item), item)
    // Items beyond the limit are cut, so the same page has to be asked for again.
    if (found.size > most) return upTo(asked ?? UNKNOWN_NEXT)
    count += read.count
    emptyPages = read.count === 0 ? emptyPages + 1 : 0
    // The answer's total can be compared only with all entries from the first on.
    const next = nextPage(answer, api.baseUrl, after === undefined ? count : undefined)
    const leadsNowhere = next === UNKNOWN_NEXT || (asked && next && nextText(asked) === nextText(next))
    if (next === undefined || (emptyPages > 0 && (leadsNowhere || emptyPages > LIST_LIMITS.emptyPages)))
      return upTo(undefined)
    if (leadsNowhere || (found.size === before && emptyPages === 0)) break
    asked = next
    if (wanted === 'page' || found.size === most) return upTo(next)
  }
  return upTo(UNKNOWN_NEXT)
}

/** What is added to the query to get a page. */
type PageQuery = Readonly<Record<string, string>>
/** There are more, and the answer gives no working link to them. */
export const UNKNOWN_NEXT = '?'
type NextPage = PageQuery | typeof UNKNOWN_NEXT | undefined

/** The query of the page after this one; undefined on the last. `got`: entries from the first on, for the answer's total. */
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

/** The places where an answer may describe its pages: in an object for that, or beside the list. */
function placesOf(json: unknown): Fields[] {
  if (!isObject(json)) return []
  const around = [json, json.data].filter(isObject).map(fieldsOf)
  const insideOf = (fields: Fields) => PAGING.holders.map(name => fieldsOf(fields.get(name)))
  return [...around.flatMap(insideOf).flatMap(fields => [fields, ...insideOf(fields)]), ...around]
}

/** The query of a link under the base URL; undefined for any other. */
function linkQuery(link: string, baseUrl: string): PageQuery | undefined {
  const base = new URL(baseUrl)
  const url = parseUrl(link, `${baseUrl}/`)
  if (url === undefined) return undefined
  const isUnder = url.pathname.startsWith(`${base.pathname}/`) || /^[/?]/.test(link)
  const query = Object.fromEntries(url.searchParams)
  return url.origin === base.origin && isUnder && Object.keys(query).length > 0 ? query : undefined
}

/** As `--after` takes it: a bare cursor, or the query after a `?`. */
export function nextText(next: Exclude<NextPage, undefined>): string {
  if (next === UNKNOWN_NEXT) return next
  const {after, ...rest} = next
  return after !== undefined && Object.keys(rest).length === 0 ? after : `?${new URLSearchParams(next)}`
}

/** The reverse of `nextText`. */
export function readNext(text: string | undefined): PageQuery | undefined {
  if (text === undefined) return undefined
  return text.startsWith('?') ? Object.fromEntries(new URLSearchParams(text)) : {after: text}
}
