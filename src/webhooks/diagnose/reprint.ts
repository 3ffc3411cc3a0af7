/**
 * A body that was parsed and printed again, printed back: in every manner a printer has, the nearest to what is in
 * hand first. Each difference is named, since it tells which printer it was.
 */
import type {BodyForm, Cause} from './cause.js'
import {type Escapes, KEPT_ESCAPES} from './json-escapes.js'
import {NUMBER_RULES, type NumberRule, oneNumberRespelled, respellNumbers} from './json-numbers.js'
import {inKnownOrder, inOtherOrders, isSorted, sorted} from './json-order.js'
import {print, respellStrings, SPACINGS, type Spacing} from './json-print.js'
import {type JsonNode, meaningOf, parseTree} from './json-tree.js'

/** One manner of spelling, with the words for how what is in hand differs from it. */
interface Manner {
  readonly spacing: Spacing | 'kept'
  readonly escapes: Escapes
  readonly node: JsonNode
  readonly differences: readonly string[]
}

interface Choice<T> {
  readonly value: T
  /** Undefined for what is in hand. */
  readonly difference: string | undefined
}

/** Ours: longer bodies are not printed again; no receiver of ours takes them either. */
const MOST_RESPACED_BYTES = 4 * 1024 * 1024
/** Ours: longer bodies are printed with other spacing alone, since every manner would take seconds. */
const MOST_BYTES = 128 * 1024

/** JSON that was read, ready to be printed. */
export interface Printable {
  readonly text: string
  readonly node: JsonNode
  /** The manner it is printed in, when it is one of those known. */
  readonly spacing: Spacing | undefined
  readonly causes: readonly Cause[]
}

/** `form` as JSON; nothing when it is none. An object inside it that looks like an event is another one. */
export function printables({bytes, causes}: BodyForm): Printable[] {
  if (bytes.length > MOST_BYTES) return []
  const text = Buffer.from(bytes).toString('utf8')
  // White space around it is a cause of its own, taken away before.
  const node = /^[[{]/.test(text) && /[\]}]$/.test(text) ? parseTree(text) : undefined
  if (!node) return []
  return [toPrintable(text, node, causes), ...innerEvents(node).map(inner => innerPrintable(inner, causes))]
}

function toPrintable(text: string, node: JsonNode, causes: readonly Cause[]): Printable {
  const spacing = SPACINGS.find(one => print(node, one) === text)
  return {text, node, spacing, causes}
}

function innerPrintable(node: JsonNode, causes: readonly Cause[]): Printable {
  const what = 'The body stands inside another JSON object.'
  const text = print(node, COMPACT)
  return {text, node, spacing: COMPACT, causes: [...causes, {code: 'body_double_encoded', what}]}
}

function innerEvents(node: JsonNode): JsonNode[] {
  if (node.kind !== 'object') return []
  return node.members.map(({value}) => value).filter(value => value.kind === 'object' && isEvent(value))
}

function isEvent(node: JsonNode): boolean {
  if (node.kind !== 'object') return false
  return ['"id"', '"type"'].every(name => node.members.some(({key}) => key.text === name))
}

const COMPACT = SPACINGS[0] as Spacing

/** Every manner in which `printable` may have been spelled, by how many things differ. */
export function* reprint(printable: Printable): Generator<BodyForm> {
  const manners = [...combine(printable)].sort((a, b) => a.differences.length - b.differences.length)
  for (const manner of manners) {
    if (manner.differences.length > 0) yield toForm(printable, manner)
  }
}

/** `form` with other spacing alone, in the five commonest manners; cheap enough for a long body. */
export function* respace({bytes, causes}: BodyForm): Generator<BodyForm> {
  if (bytes.length > MOST_RESPACED_BYTES) return
  const whole = Buffer.from(bytes).toString('utf8')
  const text = whole.replace(/[\r\n]{1,4}$/, '')
  const node = parseTree(text)
  if (!node) return
  const before = text === whole ? causes : [...causes, LINE_BREAK_ADDED]
  // Line breaks that alone are different are a cause of their own.
  const same = [text, text.replaceAll('\r\n', '\n')]
  for (const spacing of SPACINGS.slice(0, COMMON_SPACINGS)) {
    const printed = print(node, spacing)
    if (same.includes(printed)) continue
    const what = `The body was parsed and printed again: spacing (signed was one with ${withoutPrinted(spacing.name)}).`
    yield {bytes: Buffer.from(printed), causes: [...before, {code: 'body_reserialized', what}]}
  }
}

