/** Typed values, checked before anything is sent. */
import {describe, expect, test} from 'vitest'
import {readDuration} from '../../src/cli/input/checks.js'
import {checkCountry, findCountries, namedCountries} from '../../src/cli/input/countries.js'
import {readJson} from '../../src/cli/input/files.js'
import {completeGuests, readContact, readGuest, readPairs} from '../../src/cli/input/guests.js'
import {readRoom} from '../../src/cli/input/stay.js'
import {rejectionOf, thrownBy} from '../support/thrown.js'
import {said} from './features/wizard/scripted-prompts.js'

test('a room is its adults, and the ages of its children', () => {
  expect(readRoom('--room', '2:7,0')).toEqual({adults: 2, children_ages: [7, 0]})
})

describe('key=value lists', () => {
  test('take escaped commas, equals signs and spaces', () => {
    expect([...readPairs('--x', String.raw`a=1\, 2, b = c=d ,e=\\`, ['a', 'b', 'e']).pairs]).toEqual([
      ['a', '1, 2'],
      ['b', 'c=d'],
      ['e', '\\'],
    ])
  })

  test.each(['', 'a', '=1', 'a=1,a=2', 'a=1,b'])('refuses %j', text => {
    const message = expect.stringMatching(/^--guest/)
    expect(readPairs('--guest', text, ['a', 'b']).errors).toMatchObject([{message}])
  })
})

describe('guests', () => {
  test('are written with the names of the wire, or short', async () => {
    const text = 'type=CHILD,name=A,surname=B,birth_date=2020-01-02,gender=MALE,nationality=DE,is_lead=false'
    const fields = {type: 'CHILD', name: 'A', surname: 'B', birth_date: '2020-01-02', gender: 'MALE'}
    const rest = {nationality: 'DE', is_lead: false}
    expect(await readGuest('--guest', `${text},tc=1`)).toEqual({
      ...fields,
      ...rest,
      identity: {type: 'TC', number: '1'},
    })
    const identityOf = async (typed: string) => (await readGuest('--guest', typed)).identity
    expect(await identityOf('name=A,passport=P1')).toEqual({type: 'PASSPORT', number: 'P1'})
    expect(await identityOf('identity.type=ID,identity.number=9')).toEqual({type: 'ID', number: '9'})
  })

  test('have dates and countries as people write them', async () => {
    const guest = await readGuest('--guest', 'birth_date=3.2.1990,nationality=deutschland')
    expect(guest).toEqual({birth_date: '1990-02-03', nationality: 'DE'})
  })

  test('all that is wrong with one is named at once', async () => {
    const typed = 'nmae=A,brith_date=1,birth_date=30.2.1990,nationality=Narnia,tc=1,passport=2'
    const {message} = await rejectionOf(readGuest('--guest', typed))
    for (const part of ['nmae', 'brith_date', '"30.2.1990"', '"Narnia"', 'give one identity'])
      expect(message).toContain(part)
    expect(message).not.toContain('tomorrow')
  })

  test('the first one leads unless another does', () => {
    expect(completeGuests([{}, {}]).map(guest => guest.is_lead)).toEqual([true, false])
    expect(completeGuests([{}, {is_lead: true}]).map(guest => guest.is_lead)).toEqual([false, true])
  })

  test('a telephone number of the contact may be written as one', async () => {
    const split = {phone_country_code: '+90', phone_number: '5321234567'}
    for (const phone of ['+905321234567', '0090 532 123 45 67'])
      expect(await readContact('--contact', `name=A,phone=${phone}`)).toEqual({name: 'A', ...split})
    for (const wrong of ['phone=0532 123 45 67', 'phone=+905321234567,phone_number=5321234567'])
      expect((await rejectionOf(readContact('--contact', wrong))).message).toMatch(/^--contact.* phone/)
  })
})

describe('a country', () => {
  test.each([
    ...said`tr → TR | Türkiye → TR | turkey → TR | turkiye → TR | TUR → TR | uk → GB | us → US | Holland → NL
      United  States of America → US | Korea → KR | Cote d’Ivoire → CI | Czechia → CZ | Deutschland → DE
      in → IN | Niger → NE | almanya → DE | Türkei → TR | Турция → TR | Allemagne → DE | países bajos → NL
      Danimarca → DK | Persia → IR | Ceylon → LK | White  Russia → BY | Kampuchea → KH | Moldavia → MD
      Congo-Kinshasa → CD | çin → CN | gine → GN | المانيا → DE`,
  ])('%j is %s, in a flag and as the first of a list', async (typed, code) => {
    expect(await checkCountry('--nationality', ` ${typed}`)).toBe(code)
    expect(findCountries(await namedCountries(), typed)[0]?.code).toBe(code)
  })

  test.each([
    ['Narnia', undefined],
    ['ZZ', undefined],
    ['', undefined],
    ['Turky', 'Türkiye (TR)'],
    ['almanyya', 'Germany (DE)'],
    ['Frankreih', 'France (FR)'],
    ['Congo', 'Congo'],
    ['Kongo', '(CD)'],
    ['united k', 'United Kingdom (GB)'],
  ])('%j is refused, with what it may mean', async (typed, near) => {
    const {message, details} = await rejectionOf(checkCountry('--nationality', typed))
    expect(message).toMatch(/^--nationality: must be a country/)
    if (near) expect(details.hint).toContain(near)
    else expect(details.hint).toBeUndefined()
  })
})

test.each([
  ['30s', 30],
  ['16m', 960],
  ['2h', 7200],
  ['1h30m', 5400],
  ['45', 45],
])('%s is %i seconds', (text, seconds) => {
  expect(readDuration('--advance', text)).toBe(seconds)
})

test.each(['', 'm', '1w', '1.5h', '-1m', '1m x'])('%j is not a duration', text => {
  expect(thrownBy(() => readDuration('--advance', text)).message).toContain('--advance')
})

test('says whether a bare number is a duration', () => {
  expect(thrownBy(() => readDuration('--slow', '-5')).message).toContain(
    'a number of seconds, or a duration such as',
  )
  expect(thrownBy(() => readDuration('--age', '5', true)).message).toContain('a duration with a unit such as')
})

test('refuses JSON that is nested too deeply', () => {
  expect(thrownBy(() => readJson('--input', '['.repeat(100_000))).details.code).toBe('invalid_json')
})
