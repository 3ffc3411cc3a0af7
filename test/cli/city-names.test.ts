/** A city by its name, where this machine knows it. */
import {afterEach, beforeEach, expect, test} from 'vitest'
import {cityNumber, cityText, namedCities, readCity} from '../../src/cli/features/catalogue/city-names.js'
import {type ServedSandbox, serveLocalSandbox} from '../support/served-sandbox.js'
import {thrownBy} from '../support/thrown.js'
import {type Desk, openDesk} from './wizard/desk.js'

let sandbox: ServedSandbox
let desk: Desk
beforeEach(async () => {
  sandbox = await serveLocalSandbox()
  const {baseUrl} = sandbox
  desk = await openDesk({baseUrl, clientId: 'cid_sandbox', clientSecret: 'sk_test_sandbox'})
})
afterEach(async () => {
  await desk.close()
  await sandbox.stop()
})

test('names are known once the service listed them, and only of that service', async () => {
  const open = async () => desk.connection
  expect(cityText(101, desk.connection)).toBe('101')
  await expect(readCity('istanbul', open)).rejects.toThrow('--city')
  await namedCities(desk.connection)
  expect(cityText('101', desk.connection)).toBe('Istanbul (101)')
  expect(await readCity('ıstanbul', open)).toBe(101)
  const elsewhere = {
    ...desk.connection,
    target: {...desk.connection.target, baseUrl: 'https://other.example/v1'},
  }
  expect(cityText(101, elsewhere)).toBe('101')
})

test('a number needs nothing opened', async () => {
  const open = () => Promise.reject(new Error('opened'))
  expect(await readCity(7, open)).toBe(7)
  expect(await readCity(undefined, open)).toBeUndefined()
})

test('a name that several cities have is refused with their numbers', () => {
  const cities = [
    {id: 1, name: 'Valencia', country_code: 'ES'},
    {id: 2, name: 'València', country_code: 'VE'},
  ]
  expect(thrownBy(() => cityNumber('valencia', cities)).message).toContain('1 ES, 2 VE')
})

test('a name mistyped is refused with the nearest ones', () => {
  const cities = [
    {id: 101, name: 'İstanbul', country_code: 'TR'},
    {id: 7, name: 'Paris', country_code: 'FR'},
  ]
  const {details, kind} = thrownBy(() => cityNumber('istnbul', cities))
  expect([kind, details.hint]).toEqual(['usage', 'did you mean İstanbul (101)?'])
  expect(thrownBy(() => cityNumber('zzzzzzzz', cities)).details.hint ?? '').not.toContain('did you mean')
})
