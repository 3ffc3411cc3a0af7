/** Programs with many workers on real connections: no rule accuses a right one, and what each worker does wrong is named. */
import {randomUUID} from 'node:crypto'
import {expect, test} from 'vitest'
import {reservationRequest, searchRequest} from '../../support/sandbox.js'
import {openPartner, type Partner} from './partner.js'

const WORKERS = 50

const together = <Result>(work: (n: number) => Promise<Result>, count = WORKERS): Promise<Result[]> =>
  Promise.all(Array.from({length: count}, (_, n) => work(n)))

const times = async (count: number, work: (n: number) => Promise<unknown>) => {
  for (let n = 0; n < count; n++) await work(n)
}

const TO_READ = 'reservations:read'
const TO_BOOK = 'hotels:read reservations:write'

/**
 * A simple client that workers share: whoever finds no token asks for one, and whoever is refused takes the token that is there for
 * lost.
 */
function clientOf(partner: Partner, scope = `${TO_READ} ${TO_BOOK}`) {
  let known: string | undefined
  const tokenOf = async () => {
    if (known === undefined) known = await partner.token(scope)
    return known
  }
  const call = async (path: string, sending: object = {}) => {
    const answer = await partner.send(path, {...sending, token: await tokenOf()})
    if (answer.status !== 401) return answer
    known = undefined
    return partner.send(path, {...sending, token: await tokenOf()})
  }
  const book = async (): Promise<string> => {
    const {json} = await call('/hotels/search', {body: searchRequest()})
    const body = reservationRequest(json.data.offers[0].offer_id, {client_reference_id: randomUUID()})
    const made = await call('/reservations/hotel', {body, headers: {'idempotency-key': randomUUID()}})
    // The offer may expire when the clock is moved.
    if (made.status === 410) return book()
    const reference: string = made.json.data.reservation_ref
    await call(`/reservations/${reference}`)
    return reference
  }
  return {call, book}
}

const expireToken = (partner: Partner) => partner.fault({operation: '*', kind: 'expire-token'})

type Program = (partner: Partner) => Promise<unknown>

const RIGHT: readonly (readonly [name: string, program: Program])[] = [
  [
    'a token that expires under fifty workers',
    async partner => {
      const {call, book} = clientOf(partner)
      await call('/reservations')
      await expireToken(partner)
      await together(book)
    },
  ],
  [
    'tokens that expire twice while fifty workers go on',
    async partner => {
      const {book} = clientOf(partner)
      const all = together(() => times(2, book), 20)
      await expireToken(partner)
      await partner.advance(3 * 3600)
      await all
    },
  ],
  [
    'ten processes with a token each, all of which expire',
    async partner => {
      const processes = Array.from({length: 10}, () => clientOf(partner))
      await Promise.all(processes.map(({book}) => book()))
      await partner.advance(3 * 3600)
      await Promise.all(processes.map(({book}) => times(2, book)))
    },
  ],
  [
    'ten processes, each of which is started again after the clock was moved',
    partner =>
      times(2, async () => {
        await together(() => times(2, clientOf(partner).book), 10)
        await partner.advance(3 * 3600)
      }),
  ],
  [
    'workers that ask for the same, which is refused',
    async partner => {
      const {call} = clientOf(partner, TO_READ)
      await call('/reservations')
      await together(() => call('/reservations/RSV-none'))
    },
  ],
  [
    'workers that ask for the same while the service fails',
    async partner => {
      const {call} = clientOf(partner, TO_READ)
      await call('/reservations')
      await partner.fault({operation: 'reservations.list', kind: 'status', status: 503, times: WORKERS})
      await together(() => call('/reservations'))
      await partner.fault({
        operation: 'reservations.list',
        kind: 'status',
        status: 429,
        retry_after: 9,
        times: 9,
      })
      await together(() => call('/reservations'))
    },
  ],
  [
    'four workers that wait for the same voucher, and for others',
    async partner => {
      const {call, book} = clientOf(partner)
      await together(book, 4)
      await partner.fault({operation: 'reservations.create', kind: 'slow-voucher', times: 5})
      const [first = '', ...others] = await together(book, 4)
      const ask = (reference: string) => call(`/reservations/${reference}/voucher`)
      await times(3, async () => {
        await Promise.all([first, first, first, first, ...others].map(ask))
        await partner.advance(2)
      })
    },
  ],
  [
    'a clock that is moved while workers have offers of one search',
    async partner => {
      const {call} = clientOf(partner)
      const {json} = await call('/hotels/search', {body: searchRequest()})
      await together(() => call('/reservations'))
      await partner.advance(20 * 60)
      const offers = json.data.offers as {offer_id: string}[]
      await Promise.all(
        offers.map(({offer_id}) => {
          const body = reservationRequest(offer_id, {client_reference_id: randomUUID()})
          return call('/reservations/hotel', {body, headers: {'idempotency-key': randomUUID()}})
        }),
      )
    },
  ],
]

