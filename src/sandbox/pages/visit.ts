/** What a page is made from, and what it is. */
import type {Service} from '../base/service.js'
import {type Listed, PAGE_SIZE, type Paging} from '../store/browse.js'
import {html, type Piece} from './parts.js'

export interface Visit {
  readonly service: Service
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string
  /** Unix seconds of the sandbox's clock. */
  readonly now: number
  readonly path: string
  readonly query: URLSearchParams
  readonly parameters: Readonly<Record<string, string>>
}

export interface View {
  /** The heading of the page. */
  readonly title: Piece | string
  /** The same as plain text, for the browser's own title; the heading unless told. */
  readonly tab?: string
  readonly main: Piece
}

/** Members of the query that say how a page is shown, not what. */
const TRANSIENT = ['done', 'before']

/** A filter of the query; null when it is not given or empty. */
export function filterOf(visit: Visit, name: string): string | null {
  return visit.query.get(name)?.trim() || null
}

/** What of a list is asked for; a `before` that is no number asks for the newest. */
export function pagingOf(visit: Visit): Paging {
  const before = Number(visit.query.get('before') ?? '')
  return {before: Number.isSafeInteger(before) && before > 0 ? before : null, limit: PAGE_SIZE}
}

/** This page with another query: `change` replaces members, null removes them. */
export function addressWith(visit: Visit, change: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams(visit.query)
  for (const name of TRANSIENT) query.delete(name)
  for (const [name, value] of Object.entries(change)) {
    if (value === null) query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  return text === '' ? visit.path : `${visit.path}?${text}`
}

/** Links to the newest and to older entries of a list, where there are such. */
export function pager(visit: Visit, {older}: Listed<unknown>): Piece {
  const isFirst = pagingOf(visit).before === null
  if (isFirst && older === null) return html``
  return html`<nav class="pager" aria-label="Pages of the list">
${isFirst ? '' : html`<a href="${addressWith(visit, {})}" rel="first">Newest</a>`}
${older === null ? '' : html`<a href="${addressWith(visit, {before: String(older)})}" rel="next">Older</a>`}
</nav>`
}

/** A form that narrows a list down; it is sent as a GET, so that what it shows can be kept as an address. */
export function filterForm(visit: Visit, fields: readonly Piece[]): Piece {
  return html`<form method="get" action="${visit.path}" class="filter" role="search">${fields}<button>Show</button>
<a href="${visit.path}">Show all</a></form>`
}