/** Compact, Python's, and three indentations. */
const COMMON_SPACINGS = 5
const LINE_BREAK_ADDED: Cause = {
  code: 'body_trailing_newline',
  what: 'A line break was added at the end of the body.',
}

/** The object itself as it stands, for an event found inside another. */
export function asItStands({text, causes}: Printable): BodyForm {
  return {bytes: Buffer.from(text), causes}
}

/** The same with its keys in any other order, its numbers as in hand or by a rule, in the likely manners. */
export function* reorder(printable: Printable): Generator<BodyForm> {
  const manners = likelyManners(printable)
  const asInHand: Choice<JsonNode> = {value: printable.node, difference: undefined}
  for (const {value, difference} of [asInHand, ...numberChoices(asInHand)]) {
    const changed = [orderDifference(printable.node), difference].filter(isText)
    for (const node of inOtherOrders(value)) {
      for (const manner of manners) {
        yield toForm(printable, {...manner, node, differences: [...changed, ...manner.differences]})
      }
    }
  }
}

/** The same with one number spelled otherwise, in the likely manners. */
export function* renumber(printable: Printable): Generator<BodyForm> {
  const manners = likelyManners(printable)
  for (const node of oneNumberRespelled(printable.node)) {
    for (const manner of manners) {
      const differences = ['a number was read as a double and printed anew', ...manner.differences]
      yield toForm(printable, {...manner, node, differences})
    }
  }
}

/** The manners most services print in: as in hand, compact, with blanks; letters and slashes plain. */
function likelyManners(printable: Printable): Omit<Manner, 'node'>[] {
  const plain: Escapes = {slashes: 'plain', nonAscii: 'raw', html: 'kept'}
  const spacings = spacingChoices(printable)
    .filter(({value}) => value !== 'kept')
    .slice(0, 3)
  const own = printable.spacing ? [{value: printable.spacing, difference: undefined}] : []
  const all: Choice<Spacing | 'kept'>[] = [...own, ...spacings]
  const asPlain = respellStrings(printable.text, plain) === printable.text ? [] : [plain]
  return all.slice(0, 3).flatMap(({value: spacing, difference}) =>
    [KEPT_ESCAPES, ...asPlain].map(escapes => ({
      ...{spacing, escapes},
      differences: [difference, escapes === plain ? 'letters or slashes were escaped' : undefined].filter(
        isText,
      ),
    })),
  )
}

function toForm(printable: Printable, {spacing, escapes, node, differences}: Manner): BodyForm {
  const text = spacing === 'kept' ? respellStrings(printable.text, escapes) : print(node, spacing, escapes)
  const what = `The body was parsed and printed again: ${differences.join('; ')}.`
  return {
    bytes: Buffer.from(text),
    causes: [...printable.causes, {code: 'body_reserialized', what}],
  }
}

function* combine(printable: Printable): Generator<Manner> {
  const spacings = spacingChoices(printable)
  const escapeChoices = escapesOf(printable.text)
  const nodes = nodeChoices(printable.node)
  for (const spacing of spacings) {
    for (const escapes of escapeChoices) {
      for (const node of nodes) {
        if (spacing.value === 'kept' && node.difference !== undefined) continue
        const differences = [spacing, escapes, node].flatMap(choice => choice.difference?.split('\n') ?? [])
        yield {spacing: spacing.value, escapes: escapes.value, node: node.value, differences}
      }
    }
  }
}

