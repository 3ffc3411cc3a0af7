/**
 * The terms of an offer in any shape: what is due at the hotel, what cancelling costs, how it may be paid. Amounts are as
 * the service wrote them, because they are only shown. Undefined where the answer does not say.
 */
import {instantOf} from '../../contract/dates.js'
import {type Fields, fieldsOf} from '../../contract/field-names.js'
import {breadthFirst, isObject, textOf} from '../../contract/json.js'
import {factIn, readAmount, textIn} from './facts.js'
import {isShare} from './stated-fee.js'
import {CHARGE, CURRENCY, POLICY, TERMS} from './vocabulary.js'

export type OfferTerms = ReturnType<typeof termsOf>
export type Charge = NonNullable<OfferTerms['dueAtProperty']>[number]
export type PolicyStep = NonNullable<OfferTerms['policies']>[number]

/** The terms found in the offer's own object. */
export function termsOf(raw: object) {
  const {due, policies, modes, left: leftText, remarks} = outermostIn(raw)
  const left = Number(textOf(leftText))
  const isWords = Array.isArray(modes) && modes.every(mode => typeof mode === 'string')
  return {
    /** Empty: the answer says that nothing is. */
    dueAtProperty: readList(due, chargeFrom),
    policies: readList(policies, stepFrom),
    /** When cancelling starts to cost something. */
    firstFee: firstFeeIn(policies),
    /** Lower-case words such as `account` and `instant`. */
    paymentModes: isWords ? modes.map(mode => mode.trim().toLowerCase()) : undefined,
    roomsLeft: Number.isInteger(left) && left > 0 ? left : undefined,
    remarks: textOf(remarks),
  }
}

type Term = keyof typeof TERMS

/** Each term from the outermost object that has it. */
function outermostIn(raw: object): Partial<Record<Term, unknown>> {
  const found: Partial<Record<Term, unknown>> = {}
  for (const {value} of breadthFirst(raw)) {
    const fields = fieldsOf(value)
    for (const term of Object.keys(TERMS) as Term[])
      found[term] ??= factIn(fields, TERMS[term], term => term) ?? undefined
  }
  return found
}

/** Undefined when none of the items can be read: then the term is unknown. */
function readList<T>(value: unknown, read: (item: unknown) => T | undefined): T[] | undefined {
  if (value === undefined) return undefined
  const items = itemsOf(value)
  const found = items.flatMap(item => read(item) ?? [])
  return found.length === 0 && items.length > 0 ? undefined : found
}

function itemsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value]
}

function chargeFrom(item: unknown) {
  const bare = textOf(item)
  if (bare !== undefined) return {description: null, amount: bare, currency: null}
  if (!isObject(item)) return undefined
  const amount = amountIn(fieldsOf(item))
  return amount && {description: textIn(fieldsOf(item), CHARGE), ...amount}
}

/** `fee`: an amount of `currency`, or a share such as `50 %`. */
function stepFrom(item: unknown) {
  if (!isObject(item)) return undefined
  const fields = fieldsOf(item)
  const from = textIn(fields, POLICY.from)
  const amount = amountIn(fields)
  if (amount) return {from, fee: amount.amount, currency: amount.currency}
  const percent = textIn(fields, POLICY.percent)
  return percent === null ? undefined : {from, fee: `${percent.replace(/\s*%$/, '')} %`, currency: null}
}

/** Undefined as soon as one step cannot be read: it may be the first that costs something. */
function firstFeeIn(policies: unknown): string | undefined {
  const starts = itemsOf(policies).map(feeStart)
  if (starts.includes(undefined)) return undefined
  const known = starts.flatMap(start => start ?? [])
  return known.sort((left, right) => (instantOf(left) ?? 0) - (instantOf(right) ?? 0))[0]
}

/** Null for a step that costs nothing; undefined for one that cannot be read. */
function feeStart(item: unknown): string | null | undefined {
  const {from = null, fee = ''} = stepFrom(item) ?? {}
  const cost = readAmount(fee.replace(/ ?%$/, ''))?.amount
  if (cost === undefined) return undefined
  // Beside a share, `amount: 0` says nothing.
  if (Number(cost) === 0) return isShare(item) && !fee.endsWith('%') ? undefined : null
  return from !== null && instantOf(from) !== undefined ? from : undefined
}

function amountIn(fields: Fields): {amount: string; currency: string | null} | undefined {
  const found = factIn(fields, POLICY.fee, value => value)
  const inner = isObject(found) ? fieldsOf(found) : undefined
  const amount = inner ? textIn(inner, POLICY.fee) : (textOf(found) ?? null)
  const currency = (inner && textIn(inner, CURRENCY)) ?? textIn(fields, CURRENCY)
  return amount === null ? undefined : {amount, currency}
}
