/** Telephone numbers as people type them. */
import {usage} from '../../contract/failure.js'
import {named} from './checks.js'

export type Phone = ReturnType<Awaited<ReturnType<typeof createPhoneReader>>>

const PROBLEMS: Readonly<Record<string, string>> = {
  TOO_SHORT: 'is too short',
  TOO_LONG: 'is too long',
  INVALID_LENGTH: 'has the wrong number of digits',
  INVALID_COUNTRY: 'is of an unknown country',
}

/** Reads numbers with a prefix, or national ones of `country` (ISO 3166-1); the reader throws usage naming `field`. */
export async function createPhoneReader(country: string | undefined, field: string) {
  const {parsePhoneNumberWithError, validatePhoneNumberLength, isSupportedCountry} = await import(
    'libphonenumber-js/min'
  )
  const home = country !== undefined && isSupportedCountry(country) ? {defaultCountry: country} : {}
  return (typed: string) => {
    const text = typed.trim().replace(/^00/, '+')
    const problem = validatePhoneNumberLength(text, home)
    if (problem !== undefined) throw invalidPhone(field, PROBLEMS[problem])
    const parsed = parsePhoneNumberWithError(text, home)
    const phone_number = String(parsed.nationalNumber)
    if (!/^\d{4,15}$/.test(phone_number)) throw invalidPhone(field, 'has the wrong number of digits')
    // The country is undefined where a prefix belongs to several.
    return {phone_country_code: `+${parsed.countryCallingCode}`, phone_number, country: parsed.country}
  }
}

function invalidPhone(field: string, problem = 'is not a telephone number') {
  const words = `the number ${problem}; include the country prefix, such as +90 532 123 45 67`
  return usage('invalid_input', named(field, words))
}
