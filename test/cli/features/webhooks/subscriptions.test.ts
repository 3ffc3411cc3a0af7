/**
 * Creating a subscription whose end cannot be recorded. A secret that cannot be stored: test/scenarios/secret-shown-once.test.ts.
 */
import {expect, test} from 'vitest'
import {createAndKeep} from '../../../../src/cli/features/webhooks/subscriptions.js'
import {StorageError} from '../../../../src/storage/errors.js'

test('an end that cannot be recorded only warns', async () => {
  const wanted = {url: 'https://partner.example/hooks', events: ['voucher.ready']}
  const end = async () => {
    throw new StorageError('full', 'no space left for tokens.db', 'free some disk space')
  }
  const connection = {
    api: {
      call: async () => ({status: 201, json: {id: 'whsub_1', ...wanted, secret: 'whsec_1', is_active: true}}),
    },
    state: {
      writable: true,
      settings: {read: () => ({profiles: {}})},
      directory: '/home/ann/bookctl',
      secrets: {listSigningSecrets: () => [], putSigningSecret: () => {}},
      subscriptions: {begin: async () => ({id: 1}), end},
    },
    target: {baseUrl: 'https://partners.example/v1', clientId: 'cid_1'},
    clock: {now: () => 0},
  }
  const kept = await createAndKeep(connection as never, wanted, {profile: 'default'})
  expect(kept.problem).toBeUndefined()
  expect(kept.stored_in).toBe('/home/ann/bookctl/tokens.db')
  expect(kept.warnings).toEqual([expect.stringMatching(/needs --again: no space left/)])
})
