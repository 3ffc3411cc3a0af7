/** Giving up on a reservation whose outcome will never be known: no personal data stays, and nothing is sent twice. */
import {expect, test} from 'vitest'
import {filesWith} from '../support/own.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {GUESTS, SEARCH} from '../support/stay.js'

const sandbox = await sandboxOfFile()
const {home} = sandbox

const sent = async () => (await sandbox.requests()).filter(line => line.endsWith('/hotel')).length
const namesPeople = () => filesWith(home.configDirectory, 'U1234567').length > 0

test('an unknown one is forgotten, and the same request never sent again', async () => {
  const [offer = '', other = ''] = (await home.run([...SEARCH, '--quiet'])).stdout.split('\n')
  const argv = ['reserve', offer, ...GUESTS, '--pay', 'account', '--client-reference', 'LOST-1']
  await sandbox.fault({operation: 'reservations.create', kind: 'drop-before', times: 100})
  expect((await home.json([...argv, '--timeout', '2'])).exit).toBe(10)
  await sandbox.control('DELETE', '/_sandbox/faults')
  expect(namesPeople()).toBe(true)

  const dry = await home.json<{changes: object[]}>(['journal', 'forget', 'LOST-1', '--dry-run'])
  expect(dry.result.changes).toMatchObject([{before: 'unknown', after: 'forgotten'}, {action: 'remove'}])
  const asked = await home.refusal(['journal', 'forget', 'LOST-1'])
  expect(asked).toMatchObject({exit: 2, code: 'confirmation_needed'})
  expect(asked.stderr).toContain('a reservation may exist')
  const done = await home.json(['journal', 'forget', 'LOST-1', '--yes'])
  expect(done).toMatchObject({exit: 0, result: {outcome: 'forgotten', previous_outcome: 'unknown'}})
  expect(namesPeople()).toBe(false)
  expect((await home.json<{entries: object[]}>(['journal', '--unresolved'])).result.entries).toEqual([])

  const before = await sent()
  expect(before).toBeGreaterThan(0)
  const refusals = [
    [argv, 'reservation_forgotten'],
    [['reserve', '--resume', 'LOST-1'], 'reservation_forgotten'],
    [argv.map(word => (word === 'account' ? 'instant' : word)), 'reference_in_use'],
    [[...argv.slice(0, -1), 'LOST-2'], 'offer_in_use'],
  ] as const
  for (const [words, code] of refusals) expect(await home.refusal(words)).toMatchObject({exit: 2, code})
  expect(await sent()).toBe(before)
  const another = ['reserve', other, ...GUESTS, '--pay', 'account', '--client-reference', 'LOST-3']
  expect(await home.json(another)).toMatchObject({exit: 0, result: {outcome: 'confirmed'}})
})

test('an unknown reference, and one with nothing to forget, are refused', async () => {
  const forget = (reference: string) => home.refusal(['journal', 'forget', reference, '--yes'])
  expect(await forget('NONE')).toMatchObject({exit: 2, code: 'unknown_reference'})
  const [, , offer = ''] = (await home.run([...SEARCH, '--quiet'])).stdout.split('\n')
  const argv = ['reserve', offer, ...GUESTS, '--pay', 'account', '--client-reference', 'X-sold_out']
  expect((await home.json(argv)).exit).toBe(5)
  expect(await forget('X-sold_out')).toMatchObject({exit: 2, code: 'nothing_to_forget'})
})
