/**
 * The terms of an offer in any shape: what is due at the hotel, what cancelling costs, how it may be paid. Undefined where
 * the answer does not say.
 */
import {type Fields, fieldsOf} from '../../contract/field-names.js'
import {breadthFirst, isObject, textOf} from '../../contract/json.js'
import {factIn} from './facts.js'
import {CHARGE, CURRENCY, POLICY, TERMS} from './vocabulary.js'

export interface Charge {
  readonly description: string | null
  /** As the service wrote it. */
  readonly amount: string
  readonly currency: string | null
}

export interface PolicyStep {
  /** As the service wrote it: usually a timestamp with an offset. */
  readonly from: string | null
  /** An amount of `currency`, or a share such as `50 %`. */
  readonly fee: string
  readonly currency: string | null
}

export interface OfferTerms {
  /** Empty: the answer says that nothing is. */
  readonly dueAtProperty: readonly Charge[] | undefined
  readonly policies: readonly PolicyStep[] | undefined
  /** Lower-case words such as `account` and `instant`. */
  readonly paymentModes: readonly string[] | undefined
  readonly roomsLeft: number | undefined
  readonly remarks: string | undefined
}

/** The terms found in the offer's own object. */
export function termsOf(raw: object): OfferTerms {
  const {due, policies, modes, left: leftText, remarks} = outermostIn(raw)
  const left = Number(textOf(leftText))
  const isWords = Array.isArray(modes) && modes.every(mode => typeof mode === 'string')
  return {
    dueAtProperty: readList(due, chargeFrom),
    policies: readList(policies, stepFrom),
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
  const items = Array.isArray(value) ? value : [value]
  const found = items.flatMap(item => read(item) ?? [])
  return found.length === 0 && items.length > 0 ? undefined : found
}

function chargeFrom(item: unknown): Charge | undefined {
  const bare = textOf(item)
  if (bare !== undefined) return {description: null, amount: bare, currency: null}
  if (!isObject(item)) return undefined
  const amount = amountIn(fieldsOf(item))
  return amount && {description: textUnder(fieldsOf(item), CHARGE) ?? null, ...amount}
}

function stepFrom(item: unknown): PolicyStep | undefined {
  if (!isObject(item)) return undefined
  const fields = fieldsOf(item)
  const from = textUnder(fields, POLICY.from) ?? null
  const amount = amountIn(fields)
  if (amount) return {from, fee: amount.amount, currency: amount.currency}
  const percent = textUnder(fields, POLICY.percent)
  return percent === undefined ? undefined : {from, fee: `${percent.replace(/\s*%$/, '')} %`, currency: null}
}

/** As the service wrote it, whether it is an amount or not: it is only shown. */
function amountIn(fields: Fields): {amount: string; currency: string | null} | undefined {
  const found = factIn(fields, POLICY.fee, value => value)
  const inner = isObject(found) ? fieldsOf(found) : undefined
  const amount = inner ? textUnder(inner, POLICY.fee) : textOf(found)
  const currency = (inner && textUnder(inner, CURRENCY)) ?? textUnder(fields, CURRENCY) ?? null
  return amount === undefined ? undefined : {amount, currency}
}

function textUnder(fields: Fields, names: readonly string[]): string | undefined {
  return textOf(...names.map(name => fields.get(name)))
}
