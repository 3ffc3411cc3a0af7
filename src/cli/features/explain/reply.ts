/**
 * Words the explanation for a mail to the partner: the main point, what happened, what it means, and what to do. The
 * reader does not know this program. Besides what the user asked about, the mail names only reservations with their
 * hotels and dates, events, times and amounts: no people, keys, secret parts of addresses, or text of an answer.
 */
import {factsOfReservation} from '../../../api/answers/reservations.js'
import {zonedInstantOf} from '../../../contract/dates.js'
import {isEventType} from '../../../contract/events.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {isUnresolved} from '../../../contract/journal.js'
import type {Result} from '../../terminal/result.js'
import {stayOf} from './booking-summary.js'
import {courseOfFacts, hasEnded, stateOfFacts} from './course.js'
import {type Facts, type ReservationFacts, recordOf} from './facts.js'
import {type Finding, SEVERITIES} from './finding.js'
import {hasUnknownReservation} from './findings.js'
import {repliesTo, stateText, voucherText} from './reply-to-finding.js'
import {capital, dateText, listText, stayText, textOfSentences, typeText} from './reply-words.js'

export function replyResult(facts: Facts, findings: readonly Finding[]): Result {
  const {subject} = facts
  const text = `${paragraphsOf(facts, findings).filter(Boolean).join('\n\n')}\n`
  const codes = findings.map(({code}) => ({code, severity: SEVERITIES[code]}))
  return {document: {subject, reply: text, findings: codes}, items: [], columns: [], text}
}

function paragraphsOf(facts: Facts, findings: readonly Finding[]): string[] {
  const {asked, reservations} = facts
  const isOnly = reservations.length === 1
  const parts = repliesTo(findings, isOnly)
  const firsts = parts.filter(({isFirst}) => isFirst)
  const others = parts.filter(({isFirst}) => !isFirst)
  const descriptions = firsts.length > 0 ? [] : reservations.map(each => describeState(each, isOnly))
  const hasNothing = descriptions.every(({todo}) => todo === '') && parts.every(isNothingToDo)
  const vouchers = descriptions.flatMap(({voucherOf}) => voucherOf ?? [])
  const developers = [
    ...new Set(parts.flatMap(each => each.developers)),
    ...(vouchers.length === 0 ? [] : [voucherText(vouchers)]),
  ]
  const isWell = descriptions.length > 0 && descriptions.every(each => each.isWell)
  const todos = [...new Set([...parts.map(({todo}) => todo), ...descriptions.map(({todo}) => todo)])]
  return [
    textOfSentences([
      subjectText(facts, findings),
      ...firsts.map(({point}) => point),
      isWell ? 'All is well.' : '',
      ...descriptions.map(({text}) => text),
      hasNothing ? 'There is nothing for you to do.' : '',
    ]),
    ...reservations.map(courseText),
    ...firsts.map(({details}) => details),
    ...others.map(({point, details}) => textOfSentences([point, details])),
    labelled('What to do: ', todos),
    labelled('For your developers: ', developers),
    wasAsked(asked)
      ? ''
      : 'This is what our own records show. The booking service itself could not be asked when this was written.',
  ]
}

function isNothingToDo({todo, developers}: ReturnType<typeof repliesTo>[number]): boolean {
  return todo === '' && developers.length === 0
}

function labelled(label: string, sentences: readonly string[]): string {
  const text = textOfSentences(sentences)
  return text === '' ? '' : `${label}${text}`
}

function wasAsked(asked: Facts['asked']): boolean {
  return asked.some(({source, problem}) => source === 'service' && problem === null)
}

/** Names a reservation with its stay: `RSV-1 (Sea View, 1 to 3 August 2030)`. */
function namedText(facts: ReservationFacts): string {
  const stay = stayText(stayOf(facts))
  return `${facts.reference}${stay === '' ? '' : ` (${stay})`}`
}

