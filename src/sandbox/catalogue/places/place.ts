/**
 * What gives a city its own hotels: words for their names, streets for their addresses, how dear it is, when it is
 * full, and which boards are usual. Streets are real; the hotels on them are invented.
 */
export type Season = 'city' | 'beach' | 'winter_sun' | 'southern'
export type BoardCode = 'RO' | 'BB' | 'HB' | 'FB' | 'AI'

export interface Place {
  /** Price level in percent of the table in rates.ts. */
  readonly level: number
  readonly season: Season
  /** Boards sold here, the most usual first. */
  readonly boards: readonly BoardCode[]
  /** First parts of hotel names. */
  readonly words: readonly string[]
  /** Name patterns; `*` is the word. */
  readonly patterns: readonly string[]
  /** Address patterns; `#` is the house number. */
  readonly streets: readonly string[]
}

export type Places = Readonly<Record<number, Place>>

export const TOWN: readonly BoardCode[] = ['BB', 'RO', 'HB']
export const RESORT: readonly BoardCode[] = ['AI', 'HB', 'BB', 'FB']
export const PILGRIM: readonly BoardCode[] = ['BB', 'HB', 'FB', 'RO']

/** Words, patterns and streets come as one text each, parted by `|`, so that a city stays a few lines. */
export function place(
  level: number,
  season: Season,
  boards: readonly BoardCode[],
  patterns: readonly string[],
  words: string,
  streets: string,
): Place {
  return {level, season, boards, patterns, words: words.split('|'), streets: streets.split('|')}
}
