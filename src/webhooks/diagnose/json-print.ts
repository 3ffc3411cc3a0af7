/** Prints JSON in the manner of the printers receivers use: blanks, indentation, escapes. */
import {type Escapes, KEPT_ESCAPES, respell} from './json-escapes.js'
import {type JsonNode, stringEnd} from './json-tree.js'

export interface Spacing {
  /** In words, as a finding says it. */
  readonly name: string
  /** Between two members or items on one line. */
  readonly comma: string
  readonly colon: string
  /** One level of indentation; undefined prints everything on one line. */
  readonly indent?: string
  readonly lineBreak?: '\n' | '\r\n'
  /** Lists stand on one line, as Jackson prints them. */
  readonly flatLists?: boolean
  /** What stands inside empty objects and lists. */
  readonly empty?: string
  /** What stands inside brackets on one line. */
  readonly padding?: string
}

const indented = (name: string, indent: string, lineBreak: '\n' | '\r\n' = '\n'): Spacing => ({
  ...{name: `pretty-printed with ${name}`, comma: ',', colon: ': ', indent, lineBreak},
})

/** The ways printers put blanks, the likely ones first. */
export const SPACINGS: readonly Spacing[] = [
  {name: 'no blanks', comma: ',', colon: ':'},
  {name: 'blanks after `,` and `:`', comma: ', ', colon: ': '},
  indented('2 blanks', '  '),
  indented('4 blanks', '    '),
  indented('tabs', '\t'),
  {name: 'blanks after `,`', comma: ', ', colon: ':'},
  {name: 'blanks after `:`', comma: ',', colon: ': '},
  {
    ...indented("2 blanks, in Jackson's manner", '  '),
    ...{comma: ', ', colon: ' : ', flatLists: true, empty: ' ', padding: ' '},
  },
  indented('2 blanks and CRLF', '  ', '\r\n'),
  indented('4 blanks and CRLF', '    ', '\r\n'),
  indented('tabs and CRLF', '\t', '\r\n'),
  indented('3 blanks', '   '),
  indented('1 blank', ' '),
  indented('8 blanks', '        '),
  {name: 'line breaks alone', comma: ',', colon: ': ', indent: '', lineBreak: '\n'},
  {name: 'blanks inside brackets', comma: ', ', colon: ': ', padding: ' '},
]

/** `node` printed with `spacing` and `escapes`. */
export function print(node: JsonNode, spacing: Spacing, escapes: Escapes = KEPT_ESCAPES): string {
  return new Printer(spacing, escapes).print(node, '')
}

class Printer {
  constructor(
    private readonly spacing: Spacing,
    private readonly escapes: Escapes,
  ) {}

  print(node: JsonNode, margin: string): string {
    if (node.kind === 'string') return respell(node.text, this.escapes)
    if (node.kind === 'object') return this.object(node.members, margin)
    if (node.kind === 'array') return this.array(node.items, margin)
    return node.text
  }

  private object(members: Extract<JsonNode, {kind: 'object'}>['members'], margin: string): string {
    const inner = margin + (this.spacing.indent ?? '')
    const {colon} = this.spacing
    const texts = members.map(
      ({key, value}) => respell(key.text, this.escapes) + colon + this.print(value, inner),
    )
    return this.wrap('{', texts, '}', margin, false)
  }

  private array(items: readonly JsonNode[], margin: string): string {
    const flat = this.spacing.flatLists ?? false
    const inner = flat ? margin : margin + (this.spacing.indent ?? '')
    return this.wrap(
      '[',
      items.map(item => this.print(item, inner)),
      ']',
      margin,
      flat,
    )
  }

  private wrap(open: string, texts: readonly string[], close: string, margin: string, flat: boolean): string {
    const {indent, lineBreak = '\n', comma, empty = '', padding = ''} = this.spacing
    if (texts.length === 0) return open + empty + close
    if (indent === undefined || flat) return open + padding + texts.join(comma) + padding + close
    const start = `${lineBreak}${margin}${indent}`
    return `${open}${start}${texts.join(`,${start}`)}${lineBreak}${margin}${close}`
  }
}

/** `text` with its own blanks, its strings spelled with `escapes`. */
export function respellStrings(text: string, escapes: Escapes): string {
  let result = ''
  let from = 0
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', from)) {
    const end = stringEnd(text, at) ?? text.length
    result += text.slice(from, at) + respell(text.slice(at, end), escapes)
    from = end
  }
  return result + text.slice(from)
}
