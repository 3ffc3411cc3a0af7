/** The first day of a partner: log in, search, reserve, download the voucher, pay for another reservation, log out. */
import {readdirSync, readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {CONTACT, GUESTS, SEARCH} from '../support/stay.js'

const sandbox = await sandboxOfFile()
const home = new Home()
afterAll(() => home.remove())

const logIn = (baseUrl: string, secret: string) => {
  const login = ['login', '--base-url', baseUrl, '--client-id', 'cid_sandbox', '--client-secret-stdin']
  return home.json(login, {stdin: `${secret}\n`})
}
const offers = async () => {
  const {result} = await home.json<{offers: {offer_id: string; price: {total: string}}[]}>(SEARCH)
  return result.offers
}
const balance = async () => Number((await home.run(['account', '--query', 'account.balance'])).stdout)

interface Reserved {
  readonly outcome: string
  readonly reservation: {readonly reservation_ref: string; readonly payment?: {readonly url?: string}}
  readonly client_reference_id: string
  readonly idempotency_key: string
}

test('login checks the credentials, stores them, and says where', async () => {
  const {exit, result} = await logIn(`${sandbox.baseUrl}/`, 'sk_test_sandbox')
  expect(exit).toBe(0)
  expect(result).toEqual({
    profile: 'default',
    base_url: sandbox.baseUrl,
    client_id: 'cid_sandbox',
    mode: 'test',
    scopes: ['account:read', 'hotels:read', 'reservations:read', 'reservations:write'],
    expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    stored_in: join(home.configDirectory, 'tokens.db'),
  })
  const config = JSON.parse(readFileSync(join(home.configDirectory, 'config.json'), 'utf8'))
  const profile = {base_url: sandbox.baseUrl, client_id: 'cid_sandbox', mode: 'test', secret_store: 'file'}
  expect(config).toEqual({current_profile: 'default', profiles: {default: profile}})
  for (const name of home.kept('all')) expect(statSync(join(home.configDirectory, name)).mode & 0o077).toBe(0)
  const used = {source: 'profile', mode: 'test'}
  expect(await home.json(['whoami', '--check'])).toMatchObject({exit: 0, result: used})
})

test('a reservation from the balance, its voucher, and the same again', async () => {
  const before = await balance()
  const [offer] = await offers()
  const argv = ['reserve', offer?.offer_id ?? '', '--pay', 'account', ...GUESTS]
  const first = await home.json<Reserved>(argv)
  expect(first).toMatchObject({exit: 0, result: {outcome: 'confirmed'}})
  expect(Object.keys(first.result).join(' ')).toBe(
    'outcome reservation_ref status payment_url reservation idempotency_key client_reference_id attempts agreed price_changed',
  )
  const again = await home.json<Reserved>(argv)
  expect(again.result).toMatchObject({idempotency_key: first.result.idempotency_key, outcome: 'confirmed'})
  expect(again.result.reservation.reservation_ref).toBe(first.result.reservation.reservation_ref)
  expect(await balance()).toBeCloseTo(before - Number(offer?.price.total), 2)

  const {reservation_ref} = first.result.reservation
  const saved = await home.json<{path: string; bytes: number}>(['voucher', 'download', reservation_ref])
  expect(saved.result.path).toBe(`voucher-${reservation_ref}.pdf`)
  const pdf = readFileSync(join(home.directory, saved.result.path))
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  expect(pdf.length).toBe(saved.result.bytes)
  expect(await home.json(['voucher', 'download', reservation_ref])).toMatchObject({exit: 2})
  const piped = await home.run(['voucher', 'download', reservation_ref, '--file', '-'])
  expect(piped).toMatchObject({exit: 0, stderr: ''})
  expect(piped.stdout.startsWith('%PDF-')).toBe(true)
  expect(await home.json(['voucher', 'download', reservation_ref, '--file', '-'])).toMatchObject({exit: 2})
  expect(readdirSync(home.directory).filter(name => name.includes('voucher'))).toEqual([saved.result.path])
})

test('a script sees no preview of what it reserves, unless it asks with -v', async () => {
  const reserve = async (...more: string[]) => {
    const [offer] = await offers()
    const argv = ['reserve', offer?.offer_id ?? '', '--pay', 'account', ...GUESTS, '--yes', ...more]
    return home.run(argv)
  }
  expect(await reserve()).toMatchObject({exit: 0, stderr: ''})
  expect(await reserve('--json')).toMatchObject({exit: 0, stderr: ''})
  expect((await reserve('-v')).stderr).toMatch(/^Hotel +\S.*\nReference +bk2-.*\nService +TEST/s)
})

test('the request can be a template that was filled in', async () => {
  const template = await home.json<Record<string, unknown>>(['reserve', '--template'])
  expect(Object.keys(template.result)).toContain('guests')
  const [offer] = await offers()
  const {name, surname} = CONTACT
  const guests = [
    {name, surname, identity: {type: 'TC', number: '10000000146'}},
    {name: 'Can', surname, identity: {type: 'PASSPORT', number: 'U1'}},
  ]
  const filled = {...template.result, offer_id: offer?.offer_id, guests, contact: CONTACT}
  const made = await home.json<Reserved>(['reserve', '--input', '-'], {stdin: JSON.stringify(filled)})
  expect(made).toMatchObject({exit: 0, result: {outcome: 'confirmed'}})
})
