/** Lines fit the terminal: no foreign text in the first column, no word lost, no grapheme split. */
import fc from 'fast-check'
import stringWidth from 'string-width'
import {expect, test} from 'vitest'
import {fold} from '../../../src/cli/input/match.js'
import {jsonText} from '../../../src/cli/terminal/json-text.js'
import {prepareToWrap, wrapForTerminal} from '../../../src/cli/terminal/talk.js'
import {cutTo, fitTo, hang, piecesOf, wrap} from '../../../src/cli/terminal/text.js'
import {sanitizeLine} from '../../../src/contract/foreign-text.js'

await prepareToWrap()

test.each([
  ['a directional override', '\u202e'],
  ['a format character that has a glyph', '\u0600'],
  ['a control of C1', '\u0085'],
])('%s is escaped in text and in JSON', (_, character) => {
  const escaped = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  expect(sanitizeLine(`a${character}b`)).toBe(`a${escaped}b`)
  expect(jsonText([`a${character}b`])).toBe(`["a${escaped}b"]`)
})

const FORGED = `Hotel      Nice Hotel${' '.repeat(59)}Price      1.00 EUR, paid`

test('spaces in a name do not move the rest into the first column', () => {
  expect(hang(FORGED, 80, 11)).toEqual(['Hotel      Nice Hotel Price 1.00 EUR, paid'])
  const long = `Hotel      ${'word '.repeat(30)}Price      1.00 EUR`
  for (const line of hang(long, 80, 11).slice(1)) expect(line).toMatch(/^ {11}\S/)
})

test('lines keep to the width, also with wide characters, and lose nothing', () => {
  const text = `name:  ${'東京 タワー '.repeat(20)}end`
  const lines = hang(text, 40, 7)
  expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
  expect(lines.length).toBeGreaterThan(4)
})

test('a short line and a long word stay whole, and a narrow terminal gets its own lines', () => {
  expect(hang('Hotel      Nice  Hotel', 80, 11)).toEqual(['Hotel      Nice  Hotel'])
  const address = `https://example.com/${'x'.repeat(100)}`
  expect(hang(`Pay at ${address}`, 40, 2).at(-1)).toContain(address)
  const offer = `off_${'x'.repeat(100)}`
  expect(hang(`offer_id: ${offer}`, 40, 10).at(-1)).toContain(offer)
  expect(hang('Hotel      a b c d e f g h i j k', 16, 11)).toEqual(['Hotel', '  a b c d e f g', '  h i j k'])
})

test('a command with an address is broken between its words', () => {
  const command = 'bookctl webhooks events replay evt_b1 --to http://127.0.0.1:4703/h --resign'
  const lines = hang(`             Replay it: ${command}`, 60, 13)
  expect(lines.map(line => line.trim())).toEqual([
    'Replay it: bookctl webhooks events replay',
    'evt_b1 --to http://127.0.0.1:4703/h --resign',
  ])
  expect(hang(`Hint: list them: bookctl journal, then again: bookctl reserve --resume bk-1`, 50, 2)).toEqual([
    'Hint: list them: bookctl journal, then again:',
    '  bookctl reserve --resume bk-1',
  ])
})

test.each([
  ['a padded name', `${'x'.repeat(69)}Price:1.00EUR,paid`],
  ['wide letters', `${'東'.repeat(40)}Price:1.00EUR`],
  ['an address with a row in it', `https://a.example/${'x'.repeat(51)}Price:1.00EUR`],
  ['an address with a password for a host', `https://u:${'x'.repeat(80)}@a.example/`],
])('a word longer than the line cannot start one: %s', (_, word) => {
  const [first = '', ...rest] = hang(`Hotel      ${word}`, 80, 11)
  expect(rest.length).toBeGreaterThan(0)
  for (const line of rest) expect(line).toMatch(/^ {11}\S/)
  for (const line of [first, ...rest]) expect(stringWidth(line)).toBeLessThanOrEqual(80)
  expect(first + rest.map(line => line.trim()).join('')).toBe(`Hotel      ${word}`)
})

