/** Text as it is compared when a person searches: without accents and case, the Turkish dotless and dotted i alike. */

const LETTERS: Readonly<Record<string, string>> = {
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

/** `İstanbul`, `ISTANBUL` and `ıstanbul` all give `istanbul`; `Köln` gives `koln`, `Straße` gives `strasse`. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ıßæœøłđðþə]/g, letter => LETTERS[letter] ?? letter)
    .trim()
}

/** Whether every word of `typed` stands somewhere in `text`. */
export function matches(text: string, typed: string): boolean {
  const folded = fold(text)
  return fold(typed)
    .split(/\s+/)
    .every(word => folded.includes(word))
}
