/**
 * The components of all pages: foreign text, times, statuses, lists of facts, tables, the layout with its headers, and
 * the script.
 */
import {html, raw} from 'hono/html'
import {isoTime} from '../../contract/dates.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {moneyText} from '../../contract/money.js'
import type {Refusal} from '../base/answers.js'
import {sha256} from '../base/random.js'
import type {RunningService} from '../http/requests.js'
import {listClients} from '../store/clients.js'
import type {Paging} from '../store/lists.js'
import {SITE_STYLE} from './style.js'

export {html}

/** A piece of HTML. The `html` template of hono escapes every value that is not a piece already. */
export type Piece = ReturnType<typeof html>

/** Maximum number of characters shown of a text, and of a text in a list. */
const MOST_LENGTH = 1000
const LIST_LENGTH = 80
/** A longer word may break across lines at any character. */
const LONGEST_WORD = 40

/**
 * Shows foreign text on one line, without invisible characters. It is isolated so that it cannot reorder the text
 * around it.
 */
export function shown(text: string, maxLength = MOST_LENGTH): Piece {
  return html`<bdi>${sanitizeLine(text, maxLength)}</bdi>`
}

export function brief(text: string): Piece {
  return shown(text, LIST_LENGTH)
}

/** Shows a reference, an id or a word of the interface. A short one is not broken across lines. */
export function code(text: string): Piece {
  return text.length > LONGEST_WORD
    ? html`<code>${shown(text)}</code>`
    : html`<code><span class="id">${shown(text)}</span></code>`
}

/**
 * Shows the path or URL of a request. Lines break only before a slash, unless a segment is longer than `longest`
 * characters.
 */
export function address(text: string, longest = 32): Piece {
  const segments = sanitizeLine(text, LIST_LENGTH).split(/(?<=[^/])(?=\/)/)
  if (segments.some(segment => segment.length > longest)) return html`<code>${brief(text)}</code>`
  return html`<code class="path"><bdi>${segments.map(segment => html`<wbr><span>${segment}</span>`)}</bdi></code>`
}

/** Shows a value with a button that copies it. The button is hidden unless scripts run. */
export function copied(text: string, label: string): Piece {
  return html`${code(text)} <button type="button" class="copy" data-copy="${text}" aria-label="Copy ${label}" hidden>Copy</button>`
}

/** Links to a list, or to one of its records. */
export function link(list: string, id?: string, text: Piece | string = code(id ?? list)): Piece {
  return html`<a href="${pathOf(list, id)}">${text}</a>`
}

export function pathOf(list: string, id?: string): string {
  return id === undefined ? `/ui/${list}` : `/ui/${list}/${encodeURIComponent(id)}`
}

/** Links to a section that shows one client at a time, with this client selected. */
export function clientLink(section: string, clientId: string, text: Piece | string): Piece {
  return html`<a href="${pathOf(section)}?client=${encodeURIComponent(clientId)}">${text}</a>`
}

/** Links to the section for each client other than the one shown. */
export function otherClients({service}: Visit, section: string, shownId: string): Piece {
  const others = listClients(service.database).filter(({client_id}) => client_id !== shownId)
  return html`${others.map(({client_id}) => html`<div>${clientLink(section, client_id, code(client_id))}</div>`)}`
}

/** Shows JSON with one member per line, each line sanitised as `shown` does. */
export function jsonText(value: unknown): Piece {
  const lines = JSON.stringify(value, null, 2).split('\n')
  return html`<pre tabindex="0" aria-label="JSON"><code>${lines.map(line => sanitizeLine(line)).join('\n')}</code></pre>`
}

/** Shows a timestamp in UTC and its distance from `now` (Unix seconds). Both are times of the sandbox's clock. */
export function time(timestamp: string | null, now: number): Piece {
  if (timestamp === null) return soft('–')
  const away = Date.parse(timestamp) / 1000 - now
  return html`<time datetime="${timestamp}">${instant(timestamp)}</time> <span class="soft nowrap">${distance(away)}</span>`
}

