/**
 * Splits a command as cmd.exe and the C runtime of Windows do: first carets, percent signs and the end of the command, then
 * quotes and backslashes. Texts have one character per byte (latin1).
 */
import {type Command, type Word, WRAPPED_OPTION} from './words.js'

export interface CmdOptions {
  /** Whether the command is in a batch file. There `%%` is one percent sign, and an unknown variable is empty. */
  readonly isBatch: boolean
}

/** Variables that every Windows has, so that cmd.exe replaces them by a value that is not in the text. */
const SET_EVERYWHERE =
  /^(?:PATH|PATHEXT|OS|USERNAME|USERPROFILE|USERDOMAIN|COMPUTERNAME|TEMP|TMP|WINDIR|SYSTEMROOT|SYSTEMDRIVE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMFILES|PROGRAMDATA|PUBLIC|COMSPEC|NUMBER_OF_PROCESSORS|PROCESSOR_\w+|DATE|TIME|CD|RANDOM|ERRORLEVEL|CMDCMDLINE)$/i

/** Returns the command that begins at `start`. */
export function readCmd(text: string, start: number, {isBatch}: CmdOptions): Command {
  const {line, end, unknown} = commandLine(text, start, isBatch)
  const words = runtimeWords(line).map(
    (word): Word => ({text: word, unknown: unknown.filter(part => word.includes(part))}),
  )
  return {words, end}
}

/** Undoes carets and percent signs, and returns the line that the program gets. */
function commandLine(
  text: string,
  start: number,
  isBatch: boolean,
): {line: string; end: number; unknown: string[]} {
  let line = ''
  let isQuoted = false
  const unknown: string[] = []
  let at = start
  while (at < text.length) {
    const character = text[at] ?? ''
    const rest = /[\r\n%^]/.test(character) ? text.slice(at, at + 300) : ''
    const lineBreak = /^\r?\n/.exec(rest)
    if (lineBreak && !isQuoted && !WRAPPED_OPTION.test(rest)) break
    if (character === '%') {
      const [whole = '%', name = ''] = /^%%|^%([^%\r\n:]+)%/.exec(rest) ?? ['%']
      const isSet = SET_EVERYWHERE.test(name)
      if (isSet) {
        unknown.push(whole)
        line += whole
      } else if (!isBatch || whole === '%%') line += '%'
      // A typed command keeps an unknown variable, so only its first percent sign is taken here.
      at += isSet || isBatch ? whole.length : 1
    } else if (character === '^' && !isQuoted) {
      // A caret before a line break joins the lines, and the character after the break is taken as it is.
      const joined = /^\^[ \t]*\r?\n(\r?\n)?/.exec(rest)
      if (joined) {
        line += joined[1] === undefined ? '' : '\n'
        at += joined[0].length
      } else {
        line += text[at + 1] ?? ''
        at += 2
      }
    } else {
      if (character === '"') isQuoted = !isQuoted
      if (!isQuoted && /[&|<>]/.test(character)) break
      line += lineBreak && !isQuoted ? ' ' : character
      at += 1
    }
  }
  return {line, end: at, unknown}
}

/**
 * Splits a command line into arguments: backslashes count only before a double quote, where two are one, and `""` within quotes
 * is a quote.
 */
export function runtimeWords(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let isQuoted = false
  let at = 0
  while (at < line.length) {
    const character = line[at] ?? ''
    if (!isQuoted && /\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
      at += 1
      continue
    }
    word ??= ''
    if (character === '\\') {
      let end = at
      while (line[end] === '\\') end += 1
      const isBeforeQuote = line[end] === '"'
      const isEscaped = isBeforeQuote && (end - at) % 2 === 1
      word += '\\'.repeat(isBeforeQuote ? Math.floor((end - at) / 2) : end - at)
      if (isEscaped) word += '"'
      at = isEscaped ? end + 1 : end
    } else if (character === '"') {
      const isDoubled = isQuoted && line[at + 1] === '"'
      if (isDoubled) word += '"'
      else isQuoted = !isQuoted
      at += isDoubled ? 2 : 1
    } else {
      word += character
      at += 1
    }
  }
  if (word !== undefined) words.push(word)
  return words
}
