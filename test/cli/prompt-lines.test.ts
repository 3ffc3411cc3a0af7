/** Lines that fit a terminal, whatever is written in them. */
import fc from 'fast-check'
import stringWidth from 'string-width'
import {expect, test} from 'vitest'
import {cutTo, fitTo, piecesOf} from '../../src/cli/output/text-width.js'
import {rowsOf, windowOn, wrap} from '../../src/cli/prompts/lines.js'

const text = fc
  .array(fc.constantFrom('a', 'ğ', 'İ', '東', '👩‍👩‍👧', 'e\u0301', ' ', 'word', '🇹🇷'))
  .map(parts => parts.join(''))
const width = fc.integer({min: 4, max: 30})

test('a cut line fits, and says that it was cut', () => {
  expect(cutTo('東京ホテル', 10)).toBe('東京ホテル')
  expect(cutTo('東京ホテル', 8)).toBe('東京ホ…')
  fc.assert(
    fc.property(text, width, (text, width) => {
      const line = cutTo(text, width)
      expect(stringWidth(line)).toBeLessThanOrEqual(width)
      if (line !== text) expect(line.endsWith('…') && text.startsWith(line.slice(0, -1))).toBe(true)
    }),
  )
})

test('wrapped lines fit, and lose nothing but blanks', () => {
  expect(wrap('? Reserve this room for 7 nights?', 16)).toEqual(['? Reserve this', 'room for 7', 'nights?'])
  fc.assert(
    fc.property(text, width, (text, width) => {
      const lines = wrap(text, width)
      expect(lines.every(line => stringWidth(line) <= width)).toBe(true)
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
      expect(rowsOf(lines, width)).toBe(lines.length)
    }),
  )
})

test('the window on a typed line always holds the cursor', () => {
  expect(windowOn('abc', 'def', 10)).toEqual({shown: 'abcdef', cursor: 3})
  expect(windowOn('abcdefgh', 'ij', 6)).toEqual({shown: '…efghi', cursor: 5})
  fc.assert(
    fc.property(text, text, width, (before, after, width) => {
      const {shown, cursor} = windowOn(before, after, width)
      expect(stringWidth(shown)).toBeLessThanOrEqual(width)
      expect(cursor).toBeLessThan(width)
    }),
  )
})

test('a text in pieces is whole, each piece fits, and no character is torn', () => {
  fc.assert(
    fc.property(text, width, (text, width) => {
      const pieces = [...piecesOf(text, width)]
      expect(pieces.join('')).toBe(text)
      for (const piece of pieces) expect(stringWidth(piece)).toBeLessThanOrEqual(width)
      expect(stringWidth(fitTo(text, width))).toBe(width)
    }),
  )
})
