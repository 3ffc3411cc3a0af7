/** Numbers in a text that are somebody's: of a telephone, a card, an identity. For the latter two a checksum decides. */
import {isTcNumber} from '../contract/identity.js'

/** Numbers with an international prefix. */
const TELEPHONE = /(?<![\w+])\+\d{10,15}(?!\d)/g
const DATE = String.raw`\d{4}-[01]\d-[0-3]\d(?![\w-])`
/** What may hold a card or an identity, which no date is: groups of digits, one after the other. */
const LONG_NUMBER = new RegExp(
  String.raw`(?<![\w.-])(?:(?<date>${DATE})|\d(?:(?! ${DATE})[ -]?\d){10,18}(?![\w-]))`,
  'g',
)

/** `text` with `put` in the place of each. */
export function hidePersonalNumbers(text: string, put: string): string {
  return text
    .replace(TELEPHONE, put)
    .replace(LONG_NUMBER, (number, date) => (date === undefined && holdsPersonal(number) ? put : number))
}

/** Whether some of the groups in `number`, one after the other, are a person's: others may stand beside it. */
function holdsPersonal(number: string): boolean {
  const groups = number.split(/\D/)
  return groups.some((_, from) =>
    groups.slice(from).some((_group, n) => isPersonal(groups.slice(from, from + n + 1).join(''))),
  )
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
