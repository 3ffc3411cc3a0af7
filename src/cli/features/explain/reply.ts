/**
 * The explanation as plain sentences for a mail to the partner: what happened, what it means and what to do. The reader does not
 * know this program. It names nothing that the question does not name but reservations, events, times and amounts: no people, no
 * stay, no keys, no addresses but their hosts, and no text of an answer.
 */
import {isUnresolved} from '../../../contract/journal.js'
import type {Result} from '../../terminal/result.js'
import {courseOfFacts, stateOfFacts} from './course.js'
import type {Facts, ReservationFacts} from './facts.js'
import {type Finding, SEVERITIES} from './finding.js'
import {replyTo} from './reply-to-finding.js'
import {dateText, listText, typeText} from './reply-words.js'

export function replyResult(facts: Facts, findings: readonly Finding[]): Result {
  const {subject} = facts
  const paragraphs = paragraphsOf(facts, findings)
  const text = `${paragraphs.join('\n\n')}\n`
  const codes = findings.map(({code}) => ({code, severity: SEVERITIES[code]}))
  return {document: {subject, reply: text, findings: codes}, items: [], columns: [], text}
}

function paragraphsOf(facts: Facts, findings: readonly Finding[]): string[] {
  const {asked} = facts
  const isAsked = asked.some(({source, problem}) => source === 'service' && problem === null)
  const caution = isAsked
    ? []
    : [
        'This is what our own records show. The booking service itself could not be asked when this was written.',
      ]
  const nothing = findings.length === 0 ? ['We found nothing wrong.'] : []
  const course = facts.reservations.flatMap(each => courseText(each, facts) ?? [])
  return [subjectText(facts), ...course, ...findings.map(replyTo), ...nothing, ...caution]
}

/** Says first what was asked about. */
function subjectText({subject, reservations, moments}: Facts): string {
  const {kind, id} = subject
  const references = [...new Set(reservations.flatMap(({reference}) => reference ?? []))]
  const noun = references.length === 1 ? 'reservation' : 'reservations'
  const named = references.length === 0 ? 'no reservation' : `${noun} ${listText(references)}`
  switch (kind) {
    case 'reservation':
      return `You asked about reservation ${id}.`
    case 'client_reference':
      if (references.length === 0)
        return `You asked about your reference ${id}. No reservation is known with this reference.`
      return `You asked about your reference ${id}. It belongs to ${named}.`
    case 'offer':
      return `You asked about the offer ${id}. ${offerText(moments, reservations)}`
    case 'event':
      return `You asked about the notification ${id}. ${eventText(id, reservations)}`
    case 'request':
      return `You asked about the request ${id}. ${requestText(moments, id)} It concerns ${named}.`
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

function eventText(id: string, reservations: Facts['reservations']): string {
  for (const {events, deliveries, reference} of reservations) {
    const stored = events.find(({eventId}) => eventId === id)
    const delivery = deliveries?.find(({eventId}) => eventId === id)
    const type = stored?.type ?? delivery?.type
    if (type === undefined || type === null) continue
    const about = reference === null ? 'It is about no reservation.' : `It is about reservation ${reference}.`
    const arrived = stored
      ? `It arrived on ${dateText(stored.receivedAt)}.`
      : 'As far as our records show, it has not arrived.'
    return `It is of the type ${typeText(type)}. ${about} ${arrived}`
  }
  return 'It is of an unknown type.'
}

function requestText(moments: Facts['moments'], id: string): string {
  const found = moments.find(({request_id, idempotency_key}) => request_id === id || idempotency_key === id)
  return found === undefined ? '' : `It was sent on ${dateText(found.at)}.`
}

/** Tells the course of a reservation, or how an attempt ended that made none; undefined if a finding says all of it. */
function courseText(facts: ReservationFacts, {reservations}: Facts): string | undefined {
  const {reference, entry, events} = facts
  if (reference === null) {
    if (entry === undefined || isUnresolved(entry)) return undefined
    const at = `on ${dateText(entry.updatedAt)}`
    if (entry.outcome === 'not_sent')
      return `The booking that was begun ${at} was never sent to the booking service.`
    return `The booking that was tried ${at} was refused by the booking service. Nothing was booked by it, and nothing was charged.`
  }
  const name = reservations.length === 1 ? 'It' : `Reservation ${reference}`
  const steps = stepsText(facts)
  const course = steps === '' ? '' : `${name} was ${steps}.`
  const state = stateOfFacts(facts) === 'pending_payment' ? `${name} is waiting for its payment.` : ''
  const came = events.map(({type, receivedAt}) => `"${type}" on ${dateText(receivedAt)}`)
  const arrived = came.length === 0 ? '' : `These notifications about it have arrived: ${listText(came)}.`
  const sentences = [course, state, arrived].filter(Boolean)
  return sentences.length === 0 ? undefined : sentences.join(' ')
}

/** `made and confirmed on 1 June 2030, 12:00 UTC`: what happened in the same minute has one date. */
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
