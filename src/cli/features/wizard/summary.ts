/** The whole reservation as it will be sent, before the one confirmation. */
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Guest} from '../../../contract/reservations.js'
import type {Target} from '../../session/target.js'
import {counted} from '../../terminal/values.js'
import type {Plan} from '../reserve/plan.js'
import {nightsText, type Reader, withWeekday} from './dates.js'
import type {Chosen, Stay} from './draft.js'
import {detailRows} from './offer-lines.js'
import {contactText} from './questions.js'

/** Lines of `Name  text`, each string of the service or of a person sanitised. */
export function describeSummary(plan: Plan, {shown, stay}: Chosen, target: Target, reader: Reader): string {
  const {request, intent, doubts} = plan
  const rows: (readonly [string, string])[] = [
    ...(shown ? detailRows(shown, reader).filter(([name]) => name !== 'Remarks') : NOT_SEEN),
    ...(stay?.city ? [['City', stay.city] as const] : []),
    ...(stay ? [['Dates', datesText(stay)] as const] : []),
    ...request.guests.map((guest, index) => [index === 0 ? 'Guests' : '', guestText(guest)] as const),
    ['Nationality', `${countryText(request.client_nationality)}, as searched`],
    ['Contact', contactText(request.contact)],
    ['Payment', PAYMENTS[request.payment.mode]],
    ['Reference', request.client_reference_id],
    ['Key', `Idempotency-Key ${intent.idempotencyKey}`],
    ['Service', `${MODES[target.mode]}, ${new URL(target.baseUrl).host}, ${target.clientId}`],
  ]
  const lines = rows.map(([name, text]) => `${name.padEnd(13)} ${sanitizeLine(text, 500)}`)
  return ['', ...lines, ...doubts.map(doubt => `Warning: ${sanitizeLine(doubt)}`)].join('\n')
}

function countryText(code: string): string {
  return `${new Intl.DisplayNames('en', {type: 'region'}).of(code)} (${code})`
}

const NOT_SEEN = [['Hotel', 'unknown (the offer was not searched for on this machine)']] as const

const MODES = {live: 'LIVE: a real booking, with real money', test: 'TEST: no real money'}

const PAYMENTS = {account: 'from the account balance, at once', instant: 'by the customer, on a payment page'}

function datesText({checkIn, checkOut, rooms}: Stay): string {
  const dates = `${withWeekday(checkIn)} to ${withWeekday(checkOut)}`
  return `${dates}, ${nightsText(checkIn, checkOut)}, ${counted(rooms, 'room')}`
}

function guestText({name, surname, type, birth_date, nationality, identity, is_lead}: Guest): string {
  const facts = [
    type === 'ADULT' ? '' : type.toLowerCase(),
    birth_date && `born ${birth_date}`,
    nationality,
    identity && `${identity.type} ${identity.number}`,
    is_lead && 'leads',
  ]
  return [`${name} ${surname}`, ...facts.filter(Boolean)].join(', ')
}
