/** Pruning by a machine whose clock is wrong. */
import {describe, expect, test} from 'vitest'
import {openStore} from '../../../src/state/postgres/connection.js'
import {createSharedEvents} from '../../../src/state/postgres/events.js'
import {parseStoreUrl} from '../../../src/state/postgres/url.js'
import {closing} from '../../support/own.js'
import {findPostgres, startPostgres} from '../../support/postgres.js'

const found = await findPostgres()

describe.skipIf('missing' in found)('events in a shared store', () => {
  test('are pruned by their age on the clock of the store', async () => {
    const server = closing(await startPostgres())
    const address = parseStoreUrl(await server.url(), {})
    const store = closing(openStore({address, trusted: undefined, most: 1, timeoutMilliseconds: 5000}))
    await store.query(`INSERT INTO bookctl.events (profile, event_id, received_at, secret_name, headers, body, arrival)
      SELECT 'default', 'evt_' || n, now() - make_interval(hours => n), 's', '', '', gen_random_uuid()
      FROM generate_series(0, 4) n`)
    const threeHoursAhead = Date.now() / 1000 + 3 * 3600
    const events = createSharedEvents(store, () => threeHoursAhead)
    expect(await events.prune(threeHoursAhead - 2.5 * 3600, 100)).toBe(2)
  })
})
