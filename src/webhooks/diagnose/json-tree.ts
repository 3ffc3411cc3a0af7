/**
 * JSON as it is spelled: numbers, escapes, key order and repeated keys are kept as text, so that a body can be printed
 * again in another style without a digit of it changing. (`JSON.parse` loses `1250.00`, large integers and the order.)
 */

export interface JsonString {
  readonly kind: 'string'
  /** With its quotes and escapes, as spelled. */
  readonly text: string
}

export interface JsonObject {
  readonly kind: 'object'
  readonly members: readonly JsonMember[]
}

export interface JsonMember {
  readonly key: JsonString
  readonly value: JsonNode
}

export interface JsonArray {
  readonly kind: 'array'
  readonly items: readonly JsonNode[]
}

export interface JsonNumber {
  readonly kind: 'number'
  readonly text: string
}

export interface JsonWord {
  readonly kind: 'word'
  readonly text: string
}

export type JsonNode = JsonObject | JsonArray | JsonString | JsonNumber | JsonWord

/** Deeper nesting is no event of the service. */
const MOST_LEVELS = 100

const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
const BLANKS = /[ \t\r\n]*/y

/** The value spelled in `text`, with nothing but blanks around it; undefined when it is not JSON. */
export function parseTree(text: string): JsonNode | undefined {
  const reader = new TreeReader(text)
  const node = reader.value(0)
  return node !== undefined && reader.isAtEnd() ? node : undefined
}

/** What a string means. */
export function meaningOf(string: JsonString): string {
  return JSON.parse(string.text)
}

/**
 * Where the string that begins at `start` ends, after its closing quote; undefined when it is none. (A loop: a pattern
 * would need a stack as deep as the string is long.)
 */
export function stringEnd(text: string, start: number): number | undefined {
  if (text[start] !== '"') return undefined
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code < 0x20) return undefined
    if (code !== 0x5c) continue
    ESCAPE.lastIndex = at
    const spelled = ESCAPE.exec(text)
    if (!spelled) return undefined
    at += spelled[0].length - 1
  }
  return undefined
}

class TreeReader {
  private at = 0

  constructor(private readonly text: string) {}

  isAtEnd(): boolean {
    this.take(BLANKS)
    return this.at === this.text.length
  }

  value(level: number): JsonNode | undefined {
    this.take(BLANKS)
    const first = this.text[this.at]
    if (level > MOST_LEVELS) return undefined
    if (first === '{') return this.object(level)
    if (first === '[') return this.array(level)
    if (first === '"') return this.string()
    const number = this.take(NUMBER)
    if (number) return {kind: 'number', text: number}
    const word = this.take(WORD)
    return word ? {kind: 'word', text: word} : undefined
  }

  private object(level: number): JsonObject | undefined {
    const members: JsonMember[] = []
    const read = this.list('}', () => {
      this.take(BLANKS)
      const key = this.string()
      this.take(BLANKS)
      if (!key || !this.takeOne(':')) return false
      const value = this.value(level + 1)
      if (value) members.push({key, value})
      return value !== undefined
    })
    return read ? {kind: 'object', members} : undefined
  }

  private array(level: number): JsonArray | undefined {
    const items: JsonNode[] = []
    const read = this.list(']', () => {
      const item = this.value(level + 1)
      if (item) items.push(item)
      return item !== undefined
    })
    return read ? {kind: 'array', items} : undefined
  }

  private list(close: string, item: () => boolean): boolean {
    this.at += 1
    this.take(BLANKS)
    if (this.takeOne(close)) return true
    do {
      if (!item()) return false
      this.take(BLANKS)
    } while (this.takeOne(','))
    return this.takeOne(close)
  }

  private string(): JsonString | undefined {
    const end = stringEnd(this.text, this.at)
    if (end === undefined) return undefined
    const text = this.text.slice(this.at, end)
    this.at = end
    return {kind: 'string', text}
  }

  private takeOne(character: string): boolean {
    if (this.text[this.at] !== character) return false
    this.at += 1
    return true
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? ''
    this.at += found.length
    return found
  }
}
