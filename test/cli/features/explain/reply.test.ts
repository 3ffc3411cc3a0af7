/** The words of an explanation: for the operator with a next step, and for a partner who does not know the tool. */
import {describe, expect, it} from 'vitest'
import type {BookingSummary, Facts} from '../../../../src/cli/features/explain/facts.js'
import {type Finding, SEVERITIES} from '../../../../src/cli/features/explain/finding.js'
import {describeFinding} from '../../../../src/cli/features/explain/finding-words.js'
import {replyResult} from '../../../../src/cli/features/explain/reply.js'
import {SEEN} from '../../../support/seen-offer.js'
import {entry, facts, NOON, received, reservation} from './made-up-facts.js'

const reference = 'RSV-1'
const event = {type: 'voucher.ready', eventId: 'evt_1', reference, passiveId: null}
const address = 'https://user:secret1@partner.example/events/secret1-0123456789abcdef?key=secret1'
const failed = {
  attempts: 8,
  status: 500,
  error: null,
  refusedHere: 0,
  address,
  firstAt: NOON,
  lastAt: NOON + 3600,
}
const summary: BookingSummary = {
  clientReferenceId: 'order-8',
  state: 'confirmed',
  isPaid: true,
  madeAt: NOON,
  price: {amount: '100.00', currency: 'EUR'},
  cancelling: {kind: 'free', until: NOON + 86_400, feeAfterwards: '50.00 EUR'},
}
const money = (amount: string, currency = 'EUR') => ({amount, currency})

/** One finding of each kind, and where a kind has several forms, one of each. */
const FINDINGS: readonly Finding[] = [
  {
    code: 'outcome_unknown',
    reference: null,
    clientReferenceId: 'order-7',
    sentAt: NOON,
    found: null,
    isForgotten: false,
  },
  {
    code: 'outcome_unknown',
    reference: null,
    clientReferenceId: 'order-7',
    sentAt: NOON,
    found: [],
    isForgotten: true,
  },
  {
    code: 'outcome_unknown',
    reference: null,
    clientReferenceId: 'order-7',
    sentAt: NOON,
    found: ['RSV-1'],
    isForgotten: false,
  },
  {
    code: 'price_changed',
    reference,
    agreed: money('100.00'),
    booked: money('120.00'),
    clientReferenceId: 'order-7',
  },
  {
    code: 'price_changed',
    reference: null,
    agreed: money('100.00'),
    booked: null,
    clientReferenceId: 'order-7',
  },
  {
    code: 'likely_double',
    reference,
    own: {...summary, clientReferenceId: 'order-7', cancelling: {kind: 'costs', fee: null}},
    double: {reservationRef: 'RSV-2', clientReferenceId: 'order-8', at: NOON, isCertain: true, summary},
  },
  {
    code: 'likely_double',
    reference,
    own: summary,
    double: {reservationRef: null, clientReferenceId: 'order-8', at: NOON, isCertain: false, summary: null},
  },
  {code: 'event_missing', ...event, ...failed, dueAt: NOON, loss: 'given_up'},
  {
    code: 'event_missing',
    ...event,
    ...failed,
    status: null,
    error: 'connect ECONNREFUSED 10.0.0.1:80',
    dueAt: null,
    loss: 'given_up',
  },
  {code: 'event_missing', ...event, ...failed, passiveId: 'whsub_1', dueAt: NOON, loss: 'not_sent'},
  {code: 'event_missing', ...event, ...failed, status: 200, dueAt: NOON, loss: 'not_kept'},
  {code: 'event_missing', ...event, ...failed, eventId: null, attempts: 0, dueAt: NOON, loss: 'never_came'},
  {code: 'event_refused', ...event, address, at: NOON, status: 401, attempts: 2, nextAt: NOON + 300},
  {code: 'event_refused', ...event, address, at: NOON, status: 403, attempts: 8, nextAt: null},
  {code: 'forward_given_up', ...event, ...failed, target: 'https://crm.example/hooks?key=secret1'},
  {code: 'not_found_there', reference, baseUrl: 'https://service.example/v1'},
  {code: 'voucher_missing', reference, confirmedAt: NOON},
  {
    code: 'charged_in_other_currency',
    reference,
    price: money('100.00'),
    charged: money('92.59', 'USD'),
    rate: '0.9259',
  },
  {
    code: 'no_subscription',
    reference,
    types: ['voucher.ready', 'reservation.confirmed'],
    passiveId: null,
  },
  {code: 'no_subscription', reference, types: ['voucher.ready'], passiveId: 'whsub_1'},
  {
    code: 'delivery_pending',
    ...event,
    ...failed,
    attempts: 2,
    target: null,
    dueAt: NOON,
    nextAt: NOON + 300,
  },
  {
    code: 'delivery_pending',
    ...event,
    ...failed,
    attempts: 0,
    target: null,
    dueAt: NOON,
    nextAt: null,
  },
  {
    code: 'delivery_pending',
    ...event,
    ...failed,
    target: 'https://crm.example/hooks?key=secret1',
    dueAt: NOON,
    nextAt: null,
  },
  {code: 'cancelled', reference, at: NOON, isExpired: false, fee: money('5.00'), refund: money('95.00')},
  {code: 'cancelled', reference, at: null, isExpired: true, fee: null, refund: null},
]

