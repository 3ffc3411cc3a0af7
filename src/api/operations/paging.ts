/**
 * How the next page of a list is asked for, in answers of any shape (§4.9 shows none): by a cursor, by a link, or by a
 * number of pages. Of a link only the query is taken, so that nothing is ever sent elsewhere.
 */

import {type Fields, fieldsOf} from '../../contract/field-names.js'
import {isObject, type JsonObject} from '../../contract/json.js'
import {integerIn, textIn} from '../answers/facts.js'
import {PAGING} from '../answers/vocabulary.js'
import type {Answer} from '../types.js'

/** What is added to the query to get a page. */
export type PageQuery = Readonly<Record<string, string>>
/** There are more, and the answer does not say how to ask for them. */
export const UNKNOWN_NEXT = '?'
export type NextPage = PageQuery | typeof UNKNOWN_NEXT | undefined

/**
 * What asks for the page after this one; undefined on the last. `got`: how many entries have come, where none were left
 * out before, so that they can be compared with the answer's total.
 */
export function nextPage(answer: Answer, baseUrl: string, got?: number): NextPage {
  const places = placesOf(answer.json)
  const flags = places.flatMap(fields => PAGING.more.map(name => fields.get(name)))
  if (flags.includes(false)) return undefined
  for (const fields of places) {
    for (const name of PAGING.next) {
      const next = fields.get(name)
      const text = isObject(next) ? textIn(fieldsOf(next), ['href', 'url', 'cursor']) : textIn(fields, [name])
      if (text !== null) return queryFrom(name, text, baseUrl) ?? UNKNOWN_NEXT
    }
  }
  const header = /<([^>]*)>[^,]*\brel="?next"?/.exec(answer.headers.link ?? '')?.[1]
  if (header !== undefined) return linkQuery(header, baseUrl) ?? UNKNOWN_NEXT
  const [page, pages, total] = [PAGING.page, PAGING.pages, PAGING.total].map(names =>
    numberAmong(places, names),
  )
  if (page != null && pages != null) return page < pages ? {page: String(page + 1)} : undefined
  const isShort = got !== undefined && total != null && total > got
  return flags.includes(true) || isShort ? UNKNOWN_NEXT : undefined
}

/** Where an answer speaks of pages: in an object about it, or beside the list. */
function placesOf(json: unknown): Fields[] {
  if (!isObject(json)) return []
  const {data} = json
  const around = [json, ...(isObject(data) ? [data] : [])].map(value => fieldsOf(value))
  const inside = around.flatMap(fields => PAGING.holders.map(name => fields.get(name)).filter(isObject))
  return [...inside.flatMap(value => [fieldsOf(value), ...linksIn(value)]), ...around]
}

function linksIn(value: JsonObject): Fields[] {
  const links = fieldsOf(value).get('links')
  return isObject(links) ? [fieldsOf(links)] : []
}

function numberAmong(places: readonly Fields[], names: readonly string[]): number | undefined {
  return places.map(fields => integerIn(fields, names)).find(found => found !== null) ?? undefined
}

function queryFrom(name: string, text: string, baseUrl: string): PageQuery | undefined {
  if (/^(https?:|[/?])/i.test(text)) return linkQuery(text, baseUrl)
  return name === 'next_page' && /^\d+$/.test(text) ? {page: text} : {after: text}
}

/** The query of a link under the base URL; undefined for any other. */
function linkQuery(link: string, baseUrl: string): PageQuery | undefined {
  if (!URL.canParse(link, `${baseUrl}/`)) return undefined
  const [url, base] = [new URL(link, `${baseUrl}/`), new URL(baseUrl)]
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

export function isSamePage(left: PageQuery | undefined, right: PageQuery): boolean {
  return left !== undefined && nextText(left) === nextText(right)
}

/** Ours: a service that narrows a list after it has paged it sends empty pages; one that names a next page for ever, no others. */
const MOST_EMPTY_PAGES = 3

/** Whether the list ends with an empty page, the `emptyPages`th in a row, though the service names a `next` one. */
export function isEnd(
  emptyPages: number,
  asked: PageQuery | undefined,
  next: PageQuery | typeof UNKNOWN_NEXT,
): boolean {
  if (emptyPages === 0) return false
  return next === UNKNOWN_NEXT || isSamePage(asked, next) || emptyPages > MOST_EMPTY_PAGES
}
