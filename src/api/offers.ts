/** Finds the offers of a search answer, whatever its shape (§2.3 promises offer_id and nothing else). */
import {inDocumentOrder, type Node, own} from './json-walk.js'

export interface OfferNode {
  readonly offerId: string
  readonly node: Node
}

/** Every object with an `offer_id` string, in document order, each id once. */
export function findOffers(json: unknown): OfferNode[] {
  const found = new Map<string, OfferNode>()
  for (const node of inDocumentOrder(json)) {
    const offerId = own(node.value, 'offer_id')
    if (typeof offerId !== 'string' || offerId === '' || found.has(offerId)) continue
    found.set(offerId, {offerId, node})
  }
  return [...found.values()]
}