test.each(RIGHT)('accuses nobody: %s', async (_, program) => {
  const partner = await openPartner({isServed: true})
  await program(partner)
  const {rules, requests} = partner.judge()
  expect(rules.filter(({verdict}) => verdict === 'failed')).toEqual([])
  expect(requests).toBeGreaterThan(20)
})

/** Books as each of ten workers, which send their booking again at once, up to six times, as `repeat` says. */
async function hammer(
  partner: Partner,
  repeat: (token: string, trip: object, key: string) => Promise<{status: number}>,
) {
  const token = await partner.token(TO_BOOK)
  await together(async () => {
    const trip = await partner.trip(token)
    const key = randomUUID()
    for (let n = 0; n < 6; n++) if ((await repeat(token, trip, key)).status < 300) return
  }, 10)
}

const WRONG: readonly (readonly [rule: string, name: string, program: Program])[] = [
  [
    'token.cached',
    'a token for each call of fifty workers',
    partner =>
      together(() =>
        times(3, async () => partner.send('/reservations', {token: await partner.token(TO_READ)})),
      ),
  ],
  [
    'token.renewed',
    'ten workers that try the refused token once more',
    async partner => {
      const token = await partner.token(TO_READ)
      await together(() => partner.send('/reservations', {token}), 10)
      await partner.advance(3 * 3600)
      const fresh = partner.token(TO_READ)
      await together(async () => {
        await times(2, () => partner.send('/reservations', {token}))
        await partner.send('/reservations', {token: await fresh})
      }, 10)
    },
  ],
  [
    'errors.busy',
    'ten workers that repeat their bookings without a pause',
    async partner => {
      await partner.fault({operation: 'reservations.create', kind: 'status', status: 503, times: 1000})
      await hammer(partner, partner.book)
    },
  ],
  [
    'errors.busy',
    'ten workers that do not wait for Retry-After',
    async partner => {
      await partner.fault({
        operation: 'reservations.create',
        kind: 'status',
        status: 429,
        retry_after: 5,
        times: 10,
      })
      await hammer(partner, partner.book)
    },
  ],
  [
    'errors.refusal',
    'ten workers that repeat what is sold out',
    async partner => {
      await partner.fault({
        operation: 'reservations.create',
        kind: 'lose-offer',
        code: 'rooms_unavailable',
        times: 10,
      })
      await hammer(partner, partner.book)
    },
  ],
  [
    'reserve.lost_answer',
    'ten workers that book again with another key',
    async partner => {
      await partner.fault({operation: 'reservations.create', kind: 'commit-then-drop', times: 3})
      await hammer(partner, (token, trip) => partner.book(token, trip, randomUUID()))
    },
  ],
]

test.each(WRONG)('%s: %s', async (rule, _, program) => {
  const partner = await openPartner({isServed: true})
  await program(partner)
  expect(partner.failed()).toEqual([rule])
})
