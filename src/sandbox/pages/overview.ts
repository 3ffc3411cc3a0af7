/** `/`: how to connect, the clock, contents, clients, the latest of everything, and the reset. */
import {fromMinor} from '../../contract/money.js'
import {API_PATH, KEPT_REQUESTS} from '../http/requests.js'
import {listClients, MAIN_CLIENT, startUpSecret} from '../store/clients.js'
import {listDeliveries} from '../store/deliveries.js'
import {listEvents} from '../store/events.js'
import {countAll, countByStatus} from '../store/lists.js'
import {listReservations} from '../store/reservations.js'
import {
  button,
  card,
  copied,
  facts,
  html,
  identifier,
  linkTo,
  moveButton,
  nothing,
  type Piece,
  price,
  select,
  shown,
  soft,
  status,
  table,
  type View,
  type Visit,
} from './components.js'
import {deliveryTable, eventTable, requestTable, reservationTable} from './lists-and-details.js'

const LATEST = {after: null, limit: 5}

export function overview(visit: Visit): View {
  const {database, requests} = visit.service
  const latest = <T>(
    list: string,
    items: readonly T[],
    table: (visit: Visit, items: readonly T[]) => Piece,
  ) => {
    const all = html`${table(visit, items)}<p>${linkTo([list], `All ${list}`)}</p>`
    return card(list, `Latest ${list}`, items.length > 0 ? all : nothing(`No ${list} yet.`))
  }
  const reset = html`
<details><summary>Reset the sandbox</summary>
<p>Deletes all reservations, events, deliveries, subscriptions, tokens and faults, and sets the clock back. This cannot be undone.</p>
${button('/ui/reset', 'Delete everything', {}, 'danger')}</details>`
  const main = html`${latest('reservations', listReservations(database, {}, LATEST).items, reservationTable)}
${latest('requests', requests.slice(-LATEST.limit).reverse(), requestTable)}
<div class="pair">
${card('where', 'Connect', connection(visit))}
${card('clock', 'Advance the clock', clockForms(visit))}
</div>
${latest('events', listEvents(database, {}, LATEST).items, eventTable)}
${latest('deliveries', listDeliveries(database, {}, LATEST).items, deliveryTable)}
${card('counts', 'Contents', counts(visit))}
${card('clients', 'Clients', clients(visit))}
${card('reset', 'Reset', reset)}`
  return {title: 'Overview', main}
}

function connection({origin}: Visit): Piece {
  const baseUrl = origin + API_PATH
  const id = MAIN_CLIENT
  const secret = startUpSecret(id)
  const given = facts({
    'Base URL': copied(baseUrl, 'the base URL'),
    'Client id': copied(id, 'the client id'),
    'Client secret': copied(secret, 'the client secret'),
    'In a terminal': copied('eval "$(bookctl sandbox env)"', 'the command'),
  })
  return html`${given}
<p>Or in any other shell:</p>
<pre tabindex="0" aria-label="Lines for a shell"><code>export BOOKCTL_BASE_URL=${baseUrl}
export BOOKCTL_CLIENT_ID=${id}
export BOOKCTL_CLIENT_SECRET=${secret}</code></pre>
<p><a href="/openapi.json">OpenAPI description</a> <span class="soft">Every local sandbox starts with these credentials; they are not secret.</span></p>`
}

/** A minute; just over the lifetime of an offer; that of a voucher link and of a token; the last delay of §6.4; a day. */
const STEPS = {'+1 min': 60, '+16 min': 960, '+1 h': 3600, '+2 h': 7200, '+8 h': 28_800, '+24 h': 86_400}

export const CLOCK_UNITS: Record<string, number> = {seconds: 1, minutes: 60, hours: 3600, days: 86_400}

function clockForms(visit: Visit): Piece {
  const steps = Object.entries(STEPS).map(([text, seconds]) => moveButton(visit, text, seconds))
  return html`<div class="actions">${steps}</div>
<form method="post" action="/ui/clock" class="actions"><input type="hidden" name="back" value="${visit.path}">
<label>Advance by<input type="number" name="amount" min="0" step="any" required inputmode="decimal"></label>
${select('unit', 'Unit', Object.keys(CLOCK_UNITS), 'minutes')}<button>Advance</button></form>
<p class="soft">Advancing the clock runs everything that falls due, each at its own time: offers and tokens expire, payments run out,
events are sent again. The clock only moves forward.</p>`
}

function counts({service: {database, requests, faults}}: Visit): Piece {
  const tally = (table: 'reservations' | 'deliveries'): [string, number, Piece] => {
    const byStatus = countByStatus(database, table)
    const parts = byStatus.map(([word, count]) => html`<span class="nowrap">${count} ${status(word)}</span> `)
    return [table, byStatus.reduce((total, [, count]) => total + count, 0), html`${parts}`]
  }
  const entries: [string, number, Piece | string][] = [
    tally('reservations'),
    ['events', countAll(database, 'events'), ''],
    tally('deliveries'),
    ['subscriptions', countAll(database, 'subscriptions'), ''],
    ['requests', requests.length, soft(`the last ${KEPT_REQUESTS} at most`)],
    ['faults', faults.length, ''],
  ]
  return html`<ul class="counts">${entries.map(
    ([name, count, more]) =>
      html`<li>${linkTo([name], html`<strong>${count}</strong> ${name}`)} ${more}</li>`,
  )}</ul>`
}

function clients({service: {database}}: Visit): Piece {
  const rows = listClients(database).map(({client_id, name, balance_minor, currency, scopes}) => ({
    Client: html`${identifier(client_id)}<br><span class="soft">${shown(name)}</span>`,
    Secret: copied(startUpSecret(client_id), `the secret of ${client_id}`),
    Balance: price(fromMinor(BigInt(balance_minor), currency), currency),
    Credit: price(fromMinor(0n, currency), currency),
    Scopes: soft(scopes),
  }))
  return table('Clients', rows)
}
