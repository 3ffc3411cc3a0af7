/**
 * Programs with one fault each, which the rule they break names and no other does, and right programs, which no rule accuses.
 */
import {randomUUID} from 'node:crypto'
import {expect, test} from 'vitest'
import {findFreePort} from '../../../src/cli/features/sandbox/port.js'
import {closing} from '../../support/own.js'
import {reservationRequest, searchRequest} from '../../support/sandbox.js'
import {startSubscriber} from '../../support/subscriber.js'
import {openPartner, type Partner} from './partner.js'

type Program = (partner: Partner) => Promise<unknown>

const times = async (count: number, work: (n: number) => Promise<unknown>) => {
  for (let n = 0; n < count; n++) await work(n)
}

const lose = (partner: Partner, kind = 'commit-then-drop', more: object = {}) =>
  partner.fault({operation: 'reservations.create', kind, ...more})

/** Books a trip and gets no answer, or the one that is ordered. Returns what it would send again. */
async function loseBooking(partner: Partner, ...order: [kind?: string, more?: object]) {
  const token = await partner.token()
  const trip = await partner.trip(token)
  await lose(partner, ...order)
  await partner.book(token, trip)
  return {token, trip}
}

/** Books with a payment page, so that the reservation stays unconfirmed. */
const bookUnpaid = async (partner: Partner, token: string): Promise<string> => {
  const trip = await partner.trip(token, {payment: {mode: 'instant'}})
  return (await partner.book(token, trip)).json.data.reservation_ref
}

/** Confirms a booking and returns its voucher link. */
async function voucherLink(partner: Partner, token: string): Promise<string> {
  const {json} = await partner.book(token, await partner.trip(token))
  const voucher = await partner.send(`/reservations/${json.data.reservation_ref}/voucher`, {token})
  return voucher.json.data.voucher.url
}

/** Books an offer for which cancelling costs something. */
async function bookForFee(partner: Partner, token: string): Promise<string> {
  const offer = (await partner.search(token)).find(({refundable}) => !refundable)
  const {json} = await partner.book(token, {...(await partner.trip(token)), offer_id: offer.offer_id})
  return json.data.reservation_ref
}

/** The states of a receiver that answers with `statusOf`, and cuts the connection for 0. Then deliveries are sent. */
async function subscribe(
  partner: Partner,
  token: string,
  statusOf: (event: string, count: number) => number,
) {
  const {origin} = closing(
    await startSubscriber((answer, {body}, count) => {
      const status = statusOf(JSON.parse(String(body)).type, count)
      if (status === 0) answer.destroy()
      else answer.writeHead(status).end()
    }),
  )
  const body = {
    url: `${origin}/hooks`,
    events: ['reservation.confirmed', 'reservation.updated', 'voucher.ready'],
  }
  await partner.send('/webhooks/subscriptions', {token, body})
  partner.sandbox.listenAt(partner.origin)
}

const settled = (partner: Partner) => partner.advance(1)

async function redeliver(partner: Partner, type: string) {
  const deliveries = await partner.listed('deliveries')
  const {delivery_id} = deliveries.find(delivery => delivery.type === type)
  await partner.control('POST', `/_sandbox/deliveries/${delivery_id}/redeliver`, {})
}

const ALL = 'hotels:read reservations:read reservations:write account:read webhooks:write'
const TO_BOOK = 'hotels:read reservations:write'
const TO_READ = 'account:read'

