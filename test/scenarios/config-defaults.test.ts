/** Searches and reservations use settings for values that flags and the input file leave out. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {ownHome} from '../support/own.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {CONTACT} from '../support/stay.js'

const SEARCH = ['hotels', 'search', '--city', '101', '--check-in', '2030-06-01', '--nights', '3']

const sandbox = await sandboxOfFile()
const {home} = sandbox
for (const [key, value] of Object.entries(CONTACT)) await home.run(['config', 'set', `contact.${key}`, value])
await home.run(['config', 'set', 'nationality', 'TR'])
await home.run(['config', 'set', 'currency', 'EUR'])

test('a search takes nationality and currency', async () => {
  const {exit, result} = await home.json<{search: object}>(SEARCH)
  expect({exit, ...result.search}).toMatchObject({exit: 0, client_nationality: 'TR', currency: 'EUR'})
})

test('a reservation takes the contact field by field: flag > file > settings', async () => {
  const contact = {surname: 'File', email: 'file@example.com'}
  writeFileSync(join(home.directory, 'in.json'), JSON.stringify({contact}))
  const guest = 'name=A,surname=B,birth_date=1990-02-03,gender=MALE,passport=U1'
  const argv = ['reserve', 'off_unseen', '--input', 'in.json', '--pay', 'account', '--guest', guest]
  const flags = ['--contact', 'email=flag@example.com', '--dry-run']
  const {exit, result} = await home.json<{body: object}>([...argv, ...flags])
  expect({exit, ...result.body}).toMatchObject({
    exit: 0,
    client_nationality: 'TR',
    contact: {...CONTACT, surname: 'File', email: 'flag@example.com'},
  })
})

test('a wrong value in the file is named with its place', async () => {
  const other = ownHome(sandbox.env)
  other.configure({profiles: {}, defaults: {currency: 'EUR', nationality: 'Narnia'}})
  const message = expect.stringContaining('config.json: defaults.nationality')
  expect(await other.refusal(SEARCH)).toMatchObject({exit: 2, code: 'invalid_input', message})
})

test.each([
  [{BOOKCTL_TIMEOUT: '0'}, ['account', '--timeout', '5']],
  [{BOOKCTL_CURRENCY: 'EURO', BOOKCTL_NATIONALITY: 'Narnia'}, ['account']],
  [{BOOKCTL_CURRENCY: 'EURO'}, [...SEARCH, '--currency', 'USD', '--limit', '1']],
])('%j does not stop %j, which does not use it', async (env, argv) => {
  expect(await home.run(argv, {env})).toMatchObject({exit: 0, stderr: ''})
})

test('the time limit of the settings holds', async () => {
  await sandbox.fault({operation: 'account.show', kind: 'commit-then-hang', times: 9})
  await home.run(['config', 'set', 'timeout', '1'])
  expect(await home.refusal(['account'])).toMatchObject({exit: 7, code: 'timeout'})
})
