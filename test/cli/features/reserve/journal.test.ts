/** The choices that this machine can offer when a value is asked for. */
import {expect, test} from 'vitest'
import {findForgettable} from '../../../../src/cli/features/reserve/journal.js'
import {candidatesOf} from '../../../../src/cli/shell/completion.js'
import {CLIENT, intent, OTHER_CLIENTS} from '../../../support/client.js'
import {stateForEachTest} from '../../../support/own-state.js'
import {rejectionOf} from '../../../support/thrown.js'

const place = stateForEachTest()
const CLIENTS = [CLIENT, ...OTHER_CLIENTS]

test('only reservations of the client in use are offered', async () => {
  for (const [n, client] of CLIENTS.entries()) {
    const journal = place.state.journal.forClient(client)
    const {entry} = await journal.begin(intent(n), 1)
    await journal.settle(entry.id, {outcome: 'confirmed', reservationRef: `R-${n}`}, 2)
  }
  const offered = async (...given: Parameters<typeof candidatesOf>) =>
    (await candidatesOf(...given)).map(([value]) => value)
  for (const kind of ['vouchers', 'references'] as const) {
    expect(await offered(kind, place.path, CLIENT)).toEqual(['R-0'])
    expect((await offered(kind, place.path)).sort()).toEqual(['R-0', 'R-1', 'R-2'])
  }
  expect(await offered('client-references', place.path, CLIENT)).toEqual(['ref-0'])
})

test('of several clients that have tried a reference, the one in use forgets its own', async () => {
  // Each client has booked another offer under the reference. An unknown outcome would have stopped the others.
  for (const [n, client] of CLIENTS.entries()) {
    const journal = place.state.journal.forClient(client)
    const {entry} = await journal.begin(intent(n, {clientReferenceId: 'ref-0'}), 1)
    await journal.settle(entry.id, {outcome: 'confirmed', reservationRef: `R-${n}`}, 2)
  }
  const find = (client?: typeof CLIENT, url?: string) =>
    findForgettable(place.state, 'ref-0', url, async () => client)
  for (const client of CLIENTS) {
    const {baseUrl, clientId} = await find(client)
    expect(client).toMatchObject({baseUrl, clientId})
  }
  expect((await find(undefined, 'https://other.example/v1')).clientId).toBe('cid_1')
  expect((await rejectionOf(find())).message).toContain('cid_2 at https://example.com/v1')
})
