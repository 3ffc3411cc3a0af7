/** Guests and contacts kept on this machine, and forgotten without a trace. */
import {mkdtempSync, readdirSync, readFileSync, rmSync, statSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import type {People} from '../../src/state/people-store.js'
import {openState, type State} from '../../src/state/state.js'

const AYSE = {name: 'Ayşe', surname: 'Öğüt', birth_date: '1990-02-03'}
const IDENTITY = {type: 'TC', number: '10000000146'}
const CONTACT = {
  ...{name: 'Ayşe', surname: 'Öğüt', email: 'ayse@example.com'},
  ...{phone_country_code: '+90', phone_number: '5321234567'},
}
const CLIENT = {baseUrl: 'https://a.example/v1', clientId: 'cid_a'}
let directory: string
let state: State
let people: People

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
  state = openState(directory)
  people = state.people.forClient(CLIENT)
})
afterEach(() => {
  state.close()
  rmSync(directory, {recursive: true, force: true})
})

test('everybody is listed, of every client', () => {
  people.keep({guests: [AYSE]}, 1)
  state.people.forClient({...CLIENT, clientId: 'cid_b'}).keep({guests: [], contact: CONTACT}, 2)
  expect(state.people.listAll()).toEqual([CONTACT, AYSE])
})

const holds = (text: string) =>
  readdirSync(directory).some(name => readFileSync(join(directory, name)).includes(text))

test('a person is kept once, with the newest details', () => {
  people.keep({guests: [AYSE], contact: CONTACT}, 1)
  people.keep({guests: [{...AYSE, name: 'AYŞE', identity: IDENTITY}]}, 2)
  expect(people.guests().map(({details}) => details)).toEqual([{...AYSE, name: 'AYŞE', identity: IDENTITY}])
  expect(people.contacts().map(({details}) => details)).toEqual([CONTACT])
  expect(statSync(join(directory, 'state.db')).mode & 0o777).toBe(0o600)
})

test('the most recent come first, and the oldest go', () => {
  for (let n = 0; n < 205; n++) people.keep({guests: [{name: `N${n}`, surname: 'S'}]}, n)
  const names = people.guests().map(({details}) => details.name)
  expect([names.length, names[0], names.at(-1)]).toEqual([200, 'N204', 'N5'])
})

test('one who is forgotten leaves no byte, and the others stay', () => {
  people.keep(
    {
      guests: [
        {...AYSE, identity: IDENTITY},
        {name: 'Can', surname: 'Öğüt'},
      ],
    },
    1,
  )
  expect(holds('10000000146')).toBe(true)
  const ayse = people.guests().find(({details}) => details.name === 'Ayşe')
  expect(people.forget(ayse?.id ?? 0)).toBe(true)
  expect(holds('10000000146')).toBe(false)
  expect(people.guests().map(({details}) => details.name)).toEqual(['Can'])
})

test('logging out of everything forgets them, and makes no file to do so', () => {
  expect(state.forgetEverything()).toBe(false)
  expect(readdirSync(directory)).not.toContain('state.db')
  people.keep({guests: [{...AYSE, identity: IDENTITY}], contact: CONTACT}, 1)
  expect(state.forgetEverything()).toBe(true)
  expect(people.guests()).toEqual([])
  expect(holds('ayse@example.com')).toBe(false)
})

test('each client of each service has its own people, and forgets its own alone', () => {
  people.keep({guests: [AYSE], contact: CONTACT}, 1)
  for (const other of [
    {...CLIENT, clientId: 'cid_b'},
    {...CLIENT, baseUrl: 'https://b.example/v1'},
  ]) {
    const theirs = state.people.forClient(other)
    expect([theirs.guests(), theirs.contacts()]).toEqual([[], []])
    theirs.keep({guests: [{...AYSE, surname: 'Başka'}]}, 2)
    expect(theirs.forget(people.guests()[0]?.id ?? 0)).toBe(false)
    expect(theirs.forget('all')).toBe(true)
    theirs.keep({guests: [AYSE]}, 3)
  }
  expect(people.guests().map(({details}) => details)).toEqual([AYSE])
  expect(state.forgetEverything()).toBe(true)
  expect(state.people.forClient({...CLIENT, clientId: 'cid_b'}).guests()).toEqual([])
})
