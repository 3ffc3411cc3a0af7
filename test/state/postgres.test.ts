/** A server that refuses, disappears during use, has a different clock, or has a store of an earlier version. */
import {afterAll, beforeAll, expect, test} from 'vitest'
import type {Journal} from '../../src/contract/journal.js'
import {openStore} from '../../src/state/postgres/connection.js'
import {storeErrorOf} from '../../src/state/postgres/errors.js'
import {createSharedEvents} from '../../src/state/postgres/events.js'
import {migration} from '../../src/state/postgres/schema.js'
import {createSeal} from '../../src/state/postgres/seal.js'
import {openSharedStores} from '../../src/state/postgres/shared.js'
import {parseStoreUrl} from '../../src/state/postgres/url.js'
import {openState} from '../../src/state/state.js'
import {CLIENT, intent, token} from '../support/client.js'
import {closing, ownDirectory, ownWire} from '../support/own.js'
import {findPostgres, type PostgresServer, startPostgres} from '../support/postgres.js'

const found = await findPostgres()
const optionsOf = (url: string, timeoutMilliseconds: number) => async () => ({
  address: parseStoreUrl(url, {}),
  trusted: undefined,
  most: 1,
  timeoutMilliseconds,
})
/** Opens the stores in a database, on a machine without stored data. */
const storesIn = (url: string, timeoutMilliseconds = 5000) => {
  const store = {opener: () => openSharedStores, options: optionsOf(url, timeoutMilliseconds)}
  return closing(openState(ownDirectory(), {store}))
}

const withServer = test.skipIf('missing' in found)
let server: PostgresServer

beforeAll(async () => {
  if (!('missing' in found)) server = await startPostgres()
})
afterAll(() => server?.close())

withServer('a store that goes away keeps no token, and is used again when it is back', async () => {
  const {tokens, journal} = storesIn(await server.url('away'), 3000)
  const now = Date.now() / 1000
  const kept = token('x', {obtainedAt: now, expiresAt: now + 99})
  expect(await tokens.list(CLIENT)).toEqual([])
  await server.kill()
  await tokens.put(CLIENT, kept)
  await tokens.remove(CLIENT, 'x')
  await expect(tokens.list(CLIENT)).rejects.toMatchObject({fault: 'unreachable'})
  await expect(journal.list()).rejects.toMatchObject({fault: 'unreachable'})
  await server.start()
  // On a busy machine the first tries may exceed the time limit of the store.
  const keptAgain = async () => {
    await tokens.put(CLIENT, kept)
    return tokens.list(CLIENT)
  }
  await expect.poll(keptAgain).toMatchObject([{access_token: 'x'}])
})

test('a command does not wait a second time for a store that has just not answered', async () => {
  const silent = await ownWire(() => 'hang')
  const {journal, offers} = storesIn(`postgres://ann@127.0.0.1:${silent.port}/x`, 300)
  await expect(journal.list()).rejects.toMatchObject({fault: 'unreachable'})
  await expect(offers.valid(0)).rejects.toMatchObject({fault: 'unreachable'})
  expect(silent.connections).toBe(1)
})

withServer('events are pruned by their age on the clock of the store', async () => {
  const store = closing(openStore(optionsOf(await server.url('pruned'), 5000)))
  await store.query(`INSERT INTO bookctl.events (profile, event_id, received_at, secret_name, headers, body, arrival)
      SELECT 'default', 'evt_' || n, now() - make_interval(hours => n), 's', '', '', gen_random_uuid()
      FROM generate_series(0, 4) n`)
  const threeHoursAhead = Date.now() / 1000 + 3 * 3600
  const events = createSharedEvents(store, () => threeHoursAhead)
  expect(await events.prune(threeHoursAhead - 2.5 * 3600, 100)).toBe(2)
})

const listOf = (url: string) => storesIn(url).journal.list()

withServer('a server that refuses says why', async () => {
  await server.sql("CREATE ROLE ann LOGIN PASSWORD 'x'")
  const url = (await server.url('refusing')).replace(/postgres:[^@/]+@/, 'ann:x@')
  await expect(listOf(url)).rejects.toThrow('rights it needs (42501)')
  await server.sql('REVOKE CONNECT ON DATABASE refusing FROM PUBLIC')
  await expect(listOf(url)).rejects.toThrow('connect to the database (42501)')
})

withServer('what another program made is refused, and left as it is', async () => {
  const url = await server.url('other')
  const sql = (text: string) => server.sql(`DROP SCHEMA IF EXISTS bookctl CASCADE; ${text}`, [], 'other')
  const made = 'CREATE SCHEMA bookctl; CREATE TABLE bookctl'
  for (const [tables, text] of [
    [`${made}.events (x int)`, 'another program made it, or it is damaged (3F000)'],
    [`${made}.schema_version (version text)`, 'damaged (42804)'],
    ['CREATE SCHEMA bookctl; CREATE TYPE bookctl.kind AS ENUM ()', 'another program made it'],
    [`${made}.schema_version (version int); CREATE TABLE bookctl.books ()`, 'another program made it'],
    [`${made}.books (x int)`, 'another program made it, or it is damaged (3F000)'],
  ] as const) {
    await sql(tables)
    await expect(listOf(url)).rejects.toThrow(text)
  }
  const names = "SELECT relname FROM pg_class WHERE relnamespace = 'bookctl'::regnamespace"
  expect(await server.sql(names, [], 'other')).toEqual([{relname: 'books'}])
})

