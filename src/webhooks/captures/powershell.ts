/**
 * Reads a command as PowerShell does: Invoke-WebRequest and Invoke-RestMethod with their parameters, or a program such as
 * curl.exe with its arguments. Texts have one character per byte (latin1).
 */
import {runtimeWords} from './cmd.js'
import {type Command, utf8Bytes, type Variables, type Word, WRAPPED_OPTION} from './words.js'

export type Value = Word & {
  /** The entries of a hash table `@{name = "value"; …}`. */
  readonly entries?: readonly (readonly [string, Value])[]
}

const LINE_CONTINUES = /^`[ \t]*\r?\n/

/**
 * Returns the parameters of a cmdlet by their name in lower case, without the dash; a value without a name is that of `uri`, and a
 * switch has the text `true`.
 */
export function readCmdlet(
  text: string,
  start: number,
  variables: Variables<Value>,
): {parameters: Map<string, Value>; end: number} {
  const parameters = new Map<string, Value>()
  let name: string | undefined
  let at = start
  for (;;) {
    at = skipSpace(text, at)
    if (at >= text.length || /^(?:\r?\n|[;|)#])/.test(text.slice(at, at + 2))) break
    const parameter = /^-([A-Za-z]\w*):?/.exec(text.slice(at, at + 80))
    if (parameter) {
      if (name !== undefined) parameters.set(name, {text: 'true', unknown: []})
      name = (parameter[1] ?? '').toLowerCase()
      at += parameter[0].length
      continue
    }
    const splatted = /^@(\w+)/.exec(text.slice(at, at + 80))
    if (splatted) {
      const {entries = []} = variables.get((splatted[1] ?? '').toLowerCase()) ?? {}
      for (const [key, value] of entries) parameters.set(key.toLowerCase(), value)
      at += splatted[0].length
      continue
    }
    const {value, end} = readValue(text, at, variables)
    parameters.set(name ?? 'uri', value)
    name = undefined
    at = Math.max(end, at + 1)
  }
  if (name !== undefined) parameters.set(name, {text: 'true', unknown: []})
  return {parameters, end: at}
}

/**
 * Returns the command of a program such as curl.exe. Windows PowerShell passes an argument without escaping its quotes;
 * PowerShell 7.3 and later pass it unchanged.
 */
export function readProgram(
  text: string,
  start: number,
  variables: Variables<Value>,
  isWindowsPowerShell: boolean,
): Command {
  const words: Word[] = []
  let at = start
  for (;;) {
    at = skipSpace(text, at)
    if (at >= text.length || /^(?:\r?\n|[;|&)#<>])/.test(text.slice(at, at + 2))) break
    const {value, end} = readValue(text, at, variables, true)
    words.push(value)
    at = Math.max(end, at + 1)
  }
  if (!isWindowsPowerShell) return {words, end: at}
  const line = words.map(word => (/\s/.test(word.text) ? `"${word.text}"` : word.text)).join(' ')
  const unknown = words.flatMap(word => word.unknown)
  return {words: runtimeWords(line).map(word => ({text: word, unknown})), end: at}
}

/** Returns the variables that the text before `end` sets, such as `$body = '…'` and `$headers = @{…}`. */
export function powerShellVariables(text: string, end: number): Map<string, Value> {
  const variables = new Map<string, Value>()
  for (const found of text.slice(0, end).matchAll(/^[ \t]*(?:PS [^>\n]*>[ \t]*)?\$(\w+)[ \t]*=[ \t]*/gm)) {
    const {value, end: valueEnd} = readValue(text, found.index + found[0].length, variables)
    // Other text on the line makes it an expression, such as `@{…} | ConvertTo-Json`.
    const isWhole = /^[ \t]*(?:[;#].*)?(?:\r?\n|$)/.test(text.slice(valueEnd, valueEnd + 300))
    if (value.unknown.length === 0 && isWhole) variables.set((found[1] ?? '').toLowerCase(), value)
  }
  // $headers["Name"] = "value", and $headers.Add("Name", "value")
  const additions = /^[ \t]*\$(\w+)(?:\[["']([^"'\n]+)["']\][ \t]*=[ \t]*|\.Add\(["']([^"'\n]+)["'],[ \t]*)/gm
  for (const found of text.slice(0, end).matchAll(additions)) {
    const [whole, variable = '', first, second = ''] = found
    const {value} = readValue(text, found.index + whole.length, variables)
    const before = variables.get(variable.toLowerCase())?.entries ?? []
    variables.set(variable.toLowerCase(), {
      text: '',
      unknown: [],
      entries: [...before, [first ?? second, value]],
    })
  }
  return variables
}

/** Skips white space, joined lines, and line breaks that a mail put before a parameter. */
function skipSpace(text: string, start: number): number {
  let at = start
  for (;;) {
    const rest = text.slice(at, at + 300)
    const space = /^[ \t]+/.exec(rest) ?? LINE_CONTINUES.exec(rest)
    if (space) at += space[0].length
    else if (WRAPPED_OPTION.test(rest)) at += /^\r?\n/.exec(rest)?.[0].length ?? 1
    else return at
  }
}

/** Reads one value: a quoted or bare text, a here-string, a hash table, a variable, or one of these in parentheses. */
function readValue(
  text: string,
  start: number,
  variables: Variables<Value>,
  isArgument = false,
): {value: Value; end: number} {
  const rest = text.slice(start)
  const here = /^@(['"])[ \t]*\r?\n([\s\S]*?)\r?\n\1@/.exec(rest)
  if (here) {
    const [whole, quote, inner = ''] = here
    const value = quote === "'" ? {text: inner, unknown: []} : expand(inner, variables, false)
    return {value, end: start + whole.length}
  }
  if (rest.startsWith('@{')) return readTable(text, start + 2, variables)
  const encoded = /^\(?\s*\[(?:System\.)?Text\.Encoding\]::UTF8\.GetBytes\(\s*/i.exec(rest)
  const cast = encoded ?? /^\(\s*|^\[[\w.]+\]\s*/.exec(rest)
  if (cast) {
    const inner = readValue(text, start + cast[0].length, variables, isArgument)
    const opened = cast[0].split('(').length - 1
    const closed = new RegExp(`^(?:\\s*\\)){${opened}}`).exec(text.slice(inner.end, inner.end + 50))
    if (closed) return {value: inner.value, end: inner.end + closed[0].length}
    // It is an expression, such as two texts put together.
    const expression = /^[^\n]*/.exec(rest)?.[0] ?? ''
    return {value: {text: '', unknown: [expression.slice(0, 60)]}, end: start + expression.length}
  }
  const variable = /^\$(?:\{(\w+)\}|(\w+))/.exec(rest)
  if (variable && (!isArgument || /^(?:\s|$)/.test(rest.slice(variable[0].length)))) {
    const known = variables.get((variable[1] ?? variable[2] ?? '').toLowerCase())
    return {value: known ?? {text: '', unknown: [variable[0]]}, end: start + variable[0].length}
  }
  return readText(text, start, variables)
}

/** Reads a text of quoted and bare parts, up to unquoted white space or an operator. */
function readText(text: string, start: number, variables: Variables<Value>): {value: Word; end: number} {
  let value = ''
  const unknown: string[] = []
  let at = start
  while (at < text.length && !/[\s;,|&)}]/.test(text[at] ?? '')) {
    const character = text[at]
    if (character === "'") {
      const inner = /^'((?:[^']|'')*)'?/.exec(text.slice(at)) ?? ["'", '']
      value += (inner[1] ?? '').replaceAll("''", "'")
      at += inner[0].length
    } else if (character === '"') {
      const inner = /^"((?:[^"`]|`[\s\S]|"")*)"?/.exec(text.slice(at)) ?? ['"', '']
      const expanded = expand(inner[1] ?? '', variables, true)
      value += expanded.text
      unknown.push(...expanded.unknown)
      at += inner[0].length
    } else if (character === '`') {
      value += text[at + 1] ?? ''
      at += 2
    } else {
      value += character
      at += 1
    }
  }
  return {value: {text: value, unknown}, end: at}
}

