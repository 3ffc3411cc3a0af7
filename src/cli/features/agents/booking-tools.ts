/**
 * The tools that change something at the service. Each change is prepared under a handle, approved by a person, and made once;
 * `reserve` and `cancel_reservation` take the handle and nothing else.
 */
import {z} from 'zod'
import {contact, guest, reservationRequest} from '../../../contract/reservations.js'
import {cutOrNull} from './cut-reservation.js'
import type {Desk} from './desk.js'
import {money, offerFields, offerTerms, reservation, reservationRefArgument, textOrNull} from './schemas.js'
import {defineTool} from './tool.js'

const {shape} = reservationRequest
const ofGuest = guest.shape

const PREPARES = {readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true}
const CHANGES = {readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true}

const prepareInput = z.strictObject({
  offer_id: shape.offer_id,
  client_nationality: shape.client_nationality
    .optional()
    .describe('Nationality of the guests, as in the search (default: that of the search)'),
  contact: z.strictObject(contact.shape).describe('Person to reach about the reservation: ask for it'),
  guests: z
    .array(
      z.strictObject({
        ...ofGuest,
        type: ofGuest.type.describe('ADULT, or CHILD for those whose age was searched in children_ages'),
        is_lead: z
          .boolean()
          .optional()
          .describe('Whether the booking is made for this guest (default: the first adult)'),
      }),
    )
    .min(1)
    .describe(
      'Every guest, adults and children, as many as in the search; names and birth dates as in their documents: ask for them',
    ),
  payment: shape.payment.describe(
    'How it is paid: {"mode": "account"}, or {"mode": "instant"} where the customer pays on a page',
  ),
})

const limitsLeft = z.looseObject({
  currency: z.string(),
  max_each: z.string().describe('The most that one reservation may cost'),
  left: z.string().describe('What may still be spent now'),
  reservations_left: z
    .number()
    .nullable()
    .describe('How many reservations may still be made; null: no limit'),
})
const handle = z.string().describe('Pass it on unchanged')
const warnings = z.array(z.string()).describe('What looks wrong: tell the person before going on')
const expiresAt = z.string().describe('Until when the handle is valid')
const nextStep = z.string().describe('What to do now')

export const prepareReservation = defineTool({
  name: 'prepare_reservation',
  title: 'Prepare a reservation',
  description:
    'Checks guests, contact, price and spending limits for an offer of search_hotels, and returns a handle for reserve. All that is booked is fixed in the handle. Nothing is booked, and nothing is charged. Show the person price, terms and warnings before you call reserve.',
  annotations: PREPARES,
  change: 'reserve',
  input: prepareInput,
  output: {
    handle,
    expires_at: expiresAt,
    offer: z.looseObject({
      offer_id: offerFields.offer_id,
      hotel_name: offerFields.hotel_name,
      room_name: offerFields.room_name,
      board: offerFields.board,
      check_in: textOrNull('Day of arrival'),
      check_out: textOrNull('Day of departure'),
    }),
    price: money.describe('What it costs, all rooms and nights together'),
    price_checked: z
      .boolean()
      .describe('Whether the service was asked for the price now; otherwise it is that of the search'),
    terms: z.looseObject(offerTerms),
    client_reference_id: z.string().describe('The reference that the reservation will have'),
    limits: limitsLeft,
    warnings,
    next_step: nextStep,
  },
  run: async (given, desk, caller) => {
    const document = await (await desk.bookings()).prepareReservation(given, caller)
    const next_step = stepWith('reserve', document.handle, desk)
    return {document, added: {next_step}}
  },
})

const handleInput = z.strictObject({handle: z.string().min(1).max(100).describe('The handle, unchanged')})

