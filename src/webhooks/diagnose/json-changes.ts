/** What parsers change in JSON: the spelling of numbers and the order of keys. Each guess is what may have been signed. */
import {COMPACT, isObject, type JsonNode, type JsonObject, mapTree, print} from './json.js'

/** One of several values of one kind, with how what is in hand differs from it: nothing for what is in hand. */
export interface Choice<T> {
  readonly value: T
  readonly differences: readonly string[]
}

/** Names of members that hold money in one interface or another. */
const MONEY =
  /amount|price|total|fee|balance|refund|tax|base|cost|rate|old|new|paid|due|deposit|commission|net|gross|value/i

const decimals = (text: string, count: number) => {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d{1,15}))?$/.exec(text) ?? []
  if (whole === '' || fraction.replace(/0+$/, '').length > count) return text
  return `${sign}${whole}.${fraction.slice(0, count).padEnd(count, '0')}`
}

const money = (count: number) => (text: string, member: string) =>
  MONEY.test(member) ? decimals(text, count) : text

/** Rules for all numbers of a body at once, the likely ones first. */
const NUMBER_RULES: readonly [words: string, spell: (text: string, member: string) => string][] = [
  ['amounts with two decimals', money(2)],
  ['amounts with one decimal', money(1)],
  ['amounts with three decimals', money(3)],
  ['fractions with two decimals', text => (text.includes('.') ? decimals(text, 2) : text)],
  ['numbers with two decimals', text => decimals(text, 2)],
  ['numbers with one decimal', text => decimals(text, 1)],
  [
    'amounts without needless zeros',
    text => text.replace(/^(-?\d{1,15}(?:\.\d{0,14}[1-9])?)\.?0{1,15}$/, '$1'),
  ],
]

/** The numbers of `choice` by every rule that changes one. */
export function numberChoices({value, differences}: Choice<JsonNode>): Choice<JsonNode>[] {
  const seen = new Set([print(value, COMPACT)])
  return NUMBER_RULES.flatMap(([words, spell]) => {
    const changed = mapTree(value, (node, member) =>
      typeof node === 'string' && /^[-\d]/.test(node) ? spell(node, member) : node,
    )
    const text = print(changed, COMPACT)
    if (seen.has(text)) return []
    seen.add(text)
    return [{value: changed, differences: [...differences, `numbers (signed was one that has ${words})`]}]
  })
}

/** The order in which §2.8 and the records of the service name their fields; other fields follow as they are. */
const KNOWN_ORDERS: readonly (readonly string[])[] = [
  ['id', 'type', 'created', 'data'],
  [
    'object',
    'reservation_ref',
    'client_reference_id',
    'status',
    'reason',
    'fee',
    'refund_amount',
    'amount',
    'currency',
    'payment_status',
    'failure_code',
    'voucher',
    'changes',
    'test',
  ],
  ['object', 'reservation_ref', 'status', 'client_reference_id'],
  ['url', 'expires_at'],
  ['field', 'old', 'new'],
]

/** Every object in the order the interface names its fields. `variant` chooses among known orders of one object. */
function inKnownOrder(node: JsonNode, variant: 0 | 1 = 0): JsonNode {
  return sortMembers(node, names => {
    const fitting = KNOWN_ORDERS.filter(([first = '']) => names.includes(first))
    const order = fitting[variant] ?? fitting[0] ?? []
    const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
    return (a, b) => rank(a) - rank(b)
  })
}

/** Every object with its keys sorted, as canonical JSON has them. */
function sorted(node: JsonNode): JsonNode {
  return sortMembers(node, () => (a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

function sortMembers(
  node: JsonNode,
  compareIn: (names: readonly string[]) => (a: string, b: string) => number,
): JsonNode {
  return mapTree(node, one => {
    if (!isObject(one)) return one
    const named = one.members.map(member => ({member, name: JSON.parse(member[0])}))
    const compare = compareIn(named.map(({name}) => name))
    return {members: named.sort((a, b) => compare(a.name, b.name)).map(({member}) => member)}
  })
}

/** The orders of keys that a printer may have started from. */
export function orderChoices(node: JsonNode): Choice<JsonNode>[] {
  const order = orderDifference(node)
  const seen = new Set<string>()
  return [
    {value: node, differences: []},
    {value: inKnownOrder(node), differences: [order]},
    {value: inKnownOrder(node, 1), differences: [order]},
    {value: sorted(node), differences: ['key order (signed was one with sorted keys)']},
  ].filter(({value}) => {
    const text = print(value, COMPACT)
    return !seen.has(text) && seen.add(text)
  })
}

export function orderDifference(node: JsonNode): string {
  const isSorted = print(node, COMPACT) === print(sorted(node), COMPACT)
  return isSorted && keysOf(node) > 1 ? 'key order (sorted keys in hand)' : 'key order'
}

/** Up to so many keys are tried in every order: 5,040 of them. */
const MOST_PERMUTED_KEYS = 7

/** `node` with the keys of its top level, or of the largest object in it, in every other order: there may be thousands. */
export function* inOtherOrders(node: JsonNode): Generator<JsonNode> {
  const known = inKnownOrder(node)
  if (!isObject(node) || !isObject(known)) return
  yield* permuted(known)
  const [largest] = known.members.toSorted(([, a], [, b]) => keysOf(b) - keysOf(a))
  if (!isObject(largest?.[1])) return
  for (const {members} of [known, node]) {
    for (const value of permuted(largest[1]))
      yield {members: members.map(([key, old]) => [key, key === largest[0] ? value : old])}
  }
}

function keysOf(node: JsonNode): number {
  return isObject(node) ? node.members.length : 0
}

function* permuted({members}: JsonObject): Generator<JsonObject> {
  const fixed = Math.max(0, members.length - MOST_PERMUTED_KEYS)
  if (fixed > 3) return
  for (const tail of permutations(members.slice(fixed)))
    yield {members: [...members.slice(0, fixed), ...tail]}
}

function* permutations<T>(items: readonly T[]): Generator<T[]> {
  if (items.length <= 1) return yield [...items]
  for (const [n, item] of items.entries()) {
    for (const rest of permutations(items.toSpliced(n, 1))) yield [item, ...rest]
  }
}
