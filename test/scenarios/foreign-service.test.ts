/** The same commands with another implementation of the interface, which shares no code with ours. */
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import type {Home} from '../support/bookctl.js'
import {closing, ownHome} from '../support/own.js'
import {PDF, ScriptedService, type ServiceForm} from '../support/scripted-service.js'
import {CONTACT, GUESTS} from '../support/stay.js'

async function begin(options: ServiceForm = {}): Promise<{service: ScriptedService; home: Home}> {
  const service = closing(await ScriptedService.start(options))
  service.tokenMilliseconds = 0
  service.echo = () => ({})
  service.hasVouchers = true
  return {service, home: ownHome({...service.env, BOOKCTL_BASE_URL: `${service.origin}/some/where/v1`})}
}

const SEARCH =
  'hotels search --city 7 --check-in 2031-05-01 --nights 3 --nationality TR --currency EUR'.split(' ')
const RESERVE = [...GUESTS.slice(0, 2), ...GUESTS.slice(4), '--nationality', 'TR']
const ACCOUNT = ['reserve', 'off_a', '--pay', 'account', ...RESERVE]

describe('a booking on a foreign service', () => {
  const shapes: ServiceForm[] = []
  for (const envelope of ['data', 'named', 'bare'] as const) {
    shapes.push({envelope, money: 'string', offers: 'flat'}, {envelope, money: 'number', offers: 'nested'})
  }
  test.each(shapes)('works with %o', async shape => {
    const {service, home} = await begin(shape)
    const search = await home.json<{offers: Record<string, unknown>[]}>(SEARCH)
    expect(search.exit).toBe(0)
    expect(search.result.offers.map(offer => [offer.offer_id, offer.hotel_name, offer.price])).toEqual([
      ['off_a', 'Pera Foreign', {total: '240.00', currency: 'EUR'}],
      ['off_b', 'Pera Foreign', {total: '310.50', currency: 'EUR'}],
      ['off_c', 'Galata Foreign', {total: '99.90', currency: 'EUR'}],
    ])

    const account = await home.json<{account: object}>(['account'])
    expect(account.result.account).toMatchObject({balance: shape.money === 'number' ? 1 : '1.00'})

    const made = {outcome: 'confirmed', reservation: {reservation_ref: 'R-1'}}
    expect(await home.json(ACCOUNT)).toMatchObject({exit: 0, result: made})

    const voucher = await home.json(['voucher', 'download', 'R-1', '--file', 'v.pdf'])
    expect(voucher.exit).toBe(0)
    expect(readFileSync(join(home.directory, 'v.pdf'))).toEqual(PDF)
    expect(service.seen('/reservations/R-1/voucher')[0]?.headers.authorization).toMatch(/^Bearer /)
    expect(service.seen('/files/voucher?sig=SIGNEDSIGNEDSIGNED')[0]?.headers.authorization).toBeUndefined()
    const before = service.received.length
    expect((await home.run(['voucher', 'download', 'R-1', '--file', 'v.pdf'])).exit).toBe(2)
    expect(service.received.length).toBe(before)
  })

  test('sends exactly the bodies of §2.2 and §2.4', async () => {
    const {service, home} = await begin()
    await home.run([...SEARCH, '--room', '2:7,4', '--room', '1'])
    expect(JSON.parse(service.seen('/hotels/search')[0]?.body ?? '')).toEqual({
      destination: {type: 'CITY', id: 7},
      check_in: '2031-05-01',
      check_out: '2031-05-04',
      rooms: [
        {adults: 2, children_ages: [7, 4]},
        {adults: 1, children_ages: []},
      ],
      client_nationality: 'TR',
      currency: 'EUR',
    })
    await home.run(['reserve', 'off_a', '--pay', 'instant', '--client-reference', 'R-1', ...RESERVE])

    const {name, surname} = CONTACT
    const guest = {
      type: 'ADULT',
      name,
      surname,
      birth_date: '1990-02-03',
      gender: 'FEMALE',
      nationality: 'TR',
      identity: {type: 'TC', number: '10000000146'},
      is_lead: true,
    }
    const [sent] = service.seen('/reservations/hotel')
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      offer_id: 'off_a',
      client_reference_id: 'R-1',
      client_nationality: 'TR',
      contact: CONTACT,
      guests: [guest],
      payment: {mode: 'instant'},
    })
    expect(sent?.headers['idempotency-key']).toMatch(/^[\da-f-]{36}$/)
  })
})
