/**
 * A service for `reserve batch` whose every search finds new offers, and which books a client reference as often as it is
 * asked to: what is sent twice is there twice.
 */
import {beforeEach} from 'vitest'
import {answer, type Received, type Script, type ScriptedService} from '../support/scripted-service.js'
import {scriptedHome} from './scripted-home.js'

const POSTS = '/reservations/hotel'
export const SEARCHES = '/hotels/search'

/** Answers the nth search (from 1); each has a cheap offer at this price, and a dear one. */
type PriceOf = (nth: number) => string

export interface BatchService {
  readonly service: ScriptedService
  readonly home: Awaited<ReturnType<typeof scriptedHome>>['home']
  /** Scripts the reservations, and the prices of searches (default: 100.00). Other requests are answered as usual. */
  scripted(reserve: Script, price?: PriceOf): void
  /** The reservation requests so far. */
  posts(): {key: string; reference: string; offer: string}[]
  /** How many keys were sent for each client reference. */
  keys(): Record<string, number>
}

/** Prepares a file of tests; call it at the top level. */
export async function batchService(): Promise<BatchService> {
  const {service, home} = await scriptedHome()
  service.tokenMilliseconds = 0
  service.echo = body => ({client_reference_id: body.client_reference_id, hotel: {name: 'Pera'}})
  let searches = 0
  /** The searches of the test so far: no two find the same offers. */
  let all = 0
  const search = (price: PriceOf, {body}: Received, response: Parameters<Script>[1]) => {
    const {currency} = JSON.parse(body) as {currency: string}
    const nth = ++searches
    const id = ++all
    const offer = (kind: string, total: string) => ({
      offer_id: `off_${kind}_${id}`,
      hotel: {hotel_id: 'htl_1', name: 'Pera'},
      price: {total, currency},
    })
    answer(response, 200, {data: {offers: [offer('cheap', price(nth)), offer('dear', '900.00')]}})
  }
  const scripted: BatchService['scripted'] = (reserve, price = () => '100.00') => {
    searches = 0
    service.script = (request, response) => {
      if (request.path === SEARCHES) return search(price, request, response)
      return request.path === POSTS && reserve(request, response)
    }
  }
  const posts = () =>
    service.seen(POSTS).map(({headers, body}) => {
      const {client_reference_id: reference, offer_id: offer} = JSON.parse(body) as Record<string, string>
      return {key: String(headers['idempotency-key']), reference: reference ?? '', offer: offer ?? ''}
    })
  const keys = () => {
    const sent = new Map<string, Set<string>>()
    for (const {reference, key} of posts()) sent.set(reference, (sent.get(reference) ?? new Set()).add(key))
    return Object.fromEntries([...sent].map(([reference, each]) => [reference, each.size]))
  }
  beforeEach(() => {
    all = 0
    service.reservations.length = 0
    scripted(() => false)
  })
  return {service, home, scripted, posts, keys}
}
