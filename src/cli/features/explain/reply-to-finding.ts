/** Words the findings for a mail to the partner. */
import {parseUrl, sanitizeLine} from '../../../contract/foreign-text.js'
import {DELIVERY_ATTEMPTS, WEBHOOK_RESPONSE_SECONDS} from '../../../contract/limits.js'
import {isLoopbackHost} from '../../../contract/network.js'
import type {BookingSummary, Cancelling, Double} from './facts.js'
import {type Attempts, type Finding, type FindingOf, isProblem, type Tries} from './finding.js'
import {
  addressText,
  capital,
  dateText,
  listText,
  shortType,
  textOfSentences,
  typeText,
} from './reply-words.js'
import {originOf, priceText} from './words.js'

type AboutEvent = FindingOf<'event_missing' | 'event_refused' | 'forward_given_up' | 'delivery_pending'>

/** The parts of a reply to one finding, or to several that differ only in the type of the notification. */
export interface ReplyPart {
  /** Whether `point` must be at the beginning of the mail. */
  readonly isFirst: boolean
  /** The main point, in sentences that are complete by themselves. */
  readonly point: string
  /** Further details; empty if there are none. */
  readonly details: string
  /** What the person who books can do; empty if there is nothing to do. */
  readonly todo: string
  /** What a developer can do, one sentence each; empty if there is nothing to do. */
  readonly developers: readonly string[]
}

type Words = Partial<Omit<ReplyPart, 'isFirst'>> & Pick<ReplyPart, 'point'>

/**
 * Returns the parts of the reply, in the order of the findings. `isOnly` says that the mail is about one reservation,
 * which then need not be named.
 */
export function repliesTo(findings: readonly Finding[], isOnly: boolean): ReplyPart[] {
  const alike = new Map<string, [Finding, ...Finding[]]>()
  for (const finding of findings) {
    const key = likeness(finding)
    const known = alike.get(key)
    if (known === undefined) alike.set(key, [finding])
    else known.push(finding)
  }
  return [...alike.values()].map(group => ({
    isFirst: isProblem(group[0]) || group[0].code === 'cancelled',
    details: '',
    todo: '',
    developers: [],
    ...wordsOf(group, isOnly),
  }))
}

/**
 * Returns a key that is equal for findings that are reported together: doubles of one reservation, and events with the
 * same outcome.
 */
function likeness(finding: Finding): string {
  const {code, reference} = finding
  if (code === 'likely_double') return JSON.stringify([code, reference, finding.double.isCertain])
  const words = 'type' in finding ? wordsOf([{...finding, type: ''}], true) : wordsOf([finding], true)
  return JSON.stringify([code, reference, words])
}

/** Returns the words for findings that are reported together. */
function wordsOf(group: readonly [Finding, ...Finding[]], isOnly: boolean): Words {
  const [finding] = group
  const types = [...new Set(group.flatMap(each => ('type' in each ? [each.type] : [])))]
  switch (finding.code) {
    case 'outcome_unknown':
      return outcomeUnknown(finding)
    case 'price_changed':
      return priceChanged(finding)
    case 'likely_double':
      return likelyDouble(
        finding,
        group.flatMap(each => (each.code === 'likely_double' ? [each.double] : [])),
      )
    case 'event_missing':
      return eventMissing(finding, noticesOf(types, finding, isOnly))
    case 'event_refused':
      return eventRefused(finding, noticesOf(types, finding, isOnly))
    case 'forward_given_up':
      return forwardGivenUp(finding, noticesOf(types, finding, isOnly))
    case 'not_found_there':
      return {
        point: `Reservation ${finding.reference} was booked, but the booking service does not show it any more, so it is not certain that it still exists.`,
        todo: 'Please do not rely on it and do not book it again until the operator of the booking service has said what became of it.',
      }
    case 'voucher_missing':
      return voucherMissing(finding)
    case 'charged_in_other_currency':
      return chargedOtherwise(finding)
    case 'no_subscription':
      return noSubscription(finding)
    case 'delivery_pending':
      return deliveryPending(finding, noticesOf(types, finding, isOnly))
    case 'cancelled':
      return cancelled(finding)
  }
}

