/** The support bundle: every kind of secret and personal data is planted, and none of it is in the archive. */
import {existsSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {strFromU8, unzipSync} from 'fflate'
import {afterAll, expect, test} from 'vitest'
import {openState} from '../../src/state/state.js'
import {Home} from '../support/bookctl.js'
import {answer, ScriptedService} from '../support/scripted-service.js'
import {atTerminal, ends} from '../support/terminal.js'

const CANARY = {
  clientSecret: 'sk_test_right',
  signingSecret: 'whsec_canarysigningsecret',
  proxyPassword: 'canaryproxypass',
  voucherLink: 'canaryvouchersignature',
  paymentAddress: 'canarypaymentpage',
  identity: '10000000146',
  passport: 'CANARY1234567',
  name: 'Canaryşe',
  surname: 'Kanaryaoğlu',
  email: 'canary@example.test',
  phone: '5551234567',
  birthDate: '1987-06-05',
  card: '4242 4242 4242 4242',
}
const CONTACT = {
  name: CANARY.name,
  surname: CANARY.surname,
  email: CANARY.email,
  phone_country_code: '+90',
  phone_number: CANARY.phone,
}

const service = await ScriptedService.start()
const home = new Home({
  ...service.env,
  BOOKCTL_WEBHOOK_SECRET: CANARY.signingSecret,
  HTTPS_PROXY: `http://user:${CANARY.proxyPassword}@127.0.0.1:1`,
})
home.configure({
  profiles: {default: {base_url: service.baseUrl, client_id: 'cid_1'}},
  defaults: {contact: CONTACT, nationality: 'TR'},
})
service.script = ({path}, response) => {
  if (path.startsWith('/odd'))
    answer(response, 422, {title: `${CANARY.name} ${CANARY.identity} ${CANARY.card}`, who: CANARY.email})
  else if (path.endsWith('/voucher'))
    answer(response, 200, {data: {voucher: {url: `${service.origin}/files/x?sig=${CANARY.voucherLink}`}}})
  else return false
  return true
}
afterAll(() => {
  home.remove()
  service.close()
})

const guest = (id: string) =>
  `name=${CANARY.name},surname=${CANARY.surname},birth_date=${CANARY.birthDate},gender=FEMALE,${id}`
const GUESTS = [guest(`tc=${CANARY.identity}`), guest(`passport=${CANARY.passport}`)]
const RESERVE = ['--pay', 'account', ...GUESTS.flatMap(one => ['--guest', one])]

/** Returns the files of the archive by name. */
function unpack(path: string): Record<string, string> {
  const files = unzipSync(readFileSync(join(home.directory, path)))
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]))
}

test('no secret or personal value is in the bundle, nor in the stored requests', async () => {
  const token = (await home.run(['token'])).stdout.trim()
  expect(token).toMatch(/^token-/)
  expect((await home.run(['reserve', 'off_1', '--client-reference', 'REF-1', ...RESERVE])).exit).toBe(0)
  service.script = (old => (request, response) => {
    if (request.path !== '/reservations/hotel') return old(request, response)
    return response.socket?.resetAndDestroy()
  })(service.script)
  const lost = ['reserve', 'off_2', '--client-reference', 'REF-2', '--timeout', '1', ...RESERVE]
  expect((await home.run(lost)).exit).toBe(10)
  await home.run(['voucher', 'download', 'R-1'])
  await home.run(['api', 'GET', `/odd/${CANARY.email}?q=${CANARY.phone}`])
  await home.run(['api', 'POST', '/odd', '--data', JSON.stringify({guests: [{name: CANARY.name}]})])
  const bundle = ['support', 'bundle', 'all.zip', '--yes']
  const {exit, result} = await home.json<{path: string; files: {name: string}[]}>(bundle)
  expect({exit, path: result.path}).toEqual({exit: 0, path: 'all.zip'})
  const files = unpack('all.zip')
  expect(result.files.map(({name}) => name)).toEqual(Object.keys(files))
  const kept = readFileSync(join(home.configDirectory, 'exchanges.jsonl'), 'utf8')
  for (const [what, canary] of Object.entries({...CANARY, token})) {
    for (const [name, text] of [...Object.entries(files), ['exchanges.jsonl', kept] as const]) {
      expect(`${name}: ${text.includes(canary) ? what : 'clean'}`).toBe(`${name}: clean`)
    }
  }
  expect(Object.values(files).join('')).not.toContain(home.directory)
})

