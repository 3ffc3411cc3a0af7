/** An amount for people. */
import type {Money} from '../../api/answers/facts.js'
import {sanitizeLine} from '../../contract/foreign-text.js'

/** `120.00 EUR`; null for none. */
export function moneyText(money: Money | null): string | null {
  if (money === null) return null
  return sanitizeLine([money.amount, money.currency].filter(Boolean).join(' '), 60)
}
