import {describe, expect, test} from 'vitest'
import {sanitizeLine} from '../../src/contract/foreign-text.js'

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
