/**
 * Text of any characters but lone surrogates. fast-check's own unit of this kind takes most of a second to make, in
 * every test file that asks for it.
 */
import fc from 'fast-check'

const code = fc.oneof(...[0x7f, 0xffff, 0x10ffff].map(max => fc.integer({min: 0, max})))
const unit = code.map(code => String.fromCodePoint(code >= 0xd800 && code <= 0xdfff ? 0xfffd : code))

export const anyString = (lengths: {minLength?: number; maxLength?: number} = {}) =>
  fc.string({...lengths, unit})
