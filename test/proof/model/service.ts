/**
 * A small model of the service, written from the interface and from what we chose where the interface is silent. It shares no
 * code with src/, and keeps offers, reservations, money, keys and events in plain maps. Times are Unix seconds and money is in
 * hundredths. Deliveries follow from events alone; their tests are in test/sandbox/delivery.
 */

export const MINUTE = 60
/** Lifetime of an offer (§2.3). */
const OFFER_SECONDS = 15 * MINUTE
const PAYMENT_SECONDS = 15 * MINUTE
const KEY_SECONDS = 24 * 60 * MINUTE

export interface ModelOffer {
  readonly id: string
  readonly total: number
  readonly searchedAt: number
  readonly expiresAt: number
  readonly fees: readonly {readonly from: number; readonly fee: number}[]
  reservation: string | undefined
}

export interface ModelReservation {
  readonly ref: string
  readonly reference: string
  readonly mode: 'account' | 'instant'
  readonly offer: ModelOffer
  readonly payBy: number
  status: 'PENDING_PAYMENT' | 'CONFIRMED' | 'CANCELLED' | 'EXPIRED'
  payment: 'PENDING' | 'PAID' | 'FAILED' | 'EXPIRED' | 'REFUNDED'
}

/** The parameters of a reservation. */
export interface Wish {
  readonly offer: string
  readonly key: string
  readonly reference: string
  readonly mode: 'account' | 'instant'
  /** What is wrong with the body, by the error code of the service. */
  readonly mistake: 'guest_count_mismatch' | 'nationality_mismatch' | 'invalid_identity_number' | undefined
}

export interface Answered {
  readonly status: number
  readonly code: string | undefined
  /** Reference of the new reservation, or the one that a refusal names. */
  readonly ref: string | undefined
  readonly replayed: boolean
}

interface KeptAnswer {
  readonly wish: string
  readonly at: number
  readonly answered: Answered
}

export class ModelService {
  readonly offers = new Map<string, ModelOffer>()
  readonly reservations = new Map<string, ModelReservation>()
  /** Type, reference and status of each event, in order. */
  readonly events: {readonly text: string; readonly at: number}[] = []
  readonly keys = new Map<string, KeptAnswer>()

  constructor(
    public now: number,
    public balance: number,
  ) {}

  found(id: string, total: number, fees: ModelOffer['fees']): ModelOffer {
    const times = {searchedAt: this.now, expiresAt: this.now + OFFER_SECONDS}
    const offer = {id, total, fees, ...times, reservation: undefined}
    this.offers.set(id, offer)
    return offer
  }

  /** Returns why an offer cannot be shown or reserved (§7). */
  offerRefusal(id: string): string | undefined {
    const offer = this.offers.get(id)
    if (!offer) return 'offer_not_found'
    if (offer.reservation !== undefined) return 'offer_already_used'
    return this.now >= offer.expiresAt ? 'offer_expired' : undefined
  }

  /**
   * Reports whether the service may give this answer after all that happened; if so, applies it to the model. The interface does
   * not show the order of refusals if several apply.
   */
  reserves(wish: Wish, answered: Answered): boolean {
    const text = JSON.stringify({...wish, key: undefined})
    const kept = this.keys.get(wish.key)
    if (kept && this.now < kept.at + KEY_SECONDS) {
      if (kept.wish !== text) return answered.status === 422 && answered.code === 'idempotency_key_reused'
      const {status, code, ref} = kept.answered
      return answered.replayed && answered.status === status && answered.code === code && answered.ref === ref
    }
    if (answered.replayed) return false
    const refusals = this.refusalsOf(wish)
    if (answered.status === 201 ? refusals.length > 0 : !refusals.includes(answered.code ?? '')) return false
    const earlier: Readonly<Record<string, string | undefined>> = {
      offer_already_used: this.offers.get(wish.offer)?.reservation,
      duplicate_client_reference: this.byReference(wish.reference)?.ref,
    }
    if (answered.code && answered.code in earlier && earlier[answered.code] !== answered.ref) return false
    // A request that is invalid in itself leaves its key unused.
    if (answered.status !== 400) this.keys.set(wish.key, {wish: text, at: this.now, answered})
    if (answered.status === 201) this.make(wish, answered.ref ?? '')
    return true
  }

