/** config.json: no change is lost, and values that are not understood are named and left unchanged. */
import {execFileSync} from 'node:child_process'
import * as fs from 'node:fs'
import {join} from 'node:path'
import {beforeEach, describe, expect, test} from 'vitest'
import {createSettings} from '../../src/state/settings.js'
import {settingsMistake} from '../../src/state/settings-schema.js'
import {ownDirectory} from '../support/own.js'

const PROFILE = {base_url: 'https://example.com/v1', client_id: 'cid_1'}
let directory: string
let path: string

beforeEach(() => {
  directory = ownDirectory()
  path = join(directory, 'config.json')
})

test('the first writer creates the file, private and readable by people', async () => {
  const settings = createSettings(join(directory, 'new'))
  await settings.update(file => {
    file.set(['profiles', 'one'], PROFILE)
    file.set(['current_profile'], 'one')
  })
  const text = fs.readFileSync(settings.path, 'utf8')
  expect(text.split('\n').length).toBeGreaterThan(5)
  expect(fs.statSync(settings.path).mode & 0o777).toBe(0o600)
  expect(settings.read()).toEqual({current_profile: 'one', profiles: {one: PROFILE}})
})

test('a change keeps everything else', async () => {
  const theirs = {profiles: {one: {...PROFILE, timeout: 4}}, defaults: {currency: 'EUR'}}
  fs.writeFileSync(path, JSON.stringify(theirs))
  await createSettings(directory).update(file => file.set(['current_profile'], 'one'))
  expect(JSON.parse(fs.readFileSync(path, 'utf8'))).toEqual({...theirs, current_profile: 'one'})
})

test('removes temporary files of killed writers', async () => {
  const left = join(directory, '.bookctl-4194305-1-00000000-0000-4000-8000-000000000000.tmp')
  const stage = join(directory, '.bookctl-4194305-1-00000000-0000-4000-8000-000000000001.tmp')
  fs.writeFileSync(left, '{"half":')
  fs.mkdirSync(stage)
  fs.writeFileSync(join(stage, 'config.json'), '{}')
  await createSettings(directory).update(() => {})
  expect(fs.readdirSync(directory).sort()).toEqual(['config.json', 'locks'])
})

describe('a file that cannot be understood', () => {
  test.each<[what: string, content: string | Buffer, message: string]>([
    ['empty', '', 'is empty'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'is not UTF-8'],
    ['too large', ' '.repeat(1024 * 1024 + 1), 'larger than'],
    ['cut', '{"profiles": {', 'is not JSON'],
    ['a stray brace', '{\n  "profiles": {}\n}}', 'line 3'],
    ['a missing comma', '{\n  "profiles": {}\n  "defaults": {}\n}', 'line 3'],
    ['a comma too many', '{\n  "profiles": {},\n}', 'at line 3, column 1'],
    ['an unknown key', '{\n  "profiles": {},\n  "themes": 2\n}', 'line 3: themes is unknown'],
    ['an unknown key below another mistake', '{"profiles": {"one": {}},\n  "themes": 2}', 'line 2: themes'],
    [
      'an unknown key of a contact',
      '{"defaults": {"contact": {"nmae": "A"}}}',
      'defaults.contact.nmae is unknown; known here: name, surname',
    ],
    ['text for a number', '{"defaults": {"timeout": "soon"}}', 'defaults.timeout must be a number'],
    ['a byte order mark', '\uFEFF{}', 'byte order mark'],
    ['zeros', '\0\0\0', 'is not JSON'],
    ['a list', '[]', 'must be an object'],
    ['null', 'null', 'must be an object'],
    ['a key twice', '{\n  "profiles": {},\n  "profiles": {}\n}', 'line 3 repeats a key of the same object'],
    ['a key twice, once escaped', '{"profiles": {}, "pro\\u0066iles": {}}', 'line 1 repeats a key'],
    ['a wrong type', '{"profiles": {"one": {"base_url": 7, "client_id": "c"}}}', 'profiles.one.base_url'],
    ['a missing key', '{"profiles": {"one": {"base_url": "b"}}}', 'profiles.one.client_id'],
    ['a bad profile name', '{"profiles": {"a b": {"base_url": "b", "client_id": "c"}}}', 'profiles.a b'],
    [
      'an unknown scope',
      '{"profiles": {"a": {"base_url": "b", "client_id": "c", "scopes": ["x"]}}}',
      'scopes.0',
    ],
  ])('%s', async (_, content, message) => {
    fs.writeFileSync(path, content)
    const settings = createSettings(directory)
    const failure = {kind: 'usage', message: expect.stringMatching(new RegExp(`^${path}\\b.*${message}`))}
    expect(() => settings.read()).toThrow(expect.objectContaining(failure))
    await expect(settings.update(() => {})).rejects.toMatchObject(failure)
    expect(fs.readFileSync(path).equals(Buffer.from(content))).toBe(true)
  })

  test("is refused when it is another user's", context => {
    if (process.getuid?.() !== 0) context.skip('needs the right to give a file away')
    fs.writeFileSync(path, '{}')
    fs.chownSync(path, 65_533, 65_533)
    expect(() => createSettings(directory).read()).toThrow('belongs to another user')
  })

  test('a symbolic link is not followed, to read or to write', async () => {
    const victim = join(directory, 'victim')
    fs.writeFileSync(victim, '{}')
    fs.symlinkSync(victim, path)
    const settings = createSettings(directory)
    expect(() => settings.read()).toThrow('not a regular file')
    await expect(settings.update(() => {})).rejects.toMatchObject({kind: 'usage'})
    expect(fs.readFileSync(victim, 'utf8')).toBe('{}')
  })

  test('a directory in its place is refused', () => {
    fs.mkdirSync(path)
    expect(() => createSettings(directory).read()).toThrow('not a regular file')
  })
})

