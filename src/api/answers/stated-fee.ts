/** What cancelling costs, in an answer of any shape. An ambiguous fee counts as missing. */
import {type Fields, fieldsOf, snakeCase} from '../../contract/field-names.js'
import {inDocumentOrder, isObject, type Node, outwards, textOf} from '../../contract/json.js'
import {compareAmounts} from '../../contract/money.js'
import {type Money, moneyIn, unwrap} from './facts.js'
import {FEE} from './vocabulary.js'

/** What cancelling costs and gives back. */
export interface CancellationCost {
  readonly fee: Money | null
  readonly refund: Money | null
}

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
    if (FEE.elsewhere.test(snakeCase(node.key)) || (node.parent && elsewhere.has(node.parent))) {
      elsewhere.add(node)
      continue
    }
    if (isNoAmount(node, [...FEE.explicit, ...FEE.others])) {
      return {fee: null, refund: null, unclear: 'it names a fee that is no amount of money'}
    }
    const [named, general] = [feesIn(node, FEE.explicit), feesIn(node, FEE.others)]
    explicit.push(...named)
    others.push(...general)
    const isUnnamed = named.length + general.length === 0 && FEE.about.test(snakeCase(node.key))
    if (isUnnamed) doubts.push(...moneysIn(node, FEE.unnamed))
  }
  const candidates = [...explicit, ...others]
  const [best] = candidates
  if (!best) return {fee: null, refund: null}
  const named = [...candidates.map(({fee}) => fee), ...doubts]
  const agree = named.every(fee => isSame(fee, best.fee))
  // The name decides between several, unless what else is called a fee is higher.
  const isNamed =
    explicit.length > 0 &&
    explicit.every(({fee}) => isSame(fee, best.fee)) &&
    named.every(fee => compareAmounts(fee.amount, best.fee.amount) <= 0 && isSameCurrency(fee, best.fee))
  if (!agree && !isNamed) return {fee: null, refund: null, unclear: 'it names different fees'}
  const currency = candidates.find(({fee}) => fee.currency !== null)?.fee.currency ?? null
  const refund = candidates.find(each => each.refund)?.refund ?? null
  return {fee: {...best.fee, currency}, refund}
}

function feesIn(node: Node, names: readonly string[]): Candidate[] {
  const [refund = null] = isNoAmount(node, FEE.refund) ? [] : moneysIn(node, FEE.refund)
  return moneysIn(node, names).map(fee => ({fee, refund}))
}

function moneysIn(node: Node, names: readonly string[]): Money[] {
  return names.flatMap(name => moneyIn(fieldsOf(node.value), [name], node) ?? [])
}

function isSame(left: Money, right: Money): boolean {
  return compareAmounts(left.amount, right.amount) === 0 && isSameCurrency(left, right)
}

/** Whether both may be in the same currency. */
export function isSameCurrency(left: Money, right: Money): boolean {
  const [one, other] = [left.currency, right.currency]
  return one === null || other === null || one.toUpperCase() === other.toUpperCase()
}

const NO_MONEY =
  /^(%|per_?cent(age|s)?|pct|permille|basis_points?|bps|nights?|days?|points?|(in_)?minor(_units?|_currency)?|cents?|pence|penn(y|ies)|kurus)(_.*)?$/
const SHARE = /^\s*(%\s*\d|\d+([.,]\d+)?\s*(%|per\s?cent|pct|nights?))/i

/** Whether one of `names` holds a share, nights, or a number of which the answer does not say what it counts. Zero is zero. */
function isNoAmount(node: Node, names: readonly string[]): boolean {
  const fields = fieldsOf(node.value)
  return names.some(name => {
    const value = fields.get(name)
    if (isShare(value)) return true
    const money = moneyIn(fields, [name])
    if (!money || compareAmounts(money.amount, '0') === 0) return false
    if (isObject(value) && countsNoMoney(fieldsOf(value))) return true
    return outwards(node).some(({value}) => countsNoMoney(fieldsOf(value)))
  })
}

/** Whether a fee is given as a share or in nights: `20%`, `"1 night"`, `{percent: 20}`. */
export function isShare(value: unknown): boolean {
  if (typeof value === 'string') return SHARE.test(value)
  const isGiven = (inner: unknown) => textOf(inner) !== undefined && Number(inner) !== 0
  return (
    isObject(value) && Object.entries(value).some(([name, inner]) => FEE.share.test(name) && isGiven(inner))
  )
}

/** Whether the fields beside a number, or those of the object that holds it, say that it is no amount of money. */
function countsNoMoney(fields: Fields): boolean {
  return [...fields].some(([name, value]) => {
    if (FEE.minorUnits.test(name)) return value !== null && value !== false
    const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
    return FEE.unit.test(name) && NO_MONEY.test(word.replace(/[\s-]+/g, '_'))
  })
}
