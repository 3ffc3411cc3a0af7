/** Undoes printing: a body that was parsed and printed again is printed in every style, the nearest first, with the differences named. */
import {isObject} from '../../contract/json.js'
import {type BodyForm, type Cause, cause} from './finding.js'
import {
  COMPACT,
  type JsonNode,
  type JsonObject,
  mapTree,
  parseTree,
  print,
  respell,
  SPACINGS,
  SPELLINGS,
  type Spacing,
  type Spelling,
} from './json.js'

/** Longer bodies are not printed again. */
const MOST_RESPACED_BYTES = 4 * 1024 * 1024
/** Longer bodies are printed with other spacing alone, since every style would take seconds. */
const MOST_BYTES = 128 * 1024

/** JSON ready to be printed. `spacing` is undefined when it is not a known one. */
type Printable = ReturnType<typeof printables>[number]

/** `form` as JSON, if it is JSON, and the events inside it. */
export function printables({bytes, causes}: BodyForm) {
  if (bytes.length > MOST_BYTES) return []
  const text = Buffer.from(bytes).toString('utf8')
  // White space around it is a cause of its own, taken away before.
  const node = /^[[{]/.test(text) && /[\]}]$/.test(text) ? parseTree(text) : undefined
  if (!node) return []
  const spacing = SPACINGS.find(known => print(node, known) === text)
  const inside = cause('body_double_encoded', 'The body is inside another JSON object.')
  const inner = (isObject(node) ? node.members : [])
    .map(([, value]) => value)
    .filter(value =>
      ['"id"', '"type"'].every(name => isObject(value) && value.members.some(([key]) => key === name)),
    )
    .map(event => ({text: print(event, COMPACT), node: event, spacing: COMPACT, causes: [...causes, inside]}))
  return [{text, node, spacing, causes}, ...inner]
}

/** Every style in which `printable` may have been signed, by how many things differ. */
export function* reprint(printable: Printable): Generator<BodyForm> {
  const {node: inHand} = printable
  const orders = distinct([
    {value: inHand, differences: []},
    {value: sorted(inHand), differences: ['key order (signed was one with sorted keys)']},
  ])
  const nodes = orders.flatMap(numberChoices)
  const spellings = spellingChoices(printable.text)
  const styles = spacingChoices(printable).flatMap(spacing => {
    // Without a known spacing only the strings can change.
    const possible = spacing.value ? nodes : nodes.slice(0, 1)
    return spellings.flatMap(spelling => possible.map((node): Style => [node, spacing, spelling]))
  })
  const differing = (style: Style) => style.reduce((sum, {differences}) => sum + differences.length, 0)
  for (const style of styles.sort((a, b) => differing(a) - differing(b))) yield toForm(printable, style)
}

/** The same with the keys in other orders, the numbers as in hand or by a rule, in the likely styles. */
export function* reorder(printable: Printable): Generator<BodyForm> {
  const likely = spacingChoices(printable)
    .filter(({value}) => value !== undefined)
    .slice(0, 3)
  const plain = spellingChoices(printable.text).filter(({value}) => value.every(({isPlain}) => isPlain))
  const inHand = {value: printable.node, differences: [orderDifference(printable.node)]}
  for (const {value, differences} of numberChoices(inHand))
    for (const node of inOtherOrders(value))
      for (const spacing of likely)
        for (const spellings of plain)
          yield toForm(printable, [{value: node, differences}, spacing, spellings])
}

/** `form` with other spacing alone, in the five commonest styles; cheap enough for a long body. */
export function* respace({bytes, causes}: BodyForm): Generator<BodyForm> {
  if (bytes.length > MOST_RESPACED_BYTES) return
  const whole = Buffer.from(bytes).toString('utf8')
  const text = whole.replace(/[\r\n]{1,4}$/, '')
  const node = parseTree(text)
  if (!node) return
  const before = text === whole ? causes : [...causes, LINE_BREAK_ADDED]
  for (const spacing of SPACINGS.slice(0, COMMON_SPACINGS)) {
    const printed = print(node, spacing)
    // Line breaks that alone are different are a cause of their own.
    if (printed === text || printed === text.replaceAll('\r\n', '\n')) continue
    yield {
      bytes: Buffer.from(printed),
      causes: [...before, reserialized([`spacing (signed was one with ${spacing.name})`])],
    }
  }
}

/** Compact, Python's, and three indentations. */
const COMMON_SPACINGS = 5
export const LINE_BREAK_ADDED = cause(
  'body_trailing_newline',
  'A line break was added at the end of the body.',
)

function spacingChoices({spacing: own}: Printable): Choice<Spacing | undefined>[] {
  const inHand = own?.name ?? 'spacing of its own'
  const others = SPACINGS.filter(spacing => spacing !== own).map(spacing => ({
    value: spacing,
    differences: [`spacing (it is printed with ${inHand}, signed was one with ${spacing.name})`],
  }))
  return [{value: own, differences: []}, ...others]
}

