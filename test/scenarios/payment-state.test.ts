/** What is said of a reservation's payment is what it is now: paid, declined, expired, cancelled. */
import {beforeEach, describe, expect, test} from 'vitest'
import type {Home} from '../support/bookctl.js'
import {closing, ownHome} from '../support/own.js'
import {ScriptedService} from '../support/scripted-service.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {GUESTS, SEARCH} from '../support/stay.js'

const FORMS = [['--json'], ['--quiet']]

interface Made {
  readonly outcome: string
  readonly reservation: {readonly reservation_ref: string; readonly payment: {readonly status?: string}}
}

const sandbox = await sandboxOfFile()

describe('on the sandbox', () => {
  const {home} = sandbox

  const control = (...argv: string[]) => home.run(['sandbox', ...argv, '--base-url', sandbox.baseUrl])

  async function make(reference: string): Promise<{argv: string[]; ref: string}> {
    const {result} = await home.json<{offers: {offer_id: string}[]}>(SEARCH)
    const offer = result.offers[0]?.offer_id ?? ''
    const argv = ['reserve', offer, '--pay', 'instant', '--client-reference', reference, ...GUESTS]
    const made = await home.json<Made>(argv)
    expect(made).toMatchObject({exit: 0, result: {outcome: 'pending_payment'}})
    return {argv, ref: made.result.reservation.reservation_ref}
  }

  test('paid in the meantime: it is confirmed, and nowhere still to be paid', async () => {
    for (const [n, form] of FORMS.entries()) {
      const {argv, ref} = await make(`PAID-${n}`)
      await control('pay', ref)
      const waited = await home.run([...argv, '--wait', ...form])
      expect(waited).toMatchObject({exit: 0})
      expect(waited.stderr).not.toMatch(/paid|pending/i)
      if (form[0] === '--json')
        expect(JSON.parse(waited.stdout)).toMatchObject({
          outcome: 'confirmed',
          reservation: {status: 'CONFIRMED', payment: {status: 'PAID'}},
        })
      const later = await home.json<Made>(['reserve', '--resume', `PAID-${n}`])
      expect(later.result.reservation).toMatchObject({status: 'CONFIRMED', payment: {status: 'PAID'}})
    }
  })

  test('declined: it says so, and until when it can be tried again', async () => {
    const {argv, ref} = await make('DECLINED-1')
    await control('pay', ref, '--decline')
    const words =
      /the payment was declined \(card_declined\); it can be tried again until \d{4}-\d\d-\d\dT[\d:.]+Z/
    for (const form of FORMS)
      for (const again of [['reserve', '--resume', 'DECLINED-1'], argv]) {
        const told = await home.run([...again, ...form])
        expect(told).toMatchObject({exit: 0})
        expect(told.stderr).toMatch(words)
      }
    const {result} = await home.json<Made>(['reserve', '--resume', 'DECLINED-1'])
    expect(result).toMatchObject({outcome: 'pending_payment', reservation: {payment: {status: 'FAILED'}}})
    const waited = await home.refusal(['reserve', '--resume', 'DECLINED-1', '--wait=0'])
    expect(waited).toMatchObject({exit: 8, code: 'payment_pending', message: expect.stringMatching(words)})

    await control('clock', '--advance', '16m')
    const expired = await home.run(['reserve', '--resume', 'DECLINED-1', '--json'])
    expect(expired).toMatchObject({exit: 0})
    expect(JSON.parse(expired.stdout)).toMatchObject({outcome: 'expired', reservation: {status: 'EXPIRED'}})
    expect(expired.stderr).not.toContain('tried again')
    const late = await home.json<{error: {message: string}}>(['reserve', '--resume', 'DECLINED-1', '--wait'])
    expect(late).toMatchObject({exit: 5, result: {error: {code: 'not_confirmed'}, outcome: 'expired'}})
    expect(late.result.error.message).toContain(`reservation ${ref} is expired`)
  })

  test('a wait ends when it is cancelled elsewhere', async () => {
    const {argv, ref} = await make('GONE-1')
    const waiting = home.spawn([...argv, '--wait=60', '--json'])
    expect(await home.run(['reservations', 'cancel', ref, '--yes'])).toMatchObject({exit: 0})
    const {exit, stdout} = await waiting
    expect(exit).toBe(5)
    expect(JSON.parse(stdout)).toMatchObject({outcome: 'cancelled', error: {code: 'not_confirmed'}})
  })
})

describe('on another service', () => {
  let service: ScriptedService
  let home: Home

  beforeEach(async () => {
    service = closing(await ScriptedService.start())
    service.status = 'PENDING_PAYMENT'
    home = ownHome(service.env)
  })

  const RESERVE = [
    ...['reserve', 'off_1', '--client-reference', 'T-1', '--pay', 'instant', '--nationality', 'TR'],
    ...GUESTS,
  ]
  const RESUME = ['reserve', '--resume', 'T-1']
  const make = async () => expect(await home.json(RESERVE)).toMatchObject({exit: 0})

  test('without a path to show it, a voucher says that it is confirmed', async () => {
    await make()
    expect(await home.json(RESUME)).toMatchObject({exit: 0, result: {outcome: 'pending_payment'}})
    service.hasVouchers = true
    const paid = await home.run([...RESERVE, '--wait', '--json'])
    expect(paid).toMatchObject({exit: 0, stderr: ''})
    expect(JSON.parse(paid.stdout)).toMatchObject({outcome: 'confirmed', reservation: {status: 'CONFIRMED'}})
    // On this machine it may be asked, outside the API, whether it is a sandbox.
    const known = /^\/(_sandbox\/clock|oauth\/token|reservations\/hotel|reservations\/R-1\/voucher)$/
    expect(service.received.map(({path}) => path).filter(path => !known.test(path))).toEqual([])
    expect(service.seen('/reservations/hotel')).toHaveLength(1)
  })

  test('a service that is away leaves the last known state, and says that it is that', async () => {
    await make()
    service.script = (_, response) => {
      response.destroy()
      return true
    }
    const resumed = await home.run([...RESUME, '--json', '--timeout', '2'])
    expect(resumed).toMatchObject({exit: 0})
    expect(JSON.parse(resumed.stdout)).toMatchObject({outcome: 'pending_payment'})
    expect(resumed.stderr).toContain('this is its last known state')
  })
})
