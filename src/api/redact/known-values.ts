/** Secrets and people's data known by value: where they stand in a text, however they are written. */
import type {Finder, Range} from './hidden-ranges.js'
import {spellingsOf} from './spellings.js'

export interface KnownValues {
  /** Of fewer than three characters none is kept: they would take innocent text apart. */
  add(value: string): void
  readonly find: Finder
}

const MIN_LENGTH = 3
/** Ours: what is shorter may stand inside of innocent words and numbers, and is looked for as a word of its own. */
const MIN_LENGTH_INSIDE = 6
const LETTER_OR_DIGIT = '[\\p{L}\\p{N}]'
/** The end of an escape in a link or in JSON is none of the word that follows. */
const WORD_BEGINS = `(?<=^|[^\\p{L}\\p{N}]|%[\\da-fA-F]{2}|\\\\(?:[bfnrt]|u[\\da-fA-F]{4}))(?<!\\d\\.)`
/** Nor is what follows a word with cents in it: 101 is not in 101.00. */
const WORD_ENDS = `(?!${LETTER_OR_DIGIT}|[.,]\\d{1,2}(?!\\d))`

export function createKnownValues(): KnownValues {
  const finders = new Map<string, Finder>()
  return {
    add(value) {
      if (value.length < MIN_LENGTH) return
      for (const spelling of spellingsOf(value))
        if (!finders.has(spelling)) finders.set(spelling, finderOf(spelling))
    },
    find: text => [...finders.values()].flatMap(find => find(text)),
  }
}

function finderOf(spelling: string): Finder {
  if (spelling.length >= MIN_LENGTH_INSIDE) return text => placesOf(spelling, text)
  // Where it begins or ends with another character nothing can belong to the same word there.
  const begin = /^[\p{L}\p{N}]/u.test(spelling) ? WORD_BEGINS : ''
  const end = /[\p{L}\p{N}]$/u.test(spelling) ? WORD_ENDS : ''
  const word = new RegExp(begin + spelling.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') + end, 'gu')
  return text =>
    text.includes(spelling)
      ? Array.from(text.matchAll(word), ({index}) => ({start: index, end: index + spelling.length}))
      : []
}

function placesOf(spelling: string, text: string): Range[] {
  const found: Range[] = []
  for (let start = text.indexOf(spelling); start >= 0; start = text.indexOf(spelling, start + 1))
    found.push({start, end: start + spelling.length})
  return found
}