/** The spellings that change anything in `text`: one of each group, or none. */
function spellingChoices(text: string): Choice<readonly Spelling[]>[] {
  let choices: Choice<readonly Spelling[]>[] = [{value: [], differences: []}]
  for (const group of SPELLINGS) {
    const useful = group.filter(spelling => respell(text, [spelling]) !== text)
    choices = choices.flatMap(choice => [
      choice,
      ...useful.map(spelling => ({
        value: [...choice.value, spelling],
        differences: [...choice.differences, spelling.difference],
      })),
    ])
  }
  return choices
}

type Style = readonly [Choice<JsonNode>, Choice<Spacing | undefined>, Choice<readonly Spelling[]>]

/** The body in that style. */
function toForm({text, causes}: Printable, style: Style): BodyForm {
  const [{value: node}, {value: spacing}, {value: spellings}] = style
  const differences = style.flatMap(choice => choice.differences)
  const printed = spacing ? print(node, spacing) : text
  const added = differences.length > 0 ? [reserialized(differences)] : []
  return {bytes: Buffer.from(respell(printed, spellings)), causes: [...causes, ...added]}
}

function reserialized(differences: readonly string[]): Cause {
  return cause('body_reserialized', `The body was parsed and printed again: ${differences.join('; ')}.`)
}

/** One of several values, and how the body differs from it: no differences for the body's own. */
interface Choice<T> {
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

/** `choice`, and the same with its numbers by every rule that changes one. */
function numberChoices(choice: Choice<JsonNode>): Choice<JsonNode>[] {
  const changed = NUMBER_RULES.map(([words, spell]) => ({
    value: mapTree(choice.value, (node, member) =>
      typeof node === 'string' && /^[-\d]/.test(node) ? spell(node, member) : node,
    ),
    differences: [...choice.differences, `numbers (signed was one that has ${words})`],
  }))
  return distinct([choice, ...changed])
}

/** The first of those that print alike. */
function distinct(choices: readonly Choice<JsonNode>[]): Choice<JsonNode>[] {
  const seen = new Set<string>()
  return choices.filter(({value}) => {
    const text = print(value, COMPACT)
    return !seen.has(text) && seen.add(text)
  })
}

/** The order in which §2.8 and the records of the service name the fields of their objects; others follow as they are. */
const KNOWN_ORDER = [
  'id',
  'type',
  'created',
  'data',
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
  'url',
  'expires_at',
  'field',
  'old',
  'new',
]

function inKnownOrder(node: JsonNode): JsonNode {
  const rank = (name: string) => (KNOWN_ORDER.includes(name) ? KNOWN_ORDER.indexOf(name) : KNOWN_ORDER.length)
  return sortMembers(node, (a, b) => rank(a) - rank(b))
}

/** With sorted keys, as canonical JSON has them. */
const sorted = (node: JsonNode) => sortMembers(node, (a, b) => Number(a > b) - Number(a < b))

function orderDifference(inHand: JsonNode): string {
  const isSorted = print(inHand, COMPACT) === print(sorted(inHand), COMPACT)
  return isSorted ? 'key order (sorted keys in hand)' : 'key order'
}

/** Every object with its members sorted by their names. */
function sortMembers(node: JsonNode, compare: (a: string, b: string) => number): JsonNode {
  return mapTree(node, each =>
    isObject(each)
      ? {members: each.members.toSorted(([a], [b]) => compare(JSON.parse(a), JSON.parse(b)))}
      : each,
  )
}

/** So many keys, the last of an object, are tried in every order: 5,040 of them. */
const MOST_PERMUTED_KEYS = 7
const MOST_KEYS = 10

/** `node` in the known order, with the keys of its top level, or of the largest object in it, in every order. */
function* inOtherOrders(node: JsonNode): Generator<JsonNode> {
  const known = inKnownOrder(node)
  if (!isObject(known)) return
  yield* permuted(known)
  const inside = known.members.filter(([, value]) => isObject(value)) as [string, JsonObject][]
  const [largest] = inside.toSorted(([, a], [, b]) => b.members.length - a.members.length)
  if (largest === undefined) return
  for (const value of permuted(largest[1]))
    yield {members: known.members.map(([key, old]) => [key, key === largest[0] ? value : old])}
}

function* permuted({members}: JsonObject): Generator<JsonObject> {
  if (members.length > MOST_KEYS) return
  const fixed = Math.max(0, members.length - MOST_PERMUTED_KEYS)
  for (const tail of permutations(members.slice(fixed)))
    yield {members: [...members.slice(0, fixed), ...tail]}
}

function* permutations<T>(items: readonly T[]): Generator<T[]> {
  if (items.length <= 1) return yield [...items]
  for (const [n, item] of items.entries()) {
    for (const rest of permutations(items.toSpliced(n, 1))) yield [item, ...rest]
  }
}
