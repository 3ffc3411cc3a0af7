/** Which reservation an answer is about: none that was not asked for is ever taken for it. */
import {itemAskedFor} from './another.js'
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
 * The reservation asked about; undefined where the answer names none. Throws Failure where it names only others, by
 * `changes` as `itemAskedFor` does.
 */
export function reservationIn(
  answer: Answer,
  reference: string,
  changes = false,
): ReadReservation | undefined {
  const found = outermostReservations(answer.json)
  const asked = {what: 'reservation', id: reference, changes}
  const own = itemAskedFor(answer, asked, found, ({reservation_ref}) => [reservation_ref])
  // What stands beside a single one, such as where to pay, belongs to it.
  return own && found.length === 1 ? readReservation(answer.json) : own
}
