/** The words of each finding for the operator: the problem, and the next step. */
import {shellWord} from '../../../contract/foreign-text.js'
import {SIGNATURE_TOO_OLD} from '../../../webhooks/forward/forwarder.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import {type Finding, type FindingOf, SEVERITIES} from './finding.js'
import {answerText, originOf, priceText, utcText} from './words.js'

/** A finding in the form of the output and of JSON. Foreign text in it is not sanitised yet. */
export interface DescribedFinding {
  readonly code: Finding['code']
  readonly severity: (typeof SEVERITIES)[Finding['code']]
  readonly text: string
  readonly advice: string
  readonly reservation_ref: string | null
  readonly event_id?: string
}

interface Words {
  readonly text: string
  readonly advice: string
}

export function describeFinding(finding: Finding): DescribedFinding {
  const {code, reference} = finding
  const eventId = 'eventId' in finding ? finding.eventId : null
  const words = wordsOf(finding)
  const about = {reservation_ref: reference, ...(eventId !== null && {event_id: eventId})}
  return {code, severity: SEVERITIES[code], ...words, ...about}
}

function wordsOf(finding: Finding): Words {
  switch (finding.code) {
    case 'outcome_unknown':
      return outcomeUnknown(finding)
    case 'price_changed':
      return priceChanged(finding)
    case 'likely_double':
      return likelyDouble(finding)
    case 'event_missing':
      return eventMissing(finding)
    case 'event_refused':
      return eventRefused(finding)
    case 'forward_given_up':
      return forwardGivenUp(finding)
    case 'not_found_there':
      return {
        text: `${finding.reference} was booked from here, but the service at ${new URL(finding.baseUrl).host} does not have it`,
        advice: 'ask the operator of the service what became of it, before it is booked again',
      }
    case 'voucher_missing':
      return voucherMissing(finding)
    case 'charged_in_other_currency':
      return chargedOtherwise(finding)
    case 'no_subscription':
      return noSubscription(finding)
    case 'delivery_pending':
      return deliveryPending(finding)
    case 'cancelled':
      return cancelled(finding)
  }
}

function outcomeUnknown({
  clientReferenceId,
  sentAt,
  found,
  isForgotten,
}: FindingOf<'outcome_unknown'>): Words {
  const reference = shellWord(clientReferenceId)
  const text = `whether ${clientReferenceId} was booked was never found out (last attempt ${utcText(sentAt)})`
  const resume = isForgotten
    ? 'it was given up here, so ask the operator of the service whether it exists'
    : `find out: bookctl reserve --resume ${reference}; if that cannot tell, ask the operator, then give it up: bookctl journal forget ${reference}`
  if (found === null) return {text, advice: `${resume}; do not book it again before that`}
  if (found.length === 0)
    return {text: `${text}; the service lists no reservation with that reference`, advice: resume}
  return {text: `${text}; the service has it as ${found.join(', ')}`, advice: resume}
}

function priceChanged({reference, agreed, booked}: FindingOf<'price_changed'>): Words {
  if (booked === null)
    return {
      text: `the service refused it because the price had changed from ${priceText(agreed)}; nothing was booked`,
      advice: 'search again, and book the new offer: bookctl hotels search',
    }
  return {
    text: `${reference} was agreed at ${priceText(agreed)} and costs ${priceText(booked)}`,
    advice: `check which price applies with the operator, or what cancelling costs: bookctl reservations cancel ${shellWord(reference ?? '')} --dry-run`,
  }
}

