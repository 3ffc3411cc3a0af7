/** Words compared as people type them: without accents and case, the Turkish dotless ı as i. */

/** `İstanbul`, `ISTANBUL` and `ıstanbul` → `istanbul`; `Köln` → `koln`, `Straße` → `strasse`. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[ıßøłđæœ]/g, letter => PLAIN[letter] ?? letter)
    .trim()
}

const PLAIN: Readonly<Record<string, string>> = {
  ...{ı: 'i', ß: 'ss', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe'},
}

/** Whether every word of `typed` stands somewhere in `text`. */
export function matches(text: string, typed: string): boolean {
  const folded = fold(text)
  return fold(typed)
    .split(/\s+/)
    .every(word => folded.includes(word))
}
