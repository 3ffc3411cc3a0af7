/** `reserve --resume`: what it repeats, and what it refuses. */
import {expect, test} from 'vitest'
import {GUESTS} from '../support/stay.js'
import {scriptedHome} from './scripted-home.js'

const {service, home} = await scriptedHome()

const RESERVE = ['reserve', '--pay', 'account', '--nationality', 'TR', ...GUESTS]
const POSTS = '/reservations/hotel'

test('with --dry-run it prints the request that would be repeated, and sends nothing', async () => {
  service.script = (request, response) => {
    if (request.path !== POSTS) return false
    response.socket?.destroy()
    return true
  }
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