export const reserve = defineTool({
  name: 'reserve',
  title: 'Reserve',
  description:
    'Books what prepare_reservation fixed under the handle, once a person has approved it. Called again with the same handle, it goes on or returns the stored result: it never books twice. If it says that it waits for approval, tell the person how, and call it again afterwards. If the outcome is unknown, call it again with the same handle; never prepare another reservation instead.',
  annotations: CHANGES,
  change: 'reserve',
  input: handleInput,
  output: {
    outcome: z.string().describe('confirmed, pending_payment, or another word of the service'),
    reservation_ref: textOrNull('The reference of the service, for the other tools'),
    status: textOrNull('The state as the service wrote it'),
    payment_url: textOrNull('Where the customer pays, if payment is due: give it to the person'),
    reservation: reservation
      .nullable()
      .describe(
        'As the service answered. When it is called again, what was stored, which names no people: rooms, lead_guest, guest_count and voucher are null then, and show_reservation shows them',
      ),
    client_reference_id: z.string(),
    agreed: z
      .looseObject({price: z.string(), currency: z.string().nullable()})
      .nullable()
      .describe('The price that was approved'),
    price_changed: z
      .boolean()
      .nullable()
      .describe('Whether the service booked it at another price; null: not known'),
    warnings,
    next_step: nextStep,
  },
  run: async ({handle}, desk, caller) => {
    const {idempotency_key: _, reservation, ...booked} = await (await desk.bookings()).reserve(handle, caller)
    const cut = cutOrNull(reservation)
    const isStored = cut?.rooms === null && cut.lead_guest === null
    const last = isStored ? '; show_reservation shows rooms and guests, which are not stored here' : ''
    return {document: {...booked, reservation: cut}, added: {next_step: `${stepAfter(booked)}${last}`}}
  },
})

function stepWith(tool: string, handle: string, {consent}: Pick<Desk, 'consent'>): string {
  const call = `call ${tool} with {"handle": "${handle}"}`
  return consent === 'ask'
    ? `${call}; a person approves it there`
    : `${call} if the person wants it: nobody is asked again`
}

interface Booked {
  readonly outcome: string
  readonly payment_url: string | null
  readonly price_changed: boolean | null
}

function stepAfter({outcome, payment_url, price_changed}: Booked): string {
  const first = price_changed ? 'tell the person that it was booked at another price than was approved; ' : ''
  if (payment_url !== null)
    return `${first}give the person payment_url to pay, then look with show_reservation until it is CONFIRMED`
  if (outcome === 'confirmed') return `${first}get the voucher with download_voucher`
  return `${first}look with show_reservation until it is CONFIRMED, then get the voucher with download_voucher`
}

export const prepareCancellation = defineTool({
  name: 'prepare_cancellation',
  title: 'Prepare a cancellation',
  description:
    'Asks what cancelling a reservation costs now, and returns a handle for cancel_reservation. Nothing is cancelled. Tell the person the fee before you go on.',
  annotations: PREPARES,
  change: 'cancel',
  input: z.strictObject({reservation_ref: reservationRefArgument}),
  output: {
    handle,
    expires_at: expiresAt,
    fee: money.nullable().describe('What cancelling costs now'),
    refund: money.nullable().describe('What is given back; null: not stated'),
    reservation: reservation.nullable(),
    next_step: nextStep,
  },
  run: async ({reservation_ref}, desk, caller) => {
    const prepared = await (await desk.bookings()).prepareCancellation(reservation_ref, caller)
    const document = {...prepared, reservation: cutOrNull(prepared.reservation)}
    const next_step = stepWith('cancel_reservation', prepared.handle, desk)
    return {document, added: {next_step}}
  },
})

export const cancelReservation = defineTool({
  name: 'cancel_reservation',
  title: 'Cancel a reservation',
  description:
    'Cancels what prepare_cancellation fixed under the handle, once a person has approved it. Called again with the same handle, it goes on or returns the stored result. A fee that rose is refused.',
  annotations: CHANGES,
  change: 'cancel',
  input: handleInput,
  output: {
    outcome: z.string().describe('cancelled, or another word of the service'),
    reservation_ref: z.string(),
    fee: money.nullable().describe('What the cancellation has cost; null: not stated'),
    refund: money.nullable().describe('What is given back; null: not stated'),
    quoted_fee: money.describe('The fee that was approved'),
    warnings,
  },
  run: async ({handle}, desk, caller) => ({document: await (await desk.bookings()).cancel(handle, caller)}),
})