/** Formats a timestamp as `2030-06-01 12:00:00 UTC`. */
function instant(timestamp: string): string {
  const iso = isoTime(Date.parse(timestamp) / 1000)
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
}

/** The units for distances in time. Each is used for distances shorter than `below`. All numbers are seconds. */
const UNITS = [
  {below: 60, unit: 's', length: 1},
  {below: 3600, unit: 'min', length: 60},
  {below: 172_800, unit: 'h', length: 3600},
  {below: Number.POSITIVE_INFINITY, unit: 'd', length: 86_400},
]

/** Returns a distance in time: `in 14 min`, `3 h ago` or `now`, rounded down to the unit. */
function distance(seconds: number): string {
  const far = Math.abs(seconds)
  const found = UNITS.find(({below}) => far < below)
  if (far < 1 || !found) return 'now'
  const amount = `${Math.floor(far / found.length)} ${found.unit}`
  return seconds > 0 ? `in ${amount}` : `${amount} ago`
}

const TONES = [
  {tone: 'good', words: /^(CONFIRMED|DELIVERED|PAID|READY|active)$/},
  {tone: 'wait', words: /^(PENDING_PAYMENT|PENDING|passive)$/},
  {tone: 'bad', words: /^(FAILED|ABANDONED)$/},
]

export function status(word: string): Piece {
  const tone = TONES.find(({words}) => words.test(word))?.tone ?? 'soft'
  return html`<span class="status ${tone}">${sanitizeLine(word)}</span>`
}

/** Shows the status code of a response, or that there was no response (null). */
export function httpStatus(answered: number | null): Piece {
  const tone = answered !== null && answered < 400 ? 'good' : 'bad'
  return html`<span class="status ${tone}">${answered ?? 'no response'}</span>`
}

export function facts(values: Readonly<Record<string, Piece | string>>): Piece {
  const all = Object.entries(values)
  return html`<dl>${all.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

export function card(id: string, heading: string, content: Piece): Piece {
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>${content}</section>`
}

export function soft(text: string): Piece {
  return html`<span class="soft">${text}</span>`
}

export function price(amount: string, currency: string): Piece {
  return html`<span class="money">${moneyText(amount, currency)}</span>`
}

/** Shows the text for an empty list, which says how to fill it, with a command if there is one. */
export function nothing(sentence: string, command?: string): Piece {
  return html`<p class="nothing">${sentence}${command && html` <code>${command}</code>`}</p>`
}

