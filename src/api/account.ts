/** The partner's account (§4.6; its record is not shown). */
import type {Api} from './api.js'
import {findNamed} from './record.js'
import {holdsNo} from './refusals.js'

/** The account as the service sends it, out of its envelope. Throws Failure. */
export async function showAccount(api: Api): Promise<Record<string, unknown>> {
  const answer = await api.call('account.show')
  const account = findNamed(answer.json, 'account')
  if (!account) throw holdsNo(answer, 'account')
  return account
}
