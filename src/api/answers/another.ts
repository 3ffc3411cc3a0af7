/**
 * An answer that names something other than what was asked for is no answer to it, whatever its status says. This is
 * the one place where that is decided; an answer that names nothing is believed.
 */
import {Failure} from '../../contract/failure.js'
import {type Fields, fieldsOf} from '../../contract/field-names.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isObject, type JsonObject} from '../../contract/json.js'
import {textOf} from '../../contract/json-walk.js'
import type {Answer} from '../types.js'
import {quoted} from './error-shapes.js'
import {unwrap} from './shapes.js'

/** What was asked for. */
export interface Asked {
  /** Its kind, for the message and the code: `reservation`, `client reference`. */
  readonly what: string
  readonly id: string
  /** Whether the request changes something; what became of it is then unknown. */
  readonly changes?: boolean
}

/**
 * Of `found`, the item that has the id asked for, else the first one when none of them has any id; undefined when there
 * are none. Throws Failure when all the ids are others: `outcome_unknown` after a change, else `service_failed`.
 */
export function itemAskedFor<Item>(
  answer: Answer,
  asked: Asked,
  found: readonly Item[],
  idsOf: (item: Item) => readonly string[],
): Item | undefined {
  const own =
    found.find(item => idsOf(item).includes(asked.id)) ??
    found.find(item => idsOf(item).some(id => isSameId(id, asked.id)))
  if (own !== undefined) return own
  const [other] = found.flatMap(idsOf)
  if (other !== undefined) throw aboutAnother(answer, asked, other)
  return found[0]
}

/** Whether two ids are the same: services pad them, and change their case. */
export function isSameId(left: string, right: string): boolean {
  return left.trim().toLowerCase() === right.trim().toLowerCase()
}

/** The Failure for an answer that names `other`. Its code is `another_reservation`, by what was asked for. */
export function aboutAnother(answer: Answer, {what, id, changes = false}: Asked, other: string): Failure {
  const asked = sanitizeLine(id, 100)
  const unknown = changes ? `; what became of ${asked} is not known` : ''
  const message = `the service answered about another ${what}, ${quoted(other, 100, answer)} in place of ${asked}${unknown}`
  return new Failure(changes ? 'outcome_unknown' : 'service_failed', message, {
    code: `another_${what.replaceAll(' ', '_')}`,
    status: answer.status,
    ...(answer.requestId === undefined ? {} : {requestId: answer.requestId}),
  })
}

const CLAIMS = ['id', 'code']
/** What else a service may let a record be asked for by; by itself it names nothing. */
const BY_NAMES = ['slug', 'key', 'uuid', 'reference']

/**
 * The ids under which `record`, out of `json`, may have been asked for; none when it does not say which one it is.
 * `nouns` are what services call it: `hotel`, `property`. Around the record only names that hold one of them count.
 */
export function idsOfRecord(json: unknown, record: JsonObject, nouns: readonly string[]): string[] {
  const named = nouns.flatMap(noun => CLAIMS.map(name => `${noun}_${name}`))
  const fields = fieldsOf(record)
  const around = [json, unwrap(json)].filter(isObject).flatMap(value => textsIn(fieldsOf(value), named))
  const claims = [...textsIn(fields, [...named, ...CLAIMS]), ...around]
  return claims.length === 0 ? [] : [...claims, ...textsIn(fields, BY_NAMES)]
}

function textsIn(fields: Fields, names: readonly string[]): string[] {
  return names.flatMap(name => textOf(fields.get(name)) ?? [])
}