const textOf = (given: Facts, ...findings: Finding[]) => replyResult(given, findings).text ?? ''

/** Words of the tool and of its makers, and signs of a value that was not filled in. */
const INTERNAL =
  /bookctl|journal|listener|forward|store\b|exit|JSON|Idempotency|webhook|sandbox|shared|hook[s?]|secret1|ECONN|undefined|null|NaN|\[object/i

/** Returns the sentences that stand in a text more than once. */
function repeatedIn(text: string): string[] {
  const sentences = text.split(/(?<=\.)\s+/).filter(Boolean)
  return sentences.filter((sentence, n) => sentences.indexOf(sentence) !== n)
}

it('every kind of finding is tried', () => {
  expect(new Set(FINDINGS.map(({code}) => code))).toEqual(new Set(Object.keys(SEVERITIES)))
})

describe.each(FINDINGS.map((finding, n) => [`${n}: ${finding.code}`, finding] as const))(
  '%s',
  (_, finding) => {
    it('has a text and a next step without secrets', () => {
      const {text, advice, severity} = describeFinding(finding)
      expect(severity).toBe(SEVERITIES[finding.code])
      for (const words of [text, advice])
        expect(words).not.toMatch(/undefined|null|NaN|\[object|secret1|\s\s|^$/)
    })

    it('is explained to a partner in whole sentences, without words of the program', () => {
      const text = textOf(facts(), finding)
      expect(text).not.toMatch(INTERNAL)
      for (const line of text.split('\n').filter(Boolean)) expect(line).toMatch(/^[A-Z].*\.$/)
      expect(repeatedIn(text)).toEqual([])
      // Every date has its zone.
      expect(text.match(/\d{2}:\d{2}(?! UTC)/)).toBeNull()
    })
  },
)

it('a reply to a reservation says what happened and what to do', () => {
  const found: Finding = {code: 'event_missing', ...event, ...failed, dueAt: NOON, loss: 'given_up'}
  const text = textOf(facts({events: [received('reservation.confirmed')]}), found)
  expect(
    text,
  ).toBe(`You asked about reservation RSV-1 (Sea View, 1 to 3 August 2030). The notification that the voucher can be downloaded [voucher.ready] could not be delivered to your program, and is not sent again. The reservation itself is not affected.

Reservation RSV-1 was made, paid and confirmed on 1 June 2030, 12:00 UTC. This notification about it has arrived and is in our records: that the reservation is confirmed [reservation.confirmed] (1 June 2030, 12:00 UTC).

The notification [voucher.ready] was sent to https://partner.example/events/…. 8 attempts failed, the first on 1 June 2030, 12:00 UTC and the last on 1 June 2030, 13:00 UTC; at the last one the answer had the HTTP status 500.

What to do: Nothing has to be booked again. Please pass this mail on to your developers.

For your developers: The state of the reservation can be looked up with the API at any time. The API returns the link to the voucher with GET /reservations/RSV-1/voucher. Please check that https://partner.example/events/… can be reached from the internet, and that it answers within 3 seconds with an HTTP status from 200 to 299.
`)
})

it('notifications that were lost in the same way are reported together', () => {
  const lost = {code: 'event_missing', ...event, ...failed, dueAt: NOON, loss: 'given_up'} as const
  const text = textOf(facts({events: []}), lost, {...lost, type: 'reservation.confirmed', eventId: 'evt_2'})
  expect(text).toContain(
    'The notifications that the voucher can be downloaded [voucher.ready] and that the reservation is confirmed [reservation.confirmed] could not be delivered to your program, and are not sent again.',
  )
  expect(repeatedIn(text)).toEqual([])
  const otherwise = {...lost, type: 'reservation.confirmed', eventId: 'evt_2', attempts: 1, status: 404}
  expect(textOf(facts({events: []}), lost, otherwise)).toContain(
    'The one attempt on 1 June 2030, 12:00 UTC failed',
  )
})

it('a likely double is reported with the cost of cancelling each', () => {
  const own: BookingSummary = {...summary, clientReferenceId: 'order-7', cancelling: {kind: 'not_refundable'}}
  const double = {reservationRef: 'RSV-2', clientReferenceId: 'order-8', at: NOON, isCertain: true, summary}
  const text = textOf(facts(), {code: 'likely_double', reference, own, double})
  expect(text).toMatch(/^You asked about reservation RSV-1 \(.*?\)\. This trip is probably booked twice: /)
  expect(text).toContain(
    'Reservation RSV-1 has your reference order-7, is confirmed and paid and costs 100.00 EUR. It is not refundable.',
  )
  expect(text).toContain(
    'Reservation RSV-2 has your reference order-8, was made on 1 June 2030, 12:00 UTC, is confirmed and paid and costs 100.00 EUR. Cancelling it is free until 2 June 2030, 12:00 UTC, and costs 50.00 EUR from then on.',
  )
})

it('several likely doubles are reported in one sentence', () => {
  const double = {reservationRef: 'RSV-2', clientReferenceId: 'order-8', at: NOON, isCertain: true, summary}
  const found = {code: 'likely_double', reference, own: summary, double} as const
  const text = textOf(facts(), found, {...found, double: {...double, reservationRef: 'RSV-3'}})
  expect(text).toContain('probably booked 3 times: reservations RSV-2 and RSV-3 are for the same guests')
  expect(text.match(/Please check whether all are wanted/g)).toHaveLength(1)
})

describe('a reply', () => {
  const id = 'evt_voucher.ready'

  it('to a client reference names its reservations', () => {
    const second = reservation({reference: 'RSV-2'})
    const given = facts(
      {},
      {subject: {kind: 'client_reference', id: 'order-7'}, reservations: [reservation(), second]},
    )
    expect(textOf(given)).toContain(
      'You asked about your reference order-7. It belongs to reservations RSV-1 (Sea View, 1 to 3 August 2030) and RSV-2 (Sea View, 1 to 3 August 2030). All is well. Reservation RSV-1 is confirmed and paid, and its voucher can be downloaded. Reservation RSV-2',
    )
    expect(textOf(given)).toContain('Reservation RSV-2 was made, paid and confirmed')
    expect(textOf(given)).toContain('There is nothing for you to do.')
    expect(textOf(given)).toContain(
      'The API returns the link to the vouchers with GET /reservations/RSV-1/voucher and GET /reservations/RSV-2/voucher.',
    )
  })

  it('to an event says its type and whether it arrived', () => {
    const given = facts({}, {subject: {kind: 'event', id}})
    expect(textOf(given)).toContain(
      `You asked about the notification ${id}. It says that the voucher can be downloaded [voucher.ready]. It is about reservation RSV-1 (Sea View, 1 to 3 August 2030). It arrived on 1 June 2030, 12:00 UTC.`,
    )
    const lost = facts({events: []}, {subject: {kind: 'event', id: 'evt_unknown'}})
    expect(textOf(lost)).toContain('Its type is not known.')
  })

  it('does not name an address of the own machine, and promises nothing of a forward that fails', () => {
    const pending = {code: 'delivery_pending', ...event, ...failed, dueAt: NOON, nextAt: null} as const
    const text = textOf(facts(), {...pending, target: 'http://127.0.0.1:4599/in'})
    expect(text).toContain('still to be passed on to the program on the same machine')
    expect(text).toContain('HTTP status 500')
    expect(text).not.toMatch(/127\.0\.0\.1|by itself|nothing for you to do/)
  })

  it('to a test event says that it is one', () => {
    const events = [received('reservation.confirmed', {eventId: 'evt_t', isTest: true})]
    const given = facts({reference: null, entry: undefined, events}, {subject: {kind: 'event', id: 'evt_t'}})
    const text = textOf(given)
    expect(text).toContain('It is a test notification')
    expect(text).not.toContain('confirmed')
  })

  it('to an offer says whether it was booked', () => {
    const moments = [{at: NOON, what: '', source: 'offers' as const, offer_id: 'off_1'}]
    const subject = {kind: 'offer', id: 'off_1'} as const
    const booked = textOf(facts({}, {subject, moments}))
    expect(booked).toContain(
      'It was found on 1 June 2030, 12:00 UTC; an offer is valid for 15 minutes. It was booked as',
    )
    expect(textOf(facts({}, {subject, moments, reservations: []}))).toContain('It was not booked.')
  })

  it('to a request says when it was sent', () => {
    const moments = [{at: NOON, what: '', source: 'sandbox' as const, request_id: 'req_1'}]
    const given = facts({}, {subject: {kind: 'request', id: 'req_1'}, moments})
    expect(textOf(given)).toContain(
      'You asked about the request req_1. It was sent on 1 June 2030, 12:00 UTC. It concerns',
    )
  })

  it('to an attempt that was refused says that nothing was booked', () => {
    const refused = entry({outcome: 'refused', reservationRef: null, result: null})
    const given = facts(
      {
        reference: null,
        entry: refused,
        events: [],
        offer: SEEN,
        service: {kind: 'hidden'},
        refusals: ['offer_expired'],
      },
      {subject: {kind: 'client_reference', id: 'order-7'}},
    )
    expect(textOf(given)).toContain('You asked about your reference order-7 (Pera, 1 to 4 June 2030).')
    expect(textOf(given)).toContain(
      'The booking service refused the booking on 1 June 2030, 12:00 UTC, because the offer had expired. Nothing was booked, and nothing was charged.',
    )
  })

  it('says that the service was not asked, if so', () => {
    const asked = [{source: 'service', where: 'the service', problem: 'not logged in'}] as const
    expect(textOf(facts({}, {asked}))).toContain('The booking service itself could not be asked')
    expect(textOf(facts())).not.toContain('could not be asked')
  })
})
