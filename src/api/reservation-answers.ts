/** Which reservation an answer is about: none that was not asked for is ever taken for it. */
import {Failure} from '../contract/failure.js'
import {sanitizeLine} from '../contract/foreign-text.js'
import type {Answer} from './api.js'
import {inDocumentOrder, type Node} from './json-walk.js'
import {type ReadReservation, readReservation} from './shapes.js'

/** Every object with a reference that lies in no other such object, in the order of the document. */
export function outermostReservations(json: unknown): ReadReservation[] {
  const inside = new Set<Node>()
  return [...inDocumentOrder(json)].flatMap(node => {
    if (node.parent && inside.has(node.parent)) {
      inside.add(node)
      return []
    }
    const own = hasReference(node) ? readReservation(node.value) : undefined
    if (!own) return []
    inside.add(node)
    return [own]
  })
}

function hasReference({value}: Node): boolean {
  return Object.hasOwn(value, 'reservation_ref') || Object.hasOwn(value, 'reservationRef')
}

/**
 * The reservation asked about; undefined where the answer names none. Throws Failure of `kind` where it names others
 * alone: `outcome_unknown` after a change.
 */
export function reservationIn(
  answer: Answer,
  reference: string,
  kind: 'service_failed' | 'outcome_unknown' = 'service_failed',
): ReadReservation | undefined {
  const found = outermostReservations(answer.json)
  const [first] = found
  if (!first) return undefined
  const own = found.find(({reservation_ref}) => isSame(reservation_ref, reference))
  // What stands beside a single one, such as where to pay, belongs to it.
  if (own) return found.length === 1 ? readReservation(answer.json) : own
  const other = sanitizeLine(first.reservation_ref, 64)
  const what = kind === 'outcome_unknown' ? `; what became of ${reference} is not known` : ''
  throw new Failure(kind, `the service answered about another reservation, ${other}${what}`, {
    code: 'another_reservation',
    status: answer.status,
    ...(answer.requestId === undefined ? {} : {requestId: answer.requestId}),
  })
}

function isSame(left: string, right: string): boolean {
  return left.trim().toLowerCase() === right.trim().toLowerCase()
}
