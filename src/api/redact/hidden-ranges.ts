/** Parts of a text that must not be seen: where they are, also where the text is percent-encoded, and what is left without them. */

export const REDACTED = '[redacted]'

/** From `start` to before `end`, in UTF-16 units. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Where in a text something is that must not be seen. */
export type Finder = (text: string) => readonly Range[]

/** Ours: what is hidden cannot bring to light more than this many times what must be hidden as well. */
const MOST_ROUNDS = 8

/** `text` with REDACTED in the place of all that `find` finds in it or in what its percent-encoding means. */
export function hide(text: string, find: Finder): string {
  let result = withoutRanges(text, find(text))
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const hidden = rangesInMeaning(result, find)
    if (hidden.length === 0) return result
    result = withoutRanges(result, hidden)
  }
  return REDACTED
}

/** `text` with REDACTED in the place of each of `ranges`, which may overlap and come in any order. */
function withoutRanges(text: string, ranges: readonly Range[]): string {
  const parts: string[] = []
  let kept = 0
  for (const {start, end} of [...ranges].sort((left, right) => left.start - right.start)) {
    if (start >= kept) parts.push(text.slice(kept, start), REDACTED)
    kept = Math.max(kept, end)
  }
  return parts.join('') + text.slice(kept)
}

/** Where `pattern`, a global one, matches. */
export function matchesOf(pattern: RegExp, text: string): Range[] {
  return Array.from(text.matchAll(pattern), ({0: all, index}) => ({start: index, end: index + all.length}))
}

/** Where in the decoded text stands what `run` of the source means. */
interface Place {
  readonly start: number
  readonly end: number
  readonly run: Range
}

/** What `find` finds in the decoded text, as ranges of `text`: an encoded character is hidden with all that is encoded beside it. */
function rangesInMeaning(text: string, find: Finder): Range[] {
  const runs = matchesOf(/(?:%[0-9a-f]{2})+/gi, text)
  if (runs.length === 0) return []
  let decoded = ''
  let before = 0
  const places: Place[] = []
  for (const run of runs) {
    decoded += text.slice(before, run.start)
    const start = decoded.length
    decoded += Buffer.from(text.slice(run.start, run.end).replaceAll('%', ''), 'hex').toString()
    places.push({start, end: decoded.length, run})
    before = run.end
  }
  decoded += text.slice(before)
  return find(decoded).map(({start, end}) => ({
    start: sourceOf(start, places, 'start'),
    end: sourceOf(end, places, 'end'),
  }))
}

/** The place in the source of a place in the decoded text: inside of a run it is the run's `side`. */
function sourceOf(at: number, places: readonly Place[], side: 'start' | 'end'): number {
  let low = 0
  let high = places.length
  // The first run that ends behind it, or, for an end, at it or behind.
  while (low < high) {
    const middle = (low + high) >> 1
    const {end} = places[middle] as Place
    if (side === 'start' ? end > at : end >= at) high = middle
    else low = middle + 1
  }
  const next = places[low]
  if (next && (side === 'start' ? at >= next.start : at > next.start)) return next.run[side]
  const last = places[low - 1]
  return last ? last.run.end + (at - last.end) : at
}
