/** Facts for tests: a confirmed reservation with nothing wrong, and parts to change in it. */
import type {
  Delivery,
  Facts,
  OwnSubscription,
  ReceivedEvent,
  Receiving,
  ReservationFacts,
} from '../../../../src/cli/features/explain/facts.js'
import type {JournalEntry} from '../../../../src/contract/journal.js'

/** Unix seconds of 2030-06-01T12:00:00Z. */
export const NOON = 1_906_545_600
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

const CLIENT = {baseUrl: 'https://service.example/v1', clientId: 'cid_1'}

export const RECORD = {
  reservation_ref: 'RSV-1',
  status: 'CONFIRMED',
  client_reference_id: 'order-7',
  hotel: {hotel_id: 'h_1', name: 'Sea View'},
  check_in: '2030-08-01',
  check_out: '2030-08-03',
  price: {total: '100.00', currency: 'EUR'},
  payment: {mode: 'account', status: 'PAID', amount: '100.00', currency: 'EUR', paid_at: iso(NOON)},
  voucher: {status: 'READY'},
  created_at: iso(NOON),
  confirmed_at: iso(NOON),
}

export const shown = (change: object = {}): ReservationFacts['service'] => {
  const reservation: Record<string, unknown> = {...RECORD, ...change}
  const {status} = reservation
  const found = {reservation, reservation_ref: 'RSV-1', status: String(status), payment_url: null}
  return {kind: 'shown', found}
}

export const entry = (change: Partial<JournalEntry> = {}): JournalEntry => ({
  ...CLIENT,
  id: 1,
  clientReferenceId: 'order-7',
  offerId: 'off_1',
  idempotencyKey: 'key-1',
  body: null,
  bodySha256: '',
  intentSha256: '',
  agreed: {price: '100.00', currency: 'EUR'},
  booked: {price: '100.00', currency: 'EUR'},
  trip: null,
  madeBy: null,
  outcome: 'confirmed',
  reservationRef: 'RSV-1',
  attempts: 1,
  lost: false,
  result: RECORD,
  createdAt: NOON,
  updatedAt: NOON,
  ...change,
})

export const received = (type: string, change: Partial<ReceivedEvent> = {}): ReceivedEvent => ({
  eventId: `evt_${type}`,
  type,
  status: 'CONFIRMED',
  isTest: false,
  receivedAt: NOON + 1,
  createdAt: NOON,
  secretName: 'whsub_1',
  forwards: [],
  ...change,
})

const BOTH = [received('reservation.confirmed'), received('voucher.ready')]

export const reservation = (change: Partial<ReservationFacts> = {}): ReservationFacts => ({
  reference: 'RSV-1',
  client: CLIENT,
  entry: entry(),
  offer: undefined,
  service: shown(),
  voucher: 'ready',
  listed: undefined,
  events: BOTH,
  deliveries: undefined,
  sent: undefined,
  doubles: [],
  now: NOON + 60,
  refusals: [],
  ...change,
})

export const subscription = (change: Partial<OwnSubscription> = {}): OwnSubscription => ({
  ...CLIENT,
  id: 'whsub_1',
  types: ['reservation.confirmed', 'voucher.ready'],
  url: 'https://partner.example/events?key=secret1',
  isPassive: false,
  since: NOON - 1000,
  until: null,
  received: {first: NOON - 500, last: NOON - 500},
  ...change,
})

export const receiving = (change: Partial<Receiving> = {}): Receiving => ({
  subscriptions: [subscription()],
  isListed: false,
  receivedTypes: ['voucher.ready'],
  prunedBefore: null,
  refusedLastHour: 0,
  ...change,
})

export const facts = (change: Partial<ReservationFacts> = {}, more: Partial<Facts> = {}): Facts => ({
  subject: {kind: 'reservation', id: 'RSV-1'},
  reservations: [reservation(change)],
  receiving: receiving(),
  moments: [],
  requests: [],
  asked: [{source: 'service', where: 'the service', problem: null}],
  ...more,
})

export const delivery = (change: Partial<Delivery> = {}): Delivery => ({
  deliveryId: 'dlv_1',
  subscriptionId: 'whsub_1',
  eventId: 'evt_lost',
  type: 'voucher.ready',
  reservationRef: 'RSV-1',
  status: 'ABANDONED',
  nextAttemptAt: null,
  attempts: [{at: NOON, status: 500, error: null}],
  ...change,
})