/** Each program, with the rule that it breaks. */
const WRONG: readonly (readonly [rule: string, name: string, program: Program])[] = [
  [
    'token.cached',
    'a token for each call',
    partner => times(8, async () => partner.send('/account', {token: await partner.token()})),
  ],
  [
    'token.cached',
    'a token for every three calls',
    partner =>
      times(7, async () => {
        const token = await partner.token(TO_READ)
        await times(3, () => partner.send('/account', {token}))
      }),
  ],
  [
    'token.renewed',
    'sends the expired token again',
    async partner => {
      const token = await partner.token()
      partner.wait(7201)
      await partner.send('/account', {token})
      await partner.send('/account', {token})
      await partner.send('/account', {token: await partner.token()})
    },
  ],
  [
    'token.renewed',
    'gives up after the 401',
    async partner => {
      const token = await partner.token()
      partner.wait(7201)
      await partner.send('/account', {token})
    },
  ],
  [
    'token.renewed',
    'gets a new token, but does not repeat the call',
    async partner => {
      const token = await partner.token()
      partner.wait(7201)
      await partner.send('/account', {token})
      await partner.search(await partner.token())
    },
  ],
  [
    'token.renewed',
    'goes on with the token after the clock was moved',
    async partner => {
      const token = await partner.token()
      await partner.advance(7300)
      await partner.send('/account', {token})
      await partner.send('/reservations', {token})
      const fresh = await partner.token()
      await partner.send('/account', {token: fresh})
      await partner.send('/reservations', {token: fresh})
    },
  ],
  [
    'token.scopes',
    'asks for every scope',
    async partner => {
      const token = await partner.token(`${ALL} tours:read content:read webhooks:read`)
      await times(25, n => partner.send(`/hotels/${n}`, {token}))
    },
  ],
  [
    'secret.place',
    'sends the secret in a Basic header',
    async partner => {
      const authorization = `Basic ${Buffer.from('cid_sandbox:sk_test_sandbox').toString('base64')}`
      await partner.send('/oauth/token', {method: 'POST', headers: {authorization}})
      await partner.token()
    },
  ],
  [
    'secret.place',
    'sends the secret in a header of its own',
    async partner => {
      const token = await partner.token()
      await partner.send('/account', {token, headers: {'x-client-secret': 'sk_test_sandbox'}})
    },
  ],
  [
    'secret.place',
    'sends the secret in a URL',
    async partner => {
      const token = await partner.token()
      await partner.send('/account?client_secret=sk_test_sandbox', {token})
    },
  ],
  [
    'secret.place',
    'sends the secret when it revokes a token',
    async partner => {
      const token = await partner.token()
      await partner.send('/oauth/revoke', {body: {token, client_secret: 'sk_test_sandbox'}})
    },
  ],
  [
    'secret.place',
    'sends the token in a URL',
    async partner => {
      const token = await partner.token()
      await partner.send(`/account?access_token=${token}`, {token})
    },
  ],
  [
    'offer.fresh',
    'books offers that expired long ago',
    async partner => {
      const token = await partner.token()
      const trips = [await partner.trip(token), await partner.trip(token)]
      partner.wait(15 * 60 + 62)
      for (const trip of trips) await partner.book(token, trip)
    },
  ],
  [
    'offer.fresh',
    'goes on with the same search after the clock was moved',
    async partner => {
      const token = await partner.token()
      const [one, two] = await partner.search(token)
      const trip = await partner.trip(token)
      await partner.advance(20 * 60)
      await partner.book(token, {...trip, offer_id: one.offer_id})
      await partner.book(token, {...trip, offer_id: two.offer_id, client_reference_id: 'other'})
    },
  ],
  [
    'offer.fresh',
    'books one offer for two customers',
    async partner => {
      const token = await partner.token()
      const trip = await partner.trip(token)
      await partner.book(token, trip)
      await partner.book(token, {...trip, client_reference_id: 'other'})
    },
  ],
  [
    'reserve.key',
    'books without a key',
    async partner => {
      const token = await partner.token()
      await times(3, async () => partner.book(token, await partner.trip(token), null))
    },
  ],
  [
    'reserve.key',
    'repeats a booking without a key, whatever it is told',
    async partner => {
      const token = await partner.token()
      const trip = await partner.trip(token)
      await times(5, () => partner.book(token, trip, null))
    },
  ],
  [
    'reserve.key',
    'books everything with the same key',
    async partner => {
      const token = await partner.token()
      const key = randomUUID()
      await times(3, async () => partner.book(token, await partner.trip(token), key))
    },
  ],
  [
    'reserve.key',
    'repeats a lost booking with its key and another body',
    async partner => {
      const token = await partner.token()
      const trip = await partner.trip(token)
      const key = randomUUID()
      await lose(partner)
      await partner.book(token, trip, key)
      await partner.book(token, {...trip, client_reference_id: 'again'}, key)
    },
  ],
  [
    'reserve.key_uuid',
    'counts its keys',
    async partner => {
      const token = await partner.token()
      await times(3, async n => partner.book(token, await partner.trip(token), `booking-${n}`))
    },
  ],
  [
    'reserve.lost_answer',
    'sends a lost booking again with another key',
    async partner => {
      const {token, trip} = await loseBooking(partner)
      await partner.book(token, trip)
    },
  ],
  [
    'reserve.lost_answer',
    'searches again after a lost booking, and books under the same reference',
    async partner => {
      const {token, trip} = await loseBooking(partner)
      const {client_reference_id} = trip
      await partner.book(token, await partner.trip(token, {client_reference_id}))
    },
  ],
  [
    'reserve.lost_answer',
    'takes a lost answer for a failure',
    async partner => {
      const {token} = await loseBooking(partner)
      await partner.send('/account', {token})
    },
  ],
  [
    'reserve.lost_answer',
    'sends another key after a 503',
    async partner => {
      const {token, trip} = await loseBooking(partner, 'status', {status: 503})
      await partner.book(token, trip)
    },
  ],
  [
    'reserve.lost_answer',
    'sends another key although the search found the booking',
    async partner => {
      const {token, trip} = await loseBooking(partner)
      await partner.send(`/reservations?client_reference_id=${trip.client_reference_id}`, {token})
      await partner.book(token, trip)
    },
  ],
  [
    'reserve.reference',
    'gives two bookings the same reference',
    async partner => {
      const token = await partner.token()
      await times(2, async () =>
        partner.book(token, await partner.trip(token, {client_reference_id: 'same'})),
      )
    },
  ],
  [
    'reserve.patience',
    'hangs up at once, then repeats with its key',
    async partner => {
      const token = await partner.token()
      const trip = await partner.trip(token)
      const key = randomUUID()
      await lose(partner, 'commit-then-hang')
      await partner.book(token, trip, key, AbortSignal.timeout(20))
      await partner.book(token, trip, key)
    },
  ],
  [
    'payment.waits',
    'asks for the voucher in a loop',
    async partner => {
      const token = await partner.token()
      const ref = await bookUnpaid(partner, token)
      await times(6, () => partner.send(`/reservations/${ref}/voucher`, {token}))
    },
  ],
  [
    'voucher.link',
    'fetches the link with its token',
    async partner => {
      const token = await partner.token()
      await partner.send(await voucherLink(partner, token), {token})
    },
  ],
  [
    'voucher.link',
    'keeps the link for later',
    async partner => {
      const link = await voucherLink(partner, await partner.token())
      partner.wait(3601)
      await partner.send(link)
    },
  ],
  [
    'voucher.link',
    'tries the same link again after the clock was moved',
    async partner => {
      const link = await voucherLink(partner, await partner.token())
      await partner.advance(4000)
      await times(2, () => partner.send(link))
    },
  ],
  [
    'cancel.fee',
    'cancels without looking at the fee',
    async partner => {
      const token = await partner.token()
      const ref = await bookForFee(partner, token)
      await partner.send(`/reservations/${ref}/cancel`, {token, body: {}})
    },
  ],
  [
    'errors.refusal',
    'repeats a refused search',
    async partner => {
      const token = await partner.token()
      await times(4, () => partner.send('/hotels/search', {token, body: {}}))
    },
  ],
  [
    'errors.refusal',
    'repeats a sold-out booking, each time with another key',
    async partner => {
      const token = await partner.token()
      const trip = await partner.trip(token, {client_reference_id: 'x-sold_out'})
      await times(5, () => partner.book(token, trip))
    },
  ],
  [
    'errors.refusal',
    'tries a sold-out offer again and again, each time as another booking',
    async partner => {
      const token = await partner.token()
      const trip = await partner.trip(token)
      await partner.fault({operation: 'reservations.create', kind: 'lose-offer', code: 'rooms_unavailable'})
      await times(4, () => partner.book(token, {...trip, client_reference_id: `ref-${randomUUID()}`}))
    },
  ],
  [
    'errors.refusal',
    'logs in with a wrong secret in a loop',
    partner => times(5, () => partner.askToken(undefined, {client_secret: 'wrong'})),
  ],
  [
    'errors.busy',
    'does not wait for Retry-After',
    async partner => {
      const token = await partner.token()
      await partner.fault({operation: 'account.show', kind: 'status', status: 429, retry_after: 2})
      await times(2, () => partner.send('/account', {token}))
    },
  ],
  [
    'errors.busy',
    'repeats a 503 without a pause',
    async partner => {
      const token = await partner.token()
      await partner.fault({operation: 'account.show', kind: 'status', status: 503, times: 5})
      await times(6, () => partner.send('/account', {token}))
    },
  ],
]