test.each(['default', 'a-B_9', 'x'.repeat(64), 'constructor', 'prototype', '7'])(
  'stores, changes and removes the profile %j',
  async name => {
    const settings = createSettings(directory)
    const contact = {email: 'a@b.example'}
    await settings.update(file => {
      file.set(['profiles', name], PROFILE)
      file.set(['profiles', name, 'contact', 'email'], contact.email)
    })
    expect(settings.read()).toEqual({profiles: {[name]: {...PROFILE, contact}}})
    await settings.update(file => file.delete(['profiles', name, 'contact', 'email']))
    expect(settings.read()).toEqual({profiles: {[name]: PROFILE}})
    await settings.update(file => file.delete(['profiles', name]))
    expect(settings.read()).toEqual({profiles: {}})
  },
)

test('refuses invalid profile names and writes nothing', async () => {
  const settings = createSettings(directory)
  for (const name of ['x'.repeat(65), '', 'a b', '../x', 'ş', '__proto__', 'a.b', 'a[0]']) {
    const change = settings.update(file => file.set(['profiles', name], PROFILE))
    const message = expect.stringContaining(name)
    await expect(change, name).rejects.toMatchObject({kind: 'usage', message})
  }
  expect(fs.readdirSync(directory)).toEqual(['locks'])
})

test('a key with a dot is one key, and its list goes with its last entry', async () => {
  const settings = createSettings(directory)
  await settings.update(file => {
    file.set(['defaults', 'paths', 'reservations.list'], '/bookings')
    file.set(['defaults', 'paths', 'tours.search'], '/tours')
  })
  const paths = {'reservations.list': '/bookings', 'tours.search': '/tours'}
  expect(settings.read().defaults).toEqual({paths})
  await settings.update(file => file.delete(['defaults', 'paths', 'reservations.list']))
  expect(settings.read().defaults).toEqual({paths: {'tours.search': '/tours'}})
  await settings.update(file => file.delete(['defaults', 'paths', 'reservations.list']))
  expect(settings.read().defaults).toEqual({paths: {'tours.search': '/tours'}})
  await settings.update(file => file.delete(['defaults', 'paths', 'tours.search']))
  expect(settings.read().defaults).toEqual({})
})

test('an edit sees its own changes, and changes nothing if it fails', async () => {
  fs.writeFileSync(path, '{"defaults": {"currency": "EUR"}}')
  const change = createSettings(directory).update(file => {
    file.set(['defaults', 'currency'], 'TRY')
    expect(file.read().defaults).toEqual({currency: 'TRY'})
    throw new Error('stop')
  })
  await expect(change).rejects.toThrow('stop')
  expect(fs.readFileSync(path, 'utf8')).toBe('{"defaults": {"currency": "EUR"}}')
  expect(fs.readdirSync(directory).sort()).toEqual(['config.json', 'locks'])
})

test('a change installs no signal handlers', () => {
  const code = `
    const {createSettings} = await import(${JSON.stringify(new URL('../../src/state/settings.ts', import.meta.url).href)})
    process.on('SIGINT', () => console.log('SIGINT'))
    await createSettings(${JSON.stringify(directory)}).update(file => file.set(['defaults', 'currency'], 'EUR'))
    process.kill(process.pid, 'SIGINT')
    setTimeout(() => process.exit(), 50)`
  const argv = ['--import', 'tsx', '--input-type=module', '--eval', code]
  expect(execFileSync(process.execPath, argv, {encoding: 'utf8'})).toBe('SIGINT\n')
})

const profile = (more: object) => ({profiles: {one: {...PROFILE, ...more}}})

test.each<[unknown, boolean]>([
  [{}, true],
  [profile({}), true],
  [profile({scopes: ['hotels:read'], mode: 'live', secret_store: 'keychain', timeout: 0.5}), true],
  [{profiles: {constructor: PROFILE, toString: PROFILE}, current_profile: 'toString'}, true],
  [{defaults: {paths: {'reservations.list': '/a/{b}'}, contact: {}}}, true],
  [{defaults: {timeout: Number.POSITIVE_INFINITY}}, false],
  [{defaults: {base_url: 'https://example.com/v1'}}, false],
  [{defaults: {paths: {'reservations.list': '/a/../b'}}}, false],
  [{defaults: {signature_header: 'X Y'}}, false],
  [{current_profile: '__proto__'}, false],
  [profile({base_url: ''}), false],
  [profile({scopes: ['hotels:reed']}), false],
  [profile({mode: null}), false],
])('%j can be the content: %s', (value, valid) => {
  expect(settingsMistake(value) === undefined).toBe(valid)
})

test('a key called __proto__ is refused wherever it is', () => {
  for (const text of [
    '{"__proto__": {}}',
    '{"profiles": {"__proto__": {}}}',
    '{"defaults": {"__proto__": {}}}',
  ])
    expect(settingsMistake(JSON.parse(text))).toBeDefined()
})
