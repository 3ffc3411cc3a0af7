/** `/`: how to connect, the clock, contents, clients, the latest of everything, and the reset. */
import {fromMinor} from '../../contract/money.js'
import {API_PATH, KEPT_REQUESTS} from '../http/requests.js'
import {listClients, startUpSecret} from '../store/clients.js'
import {listDeliveries} from '../store/deliveries.js'
import {listEvents} from '../store/events.js'
import {countAll, countByStatus} from '../store/lists.js'
import {listReservations} from '../store/reservations.js'
import {clockForms} from './actions.js'
import {deliveryTable, eventTable} from './events.js'
import type {View, Visit} from './layout.js'
import {
  button,
  card,
  copied,
  facts,
  html,
  identifier,
  linkTo,
  nothing,
  type Piece,
  price,
  shown,
  soft,
  status,
  table,
} from './parts.js'
import {requestTable} from './requests.js'
import {reservationTable} from './reservations.js'

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
${latest('requests', requests.list().slice(-LATEST.limit).reverse(), requestTable)}
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
  const id = 'cid_sandbox'
  const secret = startUpSecret(id)
  const lines = [
    `export BOOKCTL_BASE_URL=${baseUrl}`,
    `export BOOKCTL_CLIENT_ID=${id}`,
    `export BOOKCTL_CLIENT_SECRET=${secret}`,
  ]
  const given = facts([
    ['Base URL', copied(baseUrl, 'the base URL')],
    ['Client id', copied(id, 'the client id')],
    ['Client secret', copied(secret, 'the client secret')],
    ['In a terminal', copied('eval "$(bookctl sandbox env)"', 'the command')],
  ])
  return html`${given}
<p>Or in any other shell:</p>
<pre tabindex="0" aria-label="Lines for a shell"><code>${lines.join('\n')}</code></pre>
<p><a href="/openapi.json">OpenAPI description</a> <span class="soft">Every local sandbox starts with these credentials; they are not secret.</span></p>`
}

function counts({service: {database, requests, faults}}: Visit): Piece {
  const entries: [string, number, Piece | string][] = [
    ['reservations', ...tally(countByStatus(database, 'reservations'))],
    ['events', countAll(database, 'events'), ''],
    ['deliveries', ...tally(countByStatus(database, 'deliveries'))],
    ['subscriptions', countAll(database, 'subscriptions'), ''],
    ['requests', requests.list().length, soft(`the last ${KEPT_REQUESTS} at most`)],
    ['faults', faults.list().length, ''],
  ]
  return html`<ul class="counts">${entries.map(
    ([name, count, more]) =>
      html`<li>${linkTo([name], html`<strong>${count}</strong> ${name}`)} ${more}</li>`,
  )}</ul>`
}

function tally(byStatus: ReadonlyMap<string, number>): [number, Piece] {
  const sum = [...byStatus.values()].reduce((total, count) => total + count, 0)
  const parts = [...byStatus].map(
    ([word, count]) => html`<span class="nowrap">${count} ${status(word)}</span> `,
  )
  return [sum, html`${parts}`]
}

function clients({service: {database}}: Visit): Piece {
  const rows = listClients(database).map(({client_id, name, balance_minor, currency, scopes}) => [
    html`${identifier(client_id)}<br><span class="soft">${shown(name)}</span>`,
    copied(startUpSecret(client_id), `the secret of ${client_id}`),
    price(fromMinor(BigInt(balance_minor), currency), currency),
    price(fromMinor(0n, currency), currency),
    soft(scopes),
  ])
  return table('Clients', ['Client', 'Secret', 'Balance', 'Credit', 'Scopes'], rows)
}
