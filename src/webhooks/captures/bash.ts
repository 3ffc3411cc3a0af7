/**
 * Splits the commands of a text as bash does. Texts have one character per byte (latin1), so that no byte of a body is lost. A
 * line break that a mail put between two words does not end the command.
 */
import {type Command, utf8Bytes, type Variables, type Word, WRAPPED_OPTION} from './words.js'

/** Returns the command that begins at `start`. `variables` are those that the text sets. */
export function readBash(text: string, start: number, variables: Variables<string>): Command {
  const words: Word[] = []
  const command: {words: Word[]; input?: string; end: number} = {words, end: start}
  let at = start
  for (;;) {
    at += /^(?:[ \t]|\\[ \t]*\r?\n)*/.exec(text.slice(at))?.[0].length ?? 0
    const lineEnd = /^\r?\n/.exec(text.slice(at, at + 2))
    if (lineEnd && WRAPPED_OPTION.test(text.slice(at))) {
      at += lineEnd[0].length
      continue
    }
    if (at >= text.length || lineEnd || /^[;&|)]|^#/.test(text.slice(at, at + 1))) break
    const document = /^<<(-?)[ \t]*(['"]?)(\w+)\2[^\n]*\n/.exec(text.slice(at))
    if (document) {
      const [whole, dash, , mark = ''] = document
      const from = at + whole.length
      const end = new RegExp(`^${dash === '' ? '' : '\\t*'}${mark}\\r?$`, 'm').exec(text.slice(from))
      const lines = text.slice(from, end ? from + end.index : text.length)
      command.input = dash === '' ? lines : lines.replace(/^\t+/gm, '')
      at = end ? from + end.index + end[0].length : text.length
      break
    }
    if (/^[<>]/.test(text.slice(at))) {
      // A redirection is not an argument, and a file that is read is not in the text.
      at += /^(?:<<<|>>|[<>])&?[ \t]*/.exec(text.slice(at))?.[0].length ?? 1
      at = readWord(text, at, variables).end
      continue
    }
    const {word, end} = readWord(text, at, variables)
    words.push(word)
    at = Math.max(end, at + 1)
  }
  command.end = at
  return command
}

/** Reads one word, up to unquoted white space or an operator. */
function readWord(text: string, start: number, variables: Variables<string>): {word: Word; end: number} {
  let value = ''
  const unknown: string[] = []
  let at = start
  const expand = () => {
    const {length, name} = expansionAt(text, at)
    const known = variables.get(name)
    if (known === undefined) unknown.push(text.slice(at, at + length))
    value += known ?? ''
    at += length
  }
  while (at < text.length && !/[\s;&|<>()]/.test(text[at] ?? '')) {
    const character = text[at] ?? ''
    if (character === "'") {
      const end = text.indexOf("'", at + 1)
      value += text.slice(at + 1, end < 0 ? text.length : end)
      at = end < 0 ? text.length : end + 1
    } else if (character === '$' && text[at + 1] === "'") {
      const inner = /^\$'((?:[^'\\]|\\.)*)'?/s.exec(text.slice(at)) ?? ["$'", '']
      value += ansiC(inner[1] ?? '')
      at += inner[0].length
    } else if (character === '"' || (character === '$' && text[at + 1] === '"')) {
      at += character === '$' ? 2 : 1
      while (at < text.length && text[at] !== '"') {
        const escaped = text[at] === '\\' ? /^\\(\r?\n|["\\$`])/.exec(text.slice(at, at + 3)) : null
        if (escaped) {
          value += /\n/.test(escaped[1] ?? '') ? '' : escaped[1]
          at += escaped[0].length
        } else if (expansionAt(text, at).length > 0) expand()
        else value += text[at++]
      }
      at += 1
    } else if (character === '\\') {
      const lineBreak = /^\\[ \t]*\r?\n/.exec(text.slice(at))
      if (!lineBreak) value += text[at + 1] ?? ''
      at += lineBreak ? lineBreak[0].length : 2
    } else if (expansionAt(text, at).length > 0) expand()
    else {
      value += character
      at += 1
    }
  }
  return {word: {text: value, unknown}, end: at}
}

/** Returns the length of the expansion at `at`, or 0, and the name of its variable. */
function expansionAt(text: string, at: number): {length: number; name: string} {
  if (!/[$`]/.test(text[at] ?? '')) return {length: 0, name: ''}
  const rest = text.slice(at, at + 2000)
  const found = /^\$\{?(\w+)\}?/.exec(rest) ?? /^\$\{[^}]*\}|^\$\([^)]*\)|^\$[@*#?$!-]|^`[^`]*`/.exec(rest)
  return {length: found?.[0].length ?? 0, name: found?.[1] ?? ''}
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
}

/** Replaces the escapes within `$'…'`. */
function ansiC(text: string): string {
  const escapes = /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))/gs
  return text.replace(
    escapes,
    (all, byte?: string, short?: string, long?: string, octal?: string, control?: string, other?: string) => {
      if (byte) return String.fromCharCode(Number.parseInt(byte, 16))
      const code = Number.parseInt(short ?? long ?? '', 16)
      if (!Number.isNaN(code)) return code <= 0x10ffff ? utf8Bytes(String.fromCodePoint(code)) : all
      if (octal) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff)
      if (control) return String.fromCharCode(control.toUpperCase().charCodeAt(0) & 0x1f)
      return ESCAPES[other ?? ''] ?? (/[\\'"?]/.test(other ?? '') ? (other ?? '') : all)
    },
  )
}

const ASSIGNMENT = /^[ \t]*(?:[$#>%][ \t]+)?(?:export[ \t]+)?([A-Za-z_]\w*)=(?=\S)/gm

/** Returns the variables that the text before `end` sets, such as `BODY='…'`. */
export function bashVariables(text: string, end: number): Map<string, string> {
  const variables = new Map<string, string>()
  for (const found of text.slice(0, end).matchAll(ASSIGNMENT)) {
    const {word} = readWord(text, found.index + found[0].length, variables)
    if (word.unknown.length === 0) variables.set(found[1] ?? '', word.text)
  }
  return variables
}