test('words stay whole unless they may be broken, and then graphemes do', () => {
  const path = '/a/path/longer/than/a/line'
  expect(wrap(`see\n  ${path}  there`, 12)).toEqual(['see', path, 'there'])
  expect(wrap(`see ${path}`, 12, () => false)).toEqual(['see', '/a/path/long', 'er/than/a/li', 'ne'])
  const family = '👨‍👩‍👧'
  expect(wrap(family.repeat(5), 5, () => false)).toEqual([family + family, family + family, family])
  expect(wrap('🇹🇷'.repeat(3), 5, () => false)).toEqual(['🇹🇷🇹🇷', '🇹🇷'])
  expect(wrap('', 12)).toEqual([''])
})

test('wraps a fact and the lines that continue it, and a command so that it can be pasted', () => {
  const terms = `${' '.repeat(14)}cancelling from 2030-05-29 18:00 (+03:00) on costs 120.00 EUR`
  expect(wrapForTerminal(terms, 60)).toEqual([
    `${' '.repeat(14)}cancelling from 2030-05-29 18:00 (+03:00) on`,
    `${' '.repeat(14)}costs 120.00 EUR`,
  ])
  expect(wrapForTerminal(`Hotel         ${'word '.repeat(12).trim()}`, 60)).toHaveLength(2)
  const command = `  bookctl hotels search ${'--room 2:7,4 '.repeat(6)}--find "a b c"`
  const lines = wrapForTerminal(command, 60)
  expect(lines.length).toBeGreaterThan(1)
  for (const line of lines) expect(line).toMatch(/^ {2}.{1,58}$/)
  expect(lines.join('\n').replace(/ \\\n +/g, ' ')).toBe(command)
})

test('indents the rest of any other line by two columns, and breaks no command within it', () => {
  const hint = 'Hint: check the network and the base URL, whatever it is: bookctl whoami --check --json'
  expect(wrapForTerminal(hint, 60)).toEqual([
    'Hint: check the network and the base URL, whatever it is:',
    '  bookctl whoami --check --json',
  ])
  const narrow = wrapForTerminal('  Go on with it then, as it is', 16).join('\n')
  expect(narrow).toBe('  Go on with\n    it then, as\n    it is')
  const words = fc.array(fc.constantFrom('a', 'bookctl', 'word', '`bookctl x y`', 'é東'))
  fc.assert(
    fc.property(words, fc.integer({min: 20, max: 60}), (words, width) => {
      const lines = wrapForTerminal(`- ${words.join(' ')}`, width)
      expect(lines.map(line => line.trim()).join(' ')).toBe(`- ${words.join(' ')}`.trimEnd())
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width)
    }),
  )
})

const text = fc
  .array(fc.constantFrom('a', 'ğ', 'İ', '東', '👩‍👩‍👧', 'e\u0301', ' ', 'word', '🇹🇷'))
  .map(parts => parts.join(''))
const width = fc.integer({min: 4, max: 30})

test('a cut line fits, and ends with …', () => {
  expect(cutTo('東京ホテル', 10)).toBe('東京ホテル')
  expect(cutTo('東京ホテル', 8)).toBe('東京ホ…')
  expect(cutTo('👨‍👩‍👧 family', 4)).toBe('👨‍👩‍👧…')
  fc.assert(
    fc.property(text, width, (text, width) => {
      const line = cutTo(text, width)
      expect(stringWidth(line)).toBeLessThanOrEqual(width)
      if (line !== text) expect(line.endsWith('…') && text.startsWith(line.slice(0, -1))).toBe(true)
    }),
  )
})

test('a text in pieces is complete, and each piece fits', () => {
  fc.assert(
    fc.property(text, width, (text, width) => {
      const pieces = [...piecesOf(text, width)]
      expect(pieces.join('')).toBe(text)
      for (const piece of pieces) expect(stringWidth(piece)).toBeLessThanOrEqual(width)
      expect(stringWidth(fitTo(text, width))).toBe(width)
    }),
  )
})

test.each([
  ['İSTANBUL', 'istanbul'],
  ['ıstanbul', 'istanbul'],
  ['Iğdır', 'igdir'],
  ['São Paulo', 'sao paulo'],
  ['Köln', 'koln'],
  ['Kołobrzeg', 'kolobrzeg'],
  ['Gəncə', 'gence'],
  ['  Ǆ ', 'dz'],
])('folds %s to %s', (text, folded) => expect(fold(text)).toBe(folded))
