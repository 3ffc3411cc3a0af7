/** The end of a text, cut off in one pass: a pattern such as `/0+$/` tries every zero of a long run that ends earlier. */

/** `text` without what it ends with of `characters`. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] as string)) end -= 1
  return text.slice(0, end)
}