function spacingChoices({spacing: own}: Printable): Choice<Spacing | 'kept'>[] {
  const inHand = own?.name ?? 'blanks of its own'
  const others = SPACINGS.filter(spacing => spacing !== own)
  const kept: Choice<Spacing | 'kept'> = {value: own ?? 'kept', difference: undefined}
  return [
    kept,
    ...others.map(spacing => ({
      value: spacing,
      difference: `spacing (it is printed with ${withoutPrinted(inHand)}, signed was one with ${withoutPrinted(spacing.name)})`,
    })),
  ]
}

function withoutPrinted(name: string): string {
  return name.startsWith('pretty-printed') ? `indentation, ${name}` : name
}

/** The spellings of strings that change anything in `text`. */
function escapesOf(text: string): Choice<Escapes>[] {
  const changes = (escapes: Partial<Escapes>) => respellStrings(text, {...KEPT_ESCAPES, ...escapes}) !== text
  const choices: Choice<Escapes>[] = [{value: KEPT_ESCAPES, difference: undefined}]
  const widen = (options: readonly [Partial<Escapes>, string][]) => {
    const useful = options.filter(([escapes]) => changes(escapes))
    for (const {value, difference} of [...choices]) {
      for (const [escapes, words] of useful) {
        choices.push({
          value: {...value, ...escapes},
          difference: difference === undefined ? words : `${difference}\n${words}`,
        })
      }
    }
  }
  widen([
    [{slashes: 'plain'}, 'escaped slashes (`\\/` in hand, `/` signed)'],
    [{slashes: 'escaped'}, 'escaped slashes (`/` in hand, `\\/` signed)'],
  ])
  widen([
    [{nonAscii: 'raw'}, 'escaped non-ASCII (`\\u…` in hand, the letters themselves signed)'],
    [{nonAscii: 'lower'}, 'escaped non-ASCII (letters in hand, `\\u015f` signed)'],
    [{nonAscii: 'upper'}, 'escaped non-ASCII (letters in hand, `\\u015F` signed)'],
  ])
  widen([
    [{html: 'raw'}, 'escaped HTML characters (`\\u003c` in hand, `<` signed)'],
    [{html: 'go'}, 'escaped HTML characters (`<` in hand, `\\u003c` signed)'],
    [{html: 'gson'}, 'escaped HTML characters (`=` in hand, `\\u003d` signed)'],
    [{html: 'php'}, "escaped HTML characters (`'` in hand, `\\u0027` signed)"],
    [{html: 'dotnet'}, 'escaped HTML characters (`+` in hand, `\\u002B` signed)'],
  ])
  return choices
}

function nodeChoices(node: JsonNode): Choice<JsonNode>[] {
  const order = orderDifference(node)
  const orders: Choice<JsonNode>[] = [
    {value: node, difference: undefined},
    {value: inKnownOrder(node), difference: order},
    {value: inKnownOrder(node, 1), difference: order},
    {value: sorted(node), difference: 'key order (signed was one with sorted keys)'},
  ]
  const distinct = orders.filter(
    ({value}, n) => orders.findIndex(other => signature(other.value) === signature(value)) === n,
  )
  return [...distinct, ...distinct.flatMap(choice => numberChoices(choice))]
}

function numberChoices({value, difference}: Choice<JsonNode>): Choice<JsonNode>[] {
  const before = print(value, COMPACT)
  const seen = new Set([before])
  return NUMBER_RULES.flatMap((rule: NumberRule) => {
    const changed = respellNumbers(value, rule)
    const text = print(changed, COMPACT)
    if (seen.has(text)) return []
    seen.add(text)
    const words = `numbers (signed was one that has ${rule.name})`
    return [{value: changed, difference: difference === undefined ? words : `${difference}\n${words}`}]
  })
}

function signature(node: JsonNode): string {
  return print(node, COMPACT)
}

function orderDifference(node: JsonNode): string {
  return isSorted(node) && keysIn(node) > 1 ? 'key order (sorted keys in hand)' : 'key order'
}

function keysIn(node: JsonNode): number {
  return node.kind === 'object' ? new Set(node.members.map(({key}) => meaningOf(key))).size : 0
}

function isText(text: string | undefined): text is string {
  return text !== undefined
}
