/** The generated check of config.json is that of the schema. */
import {readFileSync} from 'node:fs'
import {expect, test} from 'vitest'
import {CHECK_FILE, settingsCheck} from '../../scripts/settings-check.js'
import {validate} from '../../src/state/settings-check.js'
import {settingsFile} from '../../src/state/settings-schema.js'

test('settings-check.ts is up to date (npm run generate)', () => {
  expect(readFileSync(CHECK_FILE, 'utf8')).toBe(settingsCheck())
})

const PROFILE = {base_url: 'https://example.com/v1', client_id: 'cid_1'}
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
  [[], false],
  [null, false],
])('schema and check agree on %j: %s', (value, valid) => {
  expect([settingsFile.safeParse(value).success, validate(value)]).toEqual([valid, valid])
})

test('a key called __proto__ is refused wherever it is', () => {
  for (const text of [
    '{"__proto__": {}}',
    '{"profiles": {"__proto__": {}}}',
    '{"defaults": {"__proto__": {}}}',
  ])
    expect(validate(JSON.parse(text))).toBe(false)
})