function likelyDouble({reference, double}: FindingOf<'likely_double'>): Words {
  const {reservationRef, clientReferenceId, at, isCertain} = double
  const name = reservationRef ?? `the attempt ${clientReferenceId}`
  const own = reservationRef !== null && clientReferenceId !== null ? ` (${clientReferenceId})` : ''
  const when = at === null ? '' : `, made ${utcText(at)},`
  const verb = isCertain ? 'is' : 'may be'
  const text = `${name}${own}${when} ${verb} a booking of the same guests, hotel and dates as ${reference ?? 'this one'}`
  if (!isCertain)
    return {text, advice: `find out: bookctl reserve --resume ${shellWord(clientReferenceId ?? '')}`}
  const show = reservationRef === null ? 'bookctl journal' : `bookctl explain ${shellWord(reservationRef)}`
  return {text, advice: `ask whether both are wanted, and cancel one if not: ${show}`}
}

function eventMissing(finding: FindingOf<'event_missing'>): Words {
  const {reference, loss, attempts, status, error, passiveId} = finding
  const name = nameOf(finding)
  const due = dueText(finding)
  const state =
    reference === null ? 'bookctl sandbox deliveries' : `bookctl reservations show ${shellWord(reference)}`
  const instead = `the service does not send it again; see the state: ${state}`
  const isOff = offText(finding)
  const next = passiveId === null ? instead : `${turnOn(passiveId)}; ${instead}`
  if (loss === 'given_up') {
    const tries =
      attempts === 0 ? '' : ` after ${counted(attempts, 'attempt')}, last ${answerText(status, error)}`
    return {
      text: `${name}${due} was given up by the service${tries}${isOff}`,
      advice: `check the receiver: bookctl webhooks probe URL; ${next}`,
    }
  }
  if (loss === 'not_sent')
    return {
      text: `${name}${due} was never sent, although it was subscribed${isOff}`,
      advice: passiveId === null ? `check the subscription: bookctl webhooks list; ${instead}` : next,
    }
  if (loss === 'not_kept')
    return {
      text: `${name}${due} was ${answerText(status, error)}, but is not among the received events`,
      advice: `another receiver may have taken it; ${instead}`,
    }
  return {
    text: `${name}${due} never came, and the service does not try any longer${refusedText(finding)}${isOff}`,
    advice: `check whether the receiver ran then, and the subscription: bookctl webhooks list; ${next}`,
  }
}

type AwaitedEvent = FindingOf<'event_missing' | 'delivery_pending'>

function nameOf({type, eventId}: AwaitedEvent): string {
  return eventId === null ? type : `${type} (${eventId})`
}

function dueText({dueAt}: AwaitedEvent): string {
  return dueAt === null ? '' : `, due ${utcText(dueAt)},`
}

function offText({passiveId}: FindingOf<'event_missing' | 'event_refused'>): string {
  return passiveId === null ? '' : `; the subscription ${passiveId} is passive now`
}

function refusedText({refusedHere}: {readonly refusedHere: number}): string {
  if (refusedHere === 0) return ''
  return `; ${counted(refusedHere, 'request')} refused here in the last hour (bookctl webhooks status), which may have been it`
}

const turnOn = (id: string) => `turn it on again: bookctl webhooks update ${shellWord(id)} --active`

function eventRefused(finding: FindingOf<'event_refused'>): Words {
  const {type, eventId, status, at, attempts, nextAt, passiveId} = finding
  const isOff = offText(finding)
  const sentAgain = nextAt === null ? 'and is not sent again' : `and is sent again ${utcText(nextAt)}`
  const again = sentAgain + isOff
  const secret =
    'the signing secret is probably wrong: check a captured request with bookctl webhooks verify, and the secret with bookctl webhooks listen --print-secret'
  const times = counted(attempts, 'attempt')
  return {
    text: `${type} (${eventId}) came and was refused with ${status} by the receiver ${utcText(at)}, after ${times}, ${again}`,
    advice: passiveId === null ? secret : `${secret}; then ${turnOn(passiveId)}`,
  }
}

