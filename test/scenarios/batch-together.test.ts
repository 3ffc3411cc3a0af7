/** Two runs of `reserve batch` with the same file at a time, on one machine and on two that share a store. */
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import type {Home} from '../support/bookctl.js'
import {ownHome} from '../support/own.js'
import {findPostgres, type PostgresServer, startPostgres} from '../support/postgres.js'
import {waitUntil} from '../support/wait.js'
import {type BatchDocument, batch, tripFile, tripsNamed} from './batch-files.js'
import {batchService} from './batch-service.js'

const {service, scripted, posts, keys} = await batchService()

/** Runs the file twice at a time, in processes of their own, and checks that each trip is booked once. */
async function runTwice(prefix: string, one: Home, other: Home) {
  const trips = tripsNamed(prefix, 10)
  // Both have asked for the balance, and so have their plans, before the first reservation is answered.
  scripted(async () => {
    await waitUntil(() => service.seen('/account').length >= 2, 'both plans')
    return false
  })
  const run = async (home: Home) => {
    const {exit, stdout, stderr} = await home.spawn([
      ...['reserve', 'batch', tripFile(home, trips), '--json'],
    ])
    expect(stderr).not.toContain('internal error')
    return {exit, result: JSON.parse(stdout) as BatchDocument}
  }
  const results = await Promise.all([run(one), run(other)])
  expect(keys()).toEqual(Object.fromEntries(trips.map(trip => [trip.client_reference_id, 1])))
  expect(posts()).toHaveLength(10)
  for (const {exit, result} of results) {
    expect(result.trips.map(trip => [trip.client_reference_id, trip.outcome, trip.error])).toEqual(
      trips.map(trip => [trip.client_reference_id, 'confirmed', null]),
    )
    expect(exit).toBe(0)
  }
  const [mine, theirs] = results.map(({result}) => result.trips.map(trip => trip.reservation_ref))
  expect(mine).toEqual(theirs)
  const repeated = results.reduce((sum, {result}) => sum + result.batch.repeated, 0)
  expect(repeated).toBe(10)
  expect(await batch(one, tripFile(one, trips))).toMatchObject({exit: 0, result: {batch: {repeated: 10}}})
  expect(posts()).toHaveLength(10)
}

test('on one machine each trip is booked once, and both report all', async () => {
  const home = ownHome(service.env)
  await runTwice('one', home, home)
})

const found = await findPostgres()
const missing = 'missing' in found ? found.missing : undefined
describe.skipIf(missing)('with a store that machines share', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.close())

  test('on two machines each trip is booked once, and both report all', async () => {
    const env = {...service.env, BOOKCTL_STORE: await server.url('batch')}
    await runTwice('two', ownHome(env), ownHome(env))
  })
})
