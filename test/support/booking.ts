/** Puts the real parts together as the command line does: state on disk, and HTTP to a service. */

import {randomUUID} from 'node:crypto'
import {createTokenSource, tokenClientOf} from '../../src/api/auth/tokens.js'
import {createSender} from '../../src/api/http/send.js'
import {createTransport} from '../../src/api/http/transport.js'
import {createApi} from '../../src/api/operations/client.js'
import type {ReserveOutcome} from '../../src/api/reserve/outcome.js'
import {intentOf} from '../../src/api/reserve/reserve.js'
import type {Clock} from '../../src/contract/dates.js'
import type {ReservationRequest} from '../../src/contract/reservations.js'
import {openState} from '../../src/state/state.js'
import {CONTACT} from './stay.js'

export const CLIENT_ID = 'cid_test'
const CLIENT_SECRET = 'sk_test_right'

/** Returns the client that `connect` obtains tokens for at `baseUrl`. */
export const tokenClientAt = (baseUrl: string) =>
  tokenClientOf(baseUrl, {clientId: CLIENT_ID, clientSecret: CLIENT_SECRET})

const realClock: Clock = {
  now: () => Date.now() / 1000,
  sleep: milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds)),
}

export interface PartsOptions {
  readonly directory: string
  readonly baseUrl: string
  readonly timeoutSeconds?: number
  readonly clientSecret?: string
  readonly clock?: Clock
}

export type Parts = ReturnType<typeof connect>

export function connect(options: PartsOptions) {
  const {directory, baseUrl, clock = realClock, timeoutSeconds = 20} = options
  const state = openState(directory)
  const transport = createTransport({env: {}})
  const sender = createSender({transport, clock, random: Math.random})
  const tokens = createTokenSource({
    baseUrl,
    sender,
    clock,
    timeoutSeconds,
    cache: state.tokens,
    route: 'direct',
    credentials: {clientId: CLIENT_ID, clientSecret: options.clientSecret ?? CLIENT_SECRET},
  })
  const api = createApi({baseUrl, sender, tokens, clock, timeoutSeconds})
  const journal = state.journal.forClient({baseUrl, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET})
  return {
    state,
    api,
    reserveParts: {api, journal, clock, timeoutSeconds},
    async close() {
      state.close()
      await transport.close()
    },
  }
}

/** Returns the intent to reserve `offer`. As on the command line, a missing reference or key is generated. */
export function intentFor(offer: string, reference?: string, surname?: string, key?: string) {
  return intentOf(requestFor(offer, reference, surname), {
    agreed: null,
    stay: null,
    referenceGiven: reference !== undefined,
    idempotencyKey: key ?? randomUUID(),
    keyGiven: key !== undefined,
  })
}

export function requestFor(offer: string, reference?: string, surname = 'Öğüt'): ReservationRequest {
  return {
    offer_id: offer,
    client_reference_id: reference ?? `auto-${randomUUID()}`,
    client_nationality: 'TR',
    contact: {...CONTACT, surname},
    guests: [{type: 'ADULT', name: 'Ayşe', surname, is_lead: true}],
    payment: {mode: 'account'},
  }
}

/** The outcome of a reservation that waits for its payment at the given URL. */
export const pending = (payment_url: string | null, outcome = 'pending_payment'): ReserveOutcome => ({
  outcome,
  reservation: {},
  agreed: null,
  booked: null,
  reservation_ref: 'R-1',
  status: 'PENDING_PAYMENT',
  payment_url,
  idempotency_key: 'k',
  client_reference_id: 'c',
  attempts: 1,
  repeated: false,
})