function forwardGivenUp({
  type,
  eventId,
  target,
  attempts,
  status,
  error,
}: FindingOf<'forward_given_up'>): Words {
  // A query or a user name in the URL may be a secret.
  const url = new URL(target)
  const hasSecret = url.search !== '' || url.username !== '' || url.password !== ''
  const to = hasSecret ? 'URL' : shellWord(url.href)
  const replay = `bookctl webhooks events replay ${shellWord(eventId ?? '')} --to ${to} --resign`
  const name = `${type} (${eventId})`
  if (error === SIGNATURE_TOO_OLD)
    return {
      text: `${name} was not forwarded to ${originOf(target)} any more: its signature was too old (--no-resign), after ${counted(attempts - 1, 'attempt')} before that`,
      advice: `forward it with a new signature: ${replay}`,
    }
  return {
    text: `${name} was not taken by ${originOf(target)}: given up after ${counted(attempts, 'attempt')}, last ${answerText(status, error)}`,
    advice: `once it takes events again: ${replay}`,
  }
}

function voucherMissing({reference, confirmedAt}: FindingOf<'voucher_missing'>): Words {
  const since = confirmedAt === null ? '' : ` since ${utcText(confirmedAt)}`
  return {
    text: `${reference} is confirmed${since}, but its voucher cannot be had`,
    advice: `try again, then report it to the operator: bookctl voucher download ${shellWord(reference ?? '')} --wait`,
  }
}

function chargedOtherwise({reference, price, charged, rate}: FindingOf<'charged_in_other_currency'>): Words {
  const at = rate === null ? '; the service does not say at which rate' : ` at the rate ${rate}`
  return {
    text: `${reference ?? 'it'} costs ${priceText(price)}, and the account was charged ${priceText(charged)}${at}`,
    advice: 'compare it with the account: bookctl account',
  }
}

function noSubscription({types, reference, passiveId}: FindingOf<'no_subscription'>): Words {
  const which = types.join(', ')
  const state =
    passiveId === null ? 'no subscription takes it' : `the subscription ${passiveId} for it is passive`
  return {
    text: `no event was sent here for ${which} of ${reference ?? 'it'}: ${state}, as far as is known`,
    advice:
      passiveId === null
        ? 'see which there are: bookctl webhooks list; create one: bookctl webhooks create'
        : turnOn(passiveId),
  }
}

function deliveryPending(finding: FindingOf<'delivery_pending'>): Words {
  const {type, target, nextAt, attempts, status, error, passiveId} = finding
  const name = nameOf(finding)
  const last =
    attempts === 0 ? '' : `, after ${counted(attempts, 'attempt')}, last ${answerText(status, error)}`
  if (target !== null)
    return {
      text: `${name} is still to be forwarded to ${originOf(target)}${last}`,
      advice: 'bookctl webhooks listen with the same --forward-to goes on with it',
    }
  const next = nextAt === null ? '' : `; next attempt ${utcText(nextAt)}`
  const due = dueText(finding)
  if (passiveId !== null)
    return {
      text: `${name}${due} has not come yet${last}; the subscription ${passiveId} is passive, so the service does not go on`,
      advice: turnOn(passiveId),
    }
  return {
    text: `${name}${due} has not come yet${last}; the service still tries${next}${refusedText(finding)}`,
    advice: `check that the receiver runs, and wait for it: bookctl webhooks events wait --type ${shellWord(type)}${finding.reference === null ? '' : ` --reservation ${shellWord(finding.reference)}`}`,
  }
}

function cancelled({reference, at, isExpired, fee, refund}: FindingOf<'cancelled'>): Words {
  const when = at === null ? '' : ` ${utcText(at)}`
  const costs = [fee && `fee ${priceText(fee)}`, refund && `refund ${priceText(refund)}`].filter(Boolean)
  const what = isExpired ? `ended${when} because it was not paid in time` : `was cancelled${when}`
  return {
    text: `${reference} ${what}${costs.length === 0 ? '' : `: ${costs.join(', ')}`}`,
    advice: 'if it is still wanted, search and book again: bookctl hotels search',
  }
}
