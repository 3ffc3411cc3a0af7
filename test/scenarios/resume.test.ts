/** `reserve --resume`: which requests it repeats, which it refuses, and reservations that were never sent. */
import {expect, test} from 'vitest'
import {intentOf} from '../../src/api/reserve/reserve.js'
import type {ReservationRequest} from '../../src/contract/reservations.js'
import {openState} from '../../src/state/state.js'
import {ownHome} from '../support/own.js'
import {drop} from '../support/scripted-service.js'
import {GUESTS} from '../support/stay.js'
import {scriptedHome} from './scripted-home.js'

const {service, home} = await scriptedHome()

const RESERVE = ['reserve', '--pay', 'account', '--nationality', 'TR', ...GUESTS]
const POSTS = '/reservations/hotel'

test('with --dry-run it prints the request that would be repeated, and sends nothing', async () => {
  service.at(POSTS, drop)
  const lost = await home.json([...RESERVE, 'off_1', '--client-reference', 'R1', '--timeout', '2'])
  expect(lost.exit).toBe(10)
  const [sent] = service.seen(POSTS)
  service.script = () => false
  service.forget()

  const {exit, result} = await home.json(['reserve', '--resume', 'R1', '--dry-run'])
  expect(exit).toBe(0)
  expect(result).toMatchObject({
    method: 'POST',
    headers: {'idempotency-key': sent?.headers['idempotency-key']},
    body: JSON.parse(sent?.body ?? ''),
  })
  expect(service.received).toEqual([])

  expect(await home.json(['reserve', '--resume', 'R1'])).toMatchObject({exit: 0})
  expect(service.seen(POSTS).map(({body}) => body)).toEqual([sent?.body])
  service.forget()
  const resume = (reference: string) => home.refusal(['reserve', '--resume', reference, '--dry-run'])
  expect(await resume('R1')).toMatchObject({exit: 2, code: 'outcome_known'})
  expect(await resume('R2')).toMatchObject({exit: 2, code: 'unknown_reference'})
  expect(service.received).toEqual([])
})

test('--resume refuses the flags of a new reservation, and names each', async () => {
  const key = ['--idempotency-key', '5d1c8a52-8d0e-4f4c-9a55-5f5d6f1d9c02']
  const more = ['--max-price', '5', '--client-reference', 'R3', '--input', 'none.json', ...key]
  const {exit, message} = await home.refusal([...RESERVE, 'off_1', '--resume', 'R1', ...more])
  expect(exit).toBe(2)
  const names = 'OFFER_ID --input --client-reference --pay --guest --contact --nationality --max-price'
  for (const name of [...names.split(' '), '--idempotency-key']) expect(message).toContain(name)
  expect(service.received).toEqual([])
})

test('stopped while the token is fetched: the user learns that nothing was sent, and resuming makes nothing', async () => {
  // A home without a stored token.
  const fresh = ownHome(service.env)
  const argv = [...RESERVE, 'off_9', '--client-reference', 'T-1']
  const stopped = (form: string[]) =>
    fresh.run([...argv, ...form], {
      onStart: child => {
        service.script = ({path}) => path === '/oauth/token' && child.kill('SIGINT')
      },
    })
  const nothing = 'nothing was sent to reserve, nothing was booked'
  const told = await stopped([])
  expect(told).toMatchObject({exit: 130, stdout: ''})
  expect(told.stderr).toContain(`Stopped before it ended: ${nothing}`)
  expect(told.stderr).not.toContain('--resume')
  const ended = await stopped(['--json'])
  const message = `stopped by SIGINT before it ended: ${nothing}`
  const error = {code: 'interrupted', message, hint: 'to book, run the command again'}
  expect({exit: ended.exit, ...JSON.parse(ended.stdout)}).toEqual({exit: 130, error})

  service.script = () => false
  for (const form of [['--quiet'], ['--dry-run'], ['--wait=1']]) {
    const resumed = await fresh.run(['reserve', '--resume', 'T-1', ...form])
    expect(resumed).toMatchObject({exit: 2, stdout: ''})
    expect(resumed.stderr).toContain('nothing was ever sent for the client reference T-1')
    expect(resumed.stderr).not.toContain('--resume T-')
  }
  const known = {outcome: 'not_sent', attempts: 0}
  const result = {...known, error: {code: 'never_sent'}, reservation: null}
  expect(await fresh.json(['reserve', '--resume', 'T-1'])).toMatchObject({exit: 2, result})
  const {result: journal} = await fresh.json(['journal'])
  expect(journal).toMatchObject({entries: [{...known, client_reference_id: 'T-1'}]})
  expect(service.seen(POSTS)).toEqual([])
  const made = await fresh.json([...argv, '--yes'])
  expect(made).toMatchObject({exit: 0, result: {outcome: 'confirmed', attempts: 1}})
  expect(service.seen(POSTS)).toHaveLength(1)
})

test('an attempt under the generated reference of an earlier version is found by the same command, and sent once', async () => {
  const earlier = ownHome(service.env)
  const argv = [...RESERVE, 'off_8', '--yes']
  const shown = await earlier.json<{body: ReservationRequest}>([...argv, '--dry-run'])
  const request = {...shown.result.body, client_reference_id: 'bk-0123456789abcdef0123'}
  expect(shown.result.body.client_reference_id).toMatch(/^bk2-/)
  const {BOOKCTL_CLIENT_ID: clientId = '', BOOKCTL_CLIENT_SECRET: clientSecret} = service.env
  const state = openState(earlier.configDirectory)
  const journal = state.journal.forClient({baseUrl: service.baseUrl, clientId, clientSecret})
  const idempotencyKey = '5d1c8a52-8d0e-4f4c-9a55-5f5d6f1d9c08'
  const {entry} = await journal.begin(
    intentOf(request, {referenceGiven: false, keyGiven: false, idempotencyKey, agreed: null, stay: null}),
    1,
  )
  await journal.attempt(entry.id, 2)
  await journal.settle(entry.id, {outcome: 'unknown'}, 3)
  await state.close()
  service.forget()
  const made = await earlier.json(argv)
  const names = {client_reference_id: request.client_reference_id, idempotency_key: idempotencyKey}
  expect(made).toMatchObject({exit: 0, result: {outcome: 'confirmed', ...names}})
  expect(service.seen(POSTS).map(({body}) => JSON.parse(body))).toEqual([request])
  expect(await earlier.json(argv)).toMatchObject({exit: 0, result: names})
  expect(await earlier.json(['reserve', '--resume', request.client_reference_id])).toMatchObject({exit: 0})
  expect(service.seen(POSTS)).toHaveLength(1)
})