test('the bundle has the attempts and requests with their ids', () => {
  const files = unpack('all.zip')
  const {entries} = JSON.parse(files['journal.json'] ?? '')
  expect(entries.map((entry: {outcome: string}) => entry.outcome)).toEqual(['unknown', 'confirmed'])
  expect(entries[1]).toMatchObject({client_reference_id: 'REF-1', reservation_ref: 'R-1'})
  const {requests} = JSON.parse(files['requests.json'] ?? '')
  expect(requests).toContainEqual(
    expect.objectContaining({
      command: 'reserve',
      method: 'POST',
      path: '/partner-api/v1/reservations/hotel',
      status: 201,
      idempotency_key: entries[1].idempotency_key,
    }),
  )
  expect(requests).toContainEqual(expect.objectContaining({status: null, fault: 'reset'}))
  expect(JSON.parse(files['doctor.json'] ?? '').checks.length).toBeGreaterThan(15)
  expect(JSON.parse(files['versions.json'] ?? '')).toMatchObject({name: 'bookctl', node: process.version})
  expect(JSON.parse(files['config.json'] ?? '').profiles.default).toMatchObject({client_id: 'cid_1'})
  for (const name of Object.keys(files))
    if (name !== 'manifest.txt') expect(files['manifest.txt']).toContain(name)
})

test('the bundle says what is wrong with invalid settings, without their values', async () => {
  const path = join(home.configDirectory, 'config.json')
  const before = readFileSync(path)
  const wrong = {profiles: {default: {base_url: 'x', client_id: 'y', secret: CANARY.clientSecret}}}
  writeFileSync(path, JSON.stringify({...wrong, note: CANARY.passport}))
  expect((await home.run(['support', 'bundle', 'wrong.zip', '--yes', '--offline'])).exit).toBe(0)
  writeFileSync(path, before)
  const files = unpack('wrong.zip')
  expect(files['config.json']).toContain('note is unknown; known here:')
  for (const canary of [CANARY.clientSecret, CANARY.passport])
    expect(Object.values(files).join('')).not.toContain(canary)
})

test('stored people and proxy passwords are redacted', async () => {
  const state = openState(home.configDirectory)
  const person = {name: 'Saklanan', surname: 'Misafir', birth_date: '1990-02-03'}
  const people = await state.people()
  people.forClient({baseUrl: 'https://other.example/v1', clientId: 'cid_2'}).keep({guests: [person]}, 1)
  state.close()
  const env = {ALL_PROXY: 'socks5://user:allproxypass@127.0.0.1:1', HTTPS_PROXY: ''}
  await home.run(['api', 'GET', '/odd/Saklanan/allproxypass/harmless'], {env})
  expect((await home.run(['support', 'bundle', 'kept.zip', '--yes', '--offline'], {env})).exit).toBe(0)
  const text = Object.values(unpack('kept.zip')).join('')
  expect(text).toContain('harmless')
  expect(text).not.toMatch(/Saklanan|allproxypass/)
})

test('the bundle is private, and replaces a file only with --force', async () => {
  if (process.platform !== 'win32') {
    expect(statSync(join(home.directory, 'all.zip')).mode & 0o777).toBe(0o600)
    expect(statSync(join(home.configDirectory, 'exchanges.jsonl')).mode & 0o777).toBe(0o600)
  }
  writeFileSync(join(home.directory, 'mine.zip'), 'mine')
  const argv = ['support', 'bundle', 'mine.zip', '--yes', '--offline']
  expect(await home.refusal(argv)).toMatchObject({exit: 2, code: 'file_exists'})
  expect(readFileSync(join(home.directory, 'mine.zip'), 'utf8')).toBe('mine')
  expect((await home.run([...argv, '--force'])).exit).toBe(0)
  expect(Object.keys(unpack('mine.zip'))).toContain('manifest.txt')
})

test('outside a terminal nothing is written without --yes, and --dry-run lists alone', async () => {
  const refused = await home.run(['support', 'bundle', 'new.zip'])
  expect(refused).toMatchObject({exit: 2, stdout: ''})
  expect(refused.stderr).toContain('add --yes')
  const {exit, stdout} = await home.run(['support', 'bundle', 'new.zip', '--offline', '--dry-run'])
  expect(exit).toBe(0)
  expect(stdout).toMatch(/^manifest\.txt\t\d+\t/)
  const away = await home.json(['support', 'bundle', 'no/such/place.zip', '--yes'])
  expect(away.exit).toBe(2)
  expect(existsSync(join(home.directory, 'new.zip'))).toBe(false)
})

test('at a terminal it is listed, and asked for', async () => {
  const argv = ['support', 'bundle', 'asked.zip', '--offline']
  const listing = /journal\.json +the last 200 reservations/
  await ends(atTerminal(home, argv), 2, [listing], ['Write asked.zip?', 'n\r'])
  expect(existsSync(join(home.directory, 'asked.zip'))).toBe(false)
  const yes = atTerminal(home, argv)
  const done = /Wrote asked\.zip: 7 files, \d+ bytes, readable by you alone\./
  await ends(yes, 0, ['Write asked.zip?', 'y\r'], [done])
  expect(yes.raw().match(/the last 200 reservations/g)).toHaveLength(1)
  const listed = atTerminal(home, [...argv.with(2, 'other.zip'), '--dry-run'])
  expect(await listed.exit).toBe(0)
  expect(listed.screen()).toMatch(/journal\.json +the last 200[\s\S]*\n\nNothing was written\.$/)
  expect(Object.keys(unpack('asked.zip'))).toContain('doctor.json')
})
