/** `reserve --resume`: what it repeats, and what it refuses. */
import {expect, test} from 'vitest'
import {answer} from '../support/scripted-service.js'
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

test('what would say something anew is refused by name', async () => {
  const key = ['--idempotency-key', '5d1c8a52-8d0e-4f4c-9a55-5f5d6f1d9c02']
  const more = ['--max-price', '5', '--client-reference', 'R3', '--input', 'none.json', ...key]
  const {exit, message} = await home.refusal([...RESERVE, 'off_1', '--resume', 'R1', ...more])
  expect(exit).toBe(2)
  const names = 'OFFER_ID --input --client-reference --pay --guest --contact --nationality --max-price'
  for (const name of [...names.split(' '), '--idempotency-key']) expect(message).toContain(name)
  expect(service.received).toEqual([])
})

test.each([
  ['UNKNOWN', 'status_unknown'],
  ['Cancelled', 'cancelled'],
])('a reservation shown as %s is known as %s, and is not sent again', async (status, outcome) => {
  service.script = () => false
  const reference = `S-${status}`
  const argv = [...RESERVE, `off_${status}`, '--client-reference', reference]
  const made = await home.json<{reservation: {reservation_ref: string}}>(argv)
  expect(made.exit).toBe(0)
  const {reservation_ref} = made.result.reservation
  service.script = ({path}, response) => {
    if (path !== `/mine/${reservation_ref}`) return false
    answer(response, 200, {data: {reservation_ref, status}})
    return true
  }
  home.configure({defaults: {paths: {'reservations.show': '/mine/{reservation_ref}'}}})
  expect(await home.json(['reservations', 'show', reservation_ref])).toMatchObject({exit: 0})
  service.forget()
  for (const again of [argv, ['reserve', '--resume', reference]])
    expect(await home.json(again)).toMatchObject({exit: 0, result: {outcome}})
  expect(service.seen(POSTS)).toEqual([])
})
