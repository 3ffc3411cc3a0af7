/**
 * `reserve` is killed at a random moment and run again: never two reservations, always one in the end.
 * BOOKCTL_TEST_KILLS sets how many times; the short form runs with every `npm test`.
 */
import {setTimeout as sleep} from 'node:timers/promises'
import {afterAll, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {ForeignService} from '../support/foreign-service.js'

const KILLS = Number(process.env.BOOKCTL_TEST_KILLS ?? 12)
const service = await ForeignService.start()
const home = new Home({
  BOOKCTL_BASE_URL: service.baseUrl,
  BOOKCTL_CLIENT_ID: 'cid_foreign',
  BOOKCTL_CLIENT_SECRET: 'sk_test_foreign',
})

afterAll(async () => {
  home.remove()
  await service.close()
})

const argvFor = (offer: string) => [
  ...['reserve', offer, '--client-reference', `ref-${offer}`, '--pay', 'account', '--nationality', 'TR'],
  ...['--guest', 'name=Ayşe,surname=Öğüt,birth_date=1990-02-03,gender=FEMALE,tc=10000000146'],
  ...[
    '--contact',
    'name=Ayşe,surname=Öğüt,email=ayse@example.com,phone_country_code=+90,phone_number=5321234567',
  ],
]

test(`${KILLS} killed reservations each end as one`, async () => {
  const started = performance.now()
  expect((await home.run(argvFor('off_whole'))).exit).toBe(0)
  const wholeRunMilliseconds = performance.now() - started
  let killed = 0
  for (let n = 0; n < KILLS; n++) {
    const offer = `off_${n}`
    const first = await home.run(argvFor(offer), {
      onStart: child =>
        void sleep(((n + Math.random()) / KILLS) * wholeRunMilliseconds * 1.1).then(() =>
          child.kill('SIGKILL'),
        ),
    })
    if (first.exit === 'SIGKILL') killed++

    const again = await home.json<{outcome: string; reservation: {reservation_ref: string}}>(argvFor(offer))
    const there = service.reservations.filter(each => each.body.offer_id === offer)
    expect(there.length).toBe(1)
    expect(again).toMatchObject({
      exit: 0,
      result: {outcome: 'confirmed', reservation: {reservation_ref: there[0]?.ref}},
    })
    const keys = service
      .seen('/reservations/hotel')
      .filter(request => request.body.includes(`"${offer}"`))
      .map(request => `${request.headers['idempotency-key']} ${request.body}`)
    expect(new Set(keys).size).toBe(1)
  }
  expect(killed).toBeGreaterThan(0)
}, 600_000)

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
}, 180_000)
