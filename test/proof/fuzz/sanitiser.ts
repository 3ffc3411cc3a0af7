/** Foreign text made fit for a terminal: what may come out is defined here again, by what Unicode says of characters. */
import fc from 'fast-check'
import stringWidth from 'string-width'
import {escapeUnsafe, jsonText} from '../../../src/cli/terminal/json-text.js'
import {cutTo, fitTo, graphemesOf, hang, piecesOf} from '../../../src/cli/terminal/text.js'
import {sanitizeLine} from '../../../src/contract/foreign-text.js'
import {anyText, must, property} from './property.js'

/** Emoji, alone or up to four joined, and keycaps: the only place of a joiner or a variation selector. */
const EMOJI = /(?:\p{ExtPict}(?:\ufe0f|\p{EMod})?(?:\u200d(?=\p{ExtPict}))?){1,4}|[\d#*]\ufe0f\u20e3/gu

/** Characters by number, so that no name of a class can mean more or less than was thought. */
export function dangerousIn(text: string): string | undefined {
  for (const character of text.replace(EMOJI, '')) {
    const code = character.codePointAt(0) ?? 0
    const between = (first: number, last: number) => code >= first && code <= last
    const isControl = code < 0x20 || between(0x7f, 0x9f) || code === 0x2028 || code === 0x2029
    const isBidi =
      code === 0x61c || between(0x200e, 0x200f) || between(0x202a, 0x202e) || between(0x2066, 0x2069)
    const isZeroWidth =
      [0xad, 0x34f, 0x180e, 0x200b, 0x200c, 0x200d, 0xfeff].includes(code) || between(0x2060, 0x2065)
    const isSelector = between(0xfe00, 0xfe0f) || between(0x180b, 0x180d) || between(0xe0000, 0xe0fff)
    const isNone =
      between(0xd800, 0xdfff) || between(0xe000, 0xf8ff) || code >= 0xf0000 || between(0xfff0, 0xfffb)
    const isBlank = [0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0].includes(code)
    if (isControl || isBidi || isZeroWidth || isSelector || isNone || isBlank) return code.toString(16)
  }
  return undefined
}

/** Words and names as people write them, one for each script; with marks, and from right to left. */
const WORDS = [
  ...`Ayşe Öğüt ığİ | Ελληνικά | Кириллица | Հայերեն | עִבְרִית | العَرَبِيَّة | ܣܘܪܝܝܐ | ދިވެހި
  हिन्दी | বাংলা | ਪੰਜਾਬੀ | ગુજરાતી | ଓଡ଼ିଆ | தமிழ் | తెలుగు | ಕನ್ನಡ
  മലയാളം | සිංහල | ภาษาไทยที่ | ລາວ | བོད་སྐད | မြန်မာ | ქართული | 한국어
  አማርኛ | ᏣᎳᎩ | ខ្មែរ | ᠮᠣᠩᠭᠣᠯ | 東京グランドホテル | 北京市 | ㄅㄆㄇ | ꦗꦮ
  ⵜⴰⵎⴰⵣⵉⵖⵜ | 𐎠𐎡𐎢 | 𠮷野家 | Å ä ç ñ ø ß | Việt Nam | ᚠᚢᚦ | Łódź | € £ ₺ ₽ ¥ ₹
  “quotes” – — … ‹› | ½ ² № ™ © | 😀 👩🏽‍🚀 🏳️‍🌈 🇹🇷 👩‍👩‍👧‍👦`.split(/\s*[|\n]\s*/),
  'o\u0308\u0323',
]

export const sanitiser = [
  property(
    'sanitiser: nothing that a terminal obeys or a person does not see comes through',
    anyText,
    text => {
      const safe = sanitizeLine(text)
      must(dangerousIn(safe) === undefined, dangerousIn(safe), safe)
    },
  ),
  property(
    'sanitiser: twice is once, and no longer than was asked for',
    fc.tuple(anyText, fc.option(fc.nat(60), {nil: undefined})),
    ([text, length]) => {
      const safe = sanitizeLine(text, length)
      must(sanitizeLine(safe, length) === safe, safe, sanitizeLine(safe, length))
      must(safe.length <= (length ?? Number.POSITIVE_INFINITY), safe.length)
      must(dangerousIn(safe) === undefined, safe)
    },
  ),
  property(
    'sanitiser: what people write in any script stays as it is',
    fc.array(fc.oneof(fc.constantFrom(...WORDS), fc.stringMatching(/^[\w .,:;()'"/+-]{0,12}$/)), {
      maxLength: 6,
    }),
    words => {
      const text = words.join(' ').normalize('NFC')
      must(sanitizeLine(text) === text, text, sanitizeLine(text))
    },
    {examples: WORDS.map(word => [word])},
  ),
  property(
    'sanitiser: the same text tells the same wherever it is cut into pieces at a plain character',
    fc.tuple(anyText, anyText),
    ([left, right]) => {
      must(sanitizeLine(`${left} ${right}`) === `${sanitizeLine(left)} ${sanitizeLine(right)}`, left, right)
    },
  ),
  property('JSON: safe to look at, and the same value', fc.oneof(fc.jsonValue(), anyText), value => {
    const text = jsonText(value)
    // Controls, what moves or hides other text, and half pairs; what is merely unseen may stand in JSON.
    must(!/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text), text)
    must(JSON.stringify(JSON.parse(text)) === JSON.stringify(value), text)
    must(escapeUnsafe(text) === text, text)
  }),
  property(
    'columns: cut, filled and broken text is as wide as it may be',
    fc.tuple(anyText, fc.integer({min: 2, max: 40})),
    ([text, width]) => {
      const safe = sanitizeLine(text)
      must(stringWidth(cutTo(safe, width)) <= width, cutTo(safe, width))
      must(stringWidth(fitTo(safe, width)) === width, fitTo(safe, width))
      const pieces = [...piecesOf(safe, width)]
      must(pieces.join('') === safe, pieces)
      // What a person sees as one character is never torn.
      for (const piece of pieces) must(stringWidth(piece) <= width || graphemesOf(piece).length === 1, piece)
      const lines = hang(`${safe} x`, Math.max(width, 16), 4)
      // Wrapping composes letters and their marks.
      const lettersOf = (one: string) => one.replaceAll(/\p{Zs}/gu, '').normalize()
      must(lettersOf(lines.join('')) === lettersOf(`${safe}x`), lines)
    },
    {weight: 10},
  ),
]
