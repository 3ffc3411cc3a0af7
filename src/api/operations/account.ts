/** The partner's account (§4.6; its record is not shown). */
import {Failure} from '../../contract/failure.js'
import {fieldsOf, type JsonObject} from '../../contract/json.js'
import {type Money, moneyIn} from '../answers/amounts.js'
import {findNamedWithFacts} from '../answers/facts.js'
import {holdsNo} from '../answers/refusals.js'
import {ACCOUNT} from '../answers/vocabulary.js'
import type {Api, SendPolicy} from '../types.js'

/** The account as the service sends it, out of its envelope, with the fields beside it. Throws Failure. */
export async function showAccount(api: Api, policy: Partial<SendPolicy> = {}): Promise<JsonObject> {
  const answer = await api.call('account.show', {policy})
  const account = findNamedWithFacts(answer.json, 'account')
  if (!account) throw holdsNo(answer, 'account')
  return account
}

/** The balance; undefined where the token may not see it or the answer has none. */
export async function readBalance(api: Api, policy: Partial<SendPolicy> = {}): Promise<Money | undefined> {
  const account = await showAccount(api, policy).catch(error => {
    if (!(error instanceof Failure)) throw error
  })
  return moneyIn(fieldsOf(account), ACCOUNT.balance) ?? undefined
}
