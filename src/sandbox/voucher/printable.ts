/** What of a text can stand on paper: only characters the font has, on one line, turning nothing round. */

/** Stands for a character the font lacks. */
const REPLACEMENT = '\uFFFD'

export type Printable = (text: string) => string

/**
 * Makes texts printable with a font. Controls, line breaks and runs of space become one space; characters that show
 * nothing or change direction go; what the font lacks becomes U+FFFD, one for each character.
 */
export function printableWith(hasGlyph: (codePoint: number) => boolean): Printable {
  return text => {
    const spaced = text
      .normalize('NFC')
      .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
      .replace(/\p{Cf}|[\uFE00-\uFE0F]/gu, '')
    const known = Array.from(spaced.trim(), character => {
      return hasGlyph(character.codePointAt(0) ?? 0) ? character : REPLACEMENT
    })
    return known.join('')
  }
}

/** An identity number with all but its last two characters hidden; one of two or fewer is hidden whole. */
export function maskIdentity(number: string): string {
  const characters = Array.from(number.trim())
  const shown = characters.length > 2 ? characters.slice(-2).join('') : ''
  return '•'.repeat(Math.min(characters.length - shown.length, 12)) + shown
}
