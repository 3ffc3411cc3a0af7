/** The partner's account (§4.6; its record is not shown). */
import type {Api} from './api.js'
import {isObject, own} from './json-walk.js'
import {notUnderstood} from './refusals.js'
import {unwrap} from './shapes.js'

/** The account as the service sends it, out of its envelope. Throws Failure. */
export async function showAccount(api: Api): Promise<Record<string, unknown>> {
  const answer = await api.call('account.show')
  const data = unwrap(answer.json)
  const account = isObject(data) && isObject(own(data, 'account')) ? own(data, 'account') : data
  if (!isObject(account)) throw notUnderstood(answer, 'it holds no account')
  return account
}
