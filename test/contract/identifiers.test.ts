import fc from 'fast-check'
import {describe, expect, it, test} from 'vitest'
import {sanitizeLine} from '../../src/contract/foreign-text.js'
import {
  IDENTIFIERS,
  type IdentifierKind,
  isIdentifier,
  isNoValue,
  isTcNumber,
  modeOfSecret,
} from '../../src/contract/identifiers.js'

describe('a Turkish identity number', () => {
  it('has eleven digits and a right checksum', () => {
    // 10000000146 is the usual example; for 19090909018 the sum is negative before the remainder is taken.
    expect(['10000000146', '19090909018'].filter(number => !isTcNumber(number))).toEqual([])
    const bad = [
      '',
      ' 10000000146',
      '10000000146\n',
      '10000000147',
      '10000000156',
      '00000000000',
      '01000000146',
      '1000000014',
      '100000001460',
      '1000000014６',
      '1e10',
    ]
    expect(bad.filter(isTcNumber)).toEqual([])
  })

  it('is wrong when any one digit of a right one is changed', () => {
    const change = fc.tuple(fc.integer({min: 0, max: 10}), fc.integer({min: 1, max: 9}))
    fc.assert(
      fc.property(change, ([place, shift]) => {
        const digits = [...'10000000146'].map(Number)
        digits[place] = ((digits[place] ?? 0) + shift) % 10
        expect(isTcNumber(digits.join(''))).toBe(false)
      }),
    )
  })
})

describe('identifiers', () => {
  it('tell live from test by the client secret', () => {
    const modes = ['sk_live_x', 'sk_test_x', 'SK_LIVE_x', ''].map(modeOfSecret)
    expect(modes).toEqual(['live', 'test', undefined, undefined])
  })

  const PREFIXED = {
    offer_id: 'off_',
    subscription_id: 'whsub_',
    event_id: 'evt_',
    delivery_id: 'dlv_',
  } as const
  const prefixed = Object.entries(PREFIXED).map(([kind, prefix]): [IdentifierKind, string[], string[]] => {
    const around = [` ${prefix}1`, `${prefix}1\n`, `"${prefix}1"`]
    const bad = ['nope', prefix, prefix.toUpperCase() + 1, ...around, `${prefix}ä`]
    return [kind as IdentifierKind, [`${prefix}1`, `${prefix}aB3_x-9`], bad]
  })
  it.each<[IdentifierKind, string[], string[]]>([
    [
      'reservation_ref',
      ['RSV-7K3M9QX2AB', 'r', 'A.b_c:d-1', 'x'.repeat(64)],
      ['', '.', '..', '../etc', 'a/b', 'a\\b', '-a', 'ä', '%2e', 'a b', 'x'.repeat(65), 'a\n', 'a\0'],
    ],
    [
      'client_reference_id',
      ['PARTNER-1', 'Ayşe/2030', '订单', 'x'.repeat(128)],
      ['', 'a b', 'a\u00A0b', 'a\n', '\u202Ea', 'a\u200B', 'x'.repeat(129)],
    ],
    ...prefixed,
  ])('of the kind %s have the characters and the prefix they may have', (kind, good, bad) => {
    expect(good.filter(id => !isIdentifier(kind, id))).toEqual([])
    expect(bad.filter(id => isIdentifier(kind, id))).toEqual([])
  })

  it('have no segment that would change a path', () => {
    const bad = ['..', '../x', '1/..', '1/../x', '1/./x', String.raw`1\..\x`, '1/.']
    const good = ['1/x', '1..2', '1/..x', '1/x..', '.5', '1/...']
    const prefixes = {event_id: 'evt_', other: ''}
    for (const [kind, prefix] of Object.entries(prefixes) as [IdentifierKind, string][]) {
      const inside = prefix === '' ? bad : bad.filter(text => text.startsWith('1'))
      expect(inside.filter(text => isIdentifier(kind, prefix + text))).toEqual([])
      expect(good.filter(text => !isIdentifier(kind, prefix + text))).toEqual([])
    }
  })

  it('of offers have no slash, no backslash and no two dots', () => {
    const bad = ['off_1/x', String.raw`off_1\x`, 'off_1..2', 'off_..', 'off_1/..']
    expect(bad.filter(id => isIdentifier('offer_id', id))).toEqual([])
    expect(isIdentifier('offer_id', 'off_1.2')).toBe(true)
  })

  it('are never the missing value of a script', () => {
    const nothing = ['', ' ', '\t\n', 'null', 'undefined', 'None', ' null ']
    for (const kind of Object.keys(IDENTIFIERS) as IdentifierKind[])
      expect(nothing.filter(text => isIdentifier(kind, text))).toEqual([])
    expect(nothing.filter(text => !isNoValue(text))).toEqual([])
    expect(['nullable', 'NONE-7', '0', 'off_null'].filter(isNoValue)).toEqual([])
  })
})

describe('sanitizeLine', () => {
  test.each([
    ['Ayşe Öğüt ığİ 東京 😀', 'Ayşe Öğüt ığİ 東京 😀'],
    ['a\u202eb', 'a\\u202eb'],
    ['\u001b[31mred', '\\u001b[31mred'],
    ['a\r\nb\tc', 'a\\r\\nb\\tc'],
    ['\u2028\u2029', '\\u2028\\u2029'],
    ['\ud83d', '\\ud83d'],
    ['\u200d\ufeff\u061c', '\\u200d\\ufeff\\u061c'],
    ['\ue000\u{f0000}\u{10ffff}', '\\ue000\\u{f0000}\\u{10ffff}'],
    ['\uffff\u{1d159}\ufff0', '\\uffff\\u{1d159}\\ufff0'],
    ['a\ufe0fb\u{e0101}', 'a\\ufe0fb\\u{e0101}'],
    ['👩‍👩‍👧‍👦 👩🏽‍🚀 ❤️ 1️⃣ 🏳️‍🌈 🇹🇷', '👩‍👩‍👧‍👦 👩🏽‍🚀 ❤️ 1️⃣ 🏳️‍🌈 🇹🇷'],
    ['a\u200db 👩\u200d\u200d', 'a\\u200db 👩\\u200d\\u200d'],
    ['👩‍👩‍👧‍👦‍👦', '👩‍👩‍👧‍👦\\u200d👦'],
    [`o${'\u0308'.repeat(7)}`, `o${'\\u0308'.repeat(7)}`],
    ['o\u0308\u0323 שָׁלוֹם ที่', 'o\u0308\u0323 שָׁלוֹם ที่'],
  ])('%j', (text, safe) => {
    expect(sanitizeLine(text)).toBe(safe)
  })

  test('cuts with … and never through an escape', () => {
    const texts = ['abcdef', 'abcd', 'a\nb', 'ab\n', 'ab\nc', 'a\u202eb', '😀😀😀']
    const inFour = texts.map(text => sanitizeLine(text, 4))
    expect(inFour).toEqual(['abc…', 'abcd', 'a\\nb', 'ab\\n', 'ab…', 'a…', '😀…'])
    expect(sanitizeLine('ab\u202ecd', 6)).toBe('ab…')
  })
})
