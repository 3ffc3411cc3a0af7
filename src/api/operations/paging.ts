/**
 * The next page of a list in answers of any shape (§4.9 shows none): by a cursor, a link, or a number of pages. Only the
 * query of a link is used, so that nothing is ever sent elsewhere.
 */
import {type Fields, fieldsOf} from '../../contract/field-names.js'
import {isObject, type JsonObject} from '../../contract/json.js'
import {integerIn, textIn} from '../answers/facts.js'
import {PAGING} from '../answers/vocabulary.js'
import type {Answer} from '../types.js'

/** What is added to the query to get a page. */
export type PageQuery = Readonly<Record<string, string>>
/** There are more, and the answer gives no working way to them. */
export const UNKNOWN_NEXT = '?'
export type NextPage = PageQuery | typeof UNKNOWN_NEXT | undefined

/**
 * The query of the page after this one; undefined on the last. `got`: how many entries have come from the first on, for
 * the answer's total.
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
