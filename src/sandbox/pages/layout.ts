/** The layout of every page: head, sections, clock, confirmation; of lists and details; and the page of a refusal. */
import {raw} from 'hono/html'
import {isoTime} from '../../contract/dates.js'
import type {Refusal} from '../base/answers.js'
import type {RunningService} from '../http/requests.js'
import type {Listed, Paging} from '../store/lists.js'
import {
  button,
  code,
  documentOf,
  html,
  identifier,
  instant,
  type Piece,
  pathOf,
  SITE_SCRIPT,
  shown,
} from './parts.js'
import {SITE_STYLE} from './style.js'

const SECTIONS = ['Overview', 'Reservations', 'Requests', 'Events', 'Deliveries', 'Subscriptions', 'Faults']

/** Confirmations of actions. The query has `done=` and one of these names, never text, so that a link cannot forge one. */
const DONE = {
  clock: 'Clock advanced. Everything that fell due has run.',
  paid: 'Paid. The reservation is confirmed.',
  failed: 'Declined. The reservation is still waiting for payment.',
  delivered: 'Sent again. The last attempt below is its outcome.',
  fault: 'Fault injected. The next requests of its operation will hit it.',
  cleared: 'All faults removed.',
  reset: 'Sandbox reset. Tokens issued before are no longer valid.',
} as const

export type Confirmation = keyof typeof DONE

export const PAGE_SIZE = 50

const REFRESH_SECONDS = '5'

export function layOut(visit: Visit, view: View): string {
  const isRefreshed = visit.query.get('refresh') === REFRESH_SECONDS
  const tab = view.tab ?? (typeof view.title === 'string' ? view.title : '')
  const here = addressWith(visit, {before: visit.query.get('before')})
  const head = html`<link rel="icon" href="data:,">
${isRefreshed ? html`<meta http-equiv="refresh" content="${REFRESH_SECONDS}; url=${here}">` : ''}`
  const body = html`<a class="skip" href="#main">Skip to the content</a>
<header>
<div class="bar"><p class="name"><a href="/">bookctl <span class="wide">local </span>sandbox</a> <span class="status wait">TEST<span class="wide"> mode</span></span></p>
<p class="clock"><span class="soft wide">Service time</span> <time datetime="${isoTime(visit.now)}">${instant(isoTime(visit.now))}</time></p></div>
<nav class="sections" aria-label="Sections"><ul>${SECTIONS.map(name => section(visit, name))}</ul></nav>
</header>
<main id="main" tabindex="-1">
<div class="head"><h1>${view.title}</h1><p class="refresh">${refreshLinks(visit, here, isRefreshed)}</p></div>
${doneNote(visit)}
${view.main}
</main>
<script>${raw(SITE_SCRIPT)}</script>`
  return documentOf(`${tab} · bookctl local sandbox`, SITE_STYLE, body, head)
}

function section(visit: Visit, name: string): Piece {
  const path = name === 'Overview' ? '/' : pathOf([name.toLowerCase()])
  const isHere = path === '/' ? visit.path === '/' : `${visit.path}/`.startsWith(`${path}/`)
  return html`<li><a href="${path}"${isHere ? html` aria-current="page"` : ''}>${name}</a></li>`
}

function refreshLinks(visit: Visit, here: string, isRefreshed: boolean): Piece {
  const before = visit.query.get('before')
  return isRefreshed
    ? html`<span class="soft">Refreshed every ${REFRESH_SECONDS} s.</span> <a href="${addressWith(visit, {before, refresh: null})}">Stop</a>`
    : html`<a href="${here}">Refresh</a> <a href="${addressWith(visit, {before, refresh: REFRESH_SECONDS})}">Refresh every ${REFRESH_SECONDS} s</a>`
}

function doneNote(visit: Visit): Piece {
  const done = Object.entries(DONE).find(([name]) => name === visit.query.get('done'))
  return done ? html`<p class="note" role="status">${done[1]}</p>` : html``
}

export interface Visit {
  readonly service: RunningService
  readonly origin: string
  /** Unix seconds of the sandbox's clock. */
  readonly now: number
  readonly path: string
  readonly query: URLSearchParams
  readonly parameters: Readonly<Record<string, string>>
}

export interface View {
  readonly title: Piece | string
  /** The title of the browser's tab (default: the heading, where that is plain text). */
  readonly tab?: string
  readonly main: Piece
}

export function filterOf(visit: Visit, name: string): string | null {
  return visit.query.get(name)?.trim() || null
}

/** Which page of a list to show; a `before` that is not a number means the newest. */
export function pagingOf(visit: Visit): Paging {
  const before = Number(visit.query.get('before') ?? '')
  return {after: Number.isSafeInteger(before) && before > 0 ? before : null, limit: PAGE_SIZE}
}

/** This page with another query: `change` replaces members, null removes them. */
function addressWith(visit: Visit, change: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams(visit.query)
  for (const name of ['done', 'before']) query.delete(name)
  for (const [name, value] of Object.entries(change)) {
    if (value === null) query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  return text === '' ? visit.path : `${visit.path}?${text}`
}

/** The page of a list: a form of `filters`, sent as a GET so that the address of the result can be kept, and its table. */
export function listView(
  visit: Visit,
  title: string,
  filters: Piece[],
  table: Piece,
  found: Listed<unknown>,
) {
  const form = html`<form method="get" action="${visit.path}" class="filter" role="search">${filters}<button>Show</button>
<a href="${visit.path}">Show all</a></form>`
  const main = html`<section class="card" aria-label="${title}">
${filters.length > 0 ? form : ''}
${table}
${pager(visit, found)}</section>`
  return {title, main}
}

export function detailView(what: string, id: string, main: Piece): View {
  return {title: html`${what} ${code(id)}`, tab: id, main}
}

/** A button that advances the clock by `seconds` and returns to this page. */
export function moveButton(visit: Visit, text: string, seconds: number): Piece {
  return button('/ui/clock', text, {back: visit.path, advance_seconds: String(seconds)})
}

export function pager(visit: Visit, {next}: Listed<unknown>): Piece {
  const isFirst = pagingOf(visit).after === null
  if (isFirst && next === null) return html``
  return html`<nav class="pager" aria-label="Pages of the list">
${isFirst ? '' : html`<a href="${addressWith(visit, {})}" rel="first">Newest</a>`}
${next === null ? '' : html`<a href="${addressWith(visit, {before: String(next)})}" rel="next">Older</a>`}
</nav>`
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Not possible now',
  413: 'Request too large',
}

/** `path` is the path requested: from an action on one reservation or delivery the page leads back to it. */
export function failureView(refusal: Refusal, path: string): View {
  const [, list, id] = /^\/ui\/(reservations|deliveries)\/([^/]+)\/./.exec(path) ?? []
  const items = refusal.members.details?.map(each => html`<li>${shown(`${each.field} ${each.message}`)}</li>`)
  const main = html`<div class="note bad" role="alert">${shown(refusal.message)}${items ? html`<ul>${items}</ul>` : ''}</div>
<p>${list && id ? html`Back to <a href="${`/ui/${list}/${id}`}">${identifier(id)}</a>, or` : 'Go'} to the <a href="/">overview</a>.</p>`
  return {title: TITLES[refusal.status] ?? 'Request failed', main}
}
