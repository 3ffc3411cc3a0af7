/** Redaction of numbers: a person's go, whatever stands beside them; dates, times, amounts and parts of other numbers stay. */
import fc from 'fast-check'
import {createRedactor, redactText} from '../../../src/api/redact/redact.js'
import {must, property} from '../property.js'

/** Identity numbers (service.md) and cards (Luhn), with the digits at the end that make them so. */
const personal = fc.oneof(
  fc.array(fc.nat(9), {minLength: 8, maxLength: 8}).map(rest => {
    const nine = [1, ...rest]
    const at = (places: number[]) => places.reduce((sum, place) => sum + (nine[place] ?? 0), 0)
    const tenth = (((at([0, 2, 4, 6, 8]) * 7 - at([1, 3, 5, 7])) % 10) + 10) % 10
    return [...nine, tenth, (at([0, 1, 2, 3, 4, 5, 6, 7, 8]) + tenth) % 10].join('')
  }),
  fc.array(fc.nat(9), {minLength: 14, maxLength: 14}).map(rest => {
    const fifteen = [4, ...rest]
    const sum = fifteen.reduce(
      (total, digit, place) =>
        total + (place % 2 === 0 ? (digit * 2 > 9 ? digit * 2 - 9 : digit * 2) : digit),
      0,
    )
    return [...fifteen, (10 - (sum % 10)) % 10].join('')
  }),
)
/** A telephone number with its prefix, as people divide it. */
const telephone = fc
  .tuple(
    fc.constantFrom('90', '1', '49', '376', '44'),
    fc.array(fc.stringMatching(/^\d{2,4}$/), {minLength: 3, maxLength: 3}),
    fc.constantFrom(' ', '-', '.', ') ', '/', '\u00a0'),
  )
  .map(([prefix, groups, divider]) => `+${prefix}${divider}${groups.join(divider === ') ' ? ' ' : divider)}`)
  .filter(number => number.replace(/\D/g, '').length >= 9)

const neighbour: fc.Arbitrary<string> = fc.constantFrom(
  '2030-06-01',
  '2',
  '17',
  '2030',
  '450.00',
  'EUR',
  '12:30',
  'off_1',
  '1700000000',
  '+',
  '#3',
  'a-1',
)

export const redactionOfNumbers = [
  property(
    'redaction: dates, times and amounts are no identity and no card',
    fc.array(
      fc.oneof(
        fc
          .tuple(
            fc.integer({min: 2000, max: 2099}),
            fc.integer({min: 1, max: 12}),
            fc.integer({min: 1, max: 28}),
          )
          .map(([y, m, d]) => `${y}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`),
        fc.integer({min: 0, max: 999_999}).map(cents => (cents / 100).toFixed(2)),
        fc
          .tuple(fc.nat(23), fc.nat(59))
          .map(([h, m]) => `${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}`),
      ),
      {minLength: 1, maxLength: 6},
    ),
    words =>
      must(redactText(words.join(' ')) === words.join(' '), words.join(' '), redactText(words.join(' '))),
  ),
  property(
    "redaction: a person's number is taken out, whatever numbers stand beside it",
    fc.tuple(fc.array(neighbour, {maxLength: 2}), personal, fc.array(neighbour, {maxLength: 2})),
    ([before, number, after]) => {
      const text = [...before, number, ...after].join(' ')
      must(!redactText(text).includes(number), text, redactText(text))
    },
    {
      examples: [
        [['2030-06-01'], '10000000146', []],
        [['17'], '10000000146', ['2030-06-01']],
      ],
    },
  ),
  property(
    'redaction: a telephone number with its prefix is taken out, however it is divided',
    fc.tuple(
      fc.constantFrom('', 'call ', '('),
      telephone,
      fc.constantFrom('', ' 2030-06-01', ', 12', ' or 450.00 EUR'),
    ),
    ([before, number, after]) => {
      must(redactText(before + number + after) === `${before}[redacted]${after}`, before + number + after)
    },
    {examples: [['call ', '+90 532 123 45 67', ' 2030-06-01']]},
  ),
  property(
    'redaction: a short value that was told is a word of its own, and part of no other',
    fc.tuple(fc.stringMatching(/^[1-9][0-9]{2,4}$/), fc.constantFrom('1', 'x', '0', 'ş')),
    ([told, beside]) => {
      const redactor = createRedactor()
      redactor.add(told)
      for (const text of [
        `${beside}${told}`,
        `${told}${beside} EUR`,
        `${told}.00`,
        `${beside}${told}.00 EUR`,
      ])
        must(redactor.text(text) === text, told, text)
      for (const [before, after] of [
        [' ', ' '],
        ['"', '"'],
        ['%20', '%0A'],
        ['(', ').'],
        ['\\n', ','],
      ])
        must(redactor.text(before + told + after) === `${before}[redacted]${after}`, told, before, after)
    },
  ),
]
