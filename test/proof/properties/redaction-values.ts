/** Secrets for the properties of redaction, the ways they are written, what may stand around them, and whether a text tells one. */
import fc from 'fast-check'
import {REDACTED} from '../../../src/api/redact/redact.js'
import {anyText} from '../property.js'

/** What stands in the place of a secret may hold it by chance, and then nothing can be said. */
export const isTelling = (secret: string) => !REDACTED.includes(secret) && secret.trim() === secret
export const secret = fc
  .oneof(
    fc.stringMatching(/^(sk_test_|sk_live_|whsec_)[\w+/=-]{8,40}$/),
    fc.stringMatching(/^[A-Za-z0-9+/]{16,60}={0,2}$/),
    fc.stringMatching(/^[\x21-\x7e]{8,40}$/),
    fc.string({unit: 'grapheme', minLength: 8, maxLength: 30}),
    fc.string({unit: 'binary', minLength: 8, maxLength: 30}),
    fc.constant('half a pair \ud83d of it'),
    fc.stringMatching(/^ey[\w-]{20,40}\.[\w-]{10,20}\.[\w-]{10,20}$/),
  )
  .filter(isTelling)

/** As it goes out in bytes: half a surrogate pair as U+FFFD. */
export const wellFormed = (text: string) => Buffer.from(text).toString()
const base64 = (encoding: 'base64' | 'base64url') => (text: string, before: number) =>
  Buffer.concat([Buffer.alloc(before, 'a'), Buffer.from(text), Buffer.from('zzz')]).toString(encoding)
/** The ways of writing that are promised (src/api/redact/spellings.ts). */
const SPELLINGS: readonly ((text: string, before: number) => string)[] = [
  text => text,
  text => encodeURIComponent(wellFormed(text)),
  text => encodeURIComponent(wellFormed(text)).replace(/%../g, hex => hex.toLowerCase()),
  text => [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  text => JSON.stringify(text).slice(1, -1),
  text => Buffer.from(text).toString('hex'),
  base64('base64'),
  base64('base64url'),
]
export const spelling = fc.constantFrom(...SPELLINGS)
export const around = fc.oneof(
  anyText,
  fc.constantFrom(
    '"',
    '","token":"',
    '{"a":"',
    'https://h.example/x?y=',
    'Bearer ',
    'Error: ',
    '\n    at f (',
    '&z=',
    '%',
    '=',
    '\\',
  ),
)

/** Whether `text` still tells `told`: as it is, or by any of the ways of writing. */
export function tells(text: string, secretTold: string): boolean {
  const told = wellFormed(secretTold)
  if (text.includes(secretTold)) return true
  if (text.includes(told) || percentDecoded(text).includes(told)) return true
  if (Buffer.from(told).length < 6) return false
  if (text.includes(Buffer.from(told).toString('hex'))) return true
  return (text.match(/[\w+/-]{8,}/g) ?? []).some(run =>
    [0, 1, 2, 3].some(from => Buffer.from(run.slice(from), 'base64').includes(told)),
  )
}

function percentDecoded(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, encoded =>
    Buffer.from(encoded.replaceAll('%', ''), 'hex').toString(),
  )
}
