/**
 * Reads the terms of an offer (charges due at the hotel, cancellation fees, payment modes) and the cost of a
 * cancellation, from answers of any shape.
 */
import {instantOf} from '../../contract/dates.js'
import {
  breadthFirst,
  type Fields,
  fieldsOf,
  inDocumentOrder,
  isObject,
  type Node,
  outwards,
  snakeCase,
  textOf,
} from '../../contract/json.js'
import {compareAmounts} from '../../contract/money.js'
import {isSameCurrency, isSameMoney, type Money, moneyIn, priceIn, readAmount} from './amounts.js'
import {asWord, factIn, textIn, unwrap} from './facts.js'
import {CHARGE, CURRENCY, FEE, POLICY, TERMS} from './vocabulary.js'

export type OfferTerms = ReturnType<typeof termsOf>

type Term = keyof typeof TERMS

/**
 * Returns the terms in the offer's own object. A term is undefined if the offer does not state it. Amounts are as the
 * service wrote them, because they are only displayed.
 */
export function termsOf(raw: object) {
  /** The value of each term, from the outermost object that has it. */
  const found: Partial<Record<Term, unknown>> = {}
  for (const {value} of breadthFirst(raw)) {
    const fields = fieldsOf(value)
    for (const term of Object.keys(TERMS) as Term[])
      found[term] ??= factIn(fields, TERMS[term], inner => inner) ?? undefined
  }
  const {due, policies, modes, left: leftText, remarks} = found
  const left = Number(textOf(leftText))
  const isWords = Array.isArray(modes) && modes.every(mode => typeof mode === 'string')
  return {
    /** Charges that the guest pays at the hotel. An empty list means that the answer says there are none. */
    dueAtProperty: readList(due, chargeFrom),
    policies: readList(policies, stepFrom),
    /** The time from which cancelling is not free. */
    firstFee: firstFeeIn(policies),
    /** Payment modes in lower case, such as `account` and `instant`. */
    paymentModes: isWords ? modes.map(mode => mode.trim().toLowerCase()) : undefined,
    roomsLeft: Number.isInteger(left) && left > 0 ? left : undefined,
    remarks: textOf(remarks),
  }
}

/**
 * Reads the items of a list. Returns undefined if the list has items but none can be read: the term is then unknown.
 */
function readList<T>(value: unknown, read: (item: unknown) => T | undefined): T[] | undefined {
  if (value === undefined) return undefined
  const items = [value].flat()
  const found = items.flatMap(item => read(item) ?? [])
  return found.length === 0 && items.length > 0 ? undefined : found
}

function chargeFrom(item: unknown) {
  const bare = textOf(item)
  if (bare !== undefined) return {description: null, amount: bare, currency: null}
  if (!isObject(item)) return undefined
  const amount = amountIn(fieldsOf(item))
  return amount && {description: textIn(fieldsOf(item), CHARGE), ...amount}
}

/**
 * Reads one step of a cancellation policy. `fee` is an amount in `currency`, or a percentage such as `50 %`. Returns
 * undefined if the step states no fee.
 */
function stepFrom(item: unknown) {
  if (!isObject(item)) return undefined
  const fields = fieldsOf(item)
  const from = textIn(fields, POLICY.from)
  const amount = amountIn(fields)
  if (amount) return {from, fee: amount.amount, currency: amount.currency}
  const percent = textIn(fields, POLICY.percent)
  return percent === null ? undefined : {from, fee: `${percent.replace(/\s*%$/, '')} %`, currency: null}
}

/**
 * Returns the time of the first step with a fee, or undefined if there is none. If any step cannot be read, returns
 * undefined too, because that step may be the first.
 */
function firstFeeIn(policies: unknown): string | undefined {
  const starts: string[] = []
  for (const item of [policies].flat()) {
    const {from = null, fee = ''} = stepFrom(item) ?? {}
    const cost = readAmount(fee.replace(/ ?%$/, ''))?.amount
    if (cost === undefined) return undefined
    if (Number(cost) !== 0) {
      if (from === null || instantOf(from) === undefined) return undefined
      starts.push(from)
    } else if (isShare(item) && !fee.endsWith('%')) {
      // Next to a percentage, `amount: 0` does not mean that the step is free.
      return undefined
    }
  }
  return starts.sort((left, right) => (instantOf(left) ?? 0) - (instantOf(right) ?? 0))[0]
}