function outcomeUnknown({sentAt, found, isForgotten}: FindingOf<'outcome_unknown'>): Words {
  const sent = `The request to book was sent on ${dateText(sentAt)}, and no clear answer came back.`
  if (found !== null && found.length > 0)
    return {
      point: `The booking was made: the booking service shows reservation ${listText(found)} with your reference.`,
      details: sent,
      todo: 'Please do not book it again.',
    }
  const there =
    found === null ? '' : 'At the moment the booking service shows no reservation with your reference.'
  return {
    point:
      'It is not known yet whether this booking was made. Please do not book it again before that is known, because the trip could then be booked twice.',
    details: textOfSentences([sent, there]),
    todo: isForgotten
      ? 'Please ask the operator of the booking service whether the reservation exists.'
      : 'Please tell us if the booking is still wanted: we can repeat the very same request, which finds out and cannot book twice.',
  }
}

function priceChanged({reference, agreed, booked}: FindingOf<'price_changed'>): Words {
  if (booked === null) {
    const before = agreed === null ? '' : ` (${priceText(agreed)})`
    return {
      point: `The booking was refused because the price was no longer the one that you had been offered${before}. Nothing was booked, and nothing was charged.`,
      todo: 'If the trip is still wanted, please search again, which shows the new price, and book a new offer.',
    }
  }
  return {
    point: `Reservation ${reference} costs ${priceText(booked)}, but ${priceText(agreed)} was agreed.`,
    todo: 'Please tell us whether you accept this price. If not, the reservation can be cancelled, which may cost a fee.',
  }
}

function likelyDouble({reference, own}: FindingOf<'likely_double'>, doubles: readonly Double[]): Words {
  const same = 'for the same guests, the same hotel and the same dates'
  if (doubles.some(({isCertain}) => !isCertain)) {
    const attempts = doubles.map(({clientReferenceId, at}) => {
      const when = at === null ? '' : ` on ${dateText(at)}`
      return `another attempt${when}${clientReferenceId === null ? '' : ` with your reference ${clientReferenceId}`}`
    })
    return {
      point: `This trip may be booked twice: there was ${listText(attempts)} ${same}, and it is not known yet whether that made a reservation.`,
      todo: 'Please do not book anything more for this trip until that is known.',
    }
  }
  const isOne = doubles.length === 1
  const others = listText(doubles.flatMap(({reservationRef}) => reservationRef ?? []))
  const as = reference === null ? '' : ` as ${reference}`
  const areAllPaid = own.isPaid && doubles.every(({summary}) => summary?.isPaid)
  // The mail says elsewhere when the reservation that was asked about was made.
  const first = reference === null ? '' : summaryText(reference, {...own, madeAt: null})
  const summaries = doubles.map(({reservationRef, summary}) =>
    reservationRef === null || summary === null ? '' : summaryText(reservationRef, summary),
  )
  return {
    point: textOfSentences([
      `This trip is probably booked ${isOne ? 'twice' : `${doubles.length + 1} times`}: ${isOne ? 'reservation' : 'reservations'} ${others} ${isOne ? 'is' : 'are'} ${same}${as}.`,
      areAllPaid ? `${isOne ? 'Both' : 'All'} are paid.` : '',
    ]),
    details: textOfSentences([first, ...summaries]),
    todo: `Please check whether ${isOne ? 'both' : 'all'} are wanted. If not, cancel what is not, or tell us which; ${isOne ? 'neither' : 'none'} is cancelled by itself.`,
  }
}

/**
 * Summarises a reservation: `Reservation RSV-1 has your reference order-7, was made on …, is confirmed, and costs
 * 100.00 EUR. Cancelling it is free until ….`
 */
function summaryText(reference: string, summary: BookingSummary): string {
  const {clientReferenceId, madeAt, state, isPaid, price, cancelling} = summary
  const facts = [
    clientReferenceId !== null && `has your reference ${sanitizeLine(clientReferenceId, 100)}`,
    madeAt !== null && `was made on ${dateText(madeAt)}`,
    state !== null && `is ${stateText(state)}${isPaid ? ' and paid' : ''}`,
    price !== null && `costs ${priceText(price)}`,
  ].filter(fact => fact !== false)
  if (facts.length === 0) return ''
  return textOfSentences([`Reservation ${reference} ${listText(facts)}.`, cancellingText(cancelling)])
}

