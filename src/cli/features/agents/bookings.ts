/** Opens what agents may book and cancel, for one server. */
import {usage} from '../../../contract/failure.js'
import type {Booking, BookingParts, Caller} from './booking.js'
import {cancelHandle, prepareCancellation} from './cancellations.js'
import {approveCommandOf} from './consent.js'
import {prepareReservation, reserveHandle} from './reservations.js'

export type Bookings = Awaited<ReturnType<typeof openBookings>>

/**
 * Opens the bookings of a server. Sends nothing. Throws a usage error if consent is `none` with live credentials, or if nothing can
 * be remembered, because then a repeat could book twice.
 */
export async function openBookings(bookingParts: BookingParts) {
  const {connection, consent, serviceFlags = []} = bookingParts
  const {state, target, clock} = connection
  if (consent === 'none' && target.mode === 'live')
    throw usage(
      'consent_required',
      '--consent none is for test credentials; a live reservation needs the consent of a person',
      'leave --consent none out',
    )
  if (!state.remembers)
    throw usage(
      'journal_not_writable',
      'the configuration directory cannot be written, so a repeat could book twice; agents may not book or cancel',
      'make it writable, because reservations are recorded there',
    )
  const handles = await state.agentHandles(target)
  await handles.prune(clock.now())
  const ending = new AbortController()
  const booking: Booking = {
    ...bookingParts,
    handles,
    journal: state.journal.forClient(target),
    signal: ending.signal,
    approveCommand: handle => approveCommandOf(handle, target, serviceFlags),
  }
  const underWay = new Map<string, Promise<unknown>>()
  /** Runs one call at a time. The same calls meanwhile share it, so that a person is asked once. */
  const shared = <T>(call: string, work: () => Promise<T>): Promise<T> => {
    const running = underWay.get(call) as Promise<T> | undefined
    if (running) return running
    const started = work().finally(() => underWay.delete(call))
    underWay.set(call, started)
    return started
  }
  return {
    /** Prepares a reservation (see `prepareReservation`). */
    prepareReservation: (request: unknown, caller: Pick<Caller, 'program'>) =>
      prepareReservation(booking, request, caller),
    /** Carries out a prepared reservation (see `reserveHandle`). */
    reserve: (handle: string, caller: Caller) =>
      shared(`reserve ${handle}`, () => reserveHandle(booking, handle, caller)),
    /** Prepares a cancellation (see `prepareCancellation`). */
    prepareCancellation: (reference: string, caller: Pick<Caller, 'program'>) =>
      prepareCancellation(booking, reference, caller),
    /** Carries out a prepared cancellation (see `cancelHandle`). */
    cancel: (handle: string, caller: Caller) =>
      shared(`cancel ${handle}`, () => cancelHandle(booking, handle, caller)),
    /**
     * Ends the bookings: nothing more is sent, except the repeats of a request whose outcome is unknown. Resolves when every call
     * has recorded its outcome. A question that is open must end by itself, as with the connection that it was asked through.
     */
    async close(): Promise<void> {
      ending.abort()
      await Promise.allSettled(underWay.values())
    },
  }
}
