/** What cancelling costs, in an answer of any shape. A fee that could be another one is none. */

import {createFieldReader, snakeCase} from '../../contract/field-names.js'
import {isObject} from '../../contract/json.js'
import {inDocumentOrder, type Node} from '../../contract/json-walk.js'
import {compareAmounts} from '../../contract/money.js'
import {codeIn, type Money, moneyIn} from './facts.js'
import {countsNoMoney, isShare} from './fee-units.js'
import {unwrap} from './shapes.js'

/** What cancelling costs and gives back. */
export interface CancellationCost {
  readonly fee: Money | null
  readonly refund: Money | null
}

/** Names that say what is paid for. */
const EXPLICIT = [
  ...['cancellation_fee', 'cancel_fee', 'cancellation_penalty', 'cancellation_charge', 'cancellation_cost'],
  ...['cancellation_fee_amount', 'penalty', 'penalty_amount', 'penalty_fee'],
]
const OTHERS = ['fee', 'fee_amount', 'total_fee', 'fee_total', 'charge', 'charge_amount', 'total_charge']
const REFUND = ['refund_amount', 'refund', 'refundable_amount', 'refunded_amount', 'amount_refunded']
/** Where fees stand that are not what cancelling costs now. */
const ELSEWHERE = /(^|_)(polic(y|ies)|prices?|pricing|rates?|rooms?)(_|$)/
const ABOUT_CANCELLING = /quote|cancel|fee|penalt/
const fieldsOf = createFieldReader()

interface Candidate extends CancellationCost {
  readonly fee: Money
}

/** `unclear`: why no fee was taken although one is named; the fee is null then, and undefined when none is named. */
export function costIn(json: unknown): CancellationCost & {unclear?: string} {
  const explicit: Candidate[] = []
  const others: Candidate[] = []
  const doubts: Money[] = []
  const elsewhere = new Set<Node>()
  for (const node of inDocumentOrder(unwrap(json))) {
    if (ELSEWHERE.test(snakeCase(node.key)) || (node.parent && elsewhere.has(node.parent))) {
      elsewhere.add(node)
      continue
    }
    if (isNoAmount(node, [...EXPLICIT, ...OTHERS])) {
      return {fee: null, refund: null, unclear: 'it names a fee that is no amount of money'}
    }
    const [named, general] = [feesIn(node, EXPLICIT), feesIn(node, OTHERS)]
    explicit.push(...named)
    others.push(...general)
    // An amount without a name, such as that of `{"quote": {"amount": …}}`, is no fee, but may be meant as one.
    const isUnnamed = named.length + general.length === 0 && ABOUT_CANCELLING.test(snakeCase(node.key))
    if (isUnnamed) doubts.push(...moneysIn(node, ['amount', 'total', 'value']))
  }
  const [best] = [...explicit, ...others]
  if (!best) return {fee: null, refund: null}
  const fees = [...explicit, ...others].map(({fee}) => fee)
  const agree = [...fees, ...doubts].every(fee => isSame(fee, best.fee))
  // The name decides between several, unless what else is called a fee is higher.
  const isNamed =
    explicit.length > 0 &&
    explicit.every(({fee}) => isSame(fee, best.fee)) &&
    [...fees, ...doubts].every(
      fee => compareAmounts(fee.amount, best.fee.amount) <= 0 && isSameCurrency(fee, best.fee),
    )
  if (!agree && !isNamed) return {fee: null, refund: null, unclear: 'it names different fees'}
  return {
    fee: {...best.fee, currency: fees.find(({currency}) => currency !== null)?.currency ?? null},
    refund: [...explicit, ...others].find(({refund}) => refund)?.refund ?? null,
  }
}

/** Whether one of `names` holds a share, nights, or a number of which it cannot be told what it counts. Zero is zero. */
function isNoAmount(node: Node, names: readonly string[]): boolean {
  const fields = fieldsOf(node.value)
  return names.some(name => {
    const value = fields.get(name)
    if (isShare(value)) return true
    const money = moneyIn(fields, [name])
    if (!money || compareAmounts(money.amount, '0') === 0) return false
    return (
      countsNoMoney(fields) || (isObject(value) && countsNoMoney(fieldsOf(value))) || isAroundNoMoney(node)
    )
  })
}

function isAroundNoMoney(node: Node): boolean {
  for (let around = node.parent; around; around = around.parent) {
    if (countsNoMoney(fieldsOf(around.value))) return true
  }
  return false
}

function feesIn(node: Node, names: readonly string[]): Candidate[] {
  const [refund = null] = isNoAmount(node, REFUND) ? [] : moneysIn(node, REFUND)
  return moneysIn(node, names).map(fee => ({fee, refund}))
}

function moneysIn(node: Node, names: readonly string[]): Money[] {
  return names.flatMap(name => {
    const money = moneyIn(fieldsOf(node.value), [name])
    return money ? [{...money, currency: money.currency ?? currencyAround(node)}] : []
  })
}

/** That of the objects it lies in, of which the innermost goes first. */
function currencyAround(node: Node): string | null {
  for (let around = node.parent; around; around = around.parent) {
    const found = codeIn(fieldsOf(around.value), ['currency', 'currency_code', 'currency_iso'])
    if (found !== null) return found
  }
  return null
}

function isSame(left: Money, right: Money): boolean {
  return compareAmounts(left.amount, right.amount) === 0 && isSameCurrency(left, right)
}

/** Whether both may be in the same currency. */
export function isSameCurrency(left: Money, right: Money): boolean {
  const [one, other] = [left.currency, right.currency]
  return one === null || other === null || one.toUpperCase() === other.toUpperCase()
}
