/** What is said of each finding in a mail to the partner. */
import {DELIVERY_ATTEMPTS, WEBHOOK_RESPONSE_SECONDS} from '../../../contract/limits.js'
import type {Finding} from './finding.js'
import {dateText, listText, typeText} from './reply-words.js'
import {originOf, priceText} from './words.js'

type Of<Code extends Finding['code']> = Extract<Finding, {readonly code: Code}>

export function replyTo(finding: Finding): string {
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
      return `The notification ${typeText(finding.type)} arrived, but the program at ${originOf(finding.target)} that it is passed on to did not take it: ${timesTried(finding)}. It is not passed on again by itself. Please check that program; then the notification can be passed on to it once more.`
    case 'not_found_there':
      return `Reservation ${finding.reference} was booked, but the booking service does not show it any more. So it is not certain that it still exists. Please do not book it again and do not rely on it until the operator of the booking service has said what became of it.`
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

function outcomeUnknown({sentAt, found, isForgotten}: Of<'outcome_unknown'>): string {
  const sent = `On ${dateText(sentAt)} a request to book was sent, and no clear answer came back.`
  if (found !== null && found.length > 0)
    return `${sent} The booking service now shows reservation ${listText(found)} with the same reference: it was made. Please do not book it again.`
  const there =
    found === null ? '' : ' At the moment the booking service shows no reservation with this reference.'
  const next = isForgotten
    ? 'Please ask the operator of the booking service whether it exists'
    : 'The very same request can be repeated safely to find out'
  return `${sent} So it is not known yet whether the reservation was made.${there} ${next}; please do not make a new booking before that, because it could become a second one.`
}

function priceChanged({reference, agreed, booked}: Of<'price_changed'>): string {
  if (booked === null) {
    const before = agreed === null ? '' : ` (it was ${priceText(agreed)})`
    return `The booking was refused because the price had changed since the offer was found${before}. Nothing was booked, and nothing was charged. Please search again and book a new offer.`
  }
  return `The price that was agreed for reservation ${reference} is ${priceText(agreed)}, but it costs ${priceText(booked)}. Please tell us whether this price is accepted. If not, the reservation can be cancelled, which may cost a fee.`
}

function likelyDouble({reference, double}: Of<'likely_double'>): string {
  const {reservationRef, at, isCertain} = double
  const same = 'for the same guests, the same hotel and the same dates'
  if (!isCertain) {
    const when = at === null ? '' : ` on ${dateText(at)}`
    return `There was another attempt to book${when} ${same}, and it is not known yet whether it made a reservation. If it did, the trip is booked twice. Please do not book anything more for it until that is known.`
  }
  const own = reference === null ? '' : ` as ${reference}`
  return `Reservation ${reservationRef} is ${same}${own}. The trip was probably booked twice by mistake, and would be paid twice. Please tell us whether both are wanted. If not, one of them can be cancelled, which may cost a fee.`
}

function eventMissing(finding: Of<'event_missing'>): string {
  const {type, dueAt, loss, reference} = finding
  const due = dueAt === null ? 'was due' : `was due on ${dateText(dueAt)}`
  const name = `The notification ${typeText(type)}${reference === null ? '' : ` about reservation ${reference}`}`
  const instead = `It is not sent again. The reservation itself is not affected: its state can be looked up at any time.`
  if (loss === 'given_up')
    return `${name} ${due}. It was sent to the address of your subscription and not accepted: ${timesTried(finding)}. ${instead} Please check that this address can be reached and answers within ${WEBHOOK_RESPONSE_SECONDS} seconds with a status from 200 to 299.`
  if (loss === 'not_kept')
    return `${name} ${due}. It was sent, and the receiving address accepted it, but it is not among the notifications that we have stored. Another program may have taken it. ${instead} Please check which programs receive at that address.`
  return `${name} ${due}. As far as our records show, it did not arrive. ${refusedText(finding)}${instead} Please check that the receiving program was running at that time, and that the subscription has the right address.`
}

function refusedText({refusedHere}: {readonly refusedHere: number}): string {
  if (refusedHere === 0) return ''
  const times = refusedHere === 1 ? 'one request' : `${refusedHere} requests`
  return `In the last hour the receiving program refused ${times}, mostly because a signature was not right, and this notification may have been among them. `
}

function eventRefused(finding: Of<'event_refused'>): string {
  const {type, at, status, nextAt, reference} = finding
  const name = `The notification ${typeText(type)}${reference === null ? '' : ` about reservation ${reference}`}`
  const again = nextAt === null ? 'It is not sent again.' : `It is sent again on ${dateText(nextAt)}.`
  return `${name} was sent and reached the receiving program, which refused it with status ${status} on ${dateText(at)}. That is the answer of a program that cannot confirm the signature, mostly because it uses an old or wrong signing secret, or because the content is changed before it is checked. Please check that your program uses the signing secret that was shown when the subscription was created, and that it checks the content exactly as it arrives. ${again}`
}

function voucherMissing({reference, confirmedAt}: Of<'voucher_missing'>): string {
  const since = confirmedAt === null ? '' : ` since ${dateText(confirmedAt)}`
  return `Reservation ${reference} is confirmed${since}, but its voucher cannot be downloaded yet. The reservation is valid all the same. Please try again later; if the voucher is still missing then, the operator of the booking service has to produce it.`
}

function chargedOtherwise({price, charged, rate}: Of<'charged_in_other_currency'>): string {
  const at = rate === null ? '' : ` at the rate ${rate}`
  return `The price is ${priceText(price)}. The account is kept in another currency and was charged ${priceText(charged)}${at}. This is the same amount converted, and no second charge. There is nothing to do.`
}

function noSubscription({types, isPassive}: Of<'no_subscription'>): string {
  const which = listText(types.map(typeText))
  if (isPassive)
    return `No notification came for ${which}, because the subscription for it is switched off. That can happen after ${DELIVERY_ATTEMPTS} failed deliveries. Please check that its address can be reached, and have it switched on again. What was missed is not sent afterwards.`
  return `No notification came for ${which}, because we know of no subscription for it. If you want to be notified, please add it to your subscription. What is past is not sent afterwards.`
}

function deliveryPending(finding: Of<'delivery_pending'>): string {
  const {type, target, nextAt, attempts} = finding
  const name = `The notification ${typeText(type)}`
  if (target !== null)
    return `${name} arrived, and is still to be passed on to the program at ${originOf(target)}. That happens by itself. There is nothing to do unless that program is switched off.`
  const tried = attempts === 0 ? '' : ` (${timesTried(finding)})`
  const again = nextAt === null ? 'It is sent again several times' : `It is sent again on ${dateText(nextAt)}`
  return `${name} has not arrived yet${tried}. ${refusedText(finding)}${again}, by itself. Please make sure that the receiving address can be reached.`
}

function cancelled({reference, at, isExpired, fee, refund}: Of<'cancelled'>): string {
  const when = at === null ? '' : ` on ${dateText(at)}`
  const what = isExpired
    ? `Reservation ${reference} ended${when}, because it was not paid in time.`
    : `Reservation ${reference} was cancelled${when}.`
  const costs = [fee && `The fee is ${priceText(fee)}`, refund && `the refund is ${priceText(refund)}`]
  const cost = costs.filter(Boolean).join(', ')
  const sentence = cost === '' ? '' : ` ${cost.charAt(0).toUpperCase()}${cost.slice(1)}.`
  return `${what}${sentence} If the trip is still wanted, it has to be booked again.`
}

/** `tried 8 times, the last time it answered with status 500`, without the words of the answer. */
function timesTried({
  attempts,
  status,
  error,
}: {
  attempts: number
  status: number | null
  error: string | null
}): string {
  const tried = attempts === 1 ? 'tried once' : `tried ${attempts} times`
  if (attempts === 0) return 'not tried yet'
  if (status !== null) return `${tried}, the last answer had the status ${status}`
  return /within|time/i.test(error ?? '')
    ? `${tried}, and the last time there was no answer in time`
    : `${tried}, and the last time it could not be reached`
}
