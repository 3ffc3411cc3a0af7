/** The names of headers and fields that hold secrets or personal data. The last word of a field's name decides. */
import {onceForEachName, snakeCase} from '../../contract/field-names.js'
import {isObject} from '../../contract/json.js'

const SECRET_HEADERS = /authorization|authenticate|cookie|token|secret|api-?key|signature/
const SECRET =
  /(^|_)(token|secret|password|passwd|passphrase|authorization|cookies?|credentials?|signature|(api|private|access)_key)$/
const IDENTITY =
  /(^|_)(identit(y|ies)|(identity|passport|tc|document|card|national_id)_(number|no|id)|passport|tc|national_id|(travel|identity)_document|credit_card)$|^(card|document)$/
const PERSONAL =
  /(^|_)((e_?mail|mobile|(tele)?phone)s?(_(address|number|phone|no|\d+))?|birth_?date|birthday|date_of_birth|dob|surname|(first|last|full|guest|family|given|holder)_name)$/
const PEOPLE = /^(contacts?|guests?|lead_guest|holders?|customers?|passengers?|travell?ers?|pax(es)?)$/
/** Harmless fields of a person. */
const HARMLESS_OF_PEOPLE = /^(type|is_lead|gender)$/
/** Values of a person that are too common to be redacted elsewhere. */
const COMMON_OF_PEOPLE = /^(type|is_lead|gender|nationality|phone_country_code)$/
/** Kind and country of a document are no secret. */
const ABOUT_IDENTITY = /(^|_)(type|nationality|country|country_code)$/
const LINK = /^(url|link|href|.*_(url|link))$/

export function isSecretHeader(name: string): boolean {
  return SECRET_HEADERS.test(name.toLowerCase())
}

/** Whether the name is that of a secret or of personal data. */
export const isTelling = onceForEachName(field =>
  [SECRET, IDENTITY, PERSONAL].some(names => names.test(snakeCase(field))),
)

export const isPeopleName = onceForEachName(field => PEOPLE.test(snakeCase(field)))

export const isHarmlessOfPeople = onceForEachName(field => HARMLESS_OF_PEOPLE.test(snakeCase(field)))

export const isLinkName = onceForEachName(field => LINK.test(snakeCase(field)))

/** Values further inside are not searched here, and are redacted whole where one is shown. Not in the interface. */
export const MOST_DEPTH = 60

/** The personal data in a request body, to be redacted anywhere else. */
export function peopleIn(value: unknown): string[] {
  const isTheirs = (name: string) => [PEOPLE, IDENTITY, PERSONAL].some(names => names.test(name))
  return valuesUnder(value, isTheirs, COMMON_OF_PEOPLE).filter(each => typeof each === 'string')
}

/** Numbers of identity documents and cards in a request body. */
export function identityNumbersIn(value: unknown): string[] {
  return valuesUnder(value, name => IDENTITY.test(name), ABOUT_IDENTITY).map(String)
}

/** Texts and numbers under a name that `isMeant`, however deep, except those under a name of `others`. */
function valuesUnder(
  value: unknown,
  isMeant: (name: string) => boolean,
  others: RegExp,
  isUnder = false,
  depth = 0,
): (string | number)[] {
  if (depth > MOST_DEPTH) return []
  if (typeof value === 'string' || typeof value === 'number') return isUnder ? [value] : []
  const inside = (inner: unknown, isIn: boolean) => valuesUnder(inner, isMeant, others, isIn, depth + 1)
  if (Array.isArray(value)) return value.flatMap(item => inside(item, isUnder))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = snakeCase(key)
    return others.test(name) ? [] : inside(inner, isUnder || isMeant(name))
  })
}
