/**
 * Lists and runs drills. A drill creates a situation that rarely occurs, so that a partner's program shows how it
 * reacts (`sandbox drill`).
 */
import {z} from 'zod'
import {isoTime} from '../../contract/dates.js'
import {plainText} from '../../contract/records.js'
import {invalidField, Refusal} from '../base/answers.js'
import {DRILLS, type Drill, type DrillFault, SLOW} from '../certify/drills.js'
import {judge} from '../certify/judge.js'
import {chaosSeries, findShortest} from '../delivery/chaos.js'
import {playSeries, type Receiver, type SentDelivery} from '../delivery/series.js'
import {FAULT_NUMBERS, FAULT_OPERATIONS, faultRequest} from '../http/faults.js'
import {evidenceOf} from '../http/recording.js'
import {type RunningService, validate} from '../http/requests.js'
import {activeSubscriptions} from '../store/webhooks.js'

/**
 * Lists all drills, each with the rule that it tests, the verdict on that rule, and whether the client has met the
 * drill.
 */
export function listDrills(service: RunningService, clientId: string) {
  const evidence = evidenceOf(service, clientId, 0)
  const {rules} = judge(evidence, clientId)
  const drills = DRILLS.map(({name, rule, shows, isShown}) => {
    const verdict = rules.find(each => each.rule === rule)?.verdict ?? 'not_shown'
    return {drill: name, rule, shown: isShown(evidence), verdict, shows}
  })
  return {client_id: clientId, drills}
}

const drillOrder = z.strictObject({
  client_id: plainText().optional(),
  drills: z.array(z.enum(DRILLS.map(({name}) => name))).min(1),
  /** The operation that the fault hits. Only for drills that allow any operation. */
  operation: z.enum(FAULT_OPERATIONS).optional(),
  /** The delay in seconds. Only for the drill `slow`. */
  slow_seconds: z
    .number()
    .min(0.001)
    .max(FAULT_NUMBERS.latency_ms.max / 1000)
    .optional(),
})

/**
 * Events are a minute apart. A drill continues after an event that the receiver has refused, because it must refuse
 * some.
 */
const OF_DRILLS = {spacingSeconds: 60, endsWhenWrong: false}

export function readDrillOrder(json: unknown) {
  return validate(drillOrder, json)
}

/**
 * Injects the fault of each drill that has one, then sends the events of the other drills to the active subscriptions
 * of the client. Resolves when all deliveries were attempted. Throws a Refusal, before anything is done, if an argument
 * does not apply or there is no subscription to send events to.
 */
export async function runDrills(
  service: RunningService,
  clientId: string,
  order: z.infer<typeof drillOrder>,
) {
  const {operation, slow_seconds} = order
  const chosen = DRILLS.filter(({name}) => order.drills.includes(name))
  const fixed = chosen.filter(({takesOperation}) => takesOperation !== true)
  if (operation !== undefined && fixed.length > 0) {
    const problem = `is for ${namesOf(DRILLS.filter(({takesOperation}) => takesOperation))} only`
    throw invalidField('operation', 'invalid_value', problem)
  }
  const isSlow = chosen.some(({name}) => name === 'slow')
  if (slow_seconds !== undefined && !isSlow) {
    throw invalidField('slow_seconds', 'invalid_value', 'is for slow only')
  }
  const receivers = chosen.some(({does}) => 'series' in does) ? receiversOf(service, clientId) : []
  const done = []
  for (const {name, rule, shows, does} of chosen) {
    if ('series' in does) continue
    const fault = faultOf(name, does, {clientId, operation, slow_seconds})
    service.faults.push({...fault, left: fault.times})
    const facts = {drill: name, rule, shows: shownBy(shows, {operation, slow_seconds})}
    done.push({...facts, fault, deliveries: null})
  }
  for (const {name, rule, shows, does} of chosen) {
    if (!('series' in does)) continue
    const {series} = does
    const played = await Promise.all(
      receivers.map(receiver => playSeries(service, receiver, series, OF_DRILLS)),
    )
    done.push({drill: name, rule, shows, fault: null, deliveries: played.flat().map(shownDelivery)})
  }
  return {client_id: clientId, drills: done}
}

