/**
 * `/ui/subscriptions`: who receives events, and which. Signing secrets are not shown: the service never shows them again.
 * `/ui/deliveries` and `/ui/deliveries/{id}`: each event on its way to each subscriber, with every attempt (§6.4).
 */
import {DELIVERY_ATTEMPTS} from '../../contract/limits.js'
import {notFound} from '../base/answers.js'
import {counted} from '../base/wording.js'
import {
  browseDeliveries,
  browseSubscriptions,
  findListedDelivery,
  type ListedDelivery,
} from '../store/browse.js'
import type {Attempt} from '../store/deliveries.js'
import {moveButton} from './actions.js'
import {filterForm, filterOf, pager, pagingOf, type View, type Visit} from './layout.js'
import {
  brief,
  button,
  code,
  facts,
  html,
  httpStatus,
  identifier,
  linkToOne,
  nothing,
  type Piece,
  pathOf,
  select,
  shown,
  status,
  table,
  time,
} from './parts.js'

const STATUSES = ['PENDING', 'DELIVERED', 'ABANDONED']

export function deliveryList(visit: Visit): View {
  const wanted = filterOf(visit, 'status')
  const subscriptionId = filterOf(visit, 'subscription')
  const filter = {status: wanted, subscriptionId, eventId: null}
  const found = browseDeliveries(visit.service.database, filter, pagingOf(visit))
  return {
    title: 'Deliveries',
    main: html`<section class="card" aria-label="Deliveries">
${filterForm(visit, [
  select('status', 'Status', STATUSES, wanted, 'any'),
  html`<label>Subscription<input type="search" name="subscription" value="${subscriptionId ?? ''}" maxlength="100" placeholder="whsub_…"></label>`,
])}
${deliveryTable(visit, found.items) ?? nothing('No deliveries. To receive the next event:', 'bookctl webhooks listen --subscribe')}
${pager(visit, found)}</section>`,
  }
}

export function deliveryDetail(visit: Visit): View {
  const id = visit.parameters.delivery_id ?? ''
  const found = findListedDelivery(visit.service.database, id)
  if (!found) throw notFound('delivery', id)
  const {delivery} = found
  return {
    title: html`Delivery ${code(delivery.delivery_id)}`,
    tab: delivery.delivery_id,
    main: html`<section class="card" aria-labelledby="facts"><h2 id="facts">Delivery</h2>
${facts([
  ['Status', status(delivery.status)],
  ['Event', html`${linkToOne('events', delivery.event_id)} ${code(delivery.type)}`],
  ['Subscription', code(delivery.subscription_id)],
  [
    'Sent to',
    found.url === null ? html`<span class="soft">the subscription is gone</span>` : code(found.url),
  ],
  ['Next attempt', delivery.next_attempt_at === null ? 'none' : nextAttempt(visit, found)],
])}</section>
<section class="card" aria-labelledby="attempts"><h2 id="attempts">Attempts</h2>
${delivery.attempts.length > 0 ? attemptTable(visit, delivery.attempts) : nothing('No attempts yet.')}</section>
${whatToDo(visit, found)}`,
  }
}

function nextAttempt(visit: Visit, {delivery, active}: ListedDelivery): Piece {
  if (!active) return html`<span class="soft">waiting: the subscription is passive</span>`
  return html`number ${delivery.attempts.length + 1} of ${DELIVERY_ATTEMPTS}, ${time(delivery.next_attempt_at, visit.now)}`
}

function whatToDo(visit: Visit, {delivery, url, active}: ListedDelivery): Piece {
  if (url === null) return html``
  const next = delivery.next_attempt_at
  const wait = next === null ? 0 : Math.ceil(Date.parse(next) / 1000 - visit.now)
  return html`<section class="card" aria-labelledby="do"><h2 id="do">Send again</h2>
<div class="actions">${button(`${pathOf(['deliveries', delivery.delivery_id])}/redeliver`, 'Deliver again now', {}, 'strong')}
${active && next !== null && wait > 0 ? moveButton(visit, 'Advance the clock to the next attempt', wait) : ''}</div></section>`
}

function attemptTable(visit: Visit, attempts: readonly Attempt[]): Piece {
  const rows = attempts.map(attempt => [
    html`${attempt.n}`,
    time(attempt.at, visit.now),
    httpStatus(attempt.status),
    attempt.ms === null ? html`–` : html`<span class="nowrap">${attempt.ms} ms</span>`,
    attempt.error === null ? html`<span class="soft">none</span>` : shown(attempt.error),
  ])
  return table('Attempts', ['Attempt', 'Time', 'Response', 'Duration', 'Error'], rows)
}

/** Null when there is none. */
export function deliveryTable({now}: Visit, found: readonly ListedDelivery[]): Piece | null {
  if (found.length === 0) return null
  const rows = found.map(({delivery, url}) => [
    html`${linkToOne('deliveries', delivery.delivery_id)}<br>${linkToOne('events', delivery.event_id)}`,
    identifier(delivery.type),
    status(delivery.status),
    html`${counted(delivery.attempts.length, 'attempt')}${lastError(delivery.attempts.at(-1))}`,
    url === null ? html`<span class="soft">the subscription is gone</span>` : brief(url),
    time(delivery.next_attempt_at, now),
  ])
  return table(
    'Deliveries',
    ['Delivery and event', 'Type', 'Status', 'Attempts', 'Sent to', 'Next attempt'],
    rows,
  )
}

function lastError(attempt: Attempt | undefined): Piece {
  return attempt?.error ? html`<br><span class="soft">${brief(attempt.error)}</span>` : html``
}

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
    : nothing('No subscriptions. To receive events:', 'bookctl webhooks listen --subscribe')
}
${pager(visit, found)}</section>`,
  }
}
