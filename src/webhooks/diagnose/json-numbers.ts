/** Numbers a parser changed: what `1250` may have been before it was read and printed as a double. */
import {type JsonNode, type JsonNumber, meaningOf} from './json-tree.js'
import {withoutEnd} from './text-end.js'

/** Names of members that hold money in one interface or another. */
const MONEY =
  /amount|price|total|fee|balance|refund|tax|base|cost|rate|old|new|paid|due|deposit|commission|net|gross|value/i

/** Ours: at most so many whole numbers around a large one are tried. */
const MOST_NEIGHBOURS = 1024

export interface NumberRule {
  /** In words, as a finding says it. */
  readonly name: string
  /** Spells a number anew, or leaves it. */
  readonly spell: (text: string, member: string) => string
}

const decimals = (text: string, count: number) => {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === '' || withoutEnd(fraction, '0').length > count) return text
  return `${sign}${whole}.${fraction.slice(0, count).padEnd(count, '0')}`
}

/** Rules for all numbers of a body at once, the likely ones first. */
export const NUMBER_RULES: readonly NumberRule[] = [
  {
    name: 'amounts with two decimals',
    spell: (text, member) => (MONEY.test(member) ? decimals(text, 2) : text),
  },
  {
    name: 'amounts with one decimal',
    spell: (text, member) => (MONEY.test(member) ? decimals(text, 1) : text),
  },
  {
    name: 'amounts with three decimals',
    spell: (text, member) => (MONEY.test(member) ? decimals(text, 3) : text),
  },
  {name: 'fractions with two decimals', spell: text => (text.includes('.') ? decimals(text, 2) : text)},
  {name: 'numbers with two decimals', spell: text => decimals(text, 2)},
  {name: 'numbers with one decimal', spell: text => decimals(text, 1)},
  {name: 'amounts without needless zeros', spell: text => withoutZeros(text)},
]

function withoutZeros(text: string): string {
  return /^-?\d+\.\d*0$/.test(text) ? withoutEnd(withoutEnd(text, '0'), '.') : text
}

/** `node` with every number spelled by `rule`; the same object when nothing changes. */
export function respellNumbers(node: JsonNode, rule: NumberRule): JsonNode {
  return mapNumbers(node, '', (number, member) => {
    const text = rule.spell(number.text, member)
    return text === number.text ? number : {kind: 'number', text}
  })
}

/** `node` with one of its numbers in another spelling that reads as the same double. */
export function* oneNumberRespelled(node: JsonNode): Generator<JsonNode> {
  const numbers: JsonNumber[] = []
  mapNumbers(node, '', number => {
    numbers.push(number)
    return number
  })
  for (const target of numbers.slice(0, 64)) {
    for (const text of otherSpellings(target.text)) {
      yield mapNumbers(node, '', number => (number === target ? {kind: 'number', text} : number))
    }
  }
}

function* otherSpellings(text: string): Generator<string> {
  for (const count of [2, 1, 3, 4]) {
    const spelled = decimals(text, count)
    if (spelled !== text) yield spelled
  }
  if (text === '0') yield* ['-0', '0e0', '0E0', '-0.0']
  const mantissa = /^-?\d+0$/.test(text) ? withoutEnd(text, '0') : ''
  if (/\d/.test(mantissa)) yield* exponents(mantissa, text.length - mantissa.length)
  if (/^-?\d{16,19}$/.test(text)) yield* neighbours(text)
}

function* exponents(mantissa: string, power: number): Generator<string> {
  for (const letter of ['e', 'E']) {
    for (const sign of ['', '+']) {
      yield `${mantissa}${letter}${sign}${power}`
      yield `${mantissa}.0${letter}${sign}${power}`
    }
  }
}

/** Whole numbers that a double cannot tell from `text`. */
function* neighbours(text: string): Generator<string> {
  const double = Number(text)
  if (Number.isSafeInteger(double)) return
  const middle = BigInt(text)
  for (let away = 1n; away <= MOST_NEIGHBOURS; away++) {
    const near = [middle - away, middle + away].filter(value => Number(value) === double)
    if (near.length === 0) return
    yield* near.map(String)
  }
}

function mapNumbers(
  node: JsonNode,
  member: string,
  change: (number: JsonNumber, member: string) => JsonNumber,
): JsonNode {
  if (node.kind === 'number') return change(node, member)
  if (node.kind === 'array') {
    return {kind: 'array', items: node.items.map(item => mapNumbers(item, member, change))}
  }
  if (node.kind !== 'object') return node
  const members = node.members.map(({key, value}) => ({
    key,
    value: mapNumbers(value, meaningOf(key), change),
  }))
  return {kind: 'object', members}
}
