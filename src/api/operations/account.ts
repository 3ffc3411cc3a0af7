/** The partner's account (§4.6; its record is not shown). */
import {Failure} from '../../contract/failure.js'
import {own, textOf} from '../../contract/json.js'
import {isAmount} from '../../contract/money.js'
import {findNamedWithFacts, type Money} from '../answers/facts.js'
import {holdsNo} from '../answers/refusals.js'
import type {Api, SendPolicy} from '../types.js'

/** The account as the service sends it, out of its envelope, with the fields beside it. Throws Failure. */
export async function showAccount(
  api: Api,
  policy: Partial<SendPolicy> = {},
): Promise<Record<string, unknown>> {
  const answer = await api.call('account.show', {policy})
  const account = findNamedWithFacts(answer.json, 'account')
  if (!account) throw holdsNo(answer, 'account')
  return account
}

/** The balance; undefined where the token may not see it or the answer has none. */
export async function readBalance(api: Api, policy: Partial<SendPolicy> = {}): Promise<Money | undefined> {
  try {
    const account = await showAccount(api, policy)
    const names = ['available_balance', 'availableBalance', 'available', 'balance']
    const amount = names
      .map(name => textOf(own(account, name)))
      .find(text => text !== undefined && isAmount(text))
    return amount === undefined ? undefined : {amount, currency: textOf(own(account, 'currency')) ?? null}
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
