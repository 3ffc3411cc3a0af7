/**
 * Changes that are made once: whatever came back decides whether they were made, and nothing is sent a second time unless
 * the service says that it did not take it (401 with an ended token, 429).
 */
import {Failure} from '../../contract/failure.js'
import {OPERATIONS, type OperationName} from '../../contract/operations.js'
import {errorInAnswer, wordsOf} from '../answers/errors.js'
import {redirectIn, refusalOf, unanswered} from '../answers/refusals.js'
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
 * The Failure of a change that was answered with no success: refused, or `outcome_unknown` where whoever answered may have
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
  const message = `the service answered with ${what}, so it may have been done${said === undefined ? '' : `: ${said}`}`
  return new Failure('outcome_unknown', message, {
    code: 'outcome_unknown',
    status: answer.status,
    ...(answer.requestId === undefined ? {} : {requestId: answer.requestId}),
  })
}
