/** JSON with its spelling, to print it again in another style: `JSON.parse` loses `1250.00`, large integers, order, repeats. */
import {isTooDeep, jsonEscapes} from '../../contract/json.js'
import {parseText} from '../captures/request.js'

/** Keys as spelled, with their quotes. */
export type JsonObject = {readonly members: readonly (readonly [key: string, value: JsonNode])[]}

/** A string is a value as spelled: a JSON string has its quotes. */
export type JsonNode = string | JsonNode[] | JsonObject

const STRING = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`
const STRINGS = new RegExp(STRING, 'g')
const TOKENS = new RegExp(String.raw`${STRING}|[{}[\]]|[^\s{}[\],:"]+`, 'g')

/** The value in `text`; undefined when it is not JSON, or nested absurdly deep. */
export function parseTree(text: string): JsonNode | undefined {
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
export function mapTree(
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

export interface Spacing {
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

export const COMPACT: Spacing = {name: 'no spaces', comma: ',', colon: ':'}

/** How printers put spaces, the likely ones first. */
export const SPACINGS: readonly Spacing[] = [
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
export function print(node: JsonNode, spacing: Spacing, margin = ''): string {
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
export interface Spelling {
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
export const SPELLINGS: readonly (readonly Spelling[])[] = [
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
export function respell(text: string, spellings: readonly Spelling[]): string {
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
