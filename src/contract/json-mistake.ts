/** Finds the mistake in a JSON text that a person wrote, without quoting any of it. */

/** Where `text` stops being JSON, and why. */
export function mistakeIn(text: string): {line: number; column: number; problem: string} {
  const end = validPrefix(text)
  const before = text.slice(0, end).split('\n')
  const problem = end >= text.trimEnd().length ? 'it ends too early' : 'a stray character'
  return {line: before.length, column: (before.at(-1)?.length ?? 0) + 1, problem}
}

/** Length of the longest valid start of `text`. Node's own messages may quote the content. */
function validPrefix(text: string): number {
  const scanner = new Scanner(text)
  scanner.value()
  scanner.spaces()
  return scanner.at
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none of them in a string
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y
const WORD_OR_NUMBER = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** Deeper nesting is reported as the mistake. */
const MOST_LEVELS = 1000

/** Walks JSON's grammar and stops where it ends or breaks. */
class Scanner {
  at = 0
  /** Where a key begins that its object has already. */
  repeatedAt: number | undefined
  private depth = 0

  constructor(private readonly text: string) {}

  spaces(): void {
    this.take(/[ \t\n\r]*/y)
  }

  /** Whether a whole value was read. */
  value(): boolean {
    this.spaces()
    const first = this.text[this.at]
    if (first === '{') {
      const keys = new Set<string>()
      return this.list('}', () => this.member(keys))
    }
    if (first === '[') return this.list(']', () => this.value())
    return this.take(STRING) || this.take(WORD_OR_NUMBER)
  }

  private member(keys: Set<string>): boolean {
    this.spaces()
    const start = this.at
    if (!this.take(STRING)) return false
    const key = JSON.parse(this.text.slice(start, this.at)) as string
    if (keys.has(key)) this.repeatedAt ??= start
    keys.add(key)
    this.spaces()
    return this.take(/:/y) && this.value()
  }

  private list(close: string, item: () => boolean): boolean {
    this.at += 1
    if (++this.depth > MOST_LEVELS) return false
    this.spaces()
    if (this.text[this.at] === close) return this.advance()
    while (item()) {
      this.spaces()
      if (this.text[this.at] === close) return this.advance()
      if (!this.take(/,/y)) return false
    }
    return false
  }

  private advance(): true {
    this.at += 1
    this.depth -= 1
    return true
  }

  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.text)
    if (!match) return false
    this.at += match[0].length
    return true
  }
}

/** The line of the first key that its object has already, in a JSON text; undefined when there is none. */
export function repeatedKeyLine(text: string): number | undefined {
  const scanner = new Scanner(text)
  scanner.value()
  const {repeatedAt} = scanner
  return repeatedAt === undefined ? undefined : text.slice(0, repeatedAt).split('\n').length
}

/** The line on which the value at `path` of a JSON text begins; where keys repeat, that of one of them. */
export function lineOf(text: string, path: readonly string[]): number {
  let at = 0
  for (const key of path) {
    const found = text.indexOf(JSON.stringify(key), at)
    if (found >= 0) at = found
  }
  return text.slice(0, at).split('\n').length
}
