/** A client of a service, others that differ from it in one thing, and what is stored of it. */
import type {ReservationIntent} from '../../src/contract/journal.js'
import type {CachedToken} from '../../src/contract/token-cache.js'

export const CLIENT = {
  baseUrl: 'https://example.com/v1',
  clientId: 'cid_1',
  clientSecret: 's',
  secretFingerprint: 'f1',
}
/** At another service, and with another id. */
export const OTHER_CLIENTS = [
  {...CLIENT, baseUrl: 'https://other.example/v1'},
  {...CLIENT, clientId: 'cid_2'},
]
/** The same, and one with another secret. */
export const OTHER_KEYS = [...OTHER_CLIENTS, {...CLIENT, clientSecret: 't', secretFingerprint: 'f2'}]

export const token = (access_token: string, more: Partial<CachedToken> = {}): CachedToken => ({
  access_token,
  scopes: ['a', 'b'],
  askedScopes: ['a'],
  obtainedAt: 1.5,
  expiresAt: 7201.5,
  ...more,
})

export const intent = (n: number, more: Partial<ReservationIntent> = {}): ReservationIntent => ({
  offerId: `off_${n}`,
  clientReferenceId: `ref-${n}`,
  referenceGiven: true,
  idempotencyKey: `key-${n}`,
  keyGiven: false,
  body: `{"guest":"canary-${n}"}`,
  bodySha256: `body-${n}`,
  intentSha256: `intent-${n}`,
  ...more,
})
