import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {sanitizeLine} from '../../src/contract/foreign-text.js'
import {anyString} from '../support/any-text.js'

/** Written without the sanitiser's own pattern, as code points. */
function isDangerous(code: number): boolean {
  return (
    code < 0x20 ||
    (code >= 0x7f && code <= 0x9f) ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    (code >= 0xd800 && code <= 0xdfff) ||
    [0xad, 0x61c, 0x180e, 0xfeff].includes(code) ||
    (code >= 0xe0000 && code <= 0xe007f)
  )
}

const PARTS = ['\u001b[31m', '\u001b]0;x\u0007', '\u202e', '\u200b', '\ud800', '\u{e0041}', 'a', 'ş']
const anyText = fc.oneof(
  anyString(),
  fc.array(fc.integer({min: 0, max: 0xffff})).map(codes => String.fromCharCode(...codes)),
  fc.array(fc.constantFrom(...PARTS)).map(parts => parts.join('')),
)

describe('sanitizeLine', () => {
  test.each([
    ['Ayşe Öğüt ığİ 東京 😀', 'Ayşe Öğüt ığİ 東京 😀'],
    ['a\u202eb', 'a\\u202eb'],
    ['\u001b[31mred', '\\u001b[31mred'],
    ['\u009b31m', '\\u009b31m'],
    ['\u007f', '\\u007f'],
    ['a\r\nb\tc', 'a\\r\\nb\\tc'],
    ['\u2028\u2029', '\\u2028\\u2029'],
    ['\ud83d', '\\ud83d'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\u200d\ufeff\u061c', '\\u200d\\ufeff\\u061c'],
    ['a\u2800b', 'a\\u2800b'],
    ['\ue000\u{f0000}\u{10ffff}', '\\ue000\\u{f0000}\\u{10ffff}'],
    ['\uffff\u{1d159}\ufff0', '\\uffff\\u{1d159}\\ufff0'],
    ['a\ufe0fb\u{e0101}', 'a\\ufe0fb\\u{e0101}'],
    ['👩‍👩‍👧‍👦 👩🏽‍🚀 ❤️ 1️⃣ 🏳️‍🌈 🇹🇷', '👩‍👩‍👧‍👦 👩🏽‍🚀 ❤️ 1️⃣ 🏳️‍🌈 🇹🇷'],
    ['a\u200db 👩\u200d\u200d', 'a\\u200db 👩\\u200d\\u200d'],
    ['👩‍👩‍👧‍👦‍👦', '👩‍👩‍👧‍👦\\u200d👦'],
    ['🏴\u{e0067}\u{e007f}', '🏴\\u{e0067}\\u{e007f}'],
    [`o${'\u0308'.repeat(7)}`, `o${'\\u0308'.repeat(7)}`],
    ['o\u0308\u0323 שָׁלוֹם ที่', 'o\u0308\u0323 שָׁלוֹם ที่'],
  ])('%j', (text, safe) => {
    expect(sanitizeLine(text)).toBe(safe)
  })

  test('lets nothing dangerous through', () => {
    fc.assert(
      fc.property(
        anyText,
        text => ![...sanitizeLine(text)].some(character => isDangerous(character.codePointAt(0) ?? 0)),
      ),
    )
  })

  test('does nothing the second time, with and without a length', () => {
    fc.assert(
      fc.property(anyText, fc.option(fc.integer({min: 0, max: 30}), {nil: undefined}), (text, length) => {
        const once = sanitizeLine(text, length)
        expect(sanitizeLine(once, length)).toBe(once)
        expect(once.length).toBeLessThanOrEqual(length ?? Number.POSITIVE_INFINITY)
      }),
    )
  })

  test('cuts with … and never through an escape', () => {
    expect(sanitizeLine('abcdef', 4)).toBe('abc…')
    expect(sanitizeLine('abcd', 4)).toBe('abcd')
    expect(sanitizeLine('ab\u202ecd', 6)).toBe('ab…')
    expect(sanitizeLine('a\n', 3)).toBe('a\\n')
    expect(sanitizeLine('a\nb', 3)).toBe('a…')
    expect(sanitizeLine('a\nb', 4)).toBe('a\\nb')
    expect(sanitizeLine('😀😀😀', 4)).toBe('😀…')
  })
})
