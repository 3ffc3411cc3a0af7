/** Follows bookings whose answer was lost, or a 5xx, through the requests after them. */
import {isSuccess} from '../../contract/operations.js'
import type {SeenRequest} from './evidence.js'
import {isLost, onceEach} from './rule.js'

/** A booking whose outcome the client was not told. */
interface Loss {
  readonly request: SeenRequest
  isRepeated: boolean
  isLookedFor: boolean
  /** When the client learned the outcome, by a look or a repeat, in milliseconds of real time. */
  knownAt: number
  /** When the client received the answer of the booking that was made. */
  answeredAt: number
  /** Whether a look found the booking. */
  isFound: boolean
}

/** Reports whether the answer to a repeat with the same key tells the outcome of the lost booking. */
function tellsOutcome({status, code}: SeenRequest): boolean {
  if (status === null || status >= 500 || code === 'idempotency_in_progress') return false
  return ![401, 403, 408, 425, 429].includes(status)
}

/**
 * Follows every lost booking through the requests after it. `unresolved` are later bookings with the offer or the reference of a
 * lost one, which may have been made: if they are refused, the loss is the reason.
 */
function follow(requests: readonly SeenRequest[]) {
  const losses: Loss[] = []
  const open = new Map<string, Loss[]>()
  const again = new Map<SeenRequest, Loss>()
  const unresolved = new Set<SeenRequest>()
  let lastListing = 0
  const named = (names: (string | undefined)[]) => {
    if (open.size === 0) return []
    return new Set(names.flatMap(name => (name === undefined ? [] : (open.get(name) ?? []))))
  }
  const add = (name: string | undefined, loss: Loss) => {
    if (name !== undefined) open.set(name, [...(open.get(name) ?? []), loss])
  }
  for (const request of requests) {
    const {operation, facts, begun} = request
    if (operation === 'reservations.list' && facts.reference === undefined) lastListing = begun
    if (operation === 'reservations.list' || operation === 'reservations.show') {
      for (const loss of named([facts.reference, facts.reservation])) look(loss, request)
    }
    if (operation !== 'reservations.create') continue
    let isRepeated = false
    for (const loss of named([facts.offer, facts.reference])) {
      if (isSameKey(loss.request, request)) {
        repeat(loss, request)
        isRepeated = true
      } else if (begun >= loss.request.ended) {
        if (loss.answeredAt > begun) unresolved.add(request)
        const hasListed = lastListing >= loss.request.ended
        const mayBook = (loss.knownAt <= begun && !loss.isFound) || hasListed || loss.answeredAt <= begun
        if (!mayBook) again.set(request, loss)
      }
    }
    if (!isLost(request)) continue
    const never = Number.POSITIVE_INFINITY
    const loss = {
      request,
      // A client that repeats a booking, and loses that answer too, has not given up at once.
      isRepeated,
      isLookedFor: false,
      knownAt: never,
      answeredAt: never,
      isFound: false,
    }
    losses.push(loss)
    for (const name of [facts.offer, facts.reference, facts.reservation]) add(name, loss)
  }
  const isGivenUp = ({request, isRepeated, isLookedFor}: Loss) =>
    !isRepeated && !isLookedFor && lastListing < request.ended
  return {losses, again, unresolved, isGivenUp}
}

function look(loss: Loss, request: SeenRequest): void {
  if (request.begun < loss.request.ended) return
  loss.isLookedFor = true
  if (!isSuccess(request)) return
  loss.knownAt = Math.min(loss.knownAt, request.ended)
  if (request.operation === 'reservations.show' || request.facts.isEmpty === false) loss.isFound = true
}

function repeat(loss: Loss, request: SeenRequest): void {
  loss.isRepeated = true
  if (tellsOutcome(request)) loss.knownAt = Math.min(loss.knownAt, request.ended)
  if (isSuccess(request)) loss.answeredAt = Math.min(loss.answeredAt, request.ended)
}

const isSameKey = (one: SeenRequest, other: SeenRequest) =>
  one.facts.key === undefined ? one.facts.body === other.facts.body : one.facts.key === other.facts.key

/** Returns the lost bookings among the requests. Three rules ask for them, so they are found once. */
export const lossesIn = onceEach(follow)