  private refusalsOf({offer, reference, mode, mistake}: Wish): string[] {
    const refusals: (string | undefined)[] = [this.offerRefusal(offer), mistake]
    if (this.byReference(reference)) refusals.push('duplicate_client_reference')
    const {total = 0} = this.offers.get(offer) ?? {}
    if (mode === 'account' && total > this.balance) refusals.push('insufficient_balance')
    return refusals.filter(code => code !== undefined)
  }

  private byReference(reference: string): ModelReservation | undefined {
    return [...this.reservations.values()].find(each => each.reference === reference)
  }

  private make({offer: id, reference, mode}: Wish, ref: string): void {
    const offer = this.offers.get(id)
    if (!offer) return
    offer.reservation = ref
    const payBy = this.now + PAYMENT_SECONDS
    const state = {status: 'PENDING_PAYMENT', payment: 'PENDING'} as const
    const made: ModelReservation = {ref, reference, mode, offer, payBy, ...state}
    this.reservations.set(ref, made)
    if (mode === 'instant') return
    this.balance -= offer.total
    this.confirm(made)
  }

  private confirm(reservation: ModelReservation): void {
    reservation.status = 'CONFIRMED'
    reservation.payment = 'PAID'
    this.emit('reservation.confirmed', reservation)
    this.emit('voucher.ready', reservation)
  }

  /**
   * Completes the payment, or records a failure after which it can be tried again (§3). Returns whether there was something to
   * pay.
   */
  pay(ref: string, result: 'paid' | 'failed'): boolean {
    const reservation = this.reservations.get(ref)
    if (reservation?.status !== 'PENDING_PAYMENT') return false
    if (result === 'failed') {
      reservation.payment = 'FAILED'
      this.emit('payment.failed', reservation)
      return true
    }
    // The event contains the status after the change.
    reservation.status = 'CONFIRMED'
    this.emit('payment.captured', reservation)
    this.confirm(reservation)
    return true
  }

  cancelRefusal(ref: string): string | undefined {
    const status = this.reservations.get(ref)?.status
    if (status === undefined) return 'reservation_not_found'
    if (status === 'CANCELLED') return 'already_cancelled'
    return status === 'EXPIRED' ? 'not_cancellable' : undefined
  }

  cancel(ref: string): void {
    const reservation = this.reservations.get(ref)
    if (!reservation) return
    if (reservation.payment === 'PAID') {
      const {total, fees} = reservation.offer
      const fee = Math.min(total, fees.filter(({from}) => from <= this.now).at(-1)?.fee ?? 0)
      if (reservation.mode === 'account') this.balance += total - fee
      if (fee < total) reservation.payment = 'REFUNDED'
    } else {
      reservation.payment = 'EXPIRED'
    }
    reservation.status = 'CANCELLED'
    this.emit('reservation.cancelled', reservation)
  }

  private emit(type: string, {ref, status}: ModelReservation, at = this.now): void {
    this.events.push({text: `${type} ${ref} ${status}`, at})
  }

  /** Moves the time forward. Reservations that are unpaid at the end of their time expire at that moment. */
  advance(seconds: number): void {
    this.now += seconds
    for (const reservation of this.reservations.values()) {
      if (reservation.status !== 'PENDING_PAYMENT' || reservation.payBy > this.now) continue
      reservation.status = 'EXPIRED'
      reservation.payment = 'EXPIRED'
      this.emit('reservation.cancelled', reservation, reservation.payBy)
    }
  }
}
