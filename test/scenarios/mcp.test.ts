/** An assistant finds, shows and reads what a client of `bookctl mcp` may, over stdio, in both eras of the protocol. */
import {describe, expect, test} from 'vitest'
import {ERAS, startAgent} from '../support/agent.js'
import {sandboxOfFile} from '../support/served-sandbox.js'

const sandbox = await sandboxOfFile()
const {home} = sandbox

const TRIP = {
  city: 'Antalya',
  check_in: '2030-06-10',
  check_out: '2030-06-14',
  rooms: [{adults: 2, children_ages: [4]}],
  client_nationality: 'TR',
  currency: 'EUR',
}

describe.each(ERAS)('in the protocol of %s', era => {
  test('offers come in pages, the cheapest first, and none over the maximum', async () => {
    const {call} = await startAgent(home, [], {era})
    const {document} = await call('search_hotels', {...TRIP, max_price: '900 EUR', limit: 5})
    expect(document.search).toMatchObject({destination: {type: 'CITY', id: 104}, nights: 4})
    const totals = document.offers.map((offer: {price: {total: string}}) => Number(offer.price.total))
    expect(totals).toHaveLength(5)
    expect(totals).toEqual(totals.toSorted((a: number, b: number) => a - b))
    const second = await call('search_hotels', {cursor: document.next_cursor, limit: 20})
    expect(second.document.found).toBe(document.found)
    for (const {price, offer_id} of second.document.offers) {
      expect(Number(price.total)).toBeGreaterThanOrEqual(totals.at(-1))
      expect(Number(price.total)).toBeLessThanOrEqual(900)
      expect(JSON.stringify(document.offers)).not.toContain(offer_id)
    }
  })

  test('an offer is shown with its price now, its terms and what cancelling costs from when on', async () => {
    const {call} = await startAgent(home, [], {era})
    const {document: found} = await call('search_hotels', {...TRIP, refundable: true, limit: 1})
    const {document} = await call('show_offer', {offer_id: found.offers[0].offer_id})
    expect(document).toMatchObject({
      changed: false,
      price_checked: true,
      offer: {price: found.offers[0].price},
    })
    expect(document.offer.terms.cancellation_policies[0]).toEqual({
      from: expect.stringMatching(/^2030-/),
      fee: expect.stringMatching(/^\d+\.\d\d$/),
      currency: 'EUR',
    })
    expect(document.untrusted_fields).toEqual(
      expect.arrayContaining(['/offer/hotel_name', '/offer/room_name', '/offer/terms/remarks']),
    )
  })

  test('mistakes in the arguments are named all at once, as the error of a command', async () => {
    const {call} = await startAgent(home, [], {era})
    const {document, isError} = await call('search_hotels', {citty: 'Antalya', check_in: 20300610, rooms: []})
    expect(isError).toBe(true)
    expect(document.error).toMatchObject({code: 'missing_argument', hint: expect.any(String)})
    for (const word of [
      'check_out',
      'check_in: must be text',
      'rooms: must have at least 1 item',
      'did you mean city?',
    ])
      expect(document.error.message).toContain(word)
  })
})
