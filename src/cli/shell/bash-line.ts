/** Bash passes its line as typed and inserts answers as they are: quotes are read and written here. */
import type {Candidate} from './candidates.js'

type Line = ReturnType<typeof readLine>

/**
 * `words`: without quotes and backslashes; the last is being typed, and may be empty. `fixed`: its start that bash keeps, up
 * to the open quote, or up to a word break; `breaks`: COMP_WORDBREAKS, after which bash starts to replace.
 */
export function readLine(line: string, breaks = '') {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  let brokenAt = 0
  let quotedAt = 0
  for (let index = 0; index < line.length; index++) {
    const isEscaped = line[index] === '\\' && quote !== "'"
    if (isEscaped) index += 1
    const character = line.charAt(index)
    const isBare = !isEscaped && quote === ''
    if (isBare && /\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
      brokenAt = 0
      continue
    }
    word ??= ''
    if (!isEscaped && character === quote) quote = ''
    else if (isBare && /['"]/.test(character)) {
      quote = character
      quotedAt = word.length
    } else {
      word += character
      if (isBare && breaks.includes(character)) brokenAt = word.length
    }
  }
  const last = word ?? ''
  return {words: [...words, last], quote, fixed: last.slice(0, quote === '' ? brokenAt : quotedAt)}
}

/** COMP_TYPE while bash only lists and replaces nothing, so that descriptions can be shown. */
const LISTING = '63'

/** One answer a line. Several found by description are only listed: bash would insert their common prefix. */
export function bashReplies(
  candidates: readonly Candidate[],
  {words, quote, fixed}: Line,
  type = '',
): string {
  const isList = candidates.length > 1 && type === LISTING
  const typed = words.at(-1) ?? ''
  return candidates
    .filter(([value]) => candidates.length === 1 || isList || value.startsWith(typed))
    .map(([value, description]) => {
      const reply = escapeWithin(quote, value.startsWith(fixed) ? value.slice(fixed.length) : value)
      return isList && description !== '' ? `${reply}  ${description}\n` : `${reply}\n`
    })
    .join('')
}

/** `text` as bash reads it after the open `quote`, or bare. Double quotes do not protect `!` (history). */
function escapeWithin(quote: string, text: string): string {
  if (quote === "'") return text.replaceAll("'", "'\\''")
  if (quote === '"') return text.replace(/[\\"$`]/g, '\\$&').replaceAll('!', `"'!'"`)
  return text.replace(/[^\p{L}\p{N}_.,/:=@+%-]/gu, '\\$&')
}
