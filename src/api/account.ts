/** The partner's account (§4.6; its record is not shown). */
import type {Api} from './api.js'
import {findNamedWithFacts} from './record.js'
import {holdsNo} from './refusals.js'

/** The account as the service sends it, out of its envelope, with what is said beside it. Throws Failure. */
export async function showAccount(api: Api): Promise<Record<string, unknown>> {
  const answer = await api.call('account.show')
  const account = findNamedWithFacts(answer.json, 'account')
  if (!account) throw holdsNo(answer, 'account')
  return account
}
