/** Asks how a reservation is paid, with the account's balance beside it where the token may see it (§4.6). */
import type {Api} from '../../../api/types.js'
import type {PaymentMode} from '../../../contract/common.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {own} from '../../../contract/json.js'
import {textOf} from '../../../contract/json-walk.js'
import {compareAmounts, isAmount} from '../../../contract/money.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import {PAYMENT} from './draft.js'

/** A price as far as it is known. */
export interface Cost {
  readonly total: string | null
  readonly currency: string | null
}

/** What the account holds; undefined when it cannot be seen. */
export type Balance = {readonly amount: string; readonly currency: string | undefined} | undefined

export interface PaymentFacts {
  readonly cost: Cost
  readonly balance: Balance
  /** Modes the offer takes; undefined when it does not say. */
  readonly modes: readonly string[] | undefined
}

/** The balance, or undefined where the token may not see it or the answer holds none. */
export async function readBalance(api: Api): Promise<Balance> {
  const {showAccount} = await import('../../../api/operations/account.js')
  try {
    const account = await showAccount(api)
    const names = ['available_balance', 'availableBalance', 'available', 'balance']
    const amount = names
      .map(name => textOf(own(account, name)))
      .find(text => text !== undefined && isAmount(text))
    return amount === undefined ? undefined : {amount, currency: textOf(own(account, 'currency'))}
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Whether the balance certainly does not cover the cost: the same currency, and less. */
export function isTooLittle({cost, balance}: PaymentFacts): boolean {
  if (!balance || cost.total === null || !isAmount(cost.total)) return false
  return balance.currency === cost.currency && compareAmounts(balance.amount, cost.total) < 0
}

export async function askPayment(prompts: Prompts, facts: PaymentFacts): Promise<PaymentMode> {
  const account = {value: 'account' as const, name: `From the account balance (${balanceText(facts)})`}
  const instant = {value: 'instant' as const, name: 'By the customer, on a payment page (card)'}
  const both = isTooLittle(facts) ? [instant, account] : [account, instant]
  const taken = both.filter(({value}) => facts.modes?.includes(value) ?? true)
  return prompts.choose({message: PAYMENT, choices: taken.length > 0 ? taken : both})
}

function balanceText(facts: PaymentFacts): string {
  const {balance} = facts
  if (!balance) return 'balance not known here'
  const money = sanitizeLine([balance.amount, balance.currency].filter(Boolean).join(' '), 40)
  return isTooLittle(facts) ? `${money}: NOT ENOUGH, choose the payment page` : `${money} available`
}