/** Returns the first sentence, which says what the mail is about. */
function subjectText(facts: Facts, findings: readonly Finding[]): string {
  const {subject, reservations, moments} = facts
  const {kind, id} = subject
  const made = reservations.filter(({reference}) => reference !== null)
  const noun = made.length === 1 ? 'reservation' : 'reservations'
  const named = made.length === 0 ? 'no reservation' : `${noun} ${listText(made.map(namedText))}`
  const stays = [...new Set(reservations.map(each => stayText(stayOf(each))).filter(Boolean))]
  const stay = stays.length === 1 ? ` (${stays[0]})` : ''
  switch (kind) {
    case 'reservation':
      return `You asked about reservation ${id}${stay}.`
    case 'client_reference':
      if (made.length > 0) return `You asked about your reference ${id}. It belongs to ${named}.`
      return `You asked about your reference ${id}${stay}.`
    case 'offer':
      return `You asked about the offer ${id}${stay}. ${offerText(moments, reservations)}`
    case 'event':
      return `You asked about the notification ${id}. ${eventText(id, reservations, findings)}`
    case 'request':
      return `You asked about the request ${id}. ${requestText(facts)} ${concernsText(facts, named)}`
  }
}

function offerText(moments: Facts['moments'], reservations: Facts['reservations']): string {
  const seen = moments.find(({source}) => source === 'offers')
  const found =
    seen === undefined ? '' : `It was found on ${dateText(seen.at)}; an offer is valid for 15 minutes. `
  const booked = reservations.flatMap(({reference}) => reference ?? [])
  if (booked.length > 0) return `${found}It was booked as reservation ${listText(booked)}.`
  if (reservations.some(({entry}) => entry && isUnresolved(entry))) return `${found}It may have been booked.`
  return `${found}It was not booked.`
}

function eventText(id: string, reservations: Facts['reservations'], findings: readonly Finding[]): string {
  for (const facts of reservations) {
    const {events, deliveries, reference} = facts
    const stored = events.find(({eventId}) => eventId === id)
    const delivery = deliveries?.find(({eventId}) => eventId === id)
    const type = stored?.type ?? delivery?.type
    if (type === undefined || type === null) continue
    if (stored?.isTest)
      return `It is a test notification, about no real reservation. It arrived on ${dateText(stored.receivedAt)}.`
    const about =
      reference === null ? 'It is about no reservation.' : `It is about reservation ${namedText(facts)}.`
    const hasFinding = findings.some(finding => 'eventId' in finding && finding.eventId === id)
    const lost = hasFinding ? '' : 'As far as our records show, it has not arrived.'
    const arrived = stored ? `It arrived on ${dateText(stored.receivedAt)}.` : lost
    return textOfSentences([`It ${isEventType(type) ? 'says' : 'is'} ${typeText(type)}.`, about, arrived])
  }
  return 'Its type is not known.'
}

function requestText({moments, requests, subject: {id}}: Facts): string {
  const found = moments.find(({request_id, idempotency_key}) => request_id === id || idempotency_key === id)
  if (found === undefined) return ''
  const answered = requests.find(({status}) => status !== null)
  const status = answered?.status ?? null
  const sent = `It was sent on ${dateText(found.at)}.`
  if (status === null || status < 400) return sent
  const code = answered?.errorCode ?? null
  const reason = code === null ? '' : (REASONS[code] ?? `the error code ${sanitizeLine(code, 60)}`)
  return `${sent} The booking service refused it with the HTTP status ${status}${reason === '' ? '' : `: ${reason}`}.`
}

function concernsText(facts: Facts, named: string): string {
  return hasUnknownReservation(facts)
    ? 'Which reservation it was about is not known, because its answer is not kept.'
    : `It concerns ${named}.`
}

interface Description {
  readonly text: string
  readonly todo: string
  readonly isWell: boolean
  /** The reservation whose voucher can be downloaded, or null. */
  readonly voucherOf: string | null
}

const NOTHING: Description = {text: '', todo: '', isWell: false, voucherOf: null}

