/** Numbers in a text that are somebody's: of a telephone, a card, an identity. For the latter two a checksum decides. */
import {isTcNumber} from '../../contract/identity.js'
import type {Range} from './hidden-ranges.js'

/** An international prefix, and groups of digits as people write them. */
const TELEPHONE = /(?<![\w+])\+\(?\d+(?:[ .()/\u00a0-]{1,3}\d+)*/g
/** Ours: the shortest that are dialled with their prefix. E.164 allows no more than fifteen. */
const TELEPHONE_DIGITS = {least: 9, most: 15}
/** What may stand behind a telephone number and is none of it. */
const DATE_OR_AMOUNT = /(?:\d{4}-[01]\d-[0-3]\d(?![\w-])|\d+\.\d\d(?![\d.]))/y

/** Groups of digits, one after the other. */
const NUMBERS = /(?<![\w-]|\d\.)\d+(?:[ \u00a0\u202f\u2011-]\d+)*(?!\w|-\w)/g
/** A group; what is a date has no part in a card or an identity. */
const DATE_OR_GROUP = /(?<date>\d{4}-[01]\d-[0-3]\d(?![\w-]))|\d+/g
/** Of an identity (TC), the shortest, and of a card, the longest. */
const MOST_DIGITS = 19

/** Where they are. Others may stand beside one, and together look like another: ranges may overlap. */
export function personalNumbersIn(text: string): Range[] {
  return [
    ...telephonesIn(text),
    ...[...text.matchAll(NUMBERS)].flatMap(({0: run, index}) => numbersIn(run, index)),
  ]
}

function telephonesIn(text: string): Range[] {
  return [...text.matchAll(TELEPHONE)].flatMap(({0: run, index}) => {
    let digits = 0
    let end = 0
    for (const {0: group, index: at} of run.matchAll(/\d+/g)) {
      DATE_OR_AMOUNT.lastIndex = at
      const isOther = !'.-'.includes(run[at - 1] as string) && DATE_OR_AMOUNT.test(run)
      if (isOther || digits + group.length > TELEPHONE_DIGITS.most) break
      digits += group.length
      end = at + group.length
    }
    return digits < TELEPHONE_DIGITS.least ? [] : [{start: index, end: index + end}]
  })
}

/** Those among the groups of `run`, one after the other, that are a person's; `run` stands at `offset`. */
function numbersIn(run: string, offset: number): Range[] {
  const found: Range[] = []
  const groups = [...run.matchAll(DATE_OR_GROUP)]
  for (const [from, {index: start}] of groups.entries()) {
    let digits = ''
    for (const {0: group, index, groups: named} of groups.slice(from, from + MOST_DIGITS)) {
      digits += group
      if (named?.date !== undefined || digits.length > MOST_DIGITS) break
      if (isPersonal(digits)) found.push({start: offset + start, end: offset + index + group.length})
    }
  }
  return found
}

/** Whether a checksum says that it is an identity number (TC), or the number of a card (Luhn). */
function isPersonal(digits: string): boolean {
  if (digits.length === 11) return isTcNumber(digits)
  if (digits.length < 14 || !/^[2-6]/.test(digits)) return false
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
