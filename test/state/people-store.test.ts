/** Guests and contacts stored on this machine, and their removal without a trace. */
import {readdirSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import type {People} from '../../src/state/people-store.js'
import {openState, type State} from '../../src/state/state.js'
import {closing, filesWith, ownDirectory} from '../support/own.js'
import {CONTACT} from '../support/stay.js'

const AYSE = {name: 'Ayşe', surname: 'Öğüt', birth_date: '1990-02-03'}
const IDENTITY = {type: 'TC', number: '10000000146'}

const CLIENT = {baseUrl: 'https://a.example/v1', clientId: 'cid_a'}
let directory: string
let state: State
let people: People

beforeEach(async () => {
  directory = ownDirectory()
  state = closing(openState(directory))
  people = (await state.people()).forClient(CLIENT)
})

test('lists the people of all clients', async () => {
  people.keep({guests: [AYSE]}, 1)
  const all = await state.people()
  all.forClient({...CLIENT, clientId: 'cid_b'}).keep({guests: [], contact: CONTACT}, 2)
  expect(all.listAll()).toEqual([CONTACT, AYSE])
})

const holds = (text: string) => filesWith(directory, text).length > 0

test('stores a person once, with the newest details', () => {
  people.keep({guests: [AYSE], contact: CONTACT}, 1)
  people.keep({guests: [{...AYSE, name: 'AYŞE', identity: IDENTITY}]}, 2)
  expect(people.guests().map(({details}) => details)).toEqual([{...AYSE, name: 'AYŞE', identity: IDENTITY}])
  expect(people.contacts().map(({details}) => details)).toEqual([CONTACT])
  expect(statSync(join(directory, 'state.db')).mode & 0o777).toBe(0o600)
})

test('lists the newest first, and removes the oldest', () => {
  const named = (n: number) => ({name: `N${n}`, surname: 'S'})
  people.keep({guests: Array.from({length: 200}, (_, n) => named(n))}, 0)
  for (let n = 200; n < 205; n++) people.keep({guests: [named(n)]}, n)
  const names = people.guests().map(({details}) => details.name)
  expect([names.length, ...names.slice(0, 6)]).toEqual([200, 'N204', 'N203', 'N202', 'N201', 'N200', 'N5'])
})

test('removes one person to the last byte, and no other', () => {
  const can = {name: 'Can', surname: 'Öğüt'}
  people.keep({guests: [{...AYSE, identity: IDENTITY}, can]}, 1)
  expect(holds('10000000146')).toBe(true)
  const ayse = people.guests().find(({details}) => details.name === 'Ayşe')
  expect(people.forget(ayse?.id ?? 0)).toBe(true)
  expect(holds('10000000146')).toBe(false)
  expect(people.guests().map(({details}) => details.name)).toEqual(['Can'])
})

test('logging out of everything removes them, and creates no file', async () => {
  expect(await state.forget('all')).toBe(false)
  expect(readdirSync(directory)).not.toContain('state.db')
  people.keep({guests: [{...AYSE, identity: IDENTITY}], contact: CONTACT}, 1)
  const all = await state.people()
  all.forClient({...CLIENT, clientId: 'cid_b'}).keep({guests: [AYSE]}, 1)
  expect(await state.forget('all')).toBe(true)
  expect(all.listAll()).toEqual([])
  expect(holds('ayse@example.com')).toBe(false)
})

test('each client of each service has its own people', async () => {
  people.keep({guests: [AYSE], contact: CONTACT}, 1)
  const others = [{clientId: 'cid_b'}, {baseUrl: 'https://b.example/v1'}]
  for (const other of others.map(each => ({...CLIENT, ...each}))) {
    const theirs = (await state.people()).forClient(other)
    expect([theirs.guests(), theirs.contacts()]).toEqual([[], []])
    theirs.keep({guests: [{...AYSE, surname: 'Başka'}]}, 2)
    expect(theirs.forget(people.guests()[0]?.id ?? 0)).toBe(false)
    expect(theirs.forget('all')).toBe(true)
    theirs.keep({guests: [AYSE]}, 3)
  }
  expect(people.guests().map(({details}) => details)).toEqual([AYSE])
})
