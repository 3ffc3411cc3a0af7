/** Lines that fit a terminal, whatever is written in them. */
import fc from 'fast-check'
import stringWidth from 'string-width'
import {expect, test} from 'vitest'
import {cutTo, fitTo, piecesOf} from '../../src/cli/terminal/text.js'

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
