/** A client of a service, clients that differ from it in one respect, and values as they are stored for it. */
import type {ReservationIntent} from '../../src/contract/journal.js'
import type {OfferFound} from '../../src/contract/seen-offers.js'
import type {NewEvent} from '../../src/contract/stored-events.js'
import type {CachedToken} from '../../src/contract/token-cache.js'

export const CLIENT = {
  baseUrl: 'https://example.com/v1',
  clientId: 'cid_1',
  clientSecret: 's',
  secretFingerprint: 'f1',
}
/** Clients of another service and with another id. */
export const OTHER_CLIENTS = [
  {...CLIENT, baseUrl: 'https://other.example/v1'},
  {...CLIENT, clientId: 'cid_2'},
]
/** The same clients, and one with another secret. */
export const OTHER_KEYS = [...OTHER_CLIENTS, {...CLIENT, clientSecret: 't', secretFingerprint: 'f2'}]

export const token = (access_token: string, more: Partial<CachedToken> = {}): CachedToken => ({
  access_token,
  scopes: ['a', 'b'],
  askedScopes: ['a'],
  obtainedAt: 1.5,
  expiresAt: 7201.5,
  ...more,
})

export const offer = (offer_id: string, more: Partial<OfferFound> = {}): OfferFound => ({
  offer_id,
  hotel_name: 'Ağa',
  stars: 4,
  room_name: null,
  board: 'BB',
  total: '10.00',
  currency: 'EUR',
  details: null,
  nationality: 'TR',
  check_in: '2030-01-01',
  check_out: '2030-01-02',
  rooms: [{adults: 2, children_ages: [5]}],
  searched_at: 1000,
  expires_at: 1900,
  ...more,
})

export const intent = (n: number, more: Partial<ReservationIntent> = {}): ReservationIntent => ({
  offerId: `off_${n}`,
  clientReferenceId: `ref-${n}`,
  referenceGiven: true,
  agreed: null,
  trip: null,
  madeBy: null,
  idempotencyKey: `key-${n}`,
  keyGiven: false,
  body: `{"guest":"canary-${n}"}`,
  bodySha256: `body-${n}`,
  intentSha256: `intent-${n}`,
  ...more,
})

/** Returns an event with details that a store might change: repeated and empty headers, and a body that is not text. */
export const eventOf = (eventId: string, more: Partial<NewEvent> = {}): NewEvent => ({
  eventId,
  type: 'voucher.ready',
  receivedAt: 1000,
  secretName: 'whsub_1',
  rawHeaders: ['X-A', 'one', 'x-a', ''],
  body: Buffer.from([0xff, 0, 0x0a, 0xfe]),
  reservationRef: null,
  targets: [],
  ...more,
})
