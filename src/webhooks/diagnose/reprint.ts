/**
 * Prints the JSON of a body in every known style, most similar first, and names the differences. This finds a body that
 * was parsed and printed again after it was signed. JSON.parse is not used, because it loses `1250.00`, large integers,
 * the order of keys, and repeated keys.
 */
import {isObject, isTooDeep, jsonEscapes} from '../../contract/json.js'
import {parseText} from '../captures/request.js'
import {type BodyForm, type Cause, cause} from './finding.js'

/** Bodies longer than this are not printed again. */
const MOST_RESPACED_BYTES = 4 * 1024 * 1024
/** Bodies longer than this are only printed with other spacing, because all styles would take seconds. */
const MOST_BYTES = 128 * 1024

/** A JSON object. Its keys are as spelled, with their quotes. */
type JsonObject = {readonly members: readonly (readonly [key: string, value: JsonNode])[]}

/** A JSON value. A string or number is kept as spelled, a string with its quotes. */
type JsonNode = string | JsonNode[] | JsonObject

const STRING = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`
const STRINGS = new RegExp(STRING, 'g')
const TOKENS = new RegExp(String.raw`${STRING}|[{}[\]]|[^\s{}[\],:"]+`, 'g')

/** Parses JSON into a tree. Returns undefined if `text` is not JSON or is nested too deeply. */
function parseTree(text: string): JsonNode | undefined {
  if (isTooDeep(Buffer.from(text)) || parseText(text) === undefined) return undefined
  const tokens = text.match(TOKENS) ?? []
  let at = 0
  const until = <T>(close: string, read: () => T): T[] => {
    const found: T[] = []
    while (tokens[at] !== close) found.push(read())
    at += 1
    return found
  }
  const value = (): JsonNode => {
    const token = tokens[at++] ?? ''
    if (token === '{') return {members: until('}', () => [tokens[at++] ?? '', value()])}
    return token === '[' ? until(']', value) : token
  }
  return value()
}

interface Spacing {
  readonly name: string
  readonly comma: string
  readonly colon: string
  /** One level of indentation. If undefined, everything is on one line. */
  readonly indent?: string | undefined
  /** The space that Jackson prints inside arrays, which it keeps on one line, and inside empty objects. */
  readonly padding?: string
}

const indented = (name: string, indent: string): Spacing => ({
  name: `indentation, pretty-printed with ${name}`,
  comma: ',',
  colon: ': ',
  indent,
})

const COMPACT: Spacing = {name: 'no spaces', comma: ',', colon: ':'}

const COMMON_SPACINGS: readonly Spacing[] = [
  COMPACT,
  {name: 'spaces after `,` and `:`', comma: ', ', colon: ': '},
  indented('2 spaces', '  '),
  indented('4 spaces', '    '),
  indented('tabs', '\t'),
]

/** The spacings of known printers, likely ones first. */
const SPACINGS: readonly Spacing[] = [
  ...COMMON_SPACINGS,
  {...indented('2 spaces, as Jackson prints', '  '), comma: ', ', colon: ' : ', padding: ' '},
]

/** Prints `node` with `spacing`. Strings and numbers keep their spelling. */
function print(node: JsonNode, spacing: Spacing, margin = ''): string {
  if (typeof node === 'string') return node
  const {comma, colon, padding = ''} = spacing
  const isList = Array.isArray(node)
  const indent = isList && padding ? undefined : spacing.indent
  const inner = margin + (indent ?? '')
  const texts = isList
    ? node.map(item => print(item, spacing, inner))
    : node.members.map(([key, value]) => key + colon + print(value, spacing, inner))
  const [open, close] = isList ? '[]' : '{}'
  if (texts.length === 0) return open + padding + close
  if (indent === undefined) return open + padding + texts.join(comma) + padding + close
  const start = `\n${inner}`
  return `${open}${start}${texts.join(`,${start}`)}\n${margin}${close}`
}

/** A difference between printers: which characters in strings they escape, and how. */
interface Spelling {
  readonly difference: string
  readonly characters: RegExp
  /** Returns the spelling of the character in the signed body. */
  readonly spell: (character: string) => string
}

const plain = (character: string) => (character === '"' ? '\\"' : character)
const SLASH = /\//
const NON_ASCII = /[^\0-\x7f]/

/** Groups of such differences. A printer has at most one of each group. */
const SPELLINGS: readonly (readonly Spelling[])[] = [
  [
    {difference: 'escaped slashes (`\\/` in hand, `/` signed)', characters: SLASH, spell: plain},
    {difference: 'escaped slashes (`/` in hand, `\\/` signed)', characters: SLASH, spell: () => '\\/'},
  ],
  [
    {
      difference: 'escaped HTML characters (`\\u003c` in hand, `<` signed)',
      characters: /[<>&='+"`]/,
      spell: plain,
    },
    // Go's encoding/json escapes these.
    {
      difference: 'escaped HTML characters (`<` in hand, `\\u003c` signed)',
      characters: /[<>&]/,
      spell: jsonEscapes,
    },
  ],
  [
    {
      difference: 'escaped non-ASCII (`\\u…` in hand, the letters themselves signed)',
      characters: NON_ASCII,
      spell: plain,
    },
    {
      difference: 'escaped non-ASCII (letters in hand, `\\u015f` signed)',
      characters: NON_ASCII,
      spell: jsonEscapes,
    },
  ],
]

const UNIT = /\\(?:u[\da-fA-F]{4}|.)|[\uD800-\uDBFF][\uDC00-\uDFFF]|./gsu

/** Returns the JSON `text` with its strings spelled as `spellings` say. Spacing does not change. */
function respell(text: string, spellings: readonly Spelling[]): string {
  if (spellings.length === 0) return text
  return text.replace(STRINGS, string => {
    const units = string.slice(1, -1).replace(UNIT, unit => {
      const character = unit[0] === '\\' ? JSON.parse(`"${unit}"`) : unit
      return spellings.find(({characters}) => characters.test(character))?.spell(character) ?? unit
    })
    return `"${units}"`
  })
}

/** Parsed JSON that can be printed. `spacing` is undefined if it is not a known one. */
type Printable = ReturnType<typeof printables>[number]

/**
 * Returns the JSON of `form`, parsed for printing, and that of each event inside it. Returns an empty list if `form` is
 * not JSON.
 */
export function printables({bytes, causes}: BodyForm) {
  if (bytes.length > MOST_BYTES) return []
  const text = Buffer.from(bytes).toString('utf8')
  // White space around the body is a cause of its own, which was undone before.
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

/**
 * A possible value of one property of a style, and the differences that it makes. The value in the received body makes
 * none.
 */
interface Choice<T> {
  readonly value: T
  readonly differences: readonly string[]
}

type Style = readonly [Choice<JsonNode>, Choice<Spacing | undefined>, Choice<readonly Spelling[]>]

/** Yields the body in every style in which it may have been signed, those with the fewest differences first. */
export function* reprint(printable: Printable): Generator<BodyForm> {
  const nodes = numberChoices({value: printable.node, differences: []})
  const spellings = spellingChoices(printable.text)
  const styles = spacingChoices(printable).flatMap(spacing => {
    // If the spacing is unknown, only the spelling of strings can be changed.
    const possible = spacing.value ? nodes : nodes.slice(0, 1)
    return spellings.flatMap(spelling => possible.map((node): Style => [node, spacing, spelling]))
  })
  const differing = (style: Style) => style.reduce((sum, {differences}) => sum + differences.length, 0)
  for (const style of styles.sort((a, b) => differing(a) - differing(b))) yield toForm(printable, style)
}

/** Yields the body with its keys in other orders, in likely styles. Amounts are as received, or have two decimals. */
export function* reorder(printable: Printable): Generator<BodyForm> {
  const {node: inHand, text} = printable
  const isSorted = print(inHand, COMPACT) === print(sortMembers(inHand, byName), COMPACT)
  const difference = isSorted ? 'key order (sorted keys in hand)' : 'key order'
  const likely = spacingChoices(printable)
    .filter(({value}) => value !== undefined)
    .slice(0, 3)
  const unescaped = spellingChoices(text).filter(({value}) => value.every(({spell}) => spell === plain))
  for (const {value, differences} of numberChoices({value: inHand, differences: [difference]}))
    for (const node of inOtherOrders(value))
      for (const spacing of likely)
        for (const spellings of unescaped)
          yield toForm(printable, [{value: node, differences}, spacing, spellings])
}

/** Yields `form` with other spacing, in the common styles only. This is fast enough for a long body. */
export function* respace({bytes, causes}: BodyForm): Generator<BodyForm> {
  if (bytes.length > MOST_RESPACED_BYTES) return
  const whole = Buffer.from(bytes).toString('utf8')
  const text = whole.replace(/[\r\n]{1,4}$/, '')
  const node = parseTree(text)
  if (!node) return
  const before = text === whole ? causes : [...causes, LINE_BREAK_ADDED]
  for (const spacing of COMMON_SPACINGS) {
    const printed = print(node, spacing)
    // If only line breaks differ, that is a cause of its own.
    if (printed === text || printed === text.replaceAll('\r\n', '\n')) continue
    const respaced = reserialized([`spacing (signed was one with ${spacing.name})`])
    yield {bytes: Buffer.from(printed), causes: [...before, respaced]}
  }
}

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

/** Returns the combinations of spellings that change something in `text`: at most one of each group, or none. */
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

/** Matches field names that services use for money. */
const MONEY =
  /amount|price|total|fee|balance|refund|tax|base|cost|rate|old|new|paid|due|deposit|commission|net|gross|value/i

/** Returns `choice` and, if it has amounts without two decimals, the same with two decimals. */
function numberChoices(choice: Choice<JsonNode>): Choice<JsonNode>[] {
  let isChanged = false
  const spell = (node: JsonNode, member: string): JsonNode => {
    if (Array.isArray(node)) return node.map(item => spell(item, member))
    if (isObject(node))
      return {members: node.members.map(([key, value]) => [key, spell(value, JSON.parse(key))])}
    const [, whole, fraction = ''] = /^(-?\d{1,15})(?:\.(\d{1,15}))?$/.exec(node) ?? []
    if (whole === undefined || !MONEY.test(member) || fraction.replace(/0+$/, '').length > 2) return node
    const spelled = `${whole}.${fraction.slice(0, 2).padEnd(2, '0')}`
    if (spelled !== node) isChanged = true
    return spelled
  }
  const value = spell(choice.value, '')
  const difference = 'numbers (signed was one that has amounts with two decimals)'
  return isChanged ? [choice, {value, differences: [...choice.differences, difference]}] : [choice]
}

/**
 * The order of fields in §2.8 and in the records of the service. Fields that are not listed keep their order and
 * follow.
 */
const KNOWN_ORDER = [
  'id',
  'type',
  'created',
  'data',
  'object',
  'reservation_ref',
  'client_reference_id',
  'status',
  'amount',
  'currency',
  'payment_status',
  'voucher',
  'changes',
  'url',
  'expires_at',
  'field',
  'old',
  'new',
]

function byKnownOrder(a: string, b: string): number {
  const rank = (name: string) => (KNOWN_ORDER.includes(name) ? KNOWN_ORDER.indexOf(name) : KNOWN_ORDER.length)
  return rank(a) - rank(b)
}

const byName = (a: string, b: string) => Number(a > b) - Number(a < b)

/** Returns `node` with the members of every object sorted. */
function sortMembers(node: JsonNode, compare: (a: string, b: string) => number): JsonNode {
  if (Array.isArray(node)) return node.map(item => sortMembers(item, compare))
  if (!isObject(node)) return node
  const sorted = node.members.toSorted(([a], [b]) => compare(JSON.parse(a), JSON.parse(b)))
  return {members: sorted.map(([key, value]) => [key, sortMembers(value, compare)])}
}

/**
 * Maximum number of keys that are tried in every order: 7 keys have 5,040 orders. If an object has more, these are its
 * last keys.
 */
const MOST_PERMUTED_KEYS = 7
const MOST_KEYS = 10

/** Yields `node` in the known order, and with the keys of its largest object in every order. */
function* inOtherOrders(node: JsonNode): Generator<JsonNode> {
  const known = sortMembers(node, byKnownOrder)
  if (!isObject(known)) return
  yield known
  const inside = known.members.filter(([, value]) => isObject(value)) as [string, JsonObject][]
  const [largest] = inside.toSorted(([, a], [, b]) => b.members.length - a.members.length)
  if (largest === undefined || largest[1].members.length > MOST_KEYS) return
  const {members} = largest[1]
  const fixed = Math.max(0, members.length - MOST_PERMUTED_KEYS)
  for (const tail of permutations(members.slice(fixed))) {
    const value = {members: [...members.slice(0, fixed), ...tail]}
    yield {members: known.members.map(([key, old]) => [key, key === largest[0] ? value : old])}
  }
}

function* permutations<T>(items: readonly T[]): Generator<T[]> {
  if (items.length <= 1) return yield [...items]
  for (const [n, item] of items.entries()) {
    for (const rest of permutations(items.toSpliced(n, 1))) yield [item, ...rest]
  }
}
