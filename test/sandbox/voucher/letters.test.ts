/** Text is passed to pdfkit in lines in visual order, because fontkit reverses each right-to-left part. */
import {expect, test} from 'vitest'
import {inLettersOf, linesOnPaper} from '../../../src/sandbox/voucher/letters.js'

const WIDE = 1000
const [ALI, OMAR, NBSP] = ['علي', 'عمر', '\u00a0']
const perLetter = (text: string) => text.length

test.each([
  ['a text from the left is left as it is', `6. Ayşe – Öğüt`, ['6. Ayşe – Öğüt']],
  [
    'two words are one part, in the order in which they are read',
    `6. ${ALI} ${OMAR}`,
    [`6. ${ALI}${NBSP}${OMAR}`],
  ],
  // The space after a reversed part moves in front of it, so the text that follows needs another space.
  ['Latin after it', `6. ${ALI} Smith`, [`6. ${NBSP}${ALI} Smith`]],
  ['Latin between', `6. ${ALI} Smith ${OMAR}`, [`6. ${NBSP}${ALI} Smith ${OMAR}`]],
  ['Latin in one word with it', `6. ${ALI}-Smith`, [`6. -${ALI} Smith`]],
  ['Latin in one word before it', `6. Smith-${ALI}`, [`6. ${ALI}-htimS`]],
  ['numbers, which are read from the left', `6. ${ALI} 12`, [`6. 12 ${ALI}`]],
  ['brackets, mirrored', `6. ${ALI} (${OMAR})`, [`6. ${ALI}${NBSP})${OMAR}(`]],
  ['a text that begins with it', `${ALI} Smith`, [`Smith ${ALI}`]],
])('%s', (_, text, lines) => {
  expect(linesOnPaper(text, WIDE, perLetter)).toEqual(lines)
})

test('lines are filled in the order in which they are read', () => {
  expect(linesOnPaper(`${ALI} ${OMAR} Smith`, 8, perLetter)).toEqual([`${ALI}${NBSP}${OMAR}`, 'Smith'])
  expect(linesOnPaper('ابتثجح', 4, perLetter)).toEqual(['ابتث', 'جح'])
})

test('removes invisible characters, except those between two Arabic letters', () => {
  const shown = (text: string) => inLettersOf(() => true, text).text
  expect(shown('\u202eA\u200b\u0000\n B\ufe0f\ud83d\u200c\u2066')).toBe('A B')
  expect(shown('علی\u200cرضا')).toBe('علی\u200cرضا')
})
