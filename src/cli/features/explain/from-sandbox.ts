/** Reads what a local sandbox reports: its clock, the requests that it received, and the deliveries that it made. */
import type {Sender} from '../../../api/types.js'
import {SendError} from '../../../api/types.js'
import {instantOf} from '../../../contract/dates.js'
import {SANDBOX_MARK} from '../../../contract/identifiers.js'
import {isObject, type JsonObject, parseJson} from '../../../contract/json.js'
import {isSuccess} from '../../../contract/operations.js'
import type {Delivery, Moment, RequestFact} from './facts.js'
import {requestOfSandbox} from './from-requests.js'
import {answerText} from './words.js'

export type SandboxView = ReturnType<typeof createSandboxView>

/** Time limit of a request. A sandbox is on this machine, so it answers at once or not at all. */
const SECONDS = 5
/** Maximum number of deliveries that are searched for an event. */
const MOST_DELIVERIES = 5000

/** Creates a view of the sandbox at `origin`. Its functions return undefined if no sandbox answers there. */
export function createSandboxView(sender: Sender, origin: string) {
  const get = async (path: string): Promise<JsonObject | undefined> => {
    const request = {method: 'GET', url: `${origin}/_sandbox${path}`, headers: {accept: 'application/json'}}
    const policy = {repeatable: false, mostAttempts: 1, timeoutSeconds: SECONDS}
    const answer = await sender.send(request, policy).catch(error => {
      if (error instanceof SendError) return undefined
      throw error
    })
    if (answer === undefined || !isSuccess(answer)) return undefined
    if (answer.headers[SANDBOX_MARK.header] !== SANDBOX_MARK.value) return undefined
    const json = parseJson(answer.body)
    return isObject(json) ? json : undefined
  }
  const listOf = async (path: string): Promise<JsonObject[] | undefined> => {
    const data = (await get(path))?.data
    return Array.isArray(data) ? data.filter(isObject) : undefined
  }
  const requestById = async (id: string): Promise<RequestFact | undefined> => {
    const data = (await get(`/requests/${encodeURIComponent(id)}`))?.data
    return isObject(data) ? requestOfSandbox(data) : undefined
  }
  const deliveriesAt = async (path: string) => (await listOf(path))?.flatMap(each => deliveryOf(each) ?? [])
  return {
    origin,
    /** Returns the sandbox's time in Unix seconds. */
    async now(): Promise<number | undefined> {
      const now = (await get('/clock'))?.now
      return typeof now === 'string' ? instantOf(now) : undefined
    },
    deliveriesOf: (reference: string) =>
      deliveriesAt(`/deliveries?reservation_ref=${encodeURIComponent(reference)}`),
    /** Returns the deliveries of an event, among the newest MOST_DELIVERIES. */
    async deliveriesOfEvent(eventId: string) {
      const all = await deliveriesAt(`/deliveries?limit=${MOST_DELIVERIES}`)
      return all?.filter(each => each.eventId === eventId)
    },
    requestById,
    /** Returns the logged requests, oldest first. Their answers are read only for refused reservations. */
    async requests(): Promise<RequestFact[] | undefined> {
      const entries = await listOf('/requests')
      if (entries === undefined) return undefined
      const requests: RequestFact[] = []
      for (const request of entries.flatMap(entry => requestOfSandbox(entry) ?? [])) {
        const isRefused = request.method === 'POST' && (request.status ?? 0) >= 400
        const whole =
          isRefused && request.requestId !== null ? await requestById(request.requestId) : undefined
        requests.push(whole ?? request)
      }
      return requests
    },
  }
}

function deliveryOf(entry: JsonObject): Delivery | undefined {
  const {delivery_id, subscription_id, event_id, type, reservation_ref, status, next_attempt_at} = entry
  const names = [delivery_id, subscription_id, event_id, type]
  if (!names.every(name => typeof name === 'string')) return undefined
  if (status !== 'PENDING' && status !== 'DELIVERED' && status !== 'ABANDONED') return undefined
  const [deliveryId = '', subscriptionId = '', eventId = '', typeOfEvent = ''] = names as string[]
  const attempts = Array.isArray(entry.attempts) ? entry.attempts.filter(isObject) : []
  return {
    deliveryId,
    subscriptionId,
    eventId,
    type: typeOfEvent,
    reservationRef: typeof reservation_ref === 'string' ? reservation_ref : null,
    status,
    nextAttemptAt: typeof next_attempt_at === 'string' ? (instantOf(next_attempt_at) ?? null) : null,
    attempts: attempts.map(({at, status: answered, error}) => ({
      at: (typeof at === 'string' ? instantOf(at) : undefined) ?? 0,
      status: typeof answered === 'number' ? answered : null,
      error: typeof error === 'string' ? error : null,
    })),
  }
}

export function deliveryMoments(delivery: Delivery): Moment[] {
  const {deliveryId, subscriptionId, eventId, type, reservationRef, attempts, status, nextAttemptAt} =
    delivery
  const ids = {
    source: 'sandbox',
    event_id: eventId,
    delivery_id: deliveryId,
    subscription_id: subscriptionId,
    ...(reservationRef !== null && {reservation_ref: reservationRef}),
  } as const
  const moments: Moment[] = attempts.map((attempt, index) => {
    const answer = answerText(attempt.status, attempt.error)
    return {
      at: attempt.at,
      what: `${type} sent to ${subscriptionId}, attempt ${index + 1}: ${answer}`,
      ...ids,
    }
  })
  const last = attempts.at(-1)?.at ?? 0
  if (status === 'ABANDONED')
    moments.push({at: last, what: `${type} to ${subscriptionId} given up by the service`, ...ids})
  if (status === 'PENDING' && nextAttemptAt !== null)
    moments.push({at: nextAttemptAt, what: `${type} to ${subscriptionId} is due again`, ...ids})
  return moments
}
