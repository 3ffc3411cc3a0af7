/** The spellings of JSON strings: which characters a printer escapes, and how. */

export interface Escapes {
  /** `/` or `\/`. */
  readonly slashes: 'kept' | 'plain' | 'escaped'
  /** Characters beyond ASCII: raw, or `\u015f` with lower or upper case digits. */
  readonly nonAscii: 'kept' | 'raw' | 'lower' | 'upper'
  /** Characters that mean something in HTML: raw, or escaped as one of the printers does it. */
  readonly html: 'kept' | 'raw' | keyof typeof HTML_SETS
}

export const KEPT_ESCAPES: Escapes = {slashes: 'kept', nonAscii: 'kept', html: 'kept'}

/** Which characters are escaped, and the case of the digits. */
export const HTML_SETS = {
  /** Go's encoding/json; Rails. */
  go: {characters: '<>&\u2028\u2029', upper: false},
  /** Gson. */
  gson: {characters: "<>&='\u2028\u2029", upper: false},
  /** PHP with JSON_HEX_TAG, JSON_HEX_AMP and JSON_HEX_APOS. */
  php: {characters: "<>&'", upper: true},
  /** System.Text.Json. */
  dotnet: {characters: '<>&\'"+`', upper: true},
} as const

const UNIT = /\\(?:u[\da-fA-F]{4}|.)|[\uD800-\uDBFF][\uDC00-\uDFFF]|./gsu
const SHORT: Readonly<Record<string, string>> = {b: '\b', f: '\f', n: '\n', r: '\r', t: '\t'}

/** `text`, a JSON string with its quotes, spelled with `escapes`. What they keep stays as it was spelled. */
export function respell(text: string, escapes: Escapes): string {
  const {slashes, nonAscii, html} = escapes
  if (slashes === 'kept' && nonAscii === 'kept' && html === 'kept') return text
  // biome-ignore lint/suspicious/noControlCharactersInRegex: quick way out for strings no printer would escape
  if (!/[^\x00-\x7f]|[\\/<>&=+'`]/.test(text)) return text
  return `"${text.slice(1, -1).replace(UNIT, unit => respellUnit(unit, escapes))}"`
}

function respellUnit(unit: string, escapes: Escapes): string {
  const character = decode(unit)
  const code = character.codePointAt(0) ?? 0
  if (character === '/') return spellSlash(unit, escapes.slashes)
  if (code > 0x7f) return spellNonAscii(unit, character, escapes)
  return spellAscii(unit, character, escapes.html)
}

function decode(unit: string): string {
  if (unit[0] !== '\\') return unit
  if (unit[1] === 'u') return String.fromCharCode(Number.parseInt(unit.slice(2), 16))
  return SHORT[unit[1] ?? ''] ?? unit.slice(1)
}

function spellSlash(unit: string, slashes: Escapes['slashes']): string {
  return slashes === 'kept' ? unit : slashes === 'plain' ? '/' : '\\/'
}

function spellNonAscii(unit: string, character: string, {nonAscii, html}: Escapes): string {
  if (html !== 'kept' && html !== 'raw' && HTML_SETS[html].characters.includes(character)) {
    return escapeUnits(character, HTML_SETS[html].upper)
  }
  if (nonAscii === 'kept') return unit
  if (nonAscii === 'raw') return character
  return escapeUnits(character, nonAscii === 'upper')
}

function spellAscii(unit: string, character: string, html: Escapes['html']): string {
  if (html === 'kept') return unit
  if (html !== 'raw' && HTML_SETS[html].characters.includes(character)) {
    return escapeUnits(character, HTML_SETS[html].upper)
  }
  if (character === '"' || character === '\\') return `\\${character}`
  return character >= ' ' && character !== '\x7f' ? character : unit
}

function escapeUnits(character: string, upper: boolean): string {
  return character
    .split('')
    .map(unit => {
      const hex = unit.charCodeAt(0).toString(16).padStart(4, '0')
      return `\\u${upper ? hex.toUpperCase() : hex}`
    })
    .join('')
}
