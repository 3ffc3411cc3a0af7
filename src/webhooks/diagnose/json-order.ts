/** The order of keys: as the service writes them, sorted, or any other a few keys can have. */
import {type JsonMember, type JsonNode, type JsonObject, meaningOf} from './json-tree.js'

/** The order in which §2.8 and the records of the service name their fields; other fields follow as they stand. */
const KNOWN_ORDERS: readonly (readonly string[])[] = [
  ['id', 'type', 'created', 'data'],
  [
    ...['object', 'reservation_ref', 'client_reference_id', 'status', 'reason', 'fee', 'refund_amount'],
    ...['amount', 'currency', 'payment_status', 'failure_code', 'voucher', 'changes', 'test'],
  ],
  ['object', 'reservation_ref', 'status', 'client_reference_id'],
  ['url', 'expires_at'],
  ['field', 'old', 'new'],
]

/** Ours: up to so many keys are tried in every order: 5,040 of them. */
const MOST_PERMUTED_KEYS = 7

/** Every object in the order the interface names its fields. `variant` chooses among known orders of one object. */
export function inKnownOrder(node: JsonNode, variant: 0 | 1 = 0): JsonNode {
  return mapObjects(node, members => {
    const names = members.map(({key}) => meaningOf(key))
    const fitting = KNOWN_ORDERS.filter(order => order[0] !== undefined && names.includes(order[0]))
    const order = fitting[variant] ?? fitting[0]
    if (!order) return members
    const rank = (member: JsonMember) => {
      const at = order.indexOf(meaningOf(member.key))
      return at < 0 ? order.length : at
    }
    return members.toSorted((a, b) => rank(a) - rank(b))
  })
}

/** Every object with its keys sorted, as canonical JSON has them. */
export function sorted(node: JsonNode): JsonNode {
  return mapObjects(node, members => members.toSorted((a, b) => compare(meaningOf(a.key), meaningOf(b.key))))
}

/** Whether every object of two keys or more has them sorted. */
export function isSorted(node: JsonNode): boolean {
  let result = true
  mapObjects(node, members => {
    const names = members.map(({key}) => meaningOf(key))
    if (names.some((name, n) => n > 0 && compare(names[n - 1] ?? '', name) > 0)) result = false
    return members
  })
  return result
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function mapObjects(
  node: JsonNode,
  order: (members: readonly JsonMember[]) => readonly JsonMember[],
): JsonNode {
  if (node.kind === 'array') return {kind: 'array', items: node.items.map(item => mapObjects(item, order))}
  if (node.kind !== 'object') return node
  const members = node.members.map(({key, value}) => ({key, value: mapObjects(value, order)}))
  return {kind: 'object', members: order(members)}
}

/**
 * `node` with the keys of its top level, or of the one object inside it that has the most, in every other order; the
 * rest is in the known order. Objects of more than seven keys keep the known ones in front. A generator: there may
 * be thousands.
 */
export function* inOtherOrders(node: JsonNode): Generator<JsonNode> {
  if (node.kind !== 'object') return
  const known = inKnownOrder(node) as JsonObject
  const inner = known.members.reduce(
    (best, {value}, n) => (keysOf(value) > keysOf(known.members[best]?.value) ? n : best),
    0,
  )
  yield* permuted(known)
  const object = known.members[inner]?.value
  if (object?.kind !== 'object') return
  for (const base of [known, node]) {
    const place = base.members.findIndex(({key}) => key.text === known.members[inner]?.key.text)
    for (const value of permuted(object)) {
      yield {
        kind: 'object',
        members: base.members.map((one, n) => (n === place ? {key: one.key, value} : one)),
      }
    }
  }
}

function keysOf(node: JsonNode | undefined): number {
  return node?.kind === 'object' ? node.members.length : 0
}

function* permuted({members}: JsonObject): Generator<JsonObject> {
  const fixed = Math.max(0, members.length - MOST_PERMUTED_KEYS)
  if (fixed > 3) return
  const head = members.slice(0, fixed)
  for (const tail of permutations(members.slice(fixed))) yield {kind: 'object', members: [...head, ...tail]}
}

function* permutations<T>(items: readonly T[]): Generator<T[]> {
  if (items.length <= 1) return yield [...items]
  for (const [n, item] of items.entries()) {
    for (const rest of permutations(items.filter((_, other) => other !== n))) yield [item, ...rest]
  }
}
