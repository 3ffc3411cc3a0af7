/** The partner's account (§4.6; its record is not shown). */
import {findNamedWithFacts} from '../answers/facts.js'
import {holdsNo} from '../answers/refusals.js'
import type {Api} from '../types.js'

/** The account as the service sends it, out of its envelope, with what is said beside it. Throws Failure. */
export async function showAccount(api: Api): Promise<Record<string, unknown>> {
  const answer = await api.call('account.show')
  const account = findNamedWithFacts(answer.json, 'account')
  if (!account) throw holdsNo(answer, 'account')
  return account
}
