/** Any text in the letters of one font: what the font lacks in Latin letters, and what is read from the right in its order on paper. */
import anyAscii from 'any-ascii'
import bidiModule from 'bidi-js'

// Its types describe another build, with a default export; the module that Node loads is the function itself.
const bidi = (bidiModule as unknown as typeof bidiModule.default)()
const graphemes = new Intl.Segmenter(undefined, {granularity: 'grapheme'})

/** Unpaired surrogates, marks of direction, variation selectors; and U+200C, which is a part of the spelling in Arabic letters only. */
const SHOWS_NOTHING =
  /\p{Cs}|(?!\u200c)\p{Cf}|[\ufe00-\ufe0f]|(?<!\p{Script=Arabic})\u200c|\u200c(?!\p{Script=Arabic})/gu

/** A letter of a script that is read from the right. */
const FROM_RIGHT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Nko}\p{Script=Syriac}\p{Script=Thaana}]/u

/**
 * `text` on one line, without controls and marks of direction. What `hasGlyph` denies is in Latin letters, in brackets: Japanese
 * as if it were Chinese, Thai and Arabic letter by letter, since nothing says how the name is spoken.
 */
export function inLettersOf(hasGlyph: (codePoint: number) => boolean, text: string) {
  const line = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(SHOWS_NOTHING, '')
    .trim()
  // The order on paper is found by UTF-16 units, so a letter of two would be torn; U+FFFD says that a letter was lost before.
  const isShown = (letter: string) =>
    letter.length === 1 && letter !== '\ufffd' && hasGlyph(letter.charCodeAt(0))
  const parts: {isShown: boolean; text: string}[] = []
  for (const {segment} of graphemes.segment(line)) {
    const shown = Array.from(segment).every(isShown)
    const last = parts.at(-1)
    if (last?.isShown === shown) last.text += segment
    else parts.push({isShown: shown, text: segment})
  }
  const written = parts.map(part => (part.isShown ? part.text : `[${inLatin(part.text)}]`)).join('')
  return {text: written.replaceAll('] [', ' '), isTransliterated: parts.some(part => !part.isShown)}
}

function inLatin(text: string): string {
  const letters = Array.from(text, letter => {
    const number = `U+${letter.codePointAt(0)?.toString(16).toUpperCase()}`
    // Signs within a syllable have no letter of their own; what no table knows is named by its number.
    return anyAscii(letter) || (/\p{M}/u.test(letter) ? '' : number)
  })
  const words = letters.join('').trim()
  return words.replace(/(?<!\S)[a-z]/g, letter => letter.toUpperCase())
}

/**
 * The lines of `text` as pdfkit must get them, at most `width` wide by `measure`; a text without letters from the right is one
 * line, which pdfkit wraps itself. A text that begins with such a letter is read from the right as a whole.
 */
export function linesOnPaper(text: string, width: number, measure: (text: string) => number): string[] {
  if (!FROM_RIGHT.test(text)) return [text]
  const levels = bidi.getEmbeddingLevels(text, FROM_RIGHT.test(text.charAt(0)) ? 'rtl' : 'ltr')
  const onPaper = (start: number, end: number) => {
    const mirrored = bidi.getMirroredCharactersMap(text, levels.levels, start, end)
    const order = bidi.getReorderedIndices(text, levels, start, end).slice(start, end + 1)
    return forFontkit(order.map(index => mirrored.get(index) ?? text.charAt(index)).join(''))
  }
  const fits = (start: number, end: number) => measure(onPaper(start, end)) <= width
  return wrap(text, fits).map(([start, end]) => onPaper(start, end))
}

type Fits = (start: number, end: number) => boolean

/** The first and the last character of each line. A word wider than a line is broken anywhere. */
function wrap(text: string, fits: Fits): [start: number, end: number][] {
  const lines: [start: number, end: number][] = []
  for (const {0: word, index} of text.matchAll(/\S+/g)) {
    const end = index + word.length - 1
    const line = lines.at(-1)
    if (line && fits(line[0], end)) {
      line[1] = end
      continue
    }
    for (let start = index; start <= end; ) {
      let last = fits(start, end) ? end : start
      while (last < end && fits(start, last + 1)) last += 1
      lines.push([start, last])
      start = last + 1
    }
  }
  return lines
}

/** From a word with a letter from the right up to the next one from the left. */
const TURNED = new RegExp(
  `([^ ]*${FROM_RIGHT.source}(?:(?!${FROM_RIGHT.source})\\P{L}|${FROM_RIGHT.source})*)`,
  'u',
)

/**
 * pdfkit places what spaces divide from the left, and fontkit turns each part whose first letter is one from the right, with the
 * space after it. Other spaces in such a part must not divide it.
 */
function forFontkit(seen: string): string {
  const parts = seen.split(TURNED).filter(part => part !== '')
  return parts
    .map((part, index) => {
      if (!FROM_RIGHT.test(part)) return part
      const turned = part.replaceAll(' ', '\u00a0').split('').reverse().join('')
      return index < parts.length - 1 ? `${turned} ` : turned
    })
    .join('')
}