export function stateText(state: string): string {
  if (state === 'pending_payment') return 'waiting for its payment'
  return sanitizeLine(state.replaceAll('_', ' '), 40)
}

function cancellingText(cancelling: Cancelling | null): string {
  switch (cancelling?.kind) {
    case undefined:
      return ''
    case 'not_refundable':
      return 'It is not refundable.'
    case 'costs':
      return `Cancelling it costs ${cancelling.fee ?? 'a fee'}.`
    case 'free':
      return `Cancelling it is free until ${dateText(cancelling.until)}, and costs ${cancelling.feeAfterwards ?? 'a fee'} from then on.`
  }
}

/** Names for notifications that are reported together, and words that agree with their number. */
interface Notices {
  /**
   * The full name, for example `the notification that the payment failed [payment.failed]`. It includes the reservation
   * if the mail is about several.
   */
  readonly name: string
  /** A short name for later mentions, for example `The notification [payment.failed]`. */
  readonly short: string
  readonly is: string
  readonly was: string
  readonly it: string
  readonly hasVoucher: boolean
}

function noticesOf(types: readonly string[], {reference}: AboutEvent, isOnly: boolean): Notices {
  const isOne = types.length === 1
  const noun = isOne ? 'notification' : 'notifications'
  const about = isOnly || reference === null ? '' : ` about reservation ${reference}`
  return {
    name: `the ${noun}${about} ${listText(types.map(typeText))}`,
    short: `The ${noun}${about} ${listText(types.map(shortType))}`,
    is: isOne ? 'is' : 'are',
    was: isOne ? 'was' : 'were',
    it: isOne ? 'it' : 'them',
    hasVoucher: types.includes('voucher.ready'),
  }
}

/**
 * Returns sentences on how to get the information of a lost notification. Only the voucher has a path in the interface
 * (§4.5).
 */
function insteadOf({hasVoucher}: Notices, reference: string | null): string[] {
  if (reference === null) return []
  const state = 'The state of the reservation can be looked up with the API at any time.'
  return hasVoucher ? [state, voucherText([reference])] : [state]
}

/** Says how to get the vouchers of the reservations with these references (§4.5). */
export function voucherText(references: readonly string[]): string {
  const noun = references.length === 1 ? 'voucher' : 'vouchers'
  const paths = references.map(reference => `GET /reservations/${reference}/voucher`)
  return `The API returns the link to the ${noun} with ${listText(paths)}.`
}

const PASS_ON = 'Nothing has to be booked again. Please pass this mail on to your developers.'
const OFF = 'your subscription is switched off'
const TURN_ON = 'Your subscription is switched off now. Please switch it on again.'
const UNAFFECTED = 'The reservation itself is not affected.'

/** Asks the reader to make the address of a subscription reachable. */
function reachableText(address: string | null): string {
  if (address === null) return `Please check that the address of your subscription ${REACHABLE}`
  if (isLoopbackHost(parseUrl(address)?.hostname ?? ''))
    return `The address ${addressText(address)} can be reached only from the machine itself. Please give your subscription an address on the internet.`
  return `Please check that ${addressText(address)} ${REACHABLE}`
}

const REACHABLE = `can be reached from the internet, and that it answers within ${WEBHOOK_RESPONSE_SECONDS} seconds with an HTTP status from 200 to 299.`

