/** Client secrets: none is used with another client's name, and secrets stored by versions that had only one are found. */
import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import {createKeychain, type KeychainEntry} from '../../src/state/secret-store.js'
import {openState, type State} from '../../src/state/state.js'
import {openSqlite} from '../../src/storage/database-file.js'
import {token} from '../support/client.js'
import {closing, filesWith, ownDirectory} from '../support/own.js'

const OLD = {profile: 'one', clientId: 'cid_old'}
const NEW = {profile: 'one', clientId: 'cid_new'}
const OTHER = {profile: 'two', clientId: 'cid_new'}

let directory: string
let kept: Map<string, string>
let state: State

beforeEach(() => {
  directory = ownDirectory()
  kept = new Map()
  state = closing(open())
})

const entryOf = (name: string): KeychainEntry => ({
  getPassword: async () => kept.get(name) ?? null,
  setPassword: async secret => void kept.set(name, secret),
  deleteCredential: async () => kept.delete(name),
})

function open(): State {
  return openState(directory, {keychain: createKeychain(directory, async name => entryOf(name))})
}

const missing = Object.assign(new Error('sk_test_1'), {code: 'ERR_MODULE_NOT_FOUND'})
const silent = {...entryOf(''), setPassword: () => new Promise<void>(() => {})}
test.each([
  ['is not installed', () => Promise.reject(missing)],
  ['refuses', () => Promise.reject(new Error('sk_test_1'))],
  ['never answers', async () => silent],
])('a keychain that %s is a failure with a hint and without the secret', async (_, load) => {
  const failure = await createKeychain(directory, load, 20)
    .write('one', 'sk_test_1')
    .catch(error => error)
  expect(failure).toMatchObject({
    kind: 'not_allowed',
    details: {code: 'keychain_unavailable', hint: expect.stringContaining('without --keychain')},
  })
  expect(JSON.stringify(failure.details) + failure.message).not.toContain('sk_test_1')
})

test.each(['file', 'keychain'] as const)('in the %s each client of a profile has its own', async place => {
  const {secrets} = state
  const all = () => Promise.all([OLD, NEW, OTHER].map(owner => secrets.read(owner, place)))
  await secrets.write(OLD, place, 'secret-of-old')
  expect(await all()).toEqual(['secret-of-old', undefined, undefined])
  await secrets.write(NEW, place, 'secret-of-new')
  await secrets.write(OTHER, place, 'secret-of-other')
  expect(await all()).toEqual(['secret-of-old', 'secret-of-new', 'secret-of-other'])
  expect(await secrets.remove(OLD, place, NEW)).toBe(true)
  expect(await secrets.remove(OLD, place, NEW)).toBe(false)
  expect(await all()).toEqual([undefined, 'secret-of-new', 'secret-of-other'])
  expect(filesWith(directory, 'secret-of-old')).toEqual([])
  expect(await secrets.remove(NEW, place)).toBe(true)
  expect(await all()).toEqual([undefined, undefined, 'secret-of-other'])
  expect(filesWith(directory, 'secret-of-new')).toEqual([])
})

test.each(['file', 'keychain'] as const)(
  'a logout after a secret was read from the %s keeps out its token',
  async place => {
    await state.secrets.write(NEW, place, 'secret-of-new')
    const client = {baseUrl: 'https://example.com/v1', clientId: 'cid_new'}
    const before = open()
    try {
      expect(await before.secrets.read(NEW, place)).toBe('secret-of-new')
      await state.forget({profiles: [], clients: [client]})
      await before.tokens.put({...client, clientSecret: 's', secretFingerprint: 'f1'}, token('late'))
      expect(await state.tokens.listAll()).toEqual([])
    } finally {
      before.close()
    }
  },
)

test('removing a missing secret creates no file', async () => {
  expect(await state.secrets.remove(OLD, 'file', NEW)).toBe(false)
  expect(readdirSync(directory)).toEqual([])
})

test('a secret stored without a client belongs to the profile until it has another', async () => {
  await state.secrets.write(OLD, 'file', 'not-this')
  state.close()
  const before = openSqlite(join(directory, 'tokens.db'), {timeout: 0})
  const added = ['base_url', 'url', 'events', 'replaces', 'earlier_secret', 'subscribed_since']
  for (const name of added) before.exec(`ALTER TABLE signing_secrets DROP COLUMN ${name}`)
  before.exec(`DROP TABLE signing_removals; DROP TABLE client_secrets; CREATE TABLE client_secrets (profile TEXT PRIMARY KEY, secret TEXT NOT NULL) STRICT;
    INSERT INTO client_secrets VALUES ('one', 'secret-of-old'), ('two', 'secret-of-other'); PRAGMA user_version = 2`)
  before.close()
  kept.set(`one (${directory})`, 'secret-of-old')
  state = open()
  for (const place of ['file', 'keychain'] as const) {
    expect(await state.secrets.read(OLD, place)).toBe('secret-of-old')
    await state.secrets.write(NEW, place, 'secret-of-new')
    const both = () => Promise.all([OLD, NEW].map(owner => state.secrets.read(owner, place)))
    expect(await both()).toEqual(['secret-of-old', 'secret-of-new'])
    expect(await state.secrets.remove(NEW, place, NEW)).toBe(true)
    expect(await both()).toEqual([undefined, 'secret-of-new'])
  }
  expect(await state.secrets.read(OTHER, 'file')).toBe('secret-of-other')
  expect([filesWith(directory, 'secret-of-old'), kept.size]).toEqual([[], 1])
})