withServer('a schema that was made for it and is empty is used', async () => {
  const url = await server.url('prepared')
  await server.sql('CREATE SCHEMA bookctl', [], 'prepared')
  expect(await listOf(url)).toEqual([])
})

const BEGIN = 'SELECT FROM bookctl.begin_reservation($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)'

/**
 * Returns the parameters with which the first version began a reservation: an intent of CLIENT, sealed and hashed with its
 * secret.
 */
function begunBefore(n: number): unknown[] {
  const {clientReferenceId, offerId, idempotencyKey, body, bodySha256, intentSha256} = intent(n)
  const {baseUrl, clientId, clientSecret} = CLIENT
  const {keyId, seal, fingerprint} = createSeal(clientSecret)
  const place = {table: 'reservations', column: 'sealed_body', row: [baseUrl, clientId, idempotencyKey]}
  const hashes = [fingerprint(bodySha256), fingerprint(intentSha256)]
  return [
    baseUrl,
    clientId,
    clientReferenceId,
    offerId,
    idempotencyKey,
    keyId,
    seal(body, place),
    ...hashes,
    '',
  ]
}

withServer('repeats attempts in a store of an earlier version with their keys', async () => {
  const url = await server.url('earlier')
  const sql = (text: string, values: unknown[] = []) => server.sql(text, values, 'earlier')
  await sql(migration(1))
  await sql(BEGIN, begunBefore(1))
  await sql('UPDATE bookctl.reservations SET attempts = 1')

  const stores = storesIn(url)
  const journal: Journal = stores.journal.forClient(CLIENT)
  const {body, idempotencyKey} = intent(1)
  const verdict = await journal.begin(intent(1, {idempotencyKey: 'second'}), 1)
  expect(verdict).toMatchObject({kind: 'repeat', entry: {idempotencyKey, body, attempts: 1, agreed: null}})
  expect(await journal.begin(intent(2, {offerId: 'off_1'}), 1)).toMatchObject({conflict: 'offer_in_use'})
  expect(await journal.begin(intent(3), 1)).toMatchObject({kind: 'new'})
  // A process of the earlier version that is still running cannot begin a reservation.
  await expect(sql(BEGIN, begunBefore(4))).rejects.toThrow('begin_reservation')
})

withServer('finds the events of a reservation that an earlier version stored', async () => {
  const url = await server.url('earlier_events')
  const sql = (text: string, values: unknown[] = []) => server.sql(text, values, 'earlier_events')
  await sql(migration(4))
  const insert = `INSERT INTO bookctl.events (profile, event_id, received_at, secret_name, headers, body, arrival)
    VALUES ('default', $1, now(), 's', '', $2, gen_random_uuid())`
  const bodies = {
    evt_named: '{"data":{"reservation_ref":"RSV-1"}}',
    evt_escaped: '{"data":{"reservation_ref":"\\u0052SV-1","note":"ş"}}',
    evt_elsewhere: '{"data":{"reservation_ref":"RSV-2","note":"RSV-1"}}',
  }
  for (const [id, body] of Object.entries(bodies)) await sql(insert, [id, Buffer.from(body)])
  const found = await (await storesIn(url).events()).page({reservation: 'RSV-1'}, {after: 0}, 9)
  expect(found.map(({eventId}) => eventId)).toEqual(['evt_named', 'evt_escaped'])
})

withServer('prepares a named statement, and goes on without where a pooler changes the backend', async () => {
  const store = closing(openStore(optionsOf(await server.url('prepared'), 5000)))
  const prepared = () => store.query('SELECT name FROM pg_prepared_statements')
  const ask = async () => (await store.query<{n: number}>('SELECT $1::int AS n', [7], 'seven')).rows
  expect(await ask()).toEqual([{n: 7}])
  expect((await prepared()).rows).toEqual([{name: 'seven'}])
  // So it looks to a client of a pooler that runs each transaction on another backend.
  await store.query('DEALLOCATE ALL')
  expect(await ask()).toEqual([{n: 7}])
  expect((await prepared()).rows).toEqual([])
})

const SHOWN = 'postgres://ann@h:5432/booking'

test.each([
  // PgBouncer reports all of these with one code.
  ['08P01', 'password authentication failed', 'not_allowed', 'usage'],
  ['08P01', 'no such user: ann', 'not_allowed', 'usage'],
  ['08P01', 'no such database: booking', 'not_ours', 'usage'],
  ['08P01', 'server login has been failing, try again later', 'unreachable', 'unreachable'],
  // `pg` reports these without a code.
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
