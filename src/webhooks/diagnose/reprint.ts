/** Undoes printing: a body that was parsed and printed again is printed in every style, the nearest first, with the differences named. */
import {isObject, isTooDeep, jsonEscapes} from '../../contract/json.js'
import {parseText} from '../captures/request.js'
import {type BodyForm, type Cause, cause} from './finding.js'

/** Longer bodies are not printed again. */
const MOST_RESPACED_BYTES = 4 * 1024 * 1024
/** Longer bodies are printed with other spacing alone, since every style would take seconds. */
const MOST_BYTES = 128 * 1024

/** Keys as spelled, with their quotes. */
type JsonObject = {readonly members: readonly (readonly [key: string, value: JsonNode])[]}

/** A string is a value as spelled: a JSON string has its quotes. */
type JsonNode = string | JsonNode[] | JsonObject

const STRING = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`
const STRINGS = new RegExp(STRING, 'g')
const TOKENS = new RegExp(String.raw`${STRING}|[{}[\]]|[^\s{}[\],:"]+`, 'g')

/** The value in `text`; undefined when it is not JSON, or nested absurdly deep. */
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

/** `node` with each value in it, the innermost first, and itself replaced; `member` is the name of what holds the value. */
function mapTree(
  node: JsonNode,
  change: (node: JsonNode, member: string) => JsonNode,
  member = '',
): JsonNode {
  if (typeof node === 'string') return change(node, member)
  if (Array.isArray(node)) return node.map(item => mapTree(item, change, member))
  return change(
    {members: node.members.map(([key, value]) => [key, mapTree(value, change, JSON.parse(key))])},
    member,
  )
}

interface Spacing {
  /** In words, as a finding says it. */
  readonly name: string
  /** Between two members or items on one line. */
  readonly comma: string
  readonly colon: string
  /** One level of indentation; undefined prints everything on one line. */
  readonly indent?: string | undefined
  /** Of Jackson: inside empty brackets, and those of arrays, which it prints on one line. */
  readonly padding?: string
}

const indented = (name: string, indent: string): Spacing => ({
  name: `indentation, pretty-printed with ${name}`,
  comma: ',',
  colon: ': ',
  indent,
})

const COMPACT: Spacing = {name: 'no spaces', comma: ',', colon: ':'}

/** How printers put spaces, the likely ones first. */
const SPACINGS: readonly Spacing[] = [
  COMPACT,
  {name: 'spaces after `,` and `:`', comma: ', ', colon: ': '},
  indented('2 spaces', '  '),
  indented('4 spaces', '    '),
  indented('tabs', '\t'),
  {name: 'spaces after `,`', comma: ', ', colon: ':'},
  {name: 'spaces after `:`', comma: ',', colon: ': '},
  {...indented('2 spaces, as Jackson prints', '  '), comma: ', ', colon: ' : ', padding: ' '},
]

/** `node` printed with `spacing`; strings and numbers as they are spelled. */
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

/** One habit of printers: which characters of strings they escape, and how. */
interface Spelling {
  /** In words, as a finding says it. */
  readonly difference: string
  /** Whether the characters themselves were signed. */
  readonly isPlain: boolean
  /** The spelling of a character; undefined leaves it as it is. */
  readonly spell: (character: string) => string | undefined
}

const upper = (text: string) => jsonEscapes(text).replace(/[a-f\d]{4}/g, digits => digits.toUpperCase())
const same = (text: string) => text

const habitOf =
  (what: string, characters: RegExp) =>
  (words: string, spell: (character: string) => string, among = characters): Spelling => ({
    difference: `escaped ${what} (${words})`,
    isPlain: spell === same,
    spell: character => (among.test(character) ? spell(character) : undefined),
  })
const slashes = habitOf('slashes', /\//)
const html = habitOf('HTML characters', /[<>&='+"`]/)
const nonAscii = habitOf('non-ASCII', /[^\0-\x7f]/)

/** Groups of habits; a printer has at most one of each group. The first group decides about a character. */
const SPELLINGS: readonly (readonly Spelling[])[] = [
  [
    slashes('`\\/` in hand, `/` signed', same),
    slashes('`/` in hand, `\\/` signed', character => `\\${character}`),
  ],
  [
    html('`\\u003c` in hand, `<` signed', character => (character === '"' ? '\\"' : character)),
    // Go's encoding/json, and Rails.
    html('`<` in hand, `\\u003c` signed', jsonEscapes, /[<>&\u2028\u2029]/),
    html('`=` in hand, `\\u003d` signed; Gson', jsonEscapes, /[<>&='\u2028\u2029]/),
    // JSON_HEX_TAG, JSON_HEX_AMP and JSON_HEX_APOS.
    html("`'` in hand, `\\u0027` signed; PHP", upper, /[<>&']/),
    // System.Text.Json.
    html('`+` in hand, `\\u002B` signed; .NET', upper, /[<>&'"+`]/),
  ],
  [
    nonAscii('`\\u…` in hand, the letters themselves signed', same),
    nonAscii('letters in hand, `\\u015f` signed', jsonEscapes),
    nonAscii('letters in hand, `\\u015F` signed', upper),
  ],
]

const UNIT = /\\(?:u[\da-fA-F]{4}|.)|[\uD800-\uDBFF][\uDC00-\uDFFF]|./gsu
/** What a printer may spell in two ways; most strings have none of it. */
const UNUSUAL = /[\\/<>&=+'`]|[^\0-\x7f]/

/** JSON `text` with its own spacing and its strings spelled by the first of `spellings` that has an opinion. */
function respell(text: string, spellings: readonly Spelling[]): string {
  if (spellings.length === 0) return text
  return text.replace(STRINGS, string => {
    if (!UNUSUAL.test(string)) return string
    const units = string.slice(1, -1).replace(UNIT, unit => {
      const character = unit[0] === '\\' ? JSON.parse(`"${unit}"`) : unit
      for (const {spell} of spellings) {
        const spelled = spell(character)
        if (spelled !== undefined) return spelled
      }
      return unit
    })
    return `"${units}"`
  })
}

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
