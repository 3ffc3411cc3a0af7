/** The events that a reservation should have caused (§6.1), by what is known of it. */
import {describe, expect, it} from 'vitest'
import {dueEvents, type ReservationCourse} from '../../src/contract/due-events.js'

const at = (minute: number) => Date.UTC(2030, 5, 1, 12, minute) / 1000
const text = (minute: number) => `2030-06-01T12:${String(minute).padStart(2, '0')}:00.000Z`

const NOTHING_KNOWN: ReservationCourse = {
  paymentMode: null,
  madeAt: null,
  isConfirmed: false,
  confirmedAt: null,
  isPaid: false,
  paidAt: null,
  isPaymentFailed: false,
  paymentFailedAt: null,
  isVoucherReady: false,
  voucherReadyAt: null,
  isCancelled: false,
  cancelledAt: null,
  changedAt: null,
}

/** Returns the due events as `type minute`, where `-` is an unknown time. */
function due(known: Partial<ReservationCourse>): string[] {
  const times = new Map(Array.from({length: 60}, (_, minute) => [text(minute), String(minute)]))
  return dueEvents({...NOTHING_KNOWN, ...known}).map(
    ({type, due_at}) => `${type} ${due_at === null ? '-' : times.get(due_at)}`,
  )
}

describe('the events that a reservation should have caused', () => {
  it('are none where nothing is known', () => {
    expect(due({})).toEqual([])
  })

  it('are none for a reservation that waits for its payment', () => {
    expect(due({paymentMode: 'instant', madeAt: at(1)})).toEqual([])
  })

  it('are its confirmation and its voucher when it is paid from the account', () => {
    const known = {paymentMode: 'account', madeAt: at(1), isConfirmed: true, isVoucherReady: true}
    expect(due(known)).toEqual(['reservation.confirmed 1', 'voucher.ready 1'])
  })

  it('have a captured payment only for an instant one', () => {
    const paid = {madeAt: at(1), isConfirmed: true, isPaid: true, paidAt: at(5)}
    expect(due({...paid, paymentMode: 'instant'})).toEqual(['payment.captured 5', 'reservation.confirmed 5'])
    expect(due({...paid, paymentMode: 'account'})).toEqual(['reservation.confirmed 1'])
  })

  it('have no confirmation before the service says that a paid reservation is confirmed', () => {
    expect(due({paymentMode: 'instant', isPaid: true, paidAt: at(5)})).toEqual(['payment.captured 5'])
  })

  it('have no time if it is unknown when they happened', () => {
    const instant = {paymentMode: 'instant', madeAt: at(1), isConfirmed: true}
    expect(due(instant)).toEqual(['payment.captured -', 'reservation.confirmed -'])
    expect(due({madeAt: at(1), isConfirmed: true})).toEqual(['reservation.confirmed -'])
  })

  it('have no voucher before it is produced', () => {
    expect(due({paymentMode: 'account', madeAt: at(1), isConfirmed: true})).toEqual([
      'reservation.confirmed 1',
    ])
  })

  it('are still due after a cancellation', () => {
    const known = {
      paymentMode: 'account',
      isConfirmed: true,
      confirmedAt: at(2),
      isCancelled: true,
      cancelledAt: at(9),
    }
    expect(due(known)).toEqual(['reservation.confirmed 2', 'reservation.cancelled 9'])
  })

  it('are a failed payment, and a change that is known', () => {
    expect(due({isPaymentFailed: true, paymentFailedAt: at(3)})).toEqual(['payment.failed 3'])
    expect(due({changedAt: at(4)})).toEqual(['reservation.updated 4'])
  })
})
