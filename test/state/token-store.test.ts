/** Tokens on disk: whose they are, in which order, one process at a time, and what lack of room does to them. */
import {readdirSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import {Failure} from '../../src/contract/failure.js'
import type {TokenStore} from '../../src/contract/token-cache.js'
import {openOwn, openOwnToRead, TOKENS} from '../../src/state/databases.js'
import {createTokenStore, forget, generationOf} from '../../src/state/token-store.js'
import type {Database} from '../../src/storage/database.js'
import {StorageError} from '../../src/storage/errors.js'
import {held} from '../support/held.js'
import {closing, ownDirectory} from '../support/own.js'

const CLIENT = {
  baseUrl: 'https://example.com/v1',
  clientId: 'cid_1',
  clientSecret: 's',
  secretFingerprint: 'f1',
}
const OTHERS = [
  {...CLIENT, baseUrl: 'https://other.example/v1'},
  {...CLIENT, clientId: 'cid_2'},
  {...CLIENT, secretFingerprint: 'f2'},
]
const token = (access_token: string, more = {}) => ({
  access_token,
  scopes: ['a', 'b'],
  askedScopes: ['a'],
  obtainedAt: 1.5,
  expiresAt: 2.5,
  ...more,
})
let directory: string
let database: Database
let store: TokenStore

beforeEach(() => {
  directory = ownDirectory()
  database = closing(openOwn(TOKENS, directory))
  store = storeOf(() => database)
})

const storeOf = (open: () => Database, generation = {}, place: () => string | undefined = () => directory) =>
  createTokenStore(open, place, generation)

/** A database whose every write fails with `error`. */
const failing = (error: unknown): Database => {
  const fail = () => {
    throw error
  }
  return {...database, get: database.get, all: database.all, run: fail, transaction: fail}
}
const nowhere = () => undefined
const nothing = async () => undefined
const went = async () => 'went'
const seen = async () => 'seen'
const FULL = new StorageError('full', 'no space left', 'make room')
const BUSY = new StorageError('busy', 'in use', 'again')

test('a store of one process keeps its tokens, whatever the generation on disk', async () => {
  const own = openOwn(TOKENS, undefined)
  const alone = storeOf(() => own, {began: 3}, nowhere)
  await alone.put(CLIENT, token('own'))
  expect(await alone.list(CLIENT)).toMatchObject([{access_token: 'own'}])
  own.close()
})

test('lists whole tokens of one client, newest first', async () => {
  const tokens = [
    token('one', {askedScopes: ['x']}),
    token('two', {obtainedAt: 3, scopes: []}),
    token('three', {askedScopes: [], obtainedAt: 2}),
  ]
  for (const each of tokens) await store.put(CLIENT, each)
  expect(await store.list(CLIENT)).toEqual([tokens[1], tokens[2], tokens[0]])
  for (const other of OTHERS) expect(await store.list(other)).toEqual([])
  await store.put({...CLIENT, secretFingerprint: 'f2'}, token('four', {obtainedAt: 9}))
  expect((await store.listAll()).map(({client, token}) => [client, token.access_token])).toEqual(
    ['four', 'two', 'three', 'one'].map(name => [{baseUrl: CLIENT.baseUrl, clientId: 'cid_1'}, name]),
  )
})

test('does not store a token that was requested before a logout', async () => {
  const generation = {}
  const early = storeOf(() => database, generation)
  await early.list(CLIENT)
  expect(generation).toEqual({began: 1})
  expect(forget(database, 'all')).toBe(false)
  expect(generationOf(database)).toBe(2)
  await early.put(CLIENT, token('late'))
  expect(await store.list(CLIENT)).toEqual([])
  await storeOf(() => database).put(CLIENT, token('new'))
  expect(await store.list(CLIENT)).toHaveLength(1)
})

test('ignores a full disk, and reports any other fault', async () => {
  const full = storeOf(() => failing(FULL))
  await full.put(CLIENT, token('one'))
  await full.remove(CLIENT, 'one')
  const busy = storeOf(() => failing(BUSY))
  await expect(busy.put(CLIENT, token('one'))).rejects.toThrow(BUSY)
  await expect(busy.remove(CLIENT, 'one')).rejects.toThrow(BUSY)
})

test('opens a database to read for reading, and one to write for writing', async () => {
  const asked: string[] = []
  const opened = (what: string) => () => {
    asked.push(what)
    return database
  }
  const both = createTokenStore(opened('write'), () => directory, {}, opened('read'))
  await both.list(CLIENT)
  await both.listAll()
  await both.put(CLIENT, token('one'))
  await both.remove(CLIENT, 'one')
  expect(asked).toEqual(['read', 'read', 'write', 'write'])
})

test('one process at a time requests a token of a client; other clients do not wait', async () => {
  const hold = held()
  const first = store.alone(CLIENT, 0, () => hold.promise, nothing)
  expect(await store.alone(CLIENT, 0, went, nothing)).toEqual({gaveUp: true})
  expect(await store.alone(CLIENT, 0, went, seen)).toEqual({gaveUp: false, value: 'seen'})
  expect(readdirSync(join(directory, 'locks')).every(name => name.startsWith('tokens-'))).toBe(true)
  const others = await Promise.all(OTHERS.map(other => store.alone(other, 0, went, nothing)))
  expect(others).toContainEqual({gaveUp: false, value: 'went'})
  hold.release()
  expect(await first).toEqual({gaveUp: false, value: undefined})
})

test('does not wait without a directory', async () => {
  const alone = storeOf(() => database, {}, nowhere)
  expect(await alone.alone(CLIENT, 0, went, seen)).toEqual({gaveUp: false, value: 'went'})
  expect(readdirSync(directory)).not.toContain('locks')
})

test('passes on what the work throws, and does not repeat it', async () => {
  for (const error of [new TypeError('made up'), FULL]) {
    let runs = 0
    const work = async () => {
      runs += 1
      throw error
    }
    await expect(store.alone(CLIENT, 0, work, nothing)).rejects.toBe(error)
    expect(runs).toBe(1)
  }
})

test('reports a lock that cannot be created, and requests no token', async () => {
  const misplaced = storeOf(
    () => database,
    {},
    () => join(directory, 'tokens.db'),
  )
  let runs = 0
  const work = async () => {
    runs += 1
  }
  await expect(misplaced.alone(CLIENT, 0, work, nothing)).rejects.toBeInstanceOf(StorageError)
  expect(runs).toBe(0)
})

test('opening to read creates no file', () => {
  rmSync(directory, {recursive: true})
  expect(() => openOwnToRead(TOKENS, directory)).toThrow(StorageError)
  const memory = openOwn(TOKENS, undefined)
  expect(generationOf(memory)).toBe(1)
  memory.close()
})

test('a database opened to read has what was written', async () => {
  await store.put(CLIENT, token('one'))
  const toRead = openOwnToRead(TOKENS, directory)
  expect(generationOf(toRead)).toBe(1)
  expect(toRead.all('SELECT access_token FROM access_tokens')).toEqual([{access_token: 'one'}])
  toRead.close()
})

const FAILURE = new Failure('unreachable', 'made up', {code: 'refused', status: 5})
const ASKING = {scopes: ['a', 'b'], route: 'direct'}

test('shares a failure with requests for the same scopes by the same route that started before it', async () => {
  await store.noteFailure(CLIENT, {...ASKING, scopes: ['a']}, new Failure('usage', 'other', {code: 'x'}), 9)
  await store.noteFailure(CLIENT, ASKING, new Failure('usage', 'before', {code: 'x'}), 5)
  await store.noteFailure(CLIENT, ASKING, FAILURE, 7.5)
  for (const since of [0, 7.5]) {
    const shared = await store.failureBetween(CLIENT, ASKING, since, 7.5)
    expect(shared).toBeInstanceOf(Failure)
    expect(shared).toMatchObject({
      kind: 'unreachable',
      message: 'made up',
      details: {code: 'refused', status: 5},
    })
  }
  expect(await store.failureBetween(CLIENT, ASKING, 7.6, 99)).toBeUndefined()
  expect(await store.failureBetween(CLIENT, ASKING, 0, 7.4)).toBeUndefined()
  expect(await store.failureBetween(CLIENT, {...ASKING, route: 'proxy'}, 0, 99)).toBeUndefined()
  expect(await store.failureBetween(CLIENT, {...ASKING, scopes: ['a b c']}, 0, 99)).toBeUndefined()
  for (const other of OTHERS) expect(await store.failureBetween(other, ASKING, 0, 99)).toBeUndefined()
  const full = storeOf(() => failing(FULL))
  await full.noteFailure(CLIENT, ASKING, FAILURE, 1)
})

test.each<[which: Parameters<typeof forget>[1], isLeft: boolean]>([
  ['all', false],
  [{baseUrl: CLIENT.baseUrl, clientId: CLIENT.clientId}, false],
  [{profile: 'one'}, true],
  [{baseUrl: CLIENT.baseUrl}, true],
  [{baseUrl: CLIENT.baseUrl, clientId: 'cid_9'}, true],
])('failures are forgotten with the client: %j', async (which, isLeft) => {
  await store.noteFailure(CLIENT, ASKING, FAILURE, 1)
  // A failure does not count as a stored secret.
  expect(forget(database, which)).toBe(false)
  expect((await store.failureBetween(CLIENT, ASKING, 0, 99)) !== undefined).toBe(isLeft)
})

test('forgets what belongs to the profile and the client, and increments the generation', async () => {
  const fill = async (fresh: TokenStore) => {
    for (const client of [CLIENT, ...OTHERS]) await fresh.put(client, token('one'))
    for (const profile of ['one', 'two']) {
      database.run("INSERT OR REPLACE INTO client_secrets VALUES (?, 'cid_1', 's')", profile)
      database.run("INSERT OR REPLACE INTO signing_secrets VALUES ('whsub_1', ?, 's', 1)", profile)
    }
  }
  const left = () =>
    ['access_tokens', 'client_secrets', 'signing_secrets'].map(
      table => database.all(`SELECT * FROM ${table}`).length,
    )
  const {baseUrl, clientId} = CLIENT
  const cases: [which: Parameters<typeof forget>[1], left: number[]][] = [
    [{profile: 'one'}, [4, 1, 1]],
    [{baseUrl, clientId}, [2, 2, 2]],
    [{baseUrl}, [4, 2, 2]],
    [{clientId}, [4, 2, 2]],
    [{}, [4, 2, 2]],
    [{profile: 'one', baseUrl, clientId}, [2, 1, 1]],
    ['all', [0, 0, 0]],
  ]
  for (const [n, [which, expected]] of cases.entries()) {
    await fill(storeOf(() => database))
    expect(left()).toEqual([4, 2, 2])
    expect(forget(database, which)).toBe(expected.join() !== '4,2,2')
    expect(left(), JSON.stringify(which)).toEqual(expected)
    expect(generationOf(database)).toBe(n + 2)
    expect(forget(database, {profile: 'none'})).toBe(false)
    database.run('UPDATE generation SET number = ?', n + 2)
  }
})

test('reports whether a secret of any kind was removed', () => {
  database.run("INSERT INTO client_secrets VALUES ('one', 'cid_1', 's')")
  expect(forget(database, {profile: 'one'})).toBe(true)
  database.run("INSERT INTO signing_secrets VALUES ('whsub_1', 'one', 's', 1)")
  expect(forget(database, {profile: 'one'})).toBe(true)
  expect(forget(database, {profile: 'one'})).toBe(false)
})
