/** The partner's account (§4.6; its record is not shown). */
import type {Api} from './api.js'
import {isObject, own} from './json-walk.js'
import {notUnderstood} from './refusals.js'
import {unwrap} from './shapes.js'

/** The account as the service sends it, out of its envelope. Throws Failure. */
export async function showAccount(api: Api): Promise<Record<string, unknown>> {
  const answer = await api.call('account.show')
  const account = withoutWrapper(unwrap(answer.json))
  if (!isObject(account)) throw notUnderstood(answer, 'it holds no account')
  return account
}

/** What services put beside a record, not into it. */
const BESIDE = new Set(['meta', 'links', 'request_id', 'status', 'success'])

/** The account under its name, or the one object in a wrapper of another name: `{acct: {…}, meta: {…}}`. */
function withoutWrapper(data: unknown): unknown {
  if (!isObject(data)) return data
  const named = own(data, 'account')
  if (isObject(named)) return named
  const members = Object.entries(data).filter(([name]) => !BESIDE.has(name))
  const [only] = members.map(([, value]) => value)
  return members.length === 1 && isObject(only) ? only : data
}
