/** What a reservation says about itself, in any shape, for people: what is not found is null. */

import {createFieldReader, firstObject} from '../../contract/field-names.js'
import type {JsonObject} from '../../contract/json.js'
import {type Money, moneyIn, textIn} from './facts.js'
import type {ReadReservation} from './shapes.js'

export interface ReservationFacts {
  readonly client_reference_id: string | null
  readonly hotel: string | null
  /** Calendar dates at the hotel, as the service wrote them. */
  readonly check_in: string | null
  readonly check_out: string | null
  readonly price: Money | null
  readonly payment: string | null
  /** Given name and family name of the lead guest, else of the first. */
  readonly lead_guest: string | null
  /** As the service wrote them. */
  readonly created_at: string | null
  readonly updated_at: string | null
  /** From when on cancelling costs something, as the service wrote it. */
  readonly free_until: string | null
  /** What cancelling has cost. */
  readonly fee: Money | null
}

const fieldsOf = createFieldReader()
const NAME = ['name', 'hotel_name', 'property_name', 'title']

export function factsOfReservation({reservation}: Pick<ReadReservation, 'reservation'>): ReservationFacts {
  const fields = fieldsOf(reservation)
  const inside = (name: string) => fieldsOf(firstObject(fields.get(name)) ?? {})
  return {
    client_reference_id: textIn(fields, ['client_reference_id', 'client_reference', 'partner_reference']),
    hotel:
      textIn(fields, ['hotel_name', 'property_name']) ??
      textIn(inside('hotel'), NAME) ??
      wordIn(fields.get('hotel')),
    check_in: textIn(fields, ['check_in', 'checkin', 'check_in_date', 'arrival', 'start_date']),
    check_out: textIn(fields, ['check_out', 'checkout', 'check_out_date', 'departure', 'end_date']),
    price: moneyIn(fields, ['price', 'total_price', 'total', 'total_amount', 'amount', 'pricing']),
    payment: textIn(inside('payment'), ['status', 'state']) ?? textIn(fields, ['payment_status']),
    lead_guest: leadGuest(fields.get('guests') ?? fields.get('travellers') ?? fields.get('passengers')),
    created_at: textIn(fields, ['created_at', 'created', 'created_on', 'booked_at']),
    updated_at: textIn(fields, ['updated_at', 'updated', 'modified_at']),
    free_until: freeUntil(reservation),
    fee: moneyIn(inside('cancellation'), ['fee', 'cancellation_fee', 'penalty', 'charge']),
  }
}

function wordIn(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

function leadGuest(guests: unknown): string | null {
  const objects = (Array.isArray(guests) ? guests : []).map(guest => fieldsOf(firstObject(guest) ?? {}))
  const lead = objects.find(guest => guest.get('is_lead') === true) ?? objects[0]
  if (!lead) return null
  const names = [
    textIn(lead, ['name', 'first_name', 'given_name']),
    textIn(lead, ['surname', 'last_name', 'family_name']),
  ]
  return names.filter(Boolean).join(' ') || null
}

/** A date of its own, else the beginning of the first policy that costs something. */
function freeUntil(reservation: JsonObject): string | null {
  const fields = fieldsOf(reservation)
  const told = textIn(fields, [
    'free_cancellation_until',
    'free_cancellation_before',
    'cancellation_deadline',
  ])
  if (told !== null) return told
  const policies = fields.get('cancellation_policies') ?? fields.get('cancellation_policy')
  const starts = (Array.isArray(policies) ? policies : []).flatMap(policy => {
    const each = fieldsOf(firstObject(policy) ?? {})
    const fee = moneyIn(each, ['amount', 'fee', 'penalty', 'charge'])
    const from = textIn(each, ['from', 'from_date', 'starts_at', 'start', 'after'])
    return fee && Number(fee.amount) > 0 && from !== null && !Number.isNaN(Date.parse(from)) ? [from] : []
  })
  return starts.sort((left, right) => Date.parse(left) - Date.parse(right))[0] ?? null
}