function eventMissing(finding: FindingOf<'event_missing'>, notices: Notices): Words {
  const {dueAt, loss, reference, address, status, passiveId} = finding
  const {name, short, is, was} = notices
  const unaffected = reference === null ? '' : UNAFFECTED
  const to = address === null ? 'the address of your subscription' : addressText(address)
  const instead = insteadOf(notices, reference)
  switch (loss) {
    case 'given_up':
      return {
        point: textOfSentences([
          `${capital(name)} could not be delivered to your program, and ${is} not sent again.`,
          unaffected,
        ]),
        details: `${short} ${was} sent to ${to}. ${triesText(finding)}`,
        todo: reference === null ? '' : PASS_ON,
        developers: [...instead, reachableText(address), passiveId === null ? '' : TURN_ON],
      }
    case 'not_kept': {
      const when = dueAt === null ? '' : ` on ${dateText(dueAt)}`
      const answer = status === null ? '' : ` (HTTP status ${status})`
      return {
        point: textOfSentences([
          `${capital(name)} ${was} delivered, but ${is} not among the notifications in our records, and ${is} not sent again.`,
          unaffected,
        ]),
        details: `${short} ${was} sent${when} to ${to}, where a program accepted ${notices.it}${answer}. That may have been another program than the one whose records we have.`,
        todo: reference === null ? '' : PASS_ON,
        developers: [...instead, 'Please check which programs receive notifications at that address.'],
      }
    }
    case 'not_sent':
      return {
        point: textOfSentences([
          `${capital(name)} ${was} not sent${passiveId === null ? '' : `, because ${OFF}`}, and ${is} not sent afterwards.`,
          unaffected,
        ]),
        todo: reference === null ? '' : PASS_ON,
        developers: [
          ...instead,
          passiveId === null ? 'Please check which notifications your subscription takes.' : TURN_ON,
        ],
      }
    case 'never_came':
      return {
        point: textOfSentences([
          `As far as our records show, ${name} did not arrive, and ${is} not sent again.`,
          unaffected,
        ]),
        details: textOfSentences([
          dueAt === null ? '' : `${short} ${was} due on ${dateText(dueAt)}.`,
          refusedText(finding),
        ]),
        todo: reference === null ? '' : PASS_ON,
        developers: [
          ...instead,
          'Please check that the receiving program was running at that time, and that your subscription has the right address.',
        ],
      }
  }
}

function refusedText({refusedHere}: {readonly refusedHere: number}): string {
  if (refusedHere === 0) return ''
  const times = refusedHere === 1 ? 'one request' : `${refusedHere} requests`
  return `In the last hour the receiving program refused ${times}, mostly because a signature was not right, and this may have been among them.`
}

function eventRefused(
  {at, status, nextAt, reference, address, passiveId}: FindingOf<'event_refused'>,
  notices: Notices,
): Words {
  const {name, short, is, was} = notices
  const again = nextAt === null ? `${is} not sent again` : `${is} sent again on ${dateText(nextAt)}`
  const to = address === null ? 'the receiving program' : addressText(address)
  return {
    point: textOfSentences([`Your program refused ${name}.`, reference === null ? '' : UNAFFECTED]),
    details: `${short} reached ${to} on ${dateText(at)}, ${was} answered with the HTTP status ${status}, and ${again}. That is how a program answers that cannot confirm the signature.`,
    todo: reference === null ? '' : PASS_ON,
    developers: [
      ...(nextAt === null ? insteadOf(notices, reference) : []),
      'Please check that your program uses the signing secret that was shown when the subscription was created, and that it checks the content exactly as it arrives, before anything reads or changes it.',
      passiveId === null ? '' : TURN_ON,
    ],
  }
}

/** Names a program that notifications are forwarded to. An address of this machine would mean nothing to the reader. */
function programText(target: string): string {
  if (isLoopbackHost(new URL(target).hostname)) return 'the program on the same machine'
  return `the program at ${originOf(target)}`
}

function forwardGivenUp(finding: FindingOf<'forward_given_up'>, {name, short, was, is, it}: Notices): Words {
  return {
    point: `${capital(name)} arrived, but the program that ${it === 'it' ? 'it is' : 'they are'} passed on to did not take ${it}.`,
    details: `${short} ${was} passed on to ${originOf(finding.target)}. ${triesText({...finding, firstAt: null, lastAt: null})} By itself, ${it === 'it' ? 'it' : 'they'} ${is} not passed on again.`,
    developers: [
      `Please check that program and tell us when it runs again; then we can pass ${it} on once more.`,
    ],
  }
}

function voucherMissing({reference, confirmedAt}: FindingOf<'voucher_missing'>): Words {
  const since = confirmedAt === null ? '' : ` since ${dateText(confirmedAt)}`
  return {
    point: `Reservation ${reference} is valid and confirmed${since}, but its voucher cannot be downloaded yet.`,
    todo: 'Please try again later. If the voucher is still missing then, the operator of the booking service has to produce it.',
  }
}

