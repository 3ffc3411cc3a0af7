/** `/ui/subscriptions`: who receives events, and which. Signing secrets are not shown: the service never does again. */
import {browseSubscriptions} from '../store/browse.js'
import {brief, code, html, identifier, nothing, shown, status, table} from './parts.js'
import {pager, pagingOf, type View, type Visit} from './visit.js'

export function subscriptionList(visit: Visit): View {
  const found = browseSubscriptions(visit.service.database, pagingOf(visit))
  const rows = found.items.map(({subscription, clientId}) => [
    html`${identifier(subscription.id)}<br><a href="/ui/deliveries?subscription=${encodeURIComponent(subscription.id)}">its deliveries</a>`,
    status(subscription.is_active ? 'active' : 'passive'),
    brief(subscription.url),
    html`${subscription.events.map(type => html`<div>${shown(type)}</div>`)}`,
    code(clientId),
  ])
  const columns = ['Subscription', 'Status', 'Address', 'Events', 'Client']
  return {
    title: 'Subscriptions',
    main: html`<section class="card" aria-label="Subscriptions">
${
  rows.length > 0
    ? table('Subscriptions', columns, rows)
    : nothing('No subscription. Receive events here:', 'bookctl webhooks listen --subscribe')
}
${pager(visit, found)}</section>`,
  }
}
