/**
 * What an offer says beyond its facts: what is due at the hotel, what cancelling costs, how it may be paid. Read from
 * the service's own object, whatever its shape; undefined where the answer does not say.
 */
import {type Fields, fieldsOf, snakeCase} from '../../contract/field-names.js'
import {isObject} from '../../contract/json.js'
import {breadthFirst, textOf} from '../../contract/json-walk.js'

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

const DUE = [
  ...['due_at_property', 'due_at_hotel', 'pay_at_property', 'pay_at_hotel', 'payable_at_property'],
  ...['property_fees', 'mandatory_fees', 'local_taxes', 'fees_at_property', 'city_tax'],
]
const POLICIES = [
  ...['cancellation_policies', 'cancellation_policy', 'cancel_policies', 'cancel_penalties'],
  ...['cancellation_penalties', 'cancellation_rules', 'cancellation_fees'],
]
const MODES = ['payment_modes', 'payment_methods', 'payment_options']
const LEFT = ['rooms_left', 'allotment', 'rooms_available', 'availability', 'remaining']
const REMARKS = ['remarks', 'remark', 'important_information', 'notes']
const AMOUNT = ['amount', 'fee', 'penalty', 'charge', 'value', 'total', 'price']
const FROM = ['from', 'start', 'start_date', 'from_date', 'date_from', 'date', 'deadline']
const PERCENT = ['percent', 'percentage']
const CURRENCY = ['currency', 'currency_code']
const WORDS = ['description', 'name', 'title', 'type', 'code']

const SOUGHT = {due: DUE, policies: POLICIES, modes: MODES, left: LEFT, remarks: REMARKS}
type Sought = keyof typeof SOUGHT

/** What a name is sought for, and which of several names goes first. */
const PLACES: ReadonlyMap<string, readonly [sought: Sought, rank: number]> = new Map(
  (Object.keys(SOUGHT) as Sought[]).flatMap(sought =>
    SOUGHT[sought].map((name, rank) => [name, [sought, rank]] as const),
  ),
)

/** The terms found in the offer's own object. */
export function termsOf(raw: object): OfferTerms {
  const {due, policies, modes, left: leftTold, remarks} = outermostIn(raw)
  const left = Number(textOf(leftTold))
  return {
    dueAtProperty: due === undefined ? undefined : readList(due, chargeFrom),
    policies: policies === undefined ? undefined : readList(policies, stepFrom),
    paymentModes: Array.isArray(modes) ? modesIn(modes) : undefined,
    roomsLeft: Number.isInteger(left) && left > 0 ? left : undefined,
    remarks: textOf(remarks),
  }
}

/** What is sought, each from the outermost object that has it. Asked for every offer of a long answer: one pass. */
function outermostIn(raw: object): Partial<Record<Sought, unknown>> {
  const found: Partial<Record<Sought, unknown>> = {}
  for (const {value} of breadthFirst(raw)) {
    const here: Partial<Record<Sought, number>> = {}
    for (const key of Object.keys(value)) {
      const [sought, rank] = PLACES.get(snakeCase(key)) ?? []
      if (sought === undefined || rank === undefined) continue
      const isFree = !(sought in found) || rank < (here[sought] ?? 0)
      if (!isFree || (value[key] ?? undefined) === undefined) continue
      found[sought] = value[key]
      here[sought] = rank
    }
  }
  return found
}

function fieldIn(fields: Fields, names: readonly string[]): unknown {
  for (const name of names) {
    const found = fields.get(name) ?? undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** Undefined when there is something and none of it can be read: then it is not known, rather than nothing. */
function readList<T>(value: unknown, read: (item: unknown) => T | undefined): T[] | undefined {
  const items = Array.isArray(value) ? value : [value]
  const found = items.flatMap(item => read(item) ?? [])
  return found.length === 0 && items.length > 0 ? undefined : found
}

function chargeFrom(item: unknown): Charge | undefined {
  const bare = textOf(item)
  if (bare !== undefined) return {description: null, amount: bare, currency: null}
  if (!isObject(item)) return undefined
  const fields = fieldsOf(item)
  const amount = amountIn(fields)
  const description = textOf(fieldIn(fields, WORDS)) ?? null
  return amount === undefined ? undefined : {description, ...amount}
}

function stepFrom(item: unknown): PolicyStep | undefined {
  if (!isObject(item)) return undefined
  const fields = fieldsOf(item)
  const from = textOf(fieldIn(fields, FROM)) ?? null
  const amount = amountIn(fields)
  if (amount) return {from, fee: amount.amount, currency: amount.currency}
  const percent = textOf(fieldIn(fields, PERCENT))
  return percent === undefined ? undefined : {from, fee: `${percent.replace(/\s*%$/, '')} %`, currency: null}
}

function amountIn(fields: Fields): {amount: string; currency: string | null} | undefined {
  const found = fieldIn(fields, AMOUNT)
  const currency = textOf(fieldIn(fields, CURRENCY)) ?? null
  const inner = isObject(found) ? fieldsOf(found) : undefined
  const amount = textOf(inner ? fieldIn(inner, AMOUNT) : found)
  if (amount === undefined) return undefined
  return {amount, currency: (inner && textOf(fieldIn(inner, CURRENCY))) ?? currency}
}

function modesIn(values: readonly unknown[]): string[] | undefined {
  const words = values.flatMap(value => (typeof value === 'string' ? [value.trim().toLowerCase()] : []))
  return words.length === values.length ? words : undefined
}