const namesOf = (drills: readonly Drill[]) => drills.map(({name}) => name).join(' and ')

interface Choices {
  readonly clientId: string
  readonly operation: string | undefined
  readonly slow_seconds: number | undefined
}

/** Returns what a drill shows, with the operation and the seconds that were chosen in place of its own. */
function shownBy(shows: string, {operation, slow_seconds}: Omit<Choices, 'clientId'>): string {
  const isSlower = slow_seconds !== undefined && shows.endsWith(SLOW)
  const all = isSlower ? shows.replace(SLOW, `${slow_seconds} s`) : shows
  return operation === undefined ? all : all.replace('the next booking', `the next request of ${operation}`)
}

function faultOf(name: string, fault: DrillFault, {clientId, operation, slow_seconds}: Choices) {
  const isSlower = name === 'slow' && slow_seconds !== undefined
  return validate(faultRequest, {
    ...fault,
    ...(operation !== undefined && {operation}),
    ...(isSlower && {latency_ms: Math.round(slow_seconds * 1000)}),
    client_id: clientId,
  })
}

/** Returns the active subscriptions of the client. Throws the Refusal `subscription_not_found` if there are none. */
function receiversOf({database}: RunningService, clientId: string): Receiver[] {
  const receivers = activeSubscriptions(database, clientId).map(subscription => ({clientId, subscription}))
  if (receivers.length > 0) return receivers
  throw new Refusal('subscription_not_found', `${clientId} has no active subscription to send events to`)
}

function shownDelivery({
  deliveryId,
  eventId,
  type,
  created,
  forgery,
  status,
  milliseconds,
  error,
}: SentDelivery) {
  return {
    delivery_id: deliveryId,
    event_id: eventId,
    type,
    created: isoTime(created),
    forgery: forgery ?? null,
    status,
    ms: milliseconds,
    error,
  }
}

const chaosOrder = z.strictObject({client_id: plainText().optional(), seed: plainText()})

export function readChaosOrder(json: unknown) {
  return validate(chaosOrder, json)
}

/** Events are twenty minutes apart, so that a late one is hours old, like an event that is delivered again. */
const OF_CHAOS = {spacingSeconds: 20 * 60, endsWhenWrong: true}
const MOST_PLAYS = 100
const MOST_CHAOS_SECONDS = 60

/**
 * Plays the deliveries that the seed selects to each active subscription of the client, one subscription after the
 * other. Throws the Refusal `subscription_not_found` if there are none.
 */
export async function runChaos(service: RunningService, clientId: string, seed: string) {
  const subscriptions = []
  for (const receiver of receiversOf(service, clientId)) {
    const {id, url} = receiver.subscription
    const until = performance.now() + MOST_CHAOS_SECONDS * 1000
    const {plays, shortest, isRepeatable} = await findShortest(
      chaosSeries(seed),
      series => playSeries(service, receiver, series, OF_CHAOS),
      {mostPlays: MOST_PLAYS, isOver: () => performance.now() > until || service.closing.aborted},
    )
    subscriptions.push({
      subscription_id: id,
      url,
      ok: shortest === undefined,
      deliveries: chaosSeries(seed).flat().length,
      plays,
      repeatable: isRepeatable ?? null,
      shortest: (shortest ?? []).map(shownPart),
    })
  }
  return {client_id: clientId, seed, subscriptions}
}

/** Describes one delivery of a series, relative to the deliveries before it. */
function shownPart(sent: SentDelivery, n: number, part: readonly SentDelivery[]) {
  const before = part.slice(0, n)
  return {
    ...shownDelivery(sent),
    /** Whether the event was sent at the same time as the previous one. */
    overlaps: part[n - 1]?.group === sent.group,
    again: before.some(({eventId}) => eventId === sent.eventId),
    older: before.some(({created}) => created > sent.created),
  }
}
