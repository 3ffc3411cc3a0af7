/**
 * Changes one entry in the text of a program's settings, which are JSON, with comments where the program reads them. All other
 * bytes stay as they are: comments, order, spacing and line ends. Removing an entry that was added gives the earlier text again.
 */
import {getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode} from 'jsonc-parser'
import {usage} from '../../../contract/failure.js'

/** The keys of a value, outermost first: `['mcpServers', 'bookctl']`. */
export type Keys = readonly string[]

/** What the settings are called in errors, and whether they may have comments and a comma after the last value. */
export interface Form {
  readonly file: string
  readonly hasComments: boolean
}

/** Returns the value at `keys`, or undefined. Throws a usage error if the text is not valid in this form, or not an object. */
export function readValue(text: string, keys: Keys, form: Form): unknown {
  const {found, rest} = locate(text, keys, form)
  return rest.length === 0 ? getNodeValue(found) : undefined
}

/** Returns the keys of the object at `keys`; none if there is no object. Throws as `readValue` does. */
export function keysAt(text: string, keys: Keys, form: Form): string[] {
  const {found, rest} = locate(text, keys, form)
  return rest.length === 0 ? propertiesOf(found).map(keyOf) : []
}

/** Returns the text with `value` at `keys`. Objects that are missing on the way are added. Throws as `readValue` does. */
export function withValue(text: string, keys: Keys, value: unknown, form: Form): string {
  if (text.trim() === '') return `${JSON.stringify(nested(keys, value), undefined, 2)}\n`
  const {found, rest} = locate(text, keys, form)
  const [key, ...below] = rest
  if (key !== undefined) {
    requireObject(found, keys.slice(0, keys.length - rest.length), form)
    return withProperty(text, found, key, nested(below, value))
  }
  const written = layout(value, indentAt(text, found.offset), text)
  return text.slice(0, found.offset) + written + text.slice(endOf(found))
}

/**
 * Returns the text without the value at `keys`, and without objects that have nothing else. Throws as `readValue` does.
 */
export function withoutValue(text: string, keys: Keys, form: Form): string {
  const {found, rest} = locate(text, keys, form)
  if (rest.length > 0 || keys.length === 0) return text
  let gone = found.parent as Node
  let object = gone.parent as Node
  while (object.parent && hasOnly(text, object, gone) && isPlain(text, object.parent)) {
    gone = object.parent
    object = gone.parent as Node
  }
  if (hasOnly(text, object, gone)) return `${text.slice(0, object.offset)}{}${text.slice(endOf(object))}`
  return withoutProperty(text, object, gone)
}

/** Finds the value at `keys`, or the innermost object on the way to it; `rest` are the keys that are missing there. */
function locate(text: string, keys: Keys, form: Form): {readonly found: Node; readonly rest: Keys} {
  const root = parse(text, form)
  let found = root
  for (const [index, key] of keys.entries()) {
    requireObject(found, keys.slice(0, index), form)
    const [property, second] = propertiesOf(found).filter(each => keyOf(each) === key)
    if (second) throw broken(form, `has ${JSON.stringify(key)} twice, again on line ${lineOf(text, second)}`)
    if (!property) return {found, rest: keys.slice(index)}
    found = property.children?.[1] as Node
  }
  return {found, rest: []}
}

function parse(text: string, form: Form): Node {
  const {hasComments} = form
  const errors: ParseError[] = []
  const options = {disallowComments: !hasComments, allowTrailingComma: hasComments, allowEmptyContent: true}
  let root: Node | undefined
  try {
    root = parseTree(text.trim() === '' ? '{}' : text, errors, options)
  } catch (error) {
    // The parser calls itself for each level.
    if (!(error instanceof RangeError)) throw error
    throw broken(form, 'is nested too deeply')
  }
  const [error] = errors
  if (error) {
    const words = printParseErrorCode(error.error).replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
    throw broken(form, `is not valid JSON:${words} on line ${lineOf(text, error)}`)
  }
  if (root?.type !== 'object') throw broken(form, 'is not a JSON object')
  return root
}

function requireObject(node: Node, keys: Keys, form: Form): void {
  if (node.type !== 'object') throw broken(form, `has no object at ${keys.join('.')}`)
}

function broken({file}: Form, problem: string) {
  return usage('broken_settings', `${file} ${problem}`, 'correct it, or move it away; it was not changed')
}

