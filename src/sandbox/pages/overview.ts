/** `/`: how to connect, the clock, contents, clients, the latest of everything, and the reset. */

import {fromMinor} from '../../contract/money.js'
import {money} from '../base/wording.js'
import {API_PATH, KEPT_REQUESTS} from '../http/requests.js'
import {browseDeliveries, browseEvents, browseReservations, countAll, countByStatus} from '../store/browse.js'
import {listClients} from '../store/clients.js'
import {clockForms} from './actions.js'
import {deliveryTable} from './deliveries.js'
import {eventTable} from './events.js'
import type {View, Visit} from './layout.js'
import {button, html, identifier, linkTo, nothing, type Piece, shown, status, table} from './parts.js'
import {requestTable} from './requests.js'
import {reservationTable} from './reservations.js'

const LATEST = {before: null, limit: 5}

export function overview(visit: Visit): View {
  const {database, requests} = visit.service
  const reservations = browseReservations(database, {status: null, search: ''}, LATEST).items
  const events = browseEvents(database, {type: null, reservationRef: null}, LATEST).items
  const anyDelivery = {status: null, subscriptionId: null, eventId: null}
  const deliveries = browseDeliveries(database, anyDelivery, LATEST).items
  return {
    title: 'Overview',
    main: html`<div class="pair">
<section class="card" aria-labelledby="where"><h2 id="where">Connect</h2>${connection(visit)}</section>
<section class="card" aria-labelledby="clock"><h2 id="clock">Advance the clock</h2>${clockForms(visit)}</section>
</div>
<section class="card" aria-labelledby="counts"><h2 id="counts">Contents</h2>${counts(visit)}</section>
<section class="card" aria-labelledby="clients"><h2 id="clients">Clients</h2>${clients(visit)}</section>
${latest('reservations', 'Latest reservations', reservationTable(visit, reservations))}
${latest('events', 'Latest events', eventTable(visit, events))}
${latest('deliveries', 'Latest deliveries', deliveryTable(visit, deliveries))}
${latest('requests', 'Latest requests', requestTable(visit, requests.list().slice(-5).reverse()))}
<section class="card" aria-labelledby="reset"><h2 id="reset">Reset</h2>
<details><summary>Reset the sandbox</summary>
<p>Deletes all reservations, events, deliveries, subscriptions, tokens and faults, and sets the clock back. This cannot be undone.</p>
${button('/ui/reset', 'Delete everything', {}, 'danger')}</details></section>`,
  }
}

function connection({origin}: Visit): Piece {
  const lines = [
    `export BOOKCTL_BASE_URL=${origin}${API_PATH}`,
    'export BOOKCTL_CLIENT_ID=cid_sandbox',
    'export BOOKCTL_CLIENT_SECRET=sk_test_sandbox',
  ]
  return html`<p>Base URL: <code>${origin}${API_PATH}</code> · <a href="/openapi.json">OpenAPI description</a></p>
<p>In a terminal, <code>eval "$(bookctl sandbox env)"</code> or:</p>
<pre tabindex="0" aria-label="Lines for a shell"><code>${lines.join('\n')}</code></pre>
<p class="soft">Every local sandbox starts with these credentials; they are not secret.</p>`
}

function counts({service: {database, requests, faults}}: Visit): Piece {
  const entries: [string, number, Piece | string][] = [
    ['reservations', ...tally(countByStatus(database, 'reservations'))],
    ['events', countAll(database, 'events'), ''],
    ['deliveries', ...tally(countByStatus(database, 'deliveries'))],
    ['subscriptions', countAll(database, 'subscriptions'), ''],
    ['requests', requests.list().length, html`<span class="soft">the last ${KEPT_REQUESTS} at most</span>`],
    ['faults', faults.list().length, ''],
  ]
  return html`<ul class="counts">${entries.map(
    ([name, count, more]) =>
      html`<li>${linkTo([name], html`<strong>${count}</strong> ${name}`)} ${more}</li>`,
  )}</ul>`
}

function tally(byStatus: ReadonlyMap<string, number>): [number, Piece] {
  const entries = [...byStatus]
  const sum = entries.reduce((total, [, count]) => total + count, 0)
  return [
    sum,
    html`${entries.map(([word, count]) => html`<span class="nowrap">${count} ${status(word)}</span> `)}`,
  ]
}

function clients({service: {database}}: Visit): Piece {
  const rows = listClients(database).map(client => {
    const balance = fromMinor(BigInt(client.balance_minor), client.currency)
    return [
      html`${identifier(client.client_id)}<br><span class="soft">${shown(client.name)}</span>`,
      html`<span class="money">${money(balance, client.currency)}</span>`,
      html`<span class="money">${money(fromMinor(0n, client.currency), client.currency)}</span>`,
      html`<span class="soft">${client.scopes}</span>`,
    ]
  })
  return table('Clients', ['Client', 'Balance', 'Credit', 'Scopes'], rows)
}

function latest(list: string, heading: string, content: Piece | null): Piece {
  return html`<section class="card" aria-labelledby="${list}"><h2 id="${list}">${heading}</h2>${
    content ?? nothing(`No ${list} yet.`)
  }${content ? html`<p>${linkTo([list], `All ${list}`)}</p>` : ''}</section>`
}
