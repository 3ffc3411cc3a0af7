/** Once a reservation is made, whatever goes wrong after it, its reference reaches the user. */
import {expect, test} from 'vitest'
import {answer, refuse} from '../support/scripted-service.js'
import {GUESTS} from '../support/stay.js'
import {scriptedHome} from './scripted-home.js'

const {service, home} = await scriptedHome()
service.status = 'PENDING_PAYMENT'

const reserve = (offer: string, ...more: string[]) => [
  ...['reserve', offer, '--pay', 'instant', '--nationality', 'TR', ...GUESTS],
  ...more,
]

test('a wait that is refused names it', async () => {
  service.script = (request, response) => {
    if (!request.path.endsWith('/voucher')) return false
    refuse(response, 403, 'insufficient_scope')
    return true
  }
  const {exit, result} = await home.json<{error: {message: string}}>(reserve('off_wait', '--wait=1'))
  const ref = service.reservations.find(({offer}) => offer === 'off_wait')?.ref
  expect({exit, result}).toMatchObject({exit: 4, result: {reservation_ref: ref, outcome: 'pending_payment'}})
  expect(result.error.message).toContain(`the reservation ${ref} was made`)
})

test('a query that fits no result names it', async () => {
  const argv = reserve('off_query', '--query', 'sum(reservation)')
  const {exit, stdout, stderr} = await home.run(argv)
  const ref = service.reservations.find(({offer}) => offer === 'off_query')?.ref
  expect({exit, stdout}).toEqual({exit: 6, stdout: ''})
  expect(stderr).toContain(`the reservation ${ref} was made (pending_payment)`)
})

test.each([[[]], [['--json']], [['--quiet']]])(
  'who waits for a payment in a pipe is told how to see where, and the address is in no log (%j)',
  async more => {
    const url = 'https://pay.test/now'
    service.script = (request, response) => {
      if (request.path !== '/reservations/hotel') return false
      answer(response, 201, {data: {reservation_ref: 'R-paid', status: 'PENDING_PAYMENT', payment: {url}}})
      return true
    }
    const {exit, stderr} = await home.run(
      reserve(`off_paid_${more.length}_${more[0]}`.replace('--', ''), '--wait', '1', ...more),
    )
    expect(exit).toBe(8)
    expect(stderr).not.toContain(url)
    const [, resume = ''] = /^It is not paid yet\. To see where to pay: bookctl (.*)$/m.exec(stderr) ?? []
    const shown = await home.run(resume.split(' '))
    expect(shown).toMatchObject({exit: 0, stdout: expect.stringContaining(url)})
  },
)
