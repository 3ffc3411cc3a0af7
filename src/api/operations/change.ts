/**
 * What a success says of a change (§4.9 shows no such answer): `{"status": "REJECTED"}` and
 * `{"data": {"cancelled": false}}` come with 200, too, so the words of the answer decide whether it was made.
 */
import type {Failure} from '../../contract/failure.js'
import {fieldsOf, snakeCase} from '../../contract/field-names.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {breadthFirst, isObject, type JsonObject, type Node} from '../../contract/json.js'
import {findNamed, textIn} from '../answers/facts.js'
import {outcomeUnknown} from '../answers/refusals.js'
import {CHANGE, RESERVATION} from '../answers/vocabulary.js'
import type {Answer} from '../types.js'

/** Objects whose state is not that of the change. */
const OF_OTHERS =
  /(^|_)(payments?|refunds?|vouchers?|invoices?|guests?|rooms?|hotel|polic(y|ies)|prices?|history|previous|meta|links)(_|$)/

/** The word a reservation has for its state, such as `not_cancelled`; undefined when it has none. */
export function stateOf(reservation: JsonObject): string | undefined {
  const said = textIn(fieldsOf(reservation), RESERVATION.state)
  return said === null ? undefined : asWord(said)
}

/**
 * The words for the state outside of `reservation`, outermost first. `done`: names of flags that say, by true or false,
 * whether the change was made.
 */
export function wordsBeside(
  json: unknown,
  reservation: JsonObject | undefined,
  done: readonly string[] = [],
): string[] {
  const others = new Set<Node>()
  return [...breadthFirst(json)].flatMap(node => {
    const isOther = node.value === reservation || OF_OTHERS.test(snakeCase(node.key))
    if (isOther || (node.parent && others.has(node.parent))) {
      others.add(node)
      return []
    }
    return wordsIn(node.value, done)
  })
}

/** The words of one object. */
export function wordsIn(value: JsonObject, done: readonly string[] = []): string[] {
  const fields = fieldsOf(value)
  const texts = CHANGE.state.flatMap(name => {
    const said = fields.get(name)
    return isObject(said) || Array.isArray(said) ? [] : (textIn(fields, [name]) ?? [])
  })
  const denied = [...CHANGE.taken, ...done]
    .filter(name => fields.get(name) === false)
    .map(name => `not_${name}`)
  const agreed = done.filter(name => fields.get(name) === true)
  const error = fields.get('error')
  const isError = isObject(error) || (typeof error === 'string' && error !== '') || error === true
  return [
    ...(isError ? ['error'] : []),
    ...denied,
    ...texts.map(asWord),
    ...agreed.map(name => name.replace(/^is_/, '')),
  ]
}

function asWord(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
}

/** Whether a word says that the change was not made. */
export function isDenial(word: string): boolean {
  return /^(not|un|in)_|^no$|unable|invalid|unsuccess|reject|refus|fail|den(y|ied)|declin|error|impossible/.test(
    word,
  )
}

/** Whether a word says no more than that the request was accepted. */
export function isTaken(word: string): boolean {
  return /^(ok|success(ful(ly)?)?|succeeded|accepted|done|completed?|processed|true|0|1|2\d\d)$/.test(word)
}

/**
 * Throws Failure after a success that has a body, and reports neither the result of the change nor that it was accepted:
 * `{"data": null}`. With no body, or `{}`, its status is the answer.
 */
export function checkSaysSomething(answer: Answer): void {
  const {json} = answer
  if (json === undefined || findNamed(json, 'reservation')) return
  if (isObject(json)) {
    const isAccepted = CHANGE.taken.some(name => json[name] === true) || wordsIn(json).some(isTaken)
    if (isAccepted || Object.keys(json).length === 0) return
  }
  throw mayNotBeDone(answer, 'nothing of the change', {reservation: null})
}

/** The Failure after a success that does not say that the change was made. `result`: keys for the JSON document. */
export function mayNotBeDone(answer: Answer, word: string, result: object): Failure {
  const what = `status ${answer.status}, and says ${sanitizeLine(word, 60)}: it may not have been done`
  return outcomeUnknown(answer, what, {result})
}
