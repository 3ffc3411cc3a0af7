/** Logging out leaves no byte of a secret or token on disk, nor of tokens replaced earlier. */
import {beforeEach, expect, test} from 'vitest'
import {openState, type State} from '../../src/state/state.js'
import {CLIENT, OTHER_CLIENTS, token} from '../support/client.js'
import {closing, filesWith, ownDirectory} from '../support/own.js'

const OTHER = OTHER_CLIENTS[1] ?? CLIENT
let directory: string

const open = () => closing(openState(directory))

beforeEach(() => {
  directory = ownDirectory()
})

const one = {profile: 'one', clientId: 'cid_one'}
const two = {profile: 'two', clientId: 'cid_two'}
const ONE = {profiles: ['one'], clients: [CLIENT]}

/** What a busy month leaves: secrets written over, tokens renewed and refused. */
async function fill(state: State): Promise<void> {
  for (let n = 0; n < 300; n++) {
    const text = `secret-of-one-${n}-${'z'.repeat((n * 53) % 1200)}`
    await state.secrets.write(one, 'file', text)
    await state.tokens.put(CLIENT, token(text))
    if (n % 7 === 0) await state.tokens.remove(CLIENT, text)
    const subscription_id = `whsub_${n % 20}`
    state.secrets.putSigningSecret({subscription_id, profile: 'one', secret: text, stored_at: n})
  }
  await state.secrets.write(two, 'file', 'secret-of-two')
  await state.tokens.put(OTHER, token('token-of-two'))
}

test('forgets one profile and its client together, while another process has the files open', async () => {
  const other = open()
  await fill(other)
  expect(filesWith(directory, 'secret-of-one').length).toBeGreaterThan(0)
  const state = open()
  expect(await state.forget(ONE)).toBe(true)
  expect(filesWith(directory, 'secret-of-one')).toEqual([])
  expect(await other.secrets.read(one, 'file')).toBeUndefined()
  expect(other.secrets.listSigningSecrets('one')).toEqual([])
  expect(await other.tokens.list(CLIENT)).toEqual([])
  expect(await state.secrets.read(two, 'file')).toBe('secret-of-two')
  expect(await state.tokens.list(OTHER)).toMatchObject([{access_token: 'token-of-two'}])
  expect(await state.forget(ONE)).toBe(false)
})

test.each<[which: Parameters<State['forget']>[0], gone: string[], secretOfTwo: string | undefined]>([
  ['all', ['secret-of-', 'token-of-'], undefined],
  [{profiles: [], clients: [OTHER]}, ['token-of-two'], 'secret-of-two'],
])('forgetting %j leaves no byte of %j', async (which, gone, secretOfTwo) => {
  const state = open()
  await fill(state)
  expect(await state.forget(which)).toBe(true)
  expect(gone.flatMap(text => filesWith(directory, text))).toEqual([])
  expect(await state.tokens.list(OTHER)).toEqual([])
  expect(await state.secrets.read(two, 'file')).toBe(secretOfTwo)
})

test('a process that logs out and in again can store its token', async () => {
  const state = open()
  await state.tokens.put(CLIENT, token('old'))
  await state.forget({profiles: [], clients: [CLIENT]})
  await state.tokens.put(CLIENT, token('new'))
  expect(await state.tokens.list(CLIENT)).toMatchObject([{access_token: 'new'}])
})
