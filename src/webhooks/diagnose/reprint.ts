/** A body that was parsed and printed again, printed back in every style, the nearest first. Each difference is named. */
import {type BodyForm, type Cause, cause} from './finding.js'
import {
  COMPACT,
  isObject,
  type JsonNode,
  parseTree,
  print,
  respell,
  SPACINGS,
  SPELLINGS,
  type Spacing,
  type Spelling,
} from './json.js'
import {type Choice, inOtherOrders, numberChoices, orderChoices, orderDifference} from './json-changes.js'

/** Longer bodies are not printed again; no receiver of ours takes them either. */
const MOST_RESPACED_BYTES = 4 * 1024 * 1024
/** Longer bodies are printed with other spacing alone, since every style would take seconds. */
const MOST_BYTES = 128 * 1024

/** JSON ready to be printed. Without a spacing: that in hand is no known one. An inner one may be right as it is. */
type Printable = ReturnType<typeof printables>[number]

/** `form` as JSON, if it is JSON, and the events inside it. */
export function printables({bytes, causes}: BodyForm) {
  if (bytes.length > MOST_BYTES) return []
  const text = Buffer.from(bytes).toString('utf8')
  // White space around it is a cause of its own, taken away before.
  const node = /^[[{]/.test(text) && /[\]}]$/.test(text) ? parseTree(text) : undefined
  if (!node) return []
  const spacing = SPACINGS.find(one => print(node, one) === text)
  const inside = cause('body_double_encoded', 'The body is inside another JSON object.')
  const inner = innerEvents(node).map(event => ({
    text: print(event, COMPACT),
    node: event,
    spacing: COMPACT,
    causes: [...causes, inside],
    isInner: true,
  }))
  return [{text, node, spacing, causes, isInner: false}, ...inner]
}

function innerEvents(node: JsonNode): JsonNode[] {
  if (!isObject(node)) return []
  const has = (event: JsonNode, name: string) =>
    isObject(event) && event.members.some(([key]) => key === name)
  return node.members.map(([, value]) => value).filter(value => has(value, '"id"') && has(value, '"type"'))
}

/** Every style in which `printable` may have been signed, by how many things differ. */
export function* reprint(printable: Printable): Generator<BodyForm> {
  const orders = orderChoices(printable.node)
  const nodes = [...orders, ...orders.flatMap(numberChoices)]
  const spellings = spellingChoices(printable.text)
  const styles = spacingChoices(printable).flatMap(spacing => {
    // Without a known spacing only the strings can change.
    const possible = nodes.filter(node => spacing.value !== undefined || node.differences.length === 0)
    return spellings.flatMap(spelling => possible.map(node => [node, spacing, spelling] as const))
  })
  const differing = (style: Style) => style.reduce((sum, {differences}) => sum + differences.length, 0)
  if (printable.isInner) yield {bytes: Buffer.from(printable.text), causes: printable.causes}
  for (const style of styles.sort((a, b) => differing(a) - differing(b)))
    if (differing(style) > 0) yield toForm(printable, style)
}

/** The same with the keys in any other order, the numbers as in hand or by a rule, in the likely styles. */
export function* reorder(printable: Printable): Generator<BodyForm> {
  const asInHand = {value: printable.node, differences: [orderDifference(printable.node)]}
  const likely = spacingChoices(printable).filter(({value}) => value !== undefined)
  const plain = spellingChoices(printable.text).filter(({differences}) =>
    differences.every(words => words.includes('in hand, `/`') || words.includes('themselves')),
  )
  for (const {value, differences} of [asInHand, ...numberChoices(asInHand)]) {
    for (const node of inOtherOrders(value)) {
      for (const spacing of likely.slice(0, 3)) {
        for (const spellings of plain)
          yield toForm(printable, [{value: node, differences}, spacing, spellings])
      }
    }
  }
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

/** Without a spacing: that in hand, which is no known one. */
type Style = readonly [Choice<JsonNode>, Choice<Spacing | undefined>, Choice<readonly Spelling[]>]

function toForm({text, causes}: Printable, style: Style): BodyForm {
  const [{value: node}, {value: spacing}, {value: spellings}] = style
  const printed = spacing === undefined ? text : print(node, spacing)
  const differences = style.flatMap(choice => choice.differences)
  return {bytes: Buffer.from(respell(printed, spellings)), causes: [...causes, reserialized(differences)]}
}

function reserialized(differences: readonly string[]): Cause {
  return cause('body_reserialized', `The body was parsed and printed again: ${differences.join('; ')}.`)
}