/** Returns the text with a property at the end of `object`. */
function withProperty(text: string, object: Node, key: string, value: unknown): string {
  const properties = propertiesOf(object)
  const last = properties.at(-1)
  const brace = endOf(object) - 1
  const isOneLine = last !== undefined && !text.slice(object.offset, brace).includes('\n')
  // Comments after the last property stay where they are.
  const inner = text.slice(0, brace).trimEnd()
  if (isOneLine) {
    const written = `${JSON.stringify(key)}: ${JSON.stringify(value)}`
    const gap = text.slice(inner.length, brace)
    const comma = commaAfter(text, last, brace)
    const before = comma === undefined ? `${inner.slice(0, endOf(last))},${inner.slice(endOf(last))}` : inner
    return `${before} ${written}${comma === undefined ? '' : ','}${gap}${text.slice(brace)}`
  }
  const newline = newlineOf(text)
  const outer = indentAt(text, object.offset)
  const indent = last === undefined ? outer + unitOf(text) : indentAt(text, last.offset)
  const written = `${newline}${indent}${JSON.stringify(key)}: ${layout(value, indent, text)}`
  if (last === undefined) return `${inner}${written}${newline}${outer}${text.slice(brace)}`
  const comma = commaAfter(text, last, brace)
  if (comma !== undefined) return `${inner}${written},${text.slice(inner.length)}`
  const before = `${inner.slice(0, endOf(last))},${inner.slice(endOf(last))}`
  return `${before}${written}${text.slice(inner.length)}`
}

/** Returns the text without `property`, its comma, and its line if that has nothing else. */
function withoutProperty(text: string, object: Node, property: Node): string {
  const properties = propertiesOf(object)
  const previous = properties[properties.indexOf(property) - 1]
  const next = properties[properties.indexOf(property) + 1]
  const end = endOf(property)
  const following = commaAfter(text, property, next?.offset ?? endOf(object) - 1)
  const comma = following ?? (previous && commaAfter(text, previous, property.offset))
  const rest = text.slice(end, following) + (following === undefined ? '' : text.slice(following + 1))
  const start = text.slice(0, property.offset).trimEnd().length
  const hasLine = text.slice(start, property.offset).includes('\n')
  // What follows on the same line must not become part of a comment at the end of the line before.
  const keepsLine = hasLine && !/^[ \t]*(\r?\n|$)/.test(rest)
  const head = text.slice(0, keepsLine ? property.offset : start)
  const tail = keepsLine ? rest.replace(/^[ \t]+/, '') : rest
  if (comma === undefined || following !== undefined) return head + tail
  return head.slice(0, comma) + head.slice(comma + 1) + tail
}

/** Returns the offset of the comma between the end of `property` and `end`, or undefined. A comma in a comment is none. */
function commaAfter(text: string, property: Node, end: number): number | undefined {
  const between = text.slice(endOf(property), end)
  const plain = between.replace(/\/\/[^\n\r]*|\/\*[\s\S]*?\*\//g, comment => ' '.repeat(comment.length))
  const index = plain.indexOf(',')
  return index < 0 ? undefined : endOf(property) + index
}

/** Reports whether `object` has nothing but `property`, not even a comment. */
function hasOnly(text: string, object: Node, property: Node): boolean {
  const before = text.slice(object.offset + 1, property.offset)
  const after = text.slice(endOf(property), endOf(object) - 1)
  return before.trim() === '' && /^\s*,?\s*$/.test(after)
}

/** Reports whether there is no comment between the key and the value of `property`. */
function isPlain(text: string, property: Node): boolean {
  const [key, value] = property.children as [Node, Node]
  return /^\s*:\s*$/.test(text.slice(endOf(key), value.offset))
}

/** Returns a value as JSON in the style of `text`; `indent` is that of the line it starts on. */
function layout(value: unknown, indent: string, text: string): string {
  return JSON.stringify(value, undefined, unitOf(text))
    .split('\n')
    .join(`${newlineOf(text)}${indent}`)
}

function nested(keys: Keys, value: unknown): unknown {
  return keys.reduceRight((inner, key) => ({[key]: inner}), value)
}

function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** Returns the indentation of one level: that of the first line that has any. */
function unitOf(text: string): string {
  return /^(\t|[ ]{1,8})[ \t]*\S/m.exec(text)?.[1] ?? '  '
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

function lineOf(text: string, {offset}: {readonly offset: number}): number {
  return text.slice(0, offset).split('\n').length
}

function endOf({offset, length}: Node): number {
  return offset + length
}

function propertiesOf(object: Node): readonly Node[] {
  return object.type === 'object' ? (object.children ?? []) : []
}

function keyOf(property: Node): string {
  return property.children?.[0]?.value as string
}
