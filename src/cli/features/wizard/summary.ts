/** The whole reservation as it will be sent, before the one confirmation. */
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Guest, ReservationRequest} from '../../../contract/reservations.js'
import type {Target} from '../../session/target.js'
import {detailRows, type Reader, type ShownOffer} from './offer-lines.js'
import {counted, nightsText, withWeekday} from './questions.js'

export interface Stay {
  /** In words; undefined when it is not known. */
  readonly city: string | undefined
  readonly checkIn: string
  readonly checkOut: string
  readonly rooms: number
}

export interface Summary {
  readonly request: ReservationRequest
  readonly key: string
  readonly doubts: readonly string[]
  /** Undefined when the offer was not searched on this machine. */
  readonly offer: ShownOffer | undefined
  readonly stay: Stay | undefined
  readonly target: Target
}

/** Lines of `Name  text`, each string of the service or of a person sanitised. */
export function describeSummary(summary: Summary, reader: Reader): string {
  const {request, key, doubts, target, stay, offer} = summary
  const {contact} = request
  const rows: (readonly [string, string])[] = [
    ...(offer ? detailRows(offer, reader).filter(([name]) => name !== 'Remarks') : NOT_SEEN),
    ...(stay?.city ? [['City', stay.city] as const] : []),
    ...(stay ? [['Dates', datesText(stay)] as const] : []),
    ...request.guests.map((guest, index) => [index === 0 ? 'Guests' : '', guestText(guest)] as const),
    [
      'Contact',
      `${contact.name} ${contact.surname}, ${contact.email}, ${contact.phone_country_code} ${contact.phone_number}`,
    ],
    ['Payment', PAYMENTS[request.payment.mode]],
    ['Reference', request.client_reference_id],
    ['Key', `Idempotency-Key ${key}`],
    ['Service', `${MODES[target.mode]}, ${new URL(target.baseUrl).host}, ${target.clientId}`],
  ]
  const lines = rows.map(([name, text]) => `${name.padEnd(13)} ${sanitizeLine(text, 500)}`)
  return ['', ...lines, ...doubts.map(doubt => `Warning: ${sanitizeLine(doubt)}`)].join('\n')
}

const NOT_SEEN = [['Hotel', 'unknown (the offer was not searched for on this machine)']] as const

const MODES = {live: 'LIVE: a real booking, with real money', test: 'TEST: no real money'}

const PAYMENTS = {
  account: 'from the account balance, at once',
  instant: 'by the customer, on a payment page',
}

function datesText({checkIn, checkOut, rooms}: Stay): string {
  const dates = `${withWeekday(checkIn)} to ${withWeekday(checkOut)}`
  return `${dates}, ${nightsText(checkIn, checkOut)}, ${counted(rooms, 'room')}`
}

function guestText({name, surname, type, birth_date, nationality, identity, is_lead}: Guest): string {
  return [
    `${name} ${surname}`,
    ...(type === 'ADULT' ? [] : [type.toLowerCase()]),
    ...(birth_date ? [`born ${birth_date}`] : []),
    ...(nationality ? [nationality] : []),
    ...(identity ? [`${identity.type} ${identity.number}`] : []),
    ...(is_lead ? ['leads'] : []),
  ].join(', ')
}
