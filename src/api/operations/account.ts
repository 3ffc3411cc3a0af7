/** The partner's account (§4.6; its record is not shown). */
import {Failure} from '../../contract/failure.js'
import {fieldsOf, isObject, type JsonObject, own} from '../../contract/json.js'
import {type Money, moneyIn} from '../answers/amounts.js'
import {findNamed, unwrap} from '../answers/facts.js'
import {holdsNo} from '../answers/refusals.js'
import {ACCOUNT, BESIDE} from '../answers/vocabulary.js'
import type {Api, SendPolicy} from '../types.js'

/** The account as the service sends it, out of its envelope, with the fields beside it. Throws Failure. */
export async function showAccount(api: Api, policy: Partial<SendPolicy> = {}): Promise<JsonObject> {
  const answer = await api.call('account.show', {policy})
  const account = findNamed(answer.json, 'account')
  if (!account) throw holdsNo(answer, 'account')
  const data = unwrap(answer.json)
  if (!isObject(data) || own(data, 'account') !== account) return account
  // The balance may be beside the account.
  const facts = Object.entries(data).filter(([name, value]) => {
    return name !== 'account' && value !== null && !BESIDE.includes(name)
  })
  return {...Object.fromEntries(facts), ...account}
}

/** The balance; undefined where the token may not see it or the answer has none. */
export async function readBalance(api: Api, policy: Partial<SendPolicy> = {}): Promise<Money | undefined> {
  const account = await showAccount(api, policy).catch(error => {
    if (!(error instanceof Failure)) throw error
  })
  return moneyIn(fieldsOf(account), ACCOUNT.balance) ?? undefined
}
