/** An intent of which nothing was sent gives way to another; its own process, should it live, sends nothing then. */
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import type {Journal} from '../../src/contract/journal.js'
import {openState, type State} from '../../src/state/state.js'

const CLIENT = {baseUrl: 'https://example.com/v1', clientId: 'cid_1'}
let directory: string
let state: State
let journal: Journal

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
  state = openState(directory)
  journal = state.journal.forClient(CLIENT)
})
afterEach(() => {
  state.close()
  rmSync(directory, {recursive: true, force: true})
})

const intent = (n: number, change: object = {}) => ({
  ...{offerId: `off_${n}`, clientReferenceId: `ref-${n}`, referenceGiven: true},
  ...{idempotencyKey: `key-${n}`, keyGiven: true, body: '{}', bodySha256: `${n}`, intentSha256: `${n}`},
  ...change,
})

test.each([
  ['reference', {clientReferenceId: 'ref-1'}],
  ['key', {idempotencyKey: 'key-1'}],
  ['offer', {offerId: 'off_1'}],
])('the same %s: one of the two may be sent', (_, shared) => {
  const first = journal.begin(intent(1), 1)
  const second = journal.begin(intent(2, shared), 2)
  expect([first.kind, second.kind]).toEqual(['new', 'new'])
  expect(second.entry.id).not.toBe(first.entry.id)
  expect(() => journal.attempt(first.entry.id, 3)).toThrow('another process started a reservation')
  journal.notSent(first.entry.id, 0, 3)
  expect(journal.attempt(second.entry.id, 4)).toBe(1)
  expect(journal.begin(intent(3, shared), 5).kind).toBe('conflict')
  expect(state.journal.list()).toMatchObject([
    {outcome: 'unresolved', attempts: 1, offerId: second.entry.offerId},
  ])
})

test('one that was given up between two attempts is not sent again', () => {
  const {entry} = journal.begin(intent(1), 1)
  journal.attempt(entry.id, 2)
  journal.forget(entry.id, 3)
  expect(() => journal.attempt(entry.id, 4)).toThrow('given up')
  expect(state.journal.list()).toMatchObject([{outcome: 'forgotten', attempts: 1}])
})
