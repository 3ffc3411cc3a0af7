/** One record out of an answer of any shape: bare, in its envelope, or in a wrapper of some name. */
import {isObject, type JsonObject, own} from './json-walk.js'
import {unwrap} from './shapes.js'

/** What services put beside a record, not into it. */
const BESIDE = new Set(['meta', 'links', 'request_id', 'status', 'success'])

/** The record under its `name`, or the one object in a wrapper of another name: `{acct: {…}, meta: {…}}`. */
export function findNamed(json: unknown, name: string): JsonObject | undefined {
  const data = unwrap(json)
  if (!isObject(data)) return undefined
  const named = own(data, name)
  if (isObject(named)) return named
  const members = Object.entries(data).filter(([key]) => !BESIDE.has(key))
  const [only] = members.map(([, value]) => value)
  return members.length === 1 && isObject(only) ? only : data
}