const HOOKED = `${TO_BOOK} webhooks:write`

const drill = (partner: Partner, name: string) =>
  partner.control('POST', '/_sandbox/drills', {client_id: 'cid_sandbox', drills: [name]})

/** Subscribes an address where nothing listens, and returns its port. */
async function subscribeNobody(partner: Partner, token: string): Promise<number> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}/hooks`
  const events = ['reservation.confirmed', 'reservation.updated']
  await partner.send('/webhooks/subscriptions', {token, body: {url, events}})
  partner.sandbox.listenAt(partner.origin)
  return port
}

const WRONG_RECEIVERS: typeof WRONG = [
  [
    'webhook.answer',
    'does not listen when an event is drilled',
    async partner => {
      await subscribeNobody(partner, await partner.token(HOOKED))
      await drill(partner, 'duplicate-event')
    },
  ],
  [
    'webhook.answer',
    'does not listen, for hours, while the program goes on',
    async partner => {
      const token = await partner.token(HOOKED)
      await subscribeNobody(partner, token)
      await partner.book(token, await partner.trip(token))
      await settled(partner)
      await partner.advance(90)
      await partner.search(token)
    },
  ],
  [
    'webhook.answer',
    'cuts every connection',
    async partner => {
      const token = await partner.token(HOOKED)
      const {origin} = closing(await startSubscriber(answer => answer.destroy()))
      const body = {url: `${origin}/hooks`, events: ['reservation.confirmed']}
      await partner.send('/webhooks/subscriptions', {token, body})
      partner.sandbox.listenAt(partner.origin)
      await partner.book(token, await partner.trip(token))
      await settled(partner)
      await partner.search(token)
    },
  ],
  [
    'webhook.answer',
    'answers 500 to vouchers',
    async partner => {
      const token = await partner.token(HOOKED)
      await subscribe(partner, token, type => (type === 'voucher.ready' ? 500 : 200))
      await partner.book(token, await partner.trip(token))
      await settled(partner)
      await partner.advance(400)
    },
  ],
  [
    'webhook.duplicate',
    'answers 409 to what it has',
    async partner => {
      const token = await partner.token(HOOKED)
      const seen = new Set<string>()
      await subscribe(partner, token, type => {
        if (seen.has(type)) return 409
        seen.add(type)
        return 200
      })
      await partner.book(token, await partner.trip(token))
      await settled(partner)
      await redeliver(partner, 'voucher.ready')
    },
  ],
  [
    'webhook.disorder',
    'answers 400 to an older event',
    async partner => {
      const token = await partner.token(HOOKED)
      let isUp = false
      let newest = ''
      // While nothing listens, the first events are not delivered.
      const port = await subscribeNobody(partner, token)
      const {json} = await partner.book(token, await partner.trip(token))
      const ref = json.data.reservation_ref
      await settled(partner)
      closing(
        await startSubscriber(
          (answer, {body}) => {
            const {created} = JSON.parse(String(body))
            isUp = true
            const isOld = created < newest
            if (!isOld) newest = created
            answer.writeHead(isOld ? 400 : 200).end()
          },
          undefined,
          port,
        ),
      )
      await partner.control('POST', '/_sandbox/trigger', {type: 'reservation.updated', reservation_ref: ref})
      await partner.advance(120)
      expect(isUp).toBe(true)
    },
  ],
]

test.each([...WRONG, ...WRONG_RECEIVERS])('%s: %s', async (rule, _, program) => {
  const partner = await openPartner()
  await program(partner)
  expect(partner.failed()).toEqual([rule])
  const {evidence, text} = partner.judge().rules.find(each => each.rule === rule) ?? {}
  expect(evidence?.length, text).toBeGreaterThan(0)
})

interface Session {
  token: string
  readonly scope: string
}

const signIn = async (partner: Partner, scope = TO_BOOK): Promise<Session> => ({
  token: await partner.token(scope),
  scope,
})

/** Books a trip as it should be done, whatever happens: repeats with the same key, renews the token, searches again. */
async function bookRightly(partner: Partner, session: Session): Promise<string> {
  const call = async (work: (token: string) => ReturnType<Partner['send']>) => {
    const answer = await work(session.token)
    if (answer.status !== 401) return answer
    session.token = await partner.token(session.scope)
    return work(session.token)
  }
  for (;;) {
    const searched = await call(token => partner.send('/hotels/search', {token, body: searchRequest()}))
    const [offer] = searched.json.data.offers
    const trip = reservationRequest(offer.offer_id)
    const key = randomUUID()
    for (;;) {
      const {status, json} = await call(token => partner.book(token, trip, key))
      if (status === 201 || status === 200) return json.data.reservation_ref
      if (status >= 400 && status < 500 && status !== 409 && status !== 429) break
      partner.wait(2)
    }
  }
}

/** Reads the voucher as it should be read, and cancels after a look at the fee. */
async function fetchAndCancel(partner: Partner, token: string, ref: string): Promise<void> {
  const {json} = await partner.send(`/reservations/${ref}/voucher`, {token})
  await partner.send(json.data.voucher.url)
  await partner.send(`/reservations/${ref}/cancellation-quote`, {token})
  await partner.send(`/reservations/${ref}/cancel`, {token, body: {}})
}

const RIGHT: readonly (readonly [name: string, program: Program])[] = [
  [
    'one booking after the other',
    async partner => {
      const session = await signIn(partner, `${TO_BOOK} reservations:read`)
      await times(5, async () => fetchAndCancel(partner, session.token, await bookRightly(partner, session)))
    },
  ],
  [
    'fifty workers with one token',
    async partner => {
      const session = await signIn(partner)
      await Promise.all(Array.from({length: 50}, () => bookRightly(partner, session)))
    },
  ],
  [
    'fifty workers whose token expires, all at once',
    async partner => {
      const session = await signIn(partner)
      await Promise.all(Array.from({length: 50}, () => bookRightly(partner, session)))
      await partner.advance(7300)
      await Promise.all(Array.from({length: 50}, () => bookRightly(partner, session)))
    },
  ],
  [
    'fifty workers while the service fails',
    async partner => {
      for (const kind of ['commit-then-drop', 'drop-before']) await lose(partner, kind, {times: 10})
      await lose(partner, 'status', {status: 503, retry_after: 1, times: 10})
      const session = await signIn(partner)
      await Promise.all(Array.from({length: 50}, () => bookRightly(partner, session)))
    },
  ],
  [
    'equal requests of fifty workers, of which some are told to wait',
    async partner => {
      const token = await partner.token(TO_READ)
      await partner.fault({operation: 'account.show', kind: 'status', status: 429, retry_after: 5, times: 20})
      await Promise.all(
        Array.from({length: 50}, async () => {
          const {status} = await partner.send('/account', {token})
          if (status !== 429) await partner.send('/account', {token})
        }),
      )
    },
  ],
  [
    'twenty processes with a token each, at once',
    partner =>
      Promise.all(
        Array.from({length: 20}, async () => {
          const session = await signIn(partner, `${TO_BOOK} reservations:read`)
          await bookRightly(partner, session)
          await partner.send('/reservations/RSV-none', {token: session.token})
          await partner.send('/reservations/RSV-none', {token: session.token})
          await bookRightly(partner, session)
        }),
      ),
  ],
  [
    'a program that is started again and again',
    partner =>
      times(10, async () => {
        const session = await signIn(partner, `${TO_BOOK} reservations:read`)
        await times(3, () => bookRightly(partner, session))
        await partner.send('/reservations/RSV-none', {token: session.token})
      }),
  ],
  [
    'five starts with one call each',
    partner => times(5, async () => partner.send('/account', {token: await partner.token()})),
  ],
  [
    'a proxy that repeats what was cut, and a 503, at once',
    async partner => {
      const token = await partner.token()
      const viaProxy = async (path: string, sending: object) => {
        const headers = {via: '1.1 proxy', ...(sending as {headers?: object}).headers}
        const first = await partner.send(path, {...sending, headers})
        return first.status === 0 || first.status === 503 ? partner.send(path, {...sending, headers}) : first
      }
      const trip = await partner.trip(token)
      await lose(partner)
      const key = {'idempotency-key': randomUUID()}
      expect((await viaProxy('/reservations/hotel', {token, body: trip, headers: key})).status).toBe(201)
      await partner.fault({operation: 'account.show', kind: 'status', status: 503, retry_after: 1})
      await viaProxy('/account', {token})
    },
  ],
  [
    'a clock that is moved under everything',
    async partner => {
      const session = await signIn(partner, `${TO_BOOK} reservations:read`)
      const links: string[] = []
      await times(3, async () => {
        links.push(await voucherLink(partner, session.token))
        const trip = await partner.trip(session.token)
        await partner.advance(20 * 60)
        await partner.book(session.token, trip)
        await bookRightly(partner, session)
      })
      await partner.advance(3600)
      // Each link is found to have expired, once.
      for (const link of links) await partner.send(link)
      await bookRightly(partner, session)
      await partner.advance(8000)
      await bookRightly(partner, session)
    },
  ],
  [
    'a clock that is moved while fifty workers have offers',
    async partner => {
      const token = await partner.token(TO_BOOK)
      const offers = await partner.search(token)
      await partner.advance(20 * 60)
      await Promise.all(offers.map(({offer_id}) => partner.book(token, reservationRequest(offer_id))))
    },
  ],
  [
    'an offer that expired once while the customer decided',
    async partner => {
      const token = await partner.token()
      const trip = await partner.trip(token)
      partner.wait(15 * 60 + 62)
      await partner.book(token, trip)
      await partner.book(token, await partner.trip(token))
    },
  ],
  [
    'a few seconds too late, several times',
    async partner => {
      const token = await partner.token()
      await times(3, async () => {
        const trip = await partner.trip(token)
        partner.wait(15 * 60 + 50)
        await partner.book(token, trip)
      })
    },
  ],
  [
    'a lost booking that is searched for, and not there',
    async partner => {
      const {token, trip} = await loseBooking(partner, 'drop-before')
      await partner.send(`/reservations?client_reference_id=${trip.client_reference_id}`, {token})
      await partner.book(token, trip)
    },
  ],
  [
    'a lost booking whose repeat says sold out, then another offer',
    async partner => {
      const token = await partner.token()
      const trip = await partner.trip(token, {client_reference_id: 'x-unknown_soldout'})
      const key = randomUUID()
      expect((await partner.book(token, trip, key)).status).toBe(0)
      expect((await partner.book(token, trip, key)).status).toBe(410)
      await partner.book(token, {...(await partner.trip(token)), client_reference_id: 'x-unknown_soldout-2'})
    },
  ],
  [
    'a booking that fails again and again, until it gives up',
    async partner => {
      const token = await partner.token()
      const trip = await partner.trip(token)
      const key = randomUUID()
      await lose(partner, 'status', {status: 503, retry_after: 2, times: 5})
      await times(5, async () => {
        await partner.book(token, trip, key)
        partner.wait(3)
      })
    },
  ],
  [
    'asks for the voucher once a second',
    async partner => {
      const token = await partner.token()
      const ref = await bookUnpaid(partner, token)
      await times(10, async () => {
        await partner.send(`/reservations/${ref}/voucher`, {token})
        partner.wait(1)
      })
    },
  ],
  [
    'a receiver that starts late',
    async partner => {
      const token = await partner.token(HOOKED)
      const port = await subscribeNobody(partner, token)
      await partner.book(token, await partner.trip(token))
      await settled(partner)
      closing(await startSubscriber(answer => answer.writeHead(200).end(), undefined, port))
      await partner.advance(400)
      await partner.search(token)
    },
  ],
  [
    'a receiver that is stopped while it has an event, and started again',
    async partner => {
      const token = await partner.token(HOOKED)
      await subscribe(partner, token, (_, count) => (count === 1 ? 0 : 200))
      await partner.book(token, await partner.trip(token))
      await settled(partner)
      await partner.advance(400)
    },
  ],
  [
    'a program that ends before its last events come',
    async partner => {
      const token = await partner.token(HOOKED)
      await subscribeNobody(partner, token)
      await partner.book(token, await partner.trip(token))
      await partner.advance(3600)
    },
  ],
  [
    'corrects what was refused',
    async partner => {
      const token = await partner.token()
      const trip = await partner.trip(token)
      const key = randomUUID()
      await partner.book(token, {...trip, guests: []}, key)
      await partner.book(token, trip, key)
    },
  ],
  [
    'waits as long as Retry-After says',
    async partner => {
      const token = await partner.token()
      await partner.fault({operation: 'account.show', kind: 'status', status: 429, retry_after: 2, times: 3})
      await times(4, async () => {
        await partner.send('/account', {token})
        partner.wait(2)
      })
    },
  ],
]

test.each(RIGHT)('accuses nobody: %s', async (_, program) => {
  const partner = await openPartner()
  await program(partner)
  const {rules, requests} = partner.judge()
  expect(rules.filter(({verdict}) => verdict === 'failed')).toEqual([])
  expect(requests).toBeGreaterThan(2)
})

test('rules of which evidence exists are passed, all others are not shown', async () => {
  const partner = await openPartner()
  const session = await signIn(partner, `${TO_BOOK} reservations:read`)
  await bookRightly(partner, session)
  await fetchAndCancel(partner, session.token, await bookRightly(partner, session))
  const {passed, failed, not_shown, rules} = partner.judge()
  expect([passed + not_shown, failed]).toEqual([rules.length, 0])
  expect(rules.filter(({verdict}) => verdict === 'passed').map(({rule}) => rule)).toEqual([
    'token.cached',
    'secret.place',
    'offer.fresh',
    'reserve.key',
    'reserve.key_uuid',
    'reserve.reference',
    'voucher.link',
  ])
})
