/** Once a reservation is made, the user gets its reference, whatever fails afterwards. */
import {expect, test} from 'vitest'
import {answering, refuse} from '../support/scripted-service.js'
import {GUESTS} from '../support/stay.js'
import {scriptedHome} from './scripted-home.js'

const {service, home} = await scriptedHome()
service.status = 'PENDING_PAYMENT'

const PAYING = ['--pay', 'instant', '--nationality', 'TR', ...GUESTS]
const reserve = (offer: string, ...more: string[]) => ['reserve', offer, ...PAYING, ...more]

test('an error while waiting names the reservation', async () => {
  service.script = ({path}, response) =>
    path.endsWith('/voucher') && refuse(response, 403, 'insufficient_scope')
  const {exit, result} = await home.json<{error: {message: string}}>(reserve('off_wait', '--wait=1'))
  const ref = service.reservations.find(({offer}) => offer === 'off_wait')?.ref
  expect({exit, result}).toMatchObject({exit: 4, result: {reservation_ref: ref, outcome: 'pending_payment'}})
  expect(result.error.message).toContain(`the reservation ${ref} was made`)
})

test('an error of --query names the reservation', async () => {
  const argv = reserve('off_query', '--query', 'sum(reservation)')
  const {exit, stdout, stderr} = await home.run(argv)
  const ref = service.reservations.find(({offer}) => offer === 'off_query')?.ref
  expect({exit, stdout}).toEqual({exit: 6, stdout: ''})
  expect(stderr).toContain(`the reservation ${ref} was made (pending_payment)`)
})

/** Returns a reservation to be paid at its own URL, with `more` members. */
function toBePaid(reservation_ref: string, more: object = {}): string {
  const url = `https://pay.test/${reservation_ref}`
  const data = {reservation_ref, status: 'PENDING_PAYMENT', payment: {url}, ...more}
  service.at('/reservations/hotel', answering({data}))
  return url
}

test.each([[[]], [['--json']], [['--quiet']], [['--query', 'reservation_ref']]])(
  'a script that waits for a payment learns at once where to pay, from one line of stderr (%j)',
  async more => {
    const url = toBePaid('R-paid')
    const offer = `off_paid_${more.length}_${more[0]}`.replace('--', '')
    const {exit, stdout, stderr} = await home.run(reserve(offer, '--wait', '1', ...more))
    expect(exit).toBe(8)
    expect(stderr.split('\n').filter(line => line.includes(url))).toEqual([`Pay at ${url}`])
    const message = 'reservation R-paid is still pending_payment'
    if (more[0] !== '--json') return expect(stderr).toMatch(new RegExp(`^Error: ${message}$`, 'm'))
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'pending_payment',
      reservation_ref: 'R-paid',
      error: {message},
      status: 'PENDING_PAYMENT',
      payment_url: url,
    })
  },
)

test('without a wait the address is in the result alone', async () => {
  const url = toBePaid('R-6')
  const {exit, stdout, stderr} = await home.run(reserve('off_result'))
  expect(exit).toBe(0)
  expect(stdout).toContain(`\nstatus\tPENDING_PAYMENT\npayment_url\t${url}\n`)
  expect(stderr).not.toContain(url)
})

test('an error too long for the reservation still says where to pay', async () => {
  const payment_url = toBePaid('R-7', {remarks: 'x'.repeat(5000)})
  const {exit, result} = await home.json<object>(reserve('off_long', '--wait', '1'))
  expect(exit).toBe(8)
  expect(result).toMatchObject({reservation_ref: 'R-7', status: 'PENDING_PAYMENT', payment_url})
  expect(result).not.toHaveProperty('reservation')
})
