/** The offers of an answer, whatever its shape (§2.3 promises offer_id and nothing else). */
import {inDocumentOrder, type JsonObject, type Node, own} from '../../contract/json.js'

export interface OfferNode {
  readonly offerId: string
  /** Where the id was first seen; its object is the service's own offer. */
  readonly node: Node
  /** The other places that name the same offer. */
  readonly repeats: readonly Node[]
  /** Whether no other offer is in or below an object around this one: then what the object says is about this one. */
  readonly isAloneIn: (around: Node) => boolean
}

/** Every object with an `offer_id` string, under any name and depth, in document order, each id once. */
export function findOffers(json: unknown): OfferNode[] {
  const found = new Map<string, {node: Node; repeats: Node[]}>()
  // The one offer below each object, or null when there are several.
  const below = new Map<Node, string | null>()
  for (const node of inDocumentOrder(json)) {
    const offerId = offerIdOf(node.value)
    if (offerId === undefined) continue
    const seen = found.get(offerId)
    if (seen) seen.repeats.push(node)
    else found.set(offerId, {node, repeats: []})
    for (let around: Node | undefined = node; around; around = around.parent) {
      const other = below.get(around)
      if (other === undefined) below.set(around, offerId)
      else if (other !== offerId) below.set(around, null)
    }
  }
  const isAloneIn = (around: Node) => below.get(around) !== null
  return [...found].map(([offerId, {node, repeats}]) => ({offerId, node, repeats, isAloneIn}))
}

/** The object's own `offer_id`, when it has one. */
export function offerIdOf(value: JsonObject): string | undefined {
  const id = own(value, 'offer_id')
  return typeof id === 'string' && id !== '' ? id : undefined
}
