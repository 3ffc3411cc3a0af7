/** A subscription whose secret cannot be stored is not lost: it is printed, or is in the failure with --json. */
import {expect, test} from 'vitest'
import {createAndKeep, failNotStored} from '../../../../src/cli/features/webhooks/subscriptions.js'
import type {Connection} from '../../../../src/cli/session/connect.js'
import type {BaseCommand} from '../../../../src/cli/shell/base-command.js'
import {StorageError} from '../../../../src/storage/errors.js'
import {rejectionOf} from '../../../support/thrown.js'

const CREATED = {
  id: 'whsub_1',
  url: 'https://partner.example/hooks',
  events: ['voucher.ready'],
  secret: 'whsec_1',
  is_active: true,
}

const full = () => {
  throw new StorageError('full', 'no space left for tokens.db', 'free some disk space')
}

/** A connection to a service that creates; `put` stores the secret, `end` records the end of the creation. */
function connection(put: () => void, end = async () => {}): Connection {
  const state = {
    writable: true,
    directory: '/home/ann/bookctl',
    secrets: {listSigningSecrets: () => [], putSigningSecret: put},
    subscriptions: {begin: async () => ({id: 1}), end},
  }
  const api = {call: async () => ({status: 201, json: CREATED})}
  const target = {baseUrl: 'https://partners.example/v1', clientId: 'cid_1'}
  return {api, state, target, clock: {now: () => 0}} as never
}

const create = (to: Connection) =>
  createAndKeep(to, {url: CREATED.url, events: CREATED.events}, {profile: 'default'})

test.each([
  [{quiet: true, query: 'id'}, 1],
  [{json: true}, 0],
])('with the flags %j it is printed %i times, and always in the failure', async (flags, times) => {
  const kept = await create(connection(full))
  const printed: object[] = []
  const command = {print: async (result: {document: object}) => void printed.push(result.document)}
  const failure = await rejectionOf(failNotStored(command as unknown as BaseCommand, kept, flags))
  const {id, url, events, secret, is_active} = CREATED
  const subscription = {id, url, events, secret, is_active}
  const document = {...subscription, subscription, stored_in: null}
  expect(printed).toEqual(Array(times).fill(document))
  expect(failure).toMatchObject({kind: 'outcome_unknown', message: expect.stringContaining('no space left')})
  expect(failure.details).toMatchObject({code: 'secret_not_stored', keepsResult: true, result: document})
})

test('an end that cannot be recorded only warns', async () => {
  const kept = await create(
    connection(
      () => {},
      async () => full(),
    ),
  )
  expect(kept.problem).toBeUndefined()
  expect(kept.stored_in).toBe('/home/ann/bookctl/tokens.db')
  expect(kept.warnings).toEqual([expect.stringMatching(/needs --again: no space left/)])
})
