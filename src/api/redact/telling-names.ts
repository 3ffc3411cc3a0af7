/**
 * Which names of fields say that a secret, or a person's data, stands under them. A name is told by its whole meaning: its
 * last word says what it is (`email_template` is a template), the ones before whose (`rate_card` is nobody's card).
 */
import {onceForEachName, snakeCase} from '../../contract/field-names.js'

const SECRET =
  /(^|_)(token|secret|password|passwd|passphrase|authorization|cookie|cookies|credential|credentials|signature|(api|private|access)_key)$/
const IDENTITY = /identit(y|ies)|(^|_)(passport|tc|document|national_id|card)(_(number|no|id))?$/
const PERSONAL =
  /(^|_)(e_?mails?|mobiles?|(tele)?phones?)(_|$)|(^|_)(birth_date|birthdate|birthday|date_of_birth|dob|surname|first_name|last_name|full_name|guest_name|family_name|given_name|holder_name)$/
/** Whatever is named before them: a rate for mobiles, the least age for an identity. */
const INNOCENT_LAST =
  /_(rates?|prices?|fees?|discounts?|ages?|templates?|subjects?|languages?|types?|formats?|lengths?|counts?|limits?|policy|policies|required|allowed|needed|supported|enabled|verified|only|friendly|apps?|deals?|offers?|sites?|version)$/
/** Questions, and bounds. */
const INNOCENT_FIRST = /^(is|has|min|max|requires|needs|allows|supports)_/
/** Cards and documents that are nobody's. */
const NOBODYS =
  /(^|_)(rate|price|score|report|hotel|property|room|tour|menu|business|gift|boarding|policy|terms|legal|tax|voucher)_(card|document)(_id)?$/

const PEOPLE = /^(contacts?|guests?|lead_guest|holders?|customers?|passengers?|travell?ers?|pax(es)?)$/
/** What may be seen of a person. */
const HARMLESS_OF_PEOPLE = /^(type|is_lead|gender)$/
const LINK = /^(url|link|href|.*_(url|link))$/

/** Whether a secret stands under the name, or a person's data. */
export const isTelling = onceForEachName(field => SECRET.test(snakeCase(field)) || isPersonalName(field))

/** Whether a person's data stands under the name, of their identity or of any other kind. */
export const isPersonalName = onceForEachName(field => {
  const name = snakeCase(field)
  return isIdentityName(field) || (PERSONAL.test(name) && !isInnocent(name))
})

/** Whether the number of an identity document or a card stands under the name. */
export const isIdentityName = onceForEachName(field => {
  const name = snakeCase(field)
  return IDENTITY.test(name) && !isInnocent(name) && !NOBODYS.test(name)
})

/** Whether people stand under the name. */
export function isPeopleName(field: string): boolean {
  return PEOPLE.test(snakeCase(field))
}

/** Whether what stands under the name may be seen of a person. */
export function isHarmlessOfPeople(field: string): boolean {
  return HARMLESS_OF_PEOPLE.test(snakeCase(field))
}

/** Whether a link stands under the name. */
export function isLinkName(field: string): boolean {
  return LINK.test(snakeCase(field))
}

function isInnocent(name: string): boolean {
  return INNOCENT_FIRST.test(name) || INNOCENT_LAST.test(name)
}