/** Describes the state of a reservation without problems, or why an attempt made no reservation. */
function describeState(facts: ReservationFacts, isOnly: boolean): Description {
  const {reference, entry, service, voucher} = facts
  if (reference === null) return entry === undefined || isUnresolved(entry) ? NOTHING : attemptText(facts)
  const state = stateOfFacts(facts)
  if (state === null || hasEnded(facts)) return NOTHING
  const name = isOnly ? 'the reservation' : `reservation ${reference}`
  const known = service.kind === 'shown' ? '' : 'As far as our records show, '
  if (state === 'pending_payment' && courseOfFacts(facts).isPaymentFailed) {
    const {pay_until, payment_reason: code} = factsOfReservation({reservation: recordOf(facts)})
    const until = zonedInstantOf(pay_until ?? '')
    const before = until === undefined ? '' : ` by ${dateText(until)}`
    const why = code === null ? '' : ` (${sanitizeLine(code.replaceAll('_', ' '), 60)})`
    const text = `${capital(`${known}the payment for ${name}`)} failed${why}. Nothing was charged, and ${name} is not confirmed yet.`
    return {
      ...NOTHING,
      text,
      todo: `If it is still wanted, please have it paid again${before}, at the address where the payment was tried.`,
    }
  }
  if (state === 'pending_payment') {
    const until = zonedInstantOf(factsOfReservation({reservation: recordOf(facts)}).pay_until ?? '')
    const before = until === undefined ? '' : ` It has to be paid by ${dateText(until)}.`
    const text = `${capital(`${known}${name}`)} is waiting for its payment and is not confirmed yet.${before}`
    return {...NOTHING, text, todo: 'Please have it paid, or cancel it if it is not wanted.'}
  }
  const {isPaid, isVoucherReady} = courseOfFacts(facts)
  const hasVoucher = state === 'confirmed' && (voucher === 'ready' || isVoucherReady)
  const paid = isPaid ? ' and paid' : ''
  return {
    text: `${capital(`${known}${name}`)} is ${stateText(state)}${paid}${hasVoucher ? ', and its voucher can be downloaded' : ''}.`,
    todo: '',
    isWell: service.kind === 'shown' && state === 'confirmed',
    voucherOf: hasVoucher ? reference : null,
  }
}

/** Reasons why the service refused to book, by the usual error codes. */
const REASONS: Readonly<Record<string, string>> = {
  offer_expired: 'the offer had expired',
  offer_already_used: 'the offer had been used before',
  rooms_unavailable: 'the rooms were no longer free',
  insufficient_balance: 'the balance of your account was too low',
  duplicate_client_reference: 'your reference had been used before',
  guest_count_mismatch: 'the guests were not those that the offer was for',
  nationality_mismatch: 'the nationality was not the one that the offer was for',
  invalid_identity_number: 'an identity number was not valid',
}

function attemptText({entry, refusals}: ReservationFacts): Description {
  const at = entry === undefined ? '' : ` on ${dateText(entry.updatedAt)}`
  const todo = 'If the trip is still wanted, please search again and book a new offer.'
  if (entry?.outcome === 'not_sent')
    return {
      ...NOTHING,
      text: `The booking that was begun${at} was never sent to the booking service, so nothing was booked.`,
      todo,
    }
  const reason = refusals.flatMap(code => REASONS[code] ?? [])[0]
  const because = reason === undefined ? '' : `, because ${reason}`
  const text = `The booking service refused the booking${at}${because}. Nothing was booked, and nothing was charged.`
  return {...NOTHING, text, todo}
}

/** Describes the course of a reservation, and which notifications arrived. Empty if nothing about it is known. */
function courseText(facts: ReservationFacts): string {
  const {reference, entry, events, refusals} = facts
  if (reference === null) {
    // The beginning of the mail says why an attempt made nothing, but not when.
    if (entry === undefined || isUnresolved(entry) || !refusals.includes('price_changed')) return ''
    return `The booking was tried on ${dateText(entry.updatedAt)}.`
  }
  const steps = stepsText(facts)
  const name = `Reservation ${reference}`
  const byDate = new Map<string, string[]>()
  for (const {type, receivedAt} of events) {
    const date = dateText(receivedAt)
    byDate.set(date, [...(byDate.get(date) ?? []), typeText(type ?? 'unknown')])
  }
  const came = [...byDate].map(([date, types]) => `${listText([...new Set(types)])} (${date})`)
  const noun = events.length === 1 ? 'This notification' : 'These notifications'
  const has = events.length === 1 ? 'has arrived and is' : 'have arrived and are'
  return textOfSentences([
    steps === '' ? '' : `${name} was ${steps}.`,
    came.length === 0 ? '' : `${noun} about it ${has} in our records: ${listText(came)}.`,
  ])
}

/** Describes the steps: `made and confirmed on 1 June 2030, 12:00 UTC`. Steps in the same minute share a date. */
function stepsText(facts: ReservationFacts): string {
  const {madeAt, paidAt, confirmedAt} = courseOfFacts(facts)
  const steps: [string, number | null][] = [
    ['made', madeAt],
    ['paid', paidAt],
    ['confirmed', confirmedAt],
  ]
  const dates = new Map<string, string[]>()
  for (const [word, at] of steps) {
    if (at === null) continue
    const date = dateText(at)
    dates.set(date, [...(dates.get(date) ?? []), word])
  }
  return listText([...dates].map(([date, words]) => `${listText(words)} on ${date}`))
}
