/** Words as people type them: compared without accents and case, and the nearest name to a mistyped one. */

const FROM = [...'ıßæœøłđðþə']
const TO = ['i', 'ss', 'ae', 'oe', 'o', 'l', 'd', 'd', 'th', 'e']

/** `İstanbul`, `ISTANBUL` and `ıstanbul` all give `istanbul`; `Köln` gives `koln`, `Straße` gives `strasse`. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ıßæœøłđðþə]/g, letter => TO[FROM.indexOf(letter)] ?? letter)
    .replace(/\s+/g, ' ')
    .trim()
}

/** Whether `text` contains every word of `typed`. */
export function matches(text: string, typed: string): boolean {
  const folded = fold(text)
  return fold(typed)
    .split(/\s+/)
    .every(word => folded.includes(word))
}

/** The nearest of `names` to `word`, or undefined when none is near. */
export function closest(word: string, names: readonly string[]): string | undefined {
  const [best] = rank(word, names)
  if (best?.isNear) return best.name
  return names.find(name => word.length > 2 && (name.startsWith(word) || name.endsWith(` ${word}`)))
}

/** At most `most` near names, the nearest first. */
export function closestFew(word: string, names: readonly string[], most: number): string[] {
  const near = rank(word, names).filter(({isNear}) => isNear)
  return near.slice(0, most).map(({name}) => name)
}

function rank(word: string, names: readonly string[]) {
  const measured = names.map(name => {
    const distance = editDistance(word.toLowerCase(), name.toLowerCase())
    return {name, distance, isNear: distance <= Math.max(2, Math.floor(name.length / 3))}
  })
  return measured.sort((left, right) => left.distance - right.distance)
}

function editDistance(from: string, to: string): number {
  let above = Array.from({length: to.length + 1}, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    above = row
  }
  return above[to.length] ?? 0
}