function amountIn(fields: Fields): {amount: string; currency: string | null} | undefined {
  const found = factIn(fields, POLICY.fee, value => value)
  const inner = isObject(found) ? fieldsOf(found) : undefined
  const amount = inner ? textIn(inner, POLICY.fee) : (textOf(found) ?? null)
  const currency = (inner && textIn(inner, CURRENCY)) ?? textIn(fields, CURRENCY)
  return amount === null ? undefined : {amount, currency}
}

type Candidate = {readonly fee: Money; readonly refund: Money | null}

/**
 * Returns the fee and the refund of a cancellation, each null if the answer does not state it. If the stated fee is
 * ambiguous, the fee is null and `unclear` says why.
 */
export function costIn(json: unknown) {
  const names = [...FEE.explicit, ...FEE.others]
  const isElsewhere = (node: Node) => FEE.elsewhere.test(snakeCase(node.key))
  const nodes = [...inDocumentOrder(unwrap(json), isElsewhere)]
  if (nodes.some(node => isNoAmount(node, names)))
    return {fee: null, refund: null, unclear: 'it names a fee that is no amount of money'}
  const explicit = nodes.flatMap(node => feesIn(node, FEE.explicit))
  const candidates = [...explicit, ...nodes.flatMap(node => feesIn(node, FEE.others))]
  const [best] = candidates
  if (!best) return {fee: null, refund: null}
  const isUnnamed = (node: Node) => FEE.about.test(snakeCase(node.key)) && moneysIn(node, names).length === 0
  const doubts = nodes.filter(isUnnamed).flatMap(node => moneysIn(node, FEE.unnamed))
  const named = [...candidates.map(({fee}) => fee), ...doubts]
  const agree = named.every(fee => isSameMoney(fee, best.fee))
  // Where fees differ, an explicitly named fee wins unless another one is higher.
  const isNamed =
    explicit.length > 0 &&
    explicit.every(({fee}) => isSameMoney(fee, best.fee)) &&
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

const NO_MONEY =
  /^(%|per_?cent(age|s)?|pct|permille|basis_points?|bps|nights?|days?|points?|(in_)?minor(_units?|_currency)?|cents?|pence|penn(y|ies)|kurus)(_.*)?$/
const SHARE = /^\s*(%\s*\d|\d+([.,]\d+)?\s*(%|per\s?cent|pct|nights?))/i

/**
 * Reports whether one of `names` holds a percentage, a number of nights, or a number in an unclear unit. Zero counts as
 * an amount, because it is the same in every unit.
 */
function isNoAmount(node: Node, names: readonly string[]): boolean {
  const fields = fieldsOf(node.value)
  return names.some(name => {
    const value = fields.get(name)
    if (isShare(value)) return true
    const money = priceIn(fields, [name], node)
    if (money === 'unclear') return true
    if (!money || compareAmounts(money.amount, '0') === 0) return false
    if (isObject(value) && countsNoMoney(fieldsOf(value))) return true
    return outwards(node).some(({value}) => countsNoMoney(fieldsOf(value)))
  })
}

/** Reports whether a value is a percentage or a number of nights: `20%`, `"1 night"`, `{percent: 20}`. */
function isShare(value: unknown): boolean {
  if (typeof value === 'string') return SHARE.test(value)
  const isGiven = (inner: unknown) => textOf(inner) !== undefined && Number(inner) !== 0
  return (
    isObject(value) && Object.entries(value).some(([name, inner]) => FEE.share.test(name) && isGiven(inner))
  )
}

/** Reports whether the other fields of an object say that a number in it is not an amount of money. */
function countsNoMoney(fields: Fields): boolean {
  return [...fields].some(([name, value]) => {
    if (FEE.minorUnits.test(name)) return value !== null && value !== false
    return FEE.unit.test(name) && NO_MONEY.test(asWord(value))
  })
}