export function button(
  action: string,
  text: string,
  fields: Readonly<Record<string, string>> = {},
  style: '' | 'strong' | 'danger' = '',
): Piece {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="${action}">${hidden}<button class="${style}">${text}</button></form>`
}

/** Returns a button that advances the clock by `seconds` and returns to this page. */
export function moveButton(visit: Visit, text: string, seconds: number): Piece {
  return button('/ui/clock', text, {back: visit.path, advance_seconds: String(seconds)})
}

/** Returns a choice between words. `any` is the label of an additional first option, which selects none of them. */
export function select(
  name: string,
  label: string,
  options: readonly string[],
  chosen: string | null,
  any?: string,
): Piece {
  const option = (value: string, text: string) =>
    html`<option value="${value}"${value === (chosen ?? '') && html` selected`}>${text}</option>`
  return html`<label>${label}<select name="${name}">${any !== undefined && option('', any)}${options.map(each => option(each, each))}</select></label>`
}

export interface Visit {
  readonly service: RunningService
  readonly origin: string
  /** Unix seconds on the sandbox's clock. */
  readonly now: number
  readonly path: string
  readonly query: URLSearchParams
  readonly parameters: Readonly<Record<string, string>>
}

/** A page: its heading, the id of the record that it shows, and the content. */
export interface View {
  readonly title: string
  readonly id?: string
  readonly main: Piece
}

export function filterOf(visit: Visit, name: string): string | null {
  return visit.query.get(name)?.trim() || null
}

export const PAGE_SIZE = 50

/** Returns which page of a list to show. If `before` is not a number, that is the newest page. */
export function pagingOf(visit: Visit): Paging {
  const before = Number(visit.query.get('before') ?? '')
  return {after: Number.isSafeInteger(before) && before > 0 ? before : null, limit: PAGE_SIZE}
}

/** The cells of a row by column name. */
type Row = Readonly<Record<string, Piece | string | number>>

export interface ListContent {
  readonly caption: string
  readonly rows: readonly Row[]
  /** Shown instead of a table without rows. */
  readonly empty?: Piece
  /** Fields of a search form, which is sent by GET so that the filtered list has its own URL. */
  readonly filters?: readonly Piece[]
  /** The cursor of the next page; null on the last page. */
  readonly next?: number | null
}

/**
 * Renders a list as a table. On narrow screens each row is shown as a block; the ARIA roles keep it a table for screen
 * readers.
 */
export function list(visit: Visit, {caption, rows, empty, filters, next = null}: ListContent): Piece {
  const form = html`<form method="get" action="${visit.path}" class="filter" role="search">${filters}<button>Show</button>
<a href="${visit.path}">Show all</a></form>`
  const columns = Object.keys(rows[0] ?? {})
  const head = columns.map(name => html`<th scope="col" role="columnheader">${name}</th>`)
  const cell = (row: Row, name: string, index: number) =>
    index === 0
      ? html`<th scope="row" role="rowheader" data-column="${name}"><div>${row[name]}</div></th>`
      : html`<td role="cell" data-column="${name}"><div>${row[name]}</div></td>`
  const table = html`<table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${head}</tr></thead>
<tbody role="rowgroup">
${rows.map(row => html`<tr role="row">${columns.map((name, index) => cell(row, name, index))}</tr>\n`)}</tbody>
</table>`
  const isFirst = pagingOf(visit).after === null
  const newest = html`<a href="${pageAddress(visit)}" rel="first">Newest</a>`
  const older = html`<a href="${pageAddress(visit, next ?? undefined)}" rel="next">Older</a>`
  const pager = html`<nav class="pager" aria-label="Pages of the list">
${!isFirst && newest}
${next !== null && older}
</nav>`
  return html`${filters && form}
${rows.length > 0 ? table : empty}
${!(isFirst && next === null) && pager}`
}

/** Returns the page that shows one list. */
export function listView(visit: Visit, content: ListContent): View {
  const {caption: title} = content
  const main = html`<section class="card" aria-label="${title}">
${list(visit, content)}</section>`
  return {title, main}
}

/** Returns the URL of this list with the same filters, starting at the cursor `before` (default: the newest page). */
function pageAddress({path, query}: Visit, before?: number): string {
  const changed = new URLSearchParams(query)
  changed.delete('done')
  if (before === undefined) changed.delete('before')
  else changed.set('before', String(before))
  return `${path}?${changed}`
}

const SECTIONS = [
  'Overview',
  'Reservations',
  'Requests',
  'Events',
  'Deliveries',
  'Subscriptions',
  'Ledger',
  'Certificate',
  'Faults',
]

/**
 * Confirmations of actions. The query parameter `done` is one of these names, not a text, so that a link cannot forge
 * one.
 */
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

const REFRESH_SECONDS = '5'

/** Renders the whole page around the content of `view`: sections, clock, confirmation and heading. */
export function layOut(visit: Visit, {title, id, main}: View): string {
  const {path, query} = visit
  const sections = SECTIONS.map(name => {
    const to = name === 'Overview' ? '/' : pathOf(name.toLowerCase())
    const isHere = path === to || (to !== '/' && path.startsWith(`${to}/`))
    return html`<li><a href="${to}"${isHere && html` aria-current="page"`}>${name}</a></li>`
  })
  const done = query.get('done') ?? ''
  const confirmation = Object.hasOwn(DONE, done) && DONE[done as Confirmation]
  const isRefreshed = query.get('refresh') === REFRESH_SECONDS
  const head = isRefreshed ? html`<meta http-equiv="refresh" content="${REFRESH_SECONDS}">` : undefined
  const switched = new URLSearchParams(query)
  switched.delete('done')
  if (isRefreshed) switched.delete('refresh')
  else switched.set('refresh', REFRESH_SECONDS)
  // A link that begins with two slashes would lead to another host.
  const here = path.replace(/^\/+/, '/')
  const refresh = html`<a href="${here}?${switched}">${isRefreshed ? 'Stop refreshing' : `Refresh every ${REFRESH_SECONDS} s`}</a>`
  const body = html`<a class="skip" href="#main">Skip to the content</a>
<header>
<div class="bar"><p class="name"><a href="/">bookctl <span class="wide">local </span>sandbox</a> <span class="status wait">TEST<span class="wide"> mode</span></span></p>
<p class="clock"><span class="soft wide">Service time</span> <time datetime="${isoTime(visit.now)}">${instant(isoTime(visit.now))}</time></p></div>
<nav class="sections" aria-label="Sections"><ul>${sections}</ul></nav>
</header>
<main id="main" tabindex="-1">
<h1>${title}${id && html` ${code(id)}`}</h1>
${confirmation && html`<p class="note" role="status">${confirmation}</p>`}
${main}
<p>${refresh}</p>
</main>
<script>${raw(SITE_SCRIPT)}</script>`
  return documentOf(`${id ?? title} · bookctl local sandbox`, SITE_STYLE, body, head)
}

/**
 * Returns the page that shows a refusal. `path` is the requested path. After an action on one record, the page links
 * back to that record.
 */
export function failureView(refusal: Refusal, path: string): View {
  const [, list = '', id] = /^\/ui\/(reservations|deliveries)\/([^/]+)\/./.exec(path) ?? []
  const items = refusal.members.details?.map(each => html`<li>${shown(`${each.field} ${each.message}`)}</li>`)
  const back = id === undefined ? 'Go' : html`Back to ${link(list, id)}, or`
  const main = html`<div class="note bad" role="alert">${shown(refusal.message)}${items && html`<ul>${items}</ul>`}</div>
<p>${back} to the <a href="/">overview</a>.</p>`
  const words = refusal.code.replaceAll('_', ' ')
  return {title: words.charAt(0).toUpperCase() + words.slice(1), main}
}

/**
 * Renders a whole HTML document. hono's template returns a promise only if it contains one, which never happens here.
 */
export function documentOf(title: string, style: string, body: Piece, head?: Piece): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${raw(style)}</style>
<link rel="icon" href="data:,">
${head}</head>
<body>
${body}
</body>
</html>
`
  if (page instanceof Promise) throw new TypeError('a page must be made at once')
  return page.toString()
}

/** The only script. It shows the copy buttons and scrolls the current section into view. Pages also work without it. */
const SITE_SCRIPT = `
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy)
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Not copied'
    }
    setTimeout(() => { button.textContent = 'Copy' }, 2000)
  })
}
const list = document.querySelector('.sections ul'), here = document.querySelector('.sections [aria-current]')
if (here) list.scrollLeft = here.offsetLeft - (list.clientWidth - here.offsetWidth) / 2
`

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/**
 * Headers of pages without a script. They forbid scripts, frames and anything from other hosts. No referrer is sent to
 * other hosts, because a URL may contain a secret.
 */
export const PAGE_HEADERS = {
  'Content-Security-Policy': POLICY,
  // With `no-referrer`, browsers would send `Origin: null` with forms, which is refused.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/** Headers of pages with the script, which is allowed by its hash. */
export const SITE_HEADERS = {
  ...PAGE_HEADERS,
  'Content-Security-Policy': `${POLICY}; script-src 'sha256-${sha256(SITE_SCRIPT).toString('base64')}'`,
}
