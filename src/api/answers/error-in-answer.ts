/** A success by its status that says in its body that it is none: `{"error": {…}}`, `{"success": false}`. */
import {Failure} from '../../contract/failure.js'
import {isObject, own} from '../../contract/json.js'
import type {Answer} from '../types.js'
import {describeError} from './error-shapes.js'
import {wordsOf} from './error-words.js'

/** Fields that say how it went; any other, with something in it, is a fact that was asked for. */
const ABOUT_THE_ANSWER =
  /^(data|errors?|success|ok|code|message|title|detail|details|type|error_description|meta|(status|request|trace)(_?(id|code))?|timestamp|version|path|warnings?)$/i

/** The Failure in a 2xx answer; undefined when it holds what was asked for. */
export function errorInAnswer(answer: Answer): Failure | undefined {
  const {json, status, requestId} = answer
  if (!isObject(json)) return undefined
  const denied = own(json, 'success') === false || says(own(json, 'error')) || says(own(json, 'errors'))
  if (!denied) return undefined
  const facts = Object.entries(json).filter(([name]) => name === 'data' || !ABOUT_THE_ANSWER.test(name))
  if (facts.some(([, value]) => says(value))) return undefined
  const {code} = describeError(answer, json)
  const named = code !== `http_${status}`
  const said = wordsOf(answer) ?? 'without saying why'
  return new Failure('service_failed', `the service answered ${status} with an error: ${said}`, {
    code: named ? code : 'error_in_answer',
    status,
    ...(requestId === undefined ? {} : {requestId}),
  })
}

/** Whether there is something in `value`: `error: null`, `errors: []` and `error: false` say nothing. */
function says(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (isObject(value)) return Object.keys(value).length > 0
  return value !== undefined && value !== null && value !== '' && value !== false && value !== 0
}
