/** Many processes make the same reservation at once: one of them does, and all of them show it. */
import {afterAll, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {ScriptedService} from '../support/scripted-service.js'

const service = await ScriptedService.start()
const home = new Home({
  BOOKCTL_BASE_URL: service.baseUrl,
  BOOKCTL_CLIENT_ID: 'cid_foreign',
  BOOKCTL_CLIENT_SECRET: 'sk_test_right',
})

afterAll(() => {
  home.remove()
  service.close()
})

const argvFor = (offer: string) => [
  ...['reserve', offer, '--client-reference', `ref-${offer}`, '--pay', 'account', '--nationality', 'TR'],
  ...['--guest', 'name=Ayşe,surname=Öğüt,birth_date=1990-02-03,gender=FEMALE,tc=10000000146'],
  ...[
    '--contact',
    'name=Ayşe,surname=Öğüt,email=ayse@example.com,phone_country_code=+90,phone_number=5321234567',
  ],
]

test('thirty processes reserving the same show one reservation under one key', async () => {
  const runs = await Promise.all(
    Array.from({length: 30}, () =>
      home.json<{reservation: {reservation_ref: string}}>(argvFor('off_thirty')),
    ),
  )
  expect(runs.filter(run => run.exit !== 0)).toEqual([])
  expect(new Set(runs.map(run => run.result.reservation.reservation_ref)).size).toBe(1)
  const sent = service.seen('/reservations/hotel').filter(request => request.body.includes('"off_thirty"'))
  expect(sent.length).toBe(1)
})
