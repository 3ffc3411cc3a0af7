/** Reads the partner's account (§4.6, which shows no record). */
import {Failure} from '../../contract/failure.js'
import {fieldsOf, isObject, type JsonObject, own} from '../../contract/json.js'
import {type Money, moneyIn} from '../answers/amounts.js'
import {findNamed, unwrap} from '../answers/facts.js'
import {holdsNo} from '../answers/refusals.js'
import {ACCOUNT, BESIDE} from '../answers/vocabulary.js'
import type {Api, SendPolicy} from '../types.js'

/**
 * Returns the account as the service sends it, with the fields next to it in the envelope added. Throws a Failure if
 * the call fails or the answer has no account.
 */
export async function showAccount(api: Api, policy: Partial<SendPolicy> = {}): Promise<JsonObject> {
  const answer = await api.call('account.show', {policy})
  const account = findNamed(answer.json, 'account')
  if (!account) throw holdsNo(answer, 'account')
  const data = unwrap(answer.json)
  if (!isObject(data) || own(data, 'account') !== account) return account
  // Some services put the balance next to the account.
  const facts = Object.entries(data).filter(([name, value]) => {
    return name !== 'account' && value !== null && !BESIDE.includes(name)
  })
  return {...Object.fromEntries(facts), ...account}
}

/**
 * Returns the balance. Returns undefined if the answer has no balance or the call fails, for example because a scope is
 * missing.
 */
export async function readBalance(api: Api, policy: Partial<SendPolicy> = {}): Promise<Money | undefined> {
  const account = await showAccount(api, policy).catch(error => {
    if (!(error instanceof Failure)) throw error
  })
  return moneyIn(fieldsOf(account), ACCOUNT.balance) ?? undefined
}
