/**
 * Changes that are made once: whatever came back decides whether they were made, and nothing is sent a second time unless
 * the service says that it did not take it (401 with an ended token, 429). §4.9 shows no such answer: `{"status":
 * "REJECTED"}` and `{"data": {"cancelled": false}}` come with 200, too.
 */
import {Failure} from '../../contract/failure.js'
import {fieldsOf, snakeCase} from '../../contract/field-names.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isObject, type JsonObject} from '../../contract/json.js'
import {breadthFirst, type Node} from '../../contract/json-walk.js'
import {OPERATIONS, type OperationName} from '../../contract/operations.js'
import {errorInAnswer, wordsOf} from '../answers/errors.js'
import {findNamed, textIn} from '../answers/facts.js'
import {redirectIn, refusalOf, unanswered} from '../answers/refusals.js'
import {CHANGE, RESERVATION} from '../answers/vocabulary.js'
import {mayHaveActed} from '../http/retry.js'
import {type Answer, type Api, type CallOptions, SendError} from '../types.js'

/**
 * Sends a change and returns its answer when the service says that it is made; a success may be empty (204). Throws
 * Failure: `outcome_unknown` when it may have been made, else what the service refused it for.
 */
export async function sendChange(api: Api, name: OperationName, options: CallOptions): Promise<Answer> {
  const answer = await api.exchange(name, options).catch(error => {
    throw error instanceof SendError ? unanswered(error, true) : error
  })
  const {status} = answer
  if (status < 200 || status > 299) throw changeRefused(answer, api.clock.now(), OPERATIONS[name].scope)
  const error = errorInAnswer(answer)
  if (error) throw error
  if (answer.json === undefined && answer.body.length > 0) throw unreadableChange(answer)
  return answer
}

/**
 * The Failure of a change that was answered with no success: refused, or `outcome_unknown` where the one that answered may have
 * made it all the same. `now` and `scope` as for refusalOf.
 */
export function changeRefused(answer: Answer, now: number, scope?: string | null): Failure {
  if (!mayHaveActed(answer)) return refusalOf(answer, now, scope)
  return unknown(answer, redirectIn(answer) ?? `status ${answer.status}`)
}

/** The Failure after a success whose body is no JSON. */
export function unreadableChange(answer: Answer): Failure {
  return unknown(answer, 'something that is not JSON')
}

/** The Failure after a success that does not hold what the change is known by; `what` names it: `subscription`. */
export function unnamedChange(answer: Answer, what: string): Failure {
  return unknown(answer, `${answer.status}, and holds no ${what}`)
}

function unknown(answer: Answer, what: string): Failure {
  const said = wordsOf(answer)
  return outcomeUnknown(answer, `${what}, so it may have been done${said === undefined ? '' : `: ${said}`}`)
}

function outcomeUnknown(answer: Answer, what: string, result?: object): Failure {
  return new Failure('outcome_unknown', `the service answered with ${what}`, {
    code: 'outcome_unknown',
    status: answer.status,
    ...(answer.requestId === undefined ? {} : {requestId: answer.requestId}),
    ...(result ? {result} : {}),
  })
}

/** Whose state is not that of the change. */
const OF_OTHERS =
  /(^|_)(payments?|refunds?|vouchers?|invoices?|guests?|rooms?|hotel|polic(y|ies)|prices?|history|previous|meta|links)(_|$)/

/** The word for its state that a reservation says of itself, such as `not_cancelled`; undefined when it says none. */
export function stateOf(reservation: JsonObject): string | undefined {
  const said = textIn(fieldsOf(reservation), RESERVATION.state)
  return said === null ? undefined : asWord(said)
}

/**
 * The words for its state that the answer says outside of `reservation`, outermost first. `done`: flags that say, by
 * true or false, whether the change was made.
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

/** The words that one object says. */
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

/** Whether a word says no more than that the request arrived and was taken. */
export function isTaken(word: string): boolean {
  return /^(ok|success(ful(ly)?)?|succeeded|accepted|done|completed?|processed|true|0|1|2\d\d)$/.test(word)
}

/**
 * Throws Failure after a success whose body is there, and says neither what became of the change nor even that it was
 * taken: `{"data": null}`. With no body at all, or `{}`, its status is the answer.
 */
export function checkSaysSomething(answer: Answer): void {
  const {json} = answer
  if (json === undefined || (isObject(json) && Object.keys(json).length === 0)) return
  if (findNamed(json, 'reservation') || (isObject(json) && CHANGE.taken.some(name => json[name] === true)))
    return
  if (isObject(json) && wordsIn(json).some(isTaken)) return
  throw mayNotBeDone(answer, 'nothing of the change', {reservation: null})
}

/** The Failure after a success that does not say that the change was made. `result`: what the answer holds. */
export function mayNotBeDone(answer: Answer, word: string, result: object): Failure {
  const what = `status ${answer.status}, and says ${sanitizeLine(word, 60)}: it may not have been done`
  return outcomeUnknown(answer, what, result)
}
