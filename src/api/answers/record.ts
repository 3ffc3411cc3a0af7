/** One record out of an answer of any shape: bare, in its envelope, or in a wrapper of some name. */
import {isObject, type JsonObject, own} from '../../contract/json.js'
import {unwrap} from './shapes.js'

/** What services put beside a record, not into it. */
const BESIDE = new Set(['meta', 'links', 'request_id', 'status', 'success'])

/**
 * The record under its `name`, or the one object in a wrapper of another name: `{acct: {…}, meta: {…}}`; undefined where
 * nothing is said of one: `{"data": null}`, `{"success": true}`.
 */
export function findNamed(json: unknown, name: string): JsonObject | undefined {
  const data = unwrap(json)
  if (!isObject(data)) return undefined
  const named = own(data, name)
  if (isObject(named)) return isSaid(Object.entries(named)) ? named : undefined
  const members = Object.entries(data).filter(([key]) => !BESIDE.has(key))
  // In an envelope a status is the record's own; beside one it is the answer's.
  if (!isSaid(data === json ? members : Object.entries(data))) return undefined
  const [only] = members.map(([, value]) => value)
  return members.length === 1 && isObject(only) ? only : data
}

/** The same, with the facts that stand beside a record that has its name: the balance beside the account. */
export function findNamedWithFacts(json: unknown, name: string): JsonObject | undefined {
  const record = findNamed(json, name)
  const data = unwrap(json)
  if (record === undefined || !isObject(data) || own(data, name) !== record) return record
  const isFact = ([key, value]: [string, unknown]) => key !== name && value !== null && !BESIDE.has(key)
  const beside = Object.entries(data).filter(isFact)
  return {...Object.fromEntries(beside), ...record}
}

function isSaid(members: [string, unknown][]): boolean {
  return members.some(([, value]) => value !== null)
}