/** Reads the entries of a hash table, up to its closing brace. */
function readTable(text: string, start: number, variables: Variables<Value>): {value: Value; end: number} {
  const entries: (readonly [string, Value])[] = []
  let at = start
  for (;;) {
    at += /^[\s;,]*/.exec(text.slice(at))?.[0].length ?? 0
    if (at >= text.length) break
    if (text[at] === '}') {
      at += 1
      break
    }
    const key = /^(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*=\s*/.exec(text.slice(at, at + 500))
    if (!key) break
    const {value, end} = readValue(text, at + key[0].length, variables)
    entries.push([key[1] ?? key[2] ?? key[3] ?? '', value])
    at = Math.max(end, at + key[0].length)
  }
  return {value: {text: '', unknown: [], entries}, end: at}
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  v: '\v',
  '0': '\0',
}

/** Replaces backtick escapes, variables and `$([char]350)` within double quotes; outside a here-string, `""` is a quote. */
function expand(text: string, variables: Variables<Value>, isQuoted: boolean): Word {
  const unknown: string[] = []
  const special =
    /`u\{([\da-fA-F]{1,6})\}|`(\r?\n|[\s\S])|("")|((?:\$\(\s*\[char\]\s*(?:0x[\da-fA-F]+|\d+)\s*\))+)|\$\([^)]*\)|\$\{?(?:\w+:)?(\w+)\}?/g
  const replaced = (
    all: string,
    code?: string,
    escaped?: string,
    doubled?: string,
    chars?: string,
    name?: string,
  ) => {
    if (code !== undefined) {
      const point = Number.parseInt(code, 16)
      return point <= 0x10ffff ? utf8Bytes(String.fromCodePoint(point)) : all
    }
    // Two of them may be the halves of a surrogate pair.
    if (chars !== undefined)
      return utf8Bytes(
        String.fromCharCode(...[...chars.matchAll(/\](?:\s*)(\w+)/g)].map(([, n]) => Number(n))),
      )
    if (escaped !== undefined) return ESCAPES[escaped] ?? escaped
    if (doubled !== undefined) return isQuoted ? '"' : doubled
    const known = name === undefined ? undefined : variables.get(name.toLowerCase())
    if (known !== undefined && known.entries === undefined) return known.text
    unknown.push(all)
    return ''
  }
  return {text: text.replace(special, replaced), unknown}
}
