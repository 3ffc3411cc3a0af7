/** Compares typed words regardless of accents and case, and suggests the nearest name for a mistyped one. */

/** Letters that Unicode normalization does not decompose, with their plain spelling. */
const FOLDED: Readonly<Record<string, string>> = {
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ə: 'e',
}

/**
 * Removes accents and case: `İstanbul`, `ISTANBUL` and `ıstanbul` all give `istanbul`; `Köln` gives `koln`, and
 * `Straße` gives `strasse`.
 */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ıßæœøłđðþə]/g, letter => FOLDED[letter] ?? letter)
    .replace(/\s+/g, ' ')
    .trim()
}

/** Reports whether `text` contains every word of `typed`, regardless of accents and case. */
export function matches(text: string, typed: string): boolean {
  const folded = fold(text)
  const words = fold(typed).split(' ')
  return words.every(word => folded.includes(word))
}

/**
 * Returns the name that `word` probably means: the nearest in spelling, else one that begins or ends with `word`.
 * Returns undefined if there is none.
 */
export function closest(word: string, names: readonly string[]): string | undefined {
  const [best] = closestFew(word, names, 1)
  const isLong = lettersOf(word).length > 2
  return best ?? names.find(name => isLong && (name.startsWith(word) || name.endsWith(` ${word}`)))
}

const GUESS = 'did you mean '
const LIST = 'names: '

/** Returns the hint for a mistyped name, with the name that was probably meant. */
export function didYouMean(meant: string): string {
  return `${GUESS}${meant}?`
}

/** Returns the hint for a name that resembles none of `names`: a list of them. */
export function listOfNames(names: readonly string[]): string {
  return LIST + names.join(', ')
}

/**
 * Reports whether `didYouMean` or `listOfNames` made `hint`, and its first name begins with `start`. Such a hint is
 * clear only next to its message.
 */
export function isAboutName(hint = '', start = ''): boolean {
  return [GUESS, LIST].some(lead => hint.startsWith(lead + start))
}

/**
 * Returns at most `most` names that differ from `word` by one or two edits, and by no more than a third of its letters,
 * nearest first.
 */
export function closestFew(word: string, names: readonly string[], most: number): string[] {
  const typed = lettersOf(word)
  return names
    .map(name => ({name, distance: editDistance(typed, lettersOf(name))}))
    .filter(({distance}) => distance <= Math.min(2, typed.length / 3))
    .sort((left, right) => left.distance - right.distance)
    .slice(0, most)
    .map(({name}) => name)
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/^-+/, '')
}

/**
 * Counts the edits between two words: a letter replaced, left out, added, or swapped with the next one. The packages
 * for this (fastest-levenshtein, leven) count a swap as two edits, so that `lsit` would get no suggestion.
 */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({length: to.length + 1}, (_, index) => index)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= to.length; j++) {
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const replaced = at(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : replaced
      row.push(Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1))
    }
  }
  return at(from.length, to.length)
}
