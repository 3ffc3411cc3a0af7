/** A person's data in what is sent: values that must not turn up anywhere else either. */
import {snakeCase} from '../../contract/field-names.js'
import {isObject} from '../../contract/json.js'
import {isHarmlessOfPeople, isIdentityName, isPeopleName, isPersonalName} from './telling-names.js'

/** Ours: nobody means more. */
const MAX_DEPTH = 60

/** What people's data a request body holds: values that must not turn up anywhere else either. */
export function peopleIn(value: unknown, isPeople = false, depth = 0): string[] {
  if (depth > MAX_DEPTH) return []
  if (typeof value === 'string') return isPeople ? [value] : []
  if (Array.isArray(value)) return value.flatMap(item => peopleIn(item, isPeople, depth + 1))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (/^(nationality|phone_country_code)$/.test(snakeCase(key)) || isHarmlessOfPeople(key)) return []
    return peopleIn(inner, isPeople || isPeopleName(key) || isPersonalName(key), depth + 1)
  })
}

/** Numbers of identity documents and cards in a request body: of a person's data, those that must not be told back to anybody. */
export function identityNumbersIn(value: unknown, isIdentity = false, depth = 0): string[] {
  if (depth > MAX_DEPTH) return []
  if (typeof value === 'string' || typeof value === 'number') return isIdentity ? [String(value)] : []
  if (Array.isArray(value)) return value.flatMap(item => identityNumbersIn(item, isIdentity, depth + 1))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    // Of which kind a document is, and whose, is no secret.
    if (/(^|_)(type|nationality|country|country_code)$/.test(snakeCase(key))) return []
    return identityNumbersIn(inner, isIdentity || isIdentityName(key), depth + 1)
  })
}
