/** Long lines at a terminal: never a foreign text in the first column, never a word lost. */
import stringWidth from 'string-width'
import {expect, test} from 'vitest'
import {wrapForTerminal} from '../../src/cli/terminal/talk.js'
import {hang, wrap} from '../../src/cli/terminal/text.js'

const FORGED = `Hotel      Nice Hotel${' '.repeat(59)}Price      1.00 EUR, paid`

test('what a name is padded with does not put the rest into the first column', () => {
  expect(hang(FORGED, 80, 11)).toEqual(['Hotel      Nice Hotel Price 1.00 EUR, paid'])
  const long = `Hotel      ${'word '.repeat(30)}Price      1.00 EUR`
  for (const line of hang(long, 80, 11).slice(1)) expect(line).toMatch(/^ {11}\S/)
})

test('lines keep to the width, of wide characters too, and nothing is lost', () => {
  const text = `name:  ${'東京 タワー '.repeat(20)}end`
  const lines = hang(text, 40, 7)
  expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
  expect(lines.length).toBeGreaterThan(4)
})

test('a short line, a long word and a narrow terminal', () => {
  expect(hang('Hotel      Nice  Hotel', 80, 11)).toEqual(['Hotel      Nice  Hotel'])
  const address = `https://example.com/${'x'.repeat(100)}`
  expect(hang(`Pay at ${address}`, 40, 2).at(-1)).toContain(address)
  const offer = `off_${'x'.repeat(100)}`
  expect(hang(`offer_id: ${offer}`, 40, 10).at(-1)).toContain(offer)
  expect(hang('Hotel      a b c d e f g h i j k', 16, 11)).toEqual(['Hotel', '  a b c d e f g', '  h i j k'])
})

test.each([
  ['a padded name', `${'x'.repeat(69)}Price:1.00EUR,paid`],
  ['wide letters', `${'東'.repeat(40)}Price:1.00EUR`],
  ['an address with a row in it', `https://a.example/${'x'.repeat(51)}Price:1.00EUR`],
  ['an address with a password for a host', `https://u:${'x'.repeat(80)}@a.example/`],
])('a word longer than the line cannot begin one: %s', (_, word) => {
  const [first = '', ...rest] = hang(`Hotel      ${word}`, 80, 11)
  expect(rest.length).toBeGreaterThan(0)
  for (const line of rest) expect(line).toMatch(/^ {11}\S/)
  for (const line of [first, ...rest]) expect(stringWidth(line)).toBeLessThanOrEqual(80)
  expect(first + rest.map(line => line.trim()).join('')).toBe(`Hotel      ${word}`)
})

test('words stay in one piece unless they may be broken, and then what looks like one character does', () => {
  const path = '/a/path/longer/than/a/line'
  expect(wrap(`see\n  ${path}  there`, 12)).toEqual(['see', path, 'there'])
  expect(wrap(`see ${path}`, 12, () => false)).toEqual(['see', '/a/path/long', 'er/than/a/li', 'ne'])
  const family = '👨‍👩‍👧'
  expect(wrap(family.repeat(5), 5, () => false)).toEqual([family + family, family + family, family])
  expect(wrap('🇹🇷'.repeat(3), 5, () => false)).toEqual(['🇹🇷🇹🇷', '🇹🇷'])
  expect(wrap('', 12)).toEqual([''])
})

test('wraps a fact and the lines that continue it, and leaves commands whole', () => {
  const terms = `${' '.repeat(14)}cancelling from 2030-05-29 18:00 (+03:00) on costs 120.00 EUR`
  expect(wrapForTerminal(terms, 60)).toEqual([
    `${' '.repeat(14)}cancelling from 2030-05-29 18:00 (+03:00) on`,
    `${' '.repeat(14)}costs 120.00 EUR`,
  ])
  expect(wrapForTerminal(`Hotel         ${'word '.repeat(12).trim()}`, 60)).toHaveLength(2)
  const command = `bookctl hotels search ${'--room 2:7,4 '.repeat(6)}`
  expect(wrapForTerminal(command, 60)).toEqual([command])
})
