/** A service that answers a reservation with somebody else's: nothing of it is believed, in any output form. */
import {afterEach, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {type Envelope, ScriptedService} from '../support/scripted-service.js'
import {GUESTS} from '../support/stay.js'

const homes: Home[] = []
const services: ScriptedService[] = []
afterEach(() => {
  for (const home of homes.splice(0)) home.remove()
  for (const service of services.splice(0)) service.close()
})

async function begin(envelope: Envelope): Promise<{service: ScriptedService; home: Home}> {
  const service = await ScriptedService.start({envelope})
  const home = new Home(service.env)
  services.push(service)
  homes.push(home)
  return {service, home}
}

const RESERVE = [
  ...['reserve', 'off_mine', '--client-reference', 'TRIP-7', '--pay', 'account', '--nationality', 'TR'],
  ...GUESTS,
]
const POSTS = '/reservations/hotel'

test('is unknown in every form, and resumed under the same key until it is about ours', async () => {
  const words = /somebody-else in place of TRIP-7/
  const {service, home} = await begin('named')
  service.echo = () => ({reservation_ref: 'RSV-OTHER', client_reference_id: 'somebody-else'})
  const {exit, result} = await home.json<{error: {code: string; message: string; hint: string}}>(RESERVE)
  expect({exit, result}).toMatchObject({
    exit: 10,
    result: {outcome: 'unknown', reservation: null, error: {code: 'outcome_unknown'}},
  })
  expect(result.error.message).toMatch(words)
  expect(result.error.hint).toContain('bookctl reserve --resume TRIP-7')
  const {entries} = (await home.json<{entries: object[]}>(['journal', '--unresolved'])).result
  expect(entries).toMatchObject([{client_reference_id: 'TRIP-7', outcome: 'unknown', reservation_ref: null}])

  for (const form of [['--format', 'tsv'], ['--quiet']]) {
    const again = await home.run(['reserve', '--resume', 'TRIP-7', ...form])
    expect(again).toMatchObject({exit: 10, stdout: ''})
    expect(again.stderr).toMatch(words)
    expect(again.stderr).toContain('bookctl reserve --resume TRIP-7')
  }

  service.echo = ({client_reference_id, offer_id}) => ({client_reference_id, offer_id})
  const resumed = await home.json(['reserve', '--resume', 'TRIP-7'])
  expect(resumed).toMatchObject({
    exit: 0,
    result: {outcome: 'confirmed', reservation: {reservation_ref: 'R-1'}},
  })
  const sent = service.seen(POSTS)
  expect(sent).toHaveLength(4)
  expect(new Set(sent.map(({headers, body}) => `${headers['idempotency-key']} ${body}`)).size).toBe(1)
})

test.each<Envelope>(['data', 'named', 'bare'])(
  'a service that lists other offers beside, in the envelope %s, is believed',
  async envelope => {
    const {service, home} = await begin(envelope)
    service.echo = () => ({similar: [{offer_id: 'off_other', client_reference_id: 'somebody-else'}]})
    expect(await home.json(RESERVE)).toMatchObject({exit: 0, result: {outcome: 'confirmed'}})
  },
)
