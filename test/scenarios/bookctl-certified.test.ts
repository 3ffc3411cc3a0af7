/** bookctl is judged like any partner's program: its own commands under every drill, and the sheet of `sandbox certify`. */
import {expect, test} from 'vitest'
import {findFreePort} from '../../src/cli/features/sandbox/port.js'
import {ownListening} from '../support/own.js'
import {refusedVoucher} from '../support/partner-program.js'
import {ownSandbox} from '../support/served-sandbox.js'
import {GUESTS, offerIn, reservationIn, SEARCH} from '../support/stay.js'

interface Sheet {
  readonly rules: {readonly rule: string; readonly verdict: string; readonly text: string}[]
}

test('bookctl passes every rule under every drill', async () => {
  const {home, listed, control} = await ownSandbox()
  const port = await findFreePort()
  const types = ['reservation.confirmed', 'reservation.cancelled', 'voucher.ready']
  const events = types.flatMap(type => ['--event', type])
  await home.run(['webhooks', 'create', '--url', `https://127.0.0.1:${port}/hooks`, ...events])
  const listen = ['--tls', '--port', String(port), '--path', '/hooks']
  await ownListening(home, listen, {env: {BOOKCTL_WEBHOOK_SECRET: undefined}})

  const {result} = await home.json<{drills: {drill: string}[]}>(['sandbox', 'drill'])
  const booking = ['used-offer', 'sold-out', 'slow-voucher']
  const drill = async (...argv: string[]) => {
    const {exit, stderr} = await home.run(['sandbox', 'drill', ...argv])
    expect([exit, stderr]).toEqual([0, ''])
  }
  await drill(...result.drills.map(each => each.drill).filter(name => !booking.includes(name)), '--slow', '1')
  const found = await home.json<{offers: {offer_id: string; refundable: boolean}[]}>(SEARCH)
  const offer = found.result.offers.find(({refundable}) => !refundable)?.offer_id
  const first = await reservationIn(home, 'account', offer)
  expect((await home.run(['voucher', 'download', first])).exit).toBe(0)
  expect((await home.run(['reservations', 'cancel', first, '--yes'])).exit).toBe(0)

  for (const name of ['used-offer', 'sold-out']) {
    await drill(name)
    const lost = await offerIn(home)
    expect((await home.run(['reserve', lost, ...GUESTS, '--pay', 'account', '--yes'])).exit).toBe(5)
  }

  await drill('slow-voucher')
  const second = await reservationIn(home)
  const download = home.run(['voucher', 'download', second, '--wait', '60'])
  await refusedVoucher({listed})
  await control('POST', '/_sandbox/clock', {advance_seconds: 31})
  expect((await download).exit).toBe(0)

  const shown = await home.json<{drills: {drill: string; shown: boolean}[]}>(['sandbox', 'drill'])
  expect(shown.result.drills.filter(each => !each.shown).map(each => each.drill)).toEqual(['slow'])
  const {rules} = (await home.json<Sheet>(['sandbox', 'certify'])).result
  expect(rules.filter(({verdict}) => verdict !== 'passed')).toMatchObject([{rule: 'reserve.patience'}])
})
