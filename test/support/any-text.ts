/**
 * Generates texts of any characters except lone surrogates. The generator of fast-check takes most of a second to create, in
 * every test file that uses it.
 */
import fc from 'fast-check'

const code = fc.oneof(...[0x7f, 0xffff, 0x10ffff].map(max => fc.integer({min: 0, max})))
const unit = code.map(code => String.fromCodePoint(code >= 0xd800 && code <= 0xdfff ? 0xfffd : code))

export const anyString = (lengths: {minLength?: number; maxLength?: number} = {}) =>
  fc.string({...lengths, unit})