function chargedOtherwise({reference, price, charged, rate}: FindingOf<'charged_in_other_currency'>): Words {
  const at = rate === null ? '' : ` at the rate ${sanitizeLine(rate, 40)}`
  return {
    point: `The price of reservation ${reference ?? ''} is ${priceText(price)}. Your account is kept in another currency and was charged ${priceText(charged)}${at}. This is the same amount converted, and no second charge.`,
  }
}

function noSubscription({types, passiveId}: FindingOf<'no_subscription'>): Words {
  const isOne = types.length === 1
  const noun = isOne ? 'notification' : 'notifications'
  const sent = `The ${noun} ${listText(types.map(typeText))} ${isOne ? 'was' : 'were'} not sent`
  const it = isOne ? 'it' : 'them'
  const past = 'What is past is not sent afterwards.'
  if (passiveId !== null)
    return {
      point: `${sent}, because your subscription for ${it} is switched off. That can happen after ${DELIVERY_ATTEMPTS} failed deliveries. ${past}`,
      developers: [reachableText(null), 'Then please switch the subscription on again.'],
    }
  return {
    point: `${sent}, because your program had no subscription for ${it}, as far as we know. ${past}`,
    developers: [
      'If your program should be notified, please create a subscription with these types, or add them to the one that you have.',
    ],
  }
}

function deliveryPending(finding: FindingOf<'delivery_pending'>, {name, is, it}: Notices): Words {
  const {target, nextAt, address, passiveId} = finding
  const again = it === 'it' ? 'It' : 'They'
  if (target !== null)
    return {
      point: textOfSentences([
        `${capital(name)} arrived, and ${is} still to be passed on to ${programText(target)}.`,
        triesText(finding),
      ]),
      developers: [
        'Please make sure that this program runs, and the one that passes notifications on to it.',
      ],
    }
  if (passiveId !== null)
    return {
      point: `${capital(name)} ${it === 'it' ? 'has' : 'have'} not arrived, because ${OFF}.`,
      developers: [TURN_ON],
    }
  const to = address === null ? 'the receiving address' : addressText(address)
  const next = nextAt === null ? `${is} sent again several times` : `${is} sent again on ${dateText(nextAt)}`
  return {
    point: textOfSentences([
      `As far as our records show, ${name} ${it === 'it' ? 'has' : 'have'} not arrived yet.`,
      triesText(finding),
      refusedText(finding),
      `${again} ${next}, by itself.`,
    ]),
    developers: [`Please make sure that ${to} can be reached.`],
  }
}

function cancelled({reference, at, isExpired, fee, refund}: FindingOf<'cancelled'>): Words {
  const when = at === null ? '' : ` on ${dateText(at)}`
  const costs = [fee && `the fee is ${priceText(fee)}`, refund && `the refund is ${priceText(refund)}`]
  const cost = listText(costs.filter(each => each !== null))
  const what = isExpired ? `ended${when}, because it was not paid in time` : `was cancelled${when}`
  return {
    point: `Reservation ${reference} ${what}${cost === '' ? '' : `; ${cost}`}.`,
    todo: 'If the trip is still wanted, please book it again.',
  }
}

type Tried = Attempts & Omit<Tries, 'address'>

/**
 * Describes attempts, without quoting an answer: `8 attempts failed, the first on … and the last on …; at the last one
 * the answer had the HTTP status 500.`
 */
function triesText({attempts, status, error, firstAt, lastAt}: Tried): string {
  if (attempts === 0) return ''
  const answer = answerWords(status, error)
  const first = firstAt === null ? '' : dateText(firstAt)
  const last = lastAt === null ? '' : dateText(lastAt)
  if (attempts === 1) return `The one attempt${first && ` on ${first}`} failed: ${answer}.`
  const times =
    first === last ? first && `, all on ${first}` : `, the first on ${first} and the last on ${last}`
  return `${attempts} attempts failed${times}; at the last one ${answer}.`
}

function answerWords(status: number | null, error: string | null): string {
  if (status !== null) return `the answer had the HTTP status ${status}`
  return /within|time/i.test(error ?? '') ? 'there was no answer in time' : 'the address could not be reached'
}
