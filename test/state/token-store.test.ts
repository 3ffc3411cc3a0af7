/**
 * Tokens in a file: a disk without space, and logging out, which removes every byte of a secret or token. For the rest see
 * state.shared.test.ts.
 */
import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import {Failure} from '../../src/contract/failure.js'
import type {TokenStore} from '../../src/contract/token-cache.js'
import {openOwn, TOKENS} from '../../src/state/databases.js'
import {openState} from '../../src/state/state.js'
import {createTokenStore, forget, generationOf} from '../../src/state/token-store.js'
import type {Database} from '../../src/storage/database.js'
import {StorageError} from '../../src/storage/errors.js'
import {CLIENT, OTHER_CLIENTS, OTHER_KEYS, token} from '../support/client.js'
import {closing, filesWith, ownDirectory} from '../support/own.js'

let directory: string
let database: Database
let store: TokenStore

beforeEach(() => {
  directory = ownDirectory()
  database = closing(openOwn(TOKENS, directory))
  store = storeOf(database)
})

const putSigning = (profile: string, secret: string) => {
  const sql = `INSERT INTO signing_secrets (subscription_id, profile, secret, stored_at) VALUES ('whsub_1', ?, ?, 1)`
  database.run(sql, profile, secret)
}

const storeOf = (from: Database, place: () => string | undefined = () => directory) =>
  createTokenStore(from, place, {began: 1})

/** Returns a database in which every write fails with `error`. */
const failing = (error: unknown): Database => {
  const fail = () => {
    throw error
  }
  return {...database, get: database.get, all: database.all, run: fail, transaction: fail}
}
const nothing = async () => undefined
const FULL = new StorageError('full', 'no space left', 'make room')
const BUSY = new StorageError('busy', 'in use', 'again')
const FAILURE = new Failure('unreachable', 'made up', {code: 'refused', status: 5})
const ASKING = {scopes: ['a', 'b'], route: 'direct'}

test('a home that cannot be written has no tokens, and its processes do not wait for each other', async () => {
  const alone = storeOf(database, () => undefined)
  await alone.put(CLIENT, token('own'))
  expect([...(await alone.list(CLIENT)), ...(await alone.listAll())]).toEqual([])
  const went = {gaveUp: false, value: 'went'}
  expect(await alone.alone(CLIENT, 0, async () => 'went', nothing)).toEqual(went)
  expect(readdirSync(directory)).not.toContain('locks')
})

test('lists the tokens of all clients, newest first', async () => {
  for (const [n, client] of [CLIENT, ...OTHER_KEYS].entries())
    await store.put(client, token(`at_${n}`, {obtainedAt: n}))
  const names = (await store.listAll()).map(({client, token}) => `${client.clientId} ${token.access_token}`)
  expect(names).toEqual(['cid_1 at_3', 'cid_2 at_2', 'cid_1 at_1', 'cid_1 at_0'])
})

test('ignores a full disk, and reports any other fault', async () => {
  const full = storeOf(failing(FULL))
  await full.put(CLIENT, token('one'))
  await full.remove(CLIENT, 'one')
  await full.noteFailure(CLIENT, ASKING, FAILURE, 1)
  const busy = storeOf(failing(BUSY))
  await expect(busy.put(CLIENT, token('one'))).rejects.toThrow(BUSY)
  await expect(busy.remove(CLIENT, 'one')).rejects.toThrow(BUSY)
})

test.each([
  ['the work fails', () => directory, 'made up', 1, new TypeError('made up')],
  ['the disk is full inside it', () => directory, FULL.message, 1, FULL],
  ['the lock cannot be created', () => join(directory, 'tokens.db'), /tokens\.db/, 0, FULL],
])('when %s, that is reported, and no work is repeated', async (_, place, message, runs, error) => {
  let ran = 0
  const work = async () => {
    ran += 1
    throw error
  }
  const asking = storeOf(database, place).alone(CLIENT, 0, work, nothing)
  await expect(asking).rejects.toThrow(message)
  expect(ran).toBe(runs)
})

const {baseUrl} = CLIENT
test.each<[which: Parameters<typeof forget>[1], left: number[]]>([
  [{profiles: ['one'], clients: []}, [4, 1, 2, 1]],
  [{profiles: [], clients: [CLIENT]}, [2, 2, 2, 0]],
  [{profiles: ['one', 'two'], clients: [CLIENT, ...OTHER_CLIENTS]}, [0, 0, 2, 0]],
  [{profiles: ['none'], clients: [{baseUrl, clientId: 'cid_9'}]}, [4, 2, 2, 1]],
  ['all', [0, 0, 2, 0]],
])(
  'a logout of %j leaves %j tokens, secrets and failures, and starts a new generation',
  async (which, left) => {
    for (const client of [CLIENT, ...OTHER_KEYS]) await store.put(client, token('canary-token'))
    for (const profile of ['one', 'two']) {
      database.run("INSERT INTO client_secrets VALUES (?, 'cid_1', 'canary-secret')", profile)
      putSigning(profile, 'canary-signing')
    }
    await store.noteFailure(CLIENT, ASKING, FAILURE, 1)
    expect(forget(database, which)).toBe(left.join() !== '4,2,2,1')
    const tables = ['access_tokens', 'client_secrets', 'signing_secrets', 'token_failures']
    expect(tables.map(table => database.all(`SELECT * FROM ${table}`).length)).toEqual(left)
    expect(generationOf(database)).toBe(2)
    const canaries = ['canary-token', 'canary-secret', 'canary-signing']
    const isGone = (text: string) => filesWith(directory, text).length === 0
    expect(canaries.map(isGone)).toEqual(left.slice(0, 3).map(count => count === 0))
  },
)

test('a logout removes only the signing secrets it names, to the last byte, and records the removal', () => {
  for (const profile of ['one', 'two']) putSigning(profile, `canary-${profile}`)
  const names = [
    {subscription_id: 'whsub_1', profile: 'one'},
    {subscription_id: 'whsub_9', profile: 'one'},
  ]
  expect(forget(database, 'all', {names, removed_at: 7, removed_by: 'logout --all'})).toBe(true)
  expect(database.all('SELECT profile FROM signing_secrets')).toEqual([{profile: 'two'}])
  const record = {...names[0], removed_at: 7, removed_by: 'logout --all'}
  expect(database.all('SELECT * FROM signing_removals')).toMatchObject([record])
  expect(['canary-one', 'canary-two'].map(text => filesWith(directory, text).length > 0)).toEqual([
    false,
    true,
  ])
})

test.each([
  "client_secrets VALUES ('one', 'cid_1', 's')",
  "token_failures VALUES ('u', 'c', 'f', '', '', '', 1)",
])('reports whether a secret was removed, and does not count failures: %s', row => {
  database.run(`INSERT INTO ${row}`)
  expect(forget(database, {profiles: ['one'], clients: [{baseUrl: 'u', clientId: 'c'}]})).toBe(
    !row.startsWith('token_'),
  )
})

test('a process that logs out and in again can store its token', async () => {
  const state = closing(openState(directory))
  await state.tokens.put(CLIENT, token('old'))
  await state.forget({profiles: [], clients: [CLIENT]})
  await state.tokens.put(CLIENT, token('new'))
  expect(await state.tokens.list(CLIENT)).toMatchObject([{access_token: 'new'}])
})
