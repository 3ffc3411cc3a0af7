/** What surrounds every page: its head, the way to the others, the clock, and what was just done. */
import {html, raw} from 'hono/html'
import {isoTime} from '../../contract/dates.js'
import {type Piece, textOf} from './markup.js'
import {instant, pathOf} from './parts.js'
import {SITE_STYLE} from './style.js'
import {addressWith, type View, type Visit} from './visit.js'

const SECTIONS = [
  ['Overview', '/'],
  ...['Reservations', 'Events', 'Deliveries', 'Subscriptions', 'Requests', 'Faults'].map(
    name => [name, pathOf([name.toLowerCase()])] as const,
  ),
] as const

/** What an action leaves behind: the query says `done=` and one of these names, never a text of its own. */
const DONE = {
  clock: 'The clock was moved, and what fell due on the way has happened.',
  paid: 'Paid. The reservation is confirmed.',
  failed: 'Declined. The reservation still waits for its payment.',
  delivered: 'One more attempt was made; its outcome is the last below.',
  fault: 'The fault is ordered: the next requests of its operation meet it.',
  cleared: 'All faults were taken back.',
  reset: 'The sandbox is at its beginning again. Tokens handed out before are no longer valid.',
} as const

export type Done = keyof typeof DONE

const REFRESH_SECONDS = {least: 2, usual: 5, most: 60}

/** The page as HTML5. */
export function layOut(visit: Visit, view: View): string {
  const refresh = refreshSeconds(visit)
  const tab = view.tab ?? (typeof view.title === 'string' ? view.title : '')
  const here = addressWith(visit, {before: visit.query.get('before')})
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refresh ? html`<meta http-equiv="refresh" content="${refresh}; url=${here}">` : ''}
<title>${tab} · bookctl local sandbox</title>
<link rel="icon" href="data:,">
<style>${raw(SITE_STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<div class="bar"><p class="name"><a href="/">bookctl local sandbox</a> <span class="status wait">TEST mode</span></p>
<p class="clock"><span class="soft">Service time</span> <time datetime="${isoTime(visit.now)}">${instant(isoTime(visit.now))}</time></p></div>
<nav class="sections" aria-label="Sections"><ul>${SECTIONS.map(([name, path]) => section(visit, name, path))}</ul></nav>
</header>
<main id="main" tabindex="-1">
<div class="head"><h1>${view.title}</h1><p class="refresh">${refreshLinks(visit, here, refresh)}</p></div>
${doneNote(visit)}
${view.main}
</main>
</body>
</html>
`)
}

function section(visit: Visit, name: string, path: string): Piece {
  const isHere = path === '/' ? visit.path === '/' : `${visit.path}/`.startsWith(`${path}/`)
  return html`<li><a href="${path}"${isHere ? html` aria-current="page"` : ''}>${name}</a></li>`
}

function refreshLinks(visit: Visit, here: string, refresh: number | null): Piece {
  const before = visit.query.get('before')
  return refresh === null
    ? html`<a href="${here}">Refresh</a> <a href="${addressWith(visit, {before, refresh: String(REFRESH_SECONDS.usual)})}">Refresh every ${REFRESH_SECONDS.usual} s</a>`
    : html`<span class="soft">Refreshed every ${refresh} s.</span> <a href="${addressWith(visit, {before, refresh: null})}">Stop</a>`
}

/** Seconds after which the page is to be loaded again, or null. */
function refreshSeconds(visit: Visit): number | null {
  const {least, most} = REFRESH_SECONDS
  const asked = Number(visit.query.get('refresh') ?? '')
  return Number.isInteger(asked) && asked >= least && asked <= most ? asked : null
}

function doneNote(visit: Visit): Piece {
  const name = visit.query.get('done')
  if (name === null || !Object.hasOwn(DONE, name)) return html``
  return html`<p class="note" role="status">${DONE[name as Done]}</p>`
}
