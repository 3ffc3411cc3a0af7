/**
 * Prepares text for printing in one font: transliterates characters that the font lacks, and puts right-to-left text
 * into visual order.
 */
import anyAscii from 'any-ascii'
import bidiModule from 'bidi-js'

// The types of bidi-js describe a default export, but the module that Node loads is the function itself.
const bidi = (bidiModule as unknown as typeof bidiModule.default)()
const graphemes = new Intl.Segmenter(undefined, {granularity: 'grapheme'})

/**
 * Matches characters that have no glyph: unpaired surrogates, direction marks and variation selectors. U+200C (zero
 * width non-joiner) is kept between Arabic letters, where spelling needs it.
 */
const SHOWS_NOTHING =
  /\p{Cs}|(?!\u200c)\p{Cf}|[\ufe00-\ufe0f]|(?<!\p{Script=Arabic})\u200c|\u200c(?!\p{Script=Arabic})/gu

/** A letter of a right-to-left script. */
const FROM_RIGHT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Nko}\p{Script=Syriac}\p{Script=Thaana}]/u

/**
 * Returns `text` on one line, without control characters and direction marks. Characters for which `hasGlyph` is false
 * are transliterated, in brackets. Japanese is transliterated as Chinese, and Thai and Arabic letter by letter, because
 * the text does not show its pronunciation.
 */
export function inLettersOf(hasGlyph: (codePoint: number) => boolean, text: string) {
  const line = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(SHOWS_NOTHING, '')
    .trim()
  // The visual order is computed by UTF-16 units, which would split a character of two units. U+FFFD marks a character
  // that was lost earlier.
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
    // Combining marks are dropped. A character that is not in the table is written as its number.
    return anyAscii(letter) || (/\p{M}/u.test(letter) ? '' : number)
  })
  const words = letters.join('').trim()
  return words.replace(/(?<!\S)[a-z]/g, letter => letter.toUpperCase())
}

/**
 * Returns the lines of `text` in the order that pdfkit needs, none of them wider than `width` as measured by `measure`.
 * Text without right-to-left letters stays one line, because pdfkit wraps it itself. Text that begins with a
 * right-to-left letter is laid out from right to left.
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

/** Returns the first and last index of each line. A word wider than a line is broken at any character. */
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

/** Matches from a word with a right-to-left letter up to the next left-to-right letter. */
const TURNED = new RegExp(
  `([^ ]*${FROM_RIGHT.source}(?:(?!${FROM_RIGHT.source})\\P{L}|${FROM_RIGHT.source})*)`,
  'u',
)

/**
 * Prepares a line for two libraries. pdfkit places words from left to right. fontkit reverses each part that begins
 * with a right-to-left letter, including the space after it. Other spaces in such a part become no-break spaces, so
 * that pdfkit does not split it.
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
