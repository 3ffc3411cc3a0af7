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
  code,
  copied,
  facts,
  html,
  link,
  list,
  moveButton,
  nothing,
  type Piece,
  price,
  select,
  shown,
  soft,
  status,
  type View,
  type Visit,
} from './components.js'
import {deliveryRows, eventRows, requestRows, reservationRows} from './lists-and-details.js'

const LATEST = {after: null, limit: 5}

/** A minute; just over the lifetime of an offer; that of a voucher link and of a token; the last delay of §6.4; a day. */
const STEPS = {'+1 min': 60, '+16 min': 960, '+1 h': 3600, '+2 h': 7200, '+8 h': 28_800, '+24 h': 86_400}

export const CLOCK_UNITS: Record<string, number> = {seconds: 1, minutes: 60, hours: 3600, days: 86_400}

export function overview(visit: Visit): View {
  const {path, origin, service} = visit
  const {database, requests, faults} = service
  const latest = (name: string, rows: Parameters<typeof list>[1]['rows']) => {
    const caption = `Latest ${name}`
    const all = rows.length > 0 && html`<p>${link(name, undefined, `All ${name}`)}</p>`
    return card(name, caption, html`${list(visit, {caption, rows, empty: nothing(`No ${name} yet.`)})}${all}`)
  }
  const baseUrl = origin + API_PATH
  const id = MAIN_CLIENT
  const secret = startUpSecret(id)
  const credentials = facts({
    'Base URL': copied(baseUrl, 'the base URL'),
    'Client id': copied(id, 'the client id'),
    'Client secret': copied(secret, 'the client secret'),
    'In a terminal': copied('eval "$(bookctl sandbox env)"', 'the command'),
  })
  const connect = html`${credentials}
<p>Or in any other shell:</p>
<pre tabindex="0" aria-label="Lines for a shell"><code>export BOOKCTL_BASE_URL=${baseUrl}
export BOOKCTL_CLIENT_ID=${id}
export BOOKCTL_CLIENT_SECRET=${secret}</code></pre>
<p><a href="/openapi.json">OpenAPI description</a> <span class="soft">Every local sandbox starts with these credentials; they are not secret.</span></p>`
  const steps = Object.entries(STEPS).map(([text, seconds]) => moveButton(visit, text, seconds))
  const clock = html`<div class="actions">${steps}</div>
<form method="post" action="/ui/clock" class="actions"><input type="hidden" name="back" value="${path}">
<label>Advance by<input type="number" name="amount" min="0" step="any" required inputmode="decimal"></label>
${select('unit', 'Unit', Object.keys(CLOCK_UNITS), 'minutes')}<button>Advance</button></form>
<p class="soft">Advancing the clock runs everything that falls due, each at its own time: offers and tokens expire, payments run out,
events are sent again. The clock only moves forward.</p>`
  const count = (name: string, number: number, more?: Piece) =>
    html`<li>${link(name, undefined, html`<strong>${number}</strong> ${name}`)} ${more}</li>`
  const tally = (table: 'reservations' | 'deliveries') => {
    const byStatus = countByStatus(database, table)
    const each = byStatus.map(
      ([word, number]) => html`<span class="nowrap">${number} ${status(word)}</span> `,
    )
    return count(
      table,
      byStatus.reduce((total, [, number]) => total + number, 0),
      html`${each}`,
    )
  }
  const contents = html`<ul class="counts">${tally('reservations')}
${count('events', countAll(database, 'events'))}${tally('deliveries')}
${count('subscriptions', countAll(database, 'subscriptions'))}
${count('requests', requests.length, soft(`the last ${KEPT_REQUESTS} at most`))}${count('faults', faults.length)}</ul>`
  const clients = listClients(database).map(({client_id, name, balance_minor, currency, scopes}) => ({
    Client: html`${code(client_id)}<br><span class="soft">${shown(name)}</span>`,
    Secret: copied(startUpSecret(client_id), `the secret of ${client_id}`),
    Balance: price(fromMinor(BigInt(balance_minor), currency), currency),
    Credit: price(fromMinor(0n, currency), currency),
    Scopes: soft(scopes),
  }))
  const reset = html`
<details><summary>Reset the sandbox</summary>
<p>Deletes all reservations, events, deliveries, subscriptions, tokens and faults, and sets the clock back. This cannot be undone.</p>
${button('/ui/reset', 'Delete everything', {}, 'danger')}</details>`
  const main = html`${latest('reservations', reservationRows(visit, listReservations(database, {}, LATEST).items))}
${latest('requests', requestRows(visit, requests.slice(-LATEST.limit).reverse()))}
<div class="pair">${card('where', 'Connect', connect)}${card('clock', 'Advance the clock', clock)}</div>
${latest('events', eventRows(visit, listEvents(database, {}, LATEST).items))}
${latest('deliveries', deliveryRows(visit, listDeliveries(database, {}, LATEST).items))}
${card('counts', 'Contents', contents)}
${card('clients', 'Clients', list(visit, {caption: 'Clients', rows: clients}))}
${card('reset', 'Reset', reset)}`
  return {title: 'Overview', main}
}
