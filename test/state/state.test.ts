/**
 * The state directory is not created until it is needed. Also tests offers, the journal, the keychain, and a home that cannot be
 * written.
 */
import {chmodSync, readdirSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, describe, expect, test} from 'vitest'
import {openMemoryJournal, openState, type State} from '../../src/state/state.js'
import {StorageError} from '../../src/storage/errors.js'
import {CLIENT, intent, offer, token} from '../support/client.js'
import {closing, ownDirectory} from '../support/own.js'

let directory: string
let state: State

beforeEach(() => {
  directory = ownDirectory()
  state = closing(openState(directory))
})

const nothing = async () => undefined

test('a directory that cannot be written is read as an empty one', async () => {
  writeFileSync(join(directory, 'file'), '')
  const readOnly = openState(join(directory, 'file', 'below'))
  expect(readOnly.writable).toBe(false)
  await readOnly.tokens.put(CLIENT, token('t'))
  expect(await readOnly.tokens.list(CLIENT)).toEqual([])
  expect(readOnly.settings.read()).toEqual({profiles: {}})
  expect(await readOnly.journal.list()).toEqual([])
  // There is no entry to update.
  await readOnly.journal.noteStatus(CLIENT, 'RSV-1', {outcome: 'confirmed'}, 1)
  readOnly.close()
})

test('offers are stored with all of their terms', async () => {
  const details = {
    refundable: false,
    free_cancellation_until: null,
    terms: {remarks: 'é'.repeat(50_000)},
    city: 101,
  }
  await state.offers.remember(CLIENT, [offer('off_1', {details})], 1000)
  expect((await state.offers.find(CLIENT, 'off_1'))?.details).toEqual(details)
})

test('a journal in memory writes nothing to the disk', async () => {
  const before = process.env.TMPDIR
  process.env.TMPDIR = join(directory, 'missing')
  try {
    const {journal, close} = openMemoryJournal()
    const mine = journal.forClient(CLIENT)
    const done = await mine.alone('off_1', 0, async () => mine.begin(intent(1), 1), nothing)
    expect(done).toMatchObject({gaveUp: false, value: {kind: 'new'}})
    expect(await mine.attempt((await mine.find('ref-1'))?.id ?? 0, 2)).toBe(1)
    close()
    expect(await openMemoryJournal().journal.list()).toEqual([])
    expect(readdirSync(directory)).toEqual([])
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
})

describe('reading', () => {
  test('creates no file, and sees what this process or another writes later', async () => {
    const read = async () => [
      await state.tokens.list(CLIENT),
      await state.tokens.listAll(),
      state.secrets.listSigningSecrets(),
      await state.journal.list(),
      (await state.journal.forClient(CLIENT).find('ref')) ?? [],
      await state.offers.valid(0),
      (await state.offers.find(CLIENT, 'off_1')) ?? [],
      state.cities.list(),
      (await state.people()).forClient(CLIENT).guests(),
      await (await state.events()).page({}, {}, 1),
      await (await state.events()).forwardsOf(1),
    ]
    expect((await read()).flat()).toEqual([])
    expect(readdirSync(directory)).toEqual([])
    const other = openState(directory)
    other.cities.remember(CLIENT, [{id: 101, name: 'Istanbul', country_code: 'TR'}])
    other.close()
    expect(state.cities.list()).toHaveLength(1)
    expect(readdirSync(directory)).toContain('state.db')
    expect(readdirSync(directory)).not.toContain('tokens.db')
  })

  test('before tokens.db exists, a logout still keeps a token from being written back', async () => {
    expect(await state.tokens.list(CLIENT)).toEqual([])
    const other = openState(directory)
    await other.forget('all')
    other.close()
    await state.tokens.put(CLIENT, token('t'))
    expect(await state.tokens.list(CLIENT)).toEqual([])
  })
})

describe('looking at the state', () => {
  test('creates and finds nothing in an empty place', () => {
    const seen = openState(directory, {writes: false})
    expect(seen.cities.list()).toEqual([])
    expect(seen.settings.read().profiles).toEqual({})
    expect(readdirSync(directory)).toEqual([])
  })

  test('sees what another process just wrote, and cannot write', () => {
    state.cities.remember(CLIENT, [{id: 101, name: 'Istanbul', country_code: 'TR'}])
    const seen = openState(directory, {writes: false})
    expect(seen.cities.list()).toEqual([{id: 101, name: 'Istanbul', country_code: 'TR'}])
    expect(() => seen.cities.remember(CLIENT, [{id: 1, name: 'x', country_code: null}])).toThrow(StorageError)
    const before = readdirSync(directory)
    seen.close()
    expect(readdirSync(directory)).toEqual(before)
  })

  test('changes no permission', () => {
    state.cities.remember(CLIENT, [{id: 101, name: 'Istanbul', country_code: 'TR'}])
    state.close()
    const path = join(directory, 'config.json')
    writeFileSync(path, '{}')
    chmodSync(path, 0o640)
    chmodSync(directory, 0o750)
    const seen = openState(directory, {writes: false})
    expect([seen.settings.read().profiles, seen.cities.list().length, seen.writable]).toEqual([{}, 1, false])
    seen.close()
    expect([path, directory].map(each => statSync(each).mode & 0o777)).toEqual([0o640, 0o750])
    openState(directory).settings.read()
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })
})

test('cities are those of one service, by name; a city known already gets its new name', () => {
  const other = {baseUrl: 'https://other.example/v1'}
  state.cities.remember(CLIENT, [
    {id: 2, name: 'Rome', country_code: 'IT'},
    {id: 1, name: 'Ankara', country_code: 'TR'},
  ])
  state.cities.remember(CLIENT, [{id: 2, name: 'Roma', country_code: 'IT'}])
  state.cities.remember(other, [{id: 9, name: 'Bath', country_code: null}])
  expect(state.cities.list(CLIENT).map(city => city.name)).toEqual(['Ankara', 'Roma'])
  expect(state.cities.list().map(city => city.id)).toEqual([1, 9, 2])
})
