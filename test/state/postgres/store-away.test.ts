/** A store that goes away while it is used: what must go on goes on, and nothing waits for longer than it may. */

import {describe, expect, test} from 'vitest'
import {openSharedStores} from '../../../src/state/postgres/shared.js'
import {parseStoreUrl} from '../../../src/state/postgres/url.js'
import {CLIENT, token} from '../../support/client.js'
import {closing, ownWire} from '../../support/own.js'
import {findPostgres, startPostgres} from '../../support/postgres.js'

const found = await findPostgres()

describe.skipIf('missing' in found)('a store that goes away', () => {
  test('keeps no token, and is used again when it is back', async () => {
    const server = closing(await startPostgres())
    const address = parseStoreUrl(await server.url('away'), {})
    const options = {address, trusted: undefined, most: 1, timeoutMilliseconds: 3000}
    const {tokens, journal} = closing(openSharedStores(options))
    const now = Date.now() / 1000
    const kept = token('x', {obtainedAt: now, expiresAt: now + 99})
    expect(await tokens.list(CLIENT)).toEqual([])
    await server.kill()
    await tokens.put(CLIENT, kept)
    await tokens.remove(CLIENT, 'x')
    await expect(tokens.list(CLIENT)).rejects.toMatchObject({fault: 'unreachable'})
    await expect(journal.list()).rejects.toMatchObject({fault: 'unreachable'})
    await server.start()
    await tokens.put(CLIENT, kept)
    expect(await tokens.list(CLIENT)).toMatchObject([{access_token: 'x'}])
  })
})

test('a command does not wait a second time for a store that has just not answered', async () => {
  const server = await ownWire(() => 'hang')
  const address = parseStoreUrl(`postgres://ann@127.0.0.1:${server.port}/x`, {})
  const options = {address, trusted: undefined, most: 1, timeoutMilliseconds: 300}
  const {journal, offers} = closing(openSharedStores(options))
  await expect(journal.list()).rejects.toMatchObject({fault: 'unreachable'})
  await expect(offers.valid(0)).rejects.toMatchObject({fault: 'unreachable'})
  expect(server.connections).toBe(1)
})
