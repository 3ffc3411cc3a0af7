/** A server that refuses, goes away while it is used, or has another clock than this machine. */
import {expect, test} from 'vitest'
import {openStore} from '../../../src/state/postgres/connection.js'
import {storeErrorOf} from '../../../src/state/postgres/errors.js'
import {createSharedEvents} from '../../../src/state/postgres/events.js'
import {openSharedStores} from '../../../src/state/postgres/shared.js'
import {parseStoreUrl} from '../../../src/state/postgres/url.js'
import {CLIENT, token} from '../../support/client.js'
import {closing, ownWire} from '../../support/own.js'
import {findPostgres, startPostgres} from '../../support/postgres.js'

const found = await findPostgres()
const optionsOf = (url: string, timeoutMilliseconds: number) => ({
  address: parseStoreUrl(url, {}),
  trusted: undefined,
  most: 1,
  timeoutMilliseconds,
})

const withServer = test.skipIf('missing' in found)

withServer('a store that goes away keeps no token, and is used again when it is back', async () => {
  const server = closing(await startPostgres())
  const {tokens, journal} = closing(openSharedStores(optionsOf(await server.url('away'), 3000)))
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

test('a command does not wait a second time for a store that has just not answered', async () => {
  const server = await ownWire(() => 'hang')
  const options = optionsOf(`postgres://ann@127.0.0.1:${server.port}/x`, 300)
  const {journal, offers} = closing(openSharedStores(options))
  await expect(journal.list()).rejects.toMatchObject({fault: 'unreachable'})
  await expect(offers.valid(0)).rejects.toMatchObject({fault: 'unreachable'})
  expect(server.connections).toBe(1)
})

withServer('events are pruned by their age on the clock of the store', async () => {
  const server = closing(await startPostgres())
  const store = closing(openStore(optionsOf(await server.url(), 5000)))
  await store.query(`INSERT INTO bookctl.events (profile, event_id, received_at, secret_name, headers, body, arrival)
      SELECT 'default', 'evt_' || n, now() - make_interval(hours => n), 's', '', '', gen_random_uuid()
      FROM generate_series(0, 4) n`)
  const threeHoursAhead = Date.now() / 1000 + 3 * 3600
  const events = createSharedEvents(store, () => threeHoursAhead)
  expect(await events.prune(threeHoursAhead - 2.5 * 3600, 100)).toBe(2)
})

withServer('a server that refuses says why', async () => {
  const server = closing(await startPostgres())
  await server.sql("CREATE ROLE ann LOGIN PASSWORD 'x'")
  const made = 'CREATE SCHEMA bookctl; CREATE TABLE bookctl'
  for (const [name, sql, text] of [
    ['ann_1', 'REVOKE CONNECT ON DATABASE ann_1 FROM PUBLIC', 'connect to the database (42501)'],
    ['ann_2', 'SELECT 1', 'rights it needs (42501)'],
    ['other_1', `${made}.events (x int)`, 'another program made it, or it is damaged (3F000)'],
    ['other_2', `${made}.schema_version (version text)`, 'damaged (42804)'],
    ['other_3', `${made}.books (x int)`, 'another program made it, or it is damaged (3F000)'],
    ['other_4', 'CREATE SCHEMA bookctl; CREATE TYPE bookctl.kind AS ENUM ()', 'another program made it'],
    [
      'other_5',
      `${made}.schema_version (version int); CREATE TABLE bookctl.books ()`,
      'another program made it',
    ],
  ] as const) {
    const url = (await server.url(name)).replace(/postgres:[^@/]+@/, name.startsWith('ann') ? 'ann:x@' : '$&')
    await server.sql(sql, [], name)
    await expect(closing(openSharedStores(optionsOf(url, 5000))).journal.list()).rejects.toThrow(text)
  }
  const left = await server.sql(
    "SELECT relname FROM pg_class WHERE relnamespace = 'bookctl'::regnamespace",
    [],
    'other_3',
  )
  expect(left).toEqual([{relname: 'books'}])
})

withServer('a schema that was made for it and is empty is used', async () => {
  const server = closing(await startPostgres())
  const url = await server.url('prepared')
  await server.sql('CREATE SCHEMA bookctl', [], 'prepared')
  expect(await closing(openSharedStores(optionsOf(url, 5000))).journal.list()).toEqual([])
})

const SHOWN = 'postgres://ann@h:5432/booking'

test.each([
  // As PgBouncer says it, with one code for all.
  ['08P01', 'password authentication failed', 'not_allowed', 'usage'],
  ['08P01', 'no such user: ann', 'not_allowed', 'usage'],
  ['08P01', 'no such database: booking', 'not_ours', 'usage'],
  ['08P01', 'server login has been failing, try again later', 'unreachable', 'unreachable'],
  // As `pg` says it, with no code.
  [undefined, 'Connection terminated unexpectedly', 'unreachable', 'unreachable'],
  [undefined, 'timeout expired', 'unreachable', 'unreachable'],
  [undefined, 'Query read timeout', 'unreachable', 'unreachable', 'did not answer in time'],
  ['55P03', 'canceling statement due to lock timeout', 'busy', 'usage', 'another session locks'],
  [undefined, 'The server does not support SSL connections', 'unreachable', 'unreachable'],
  [undefined, 'There was an error establishing an SSL connection', 'not_ours', 'usage'],
] as const)('the error %s %s is %s', (code, message, fault, kind, text: string = SHOWN) => {
  const error = storeErrorOf(Object.assign(new Error(message), code && {code}), SHOWN)
  expect(error).toMatchObject({fault, kind})
  expect(error.message).toContain(text)
})
