/** A service whose identifiers are numbers beyond 2^53: later steps use exactly the identifiers that the service sent. */
import {expect, test} from 'vitest'
import {raw} from '../support/scripted-service.js'
import {reserving} from '../support/stay.js'
import {scriptedHome} from './scripted-home.js'

const {service, home} = await scriptedHome()
service.tokenMilliseconds = 0
const REF = '9007199254740993'

/** Answers with the JSON text unchanged. */
const answerWith = (path: string, json: string) =>
  service.at(path, raw(200, json, {'content-type': 'application/json'}))

test('another reservation that differs in the last digit is another one', async () => {
  answerWith(
    '/reservations/hotel',
    `{"data":[{"reservation_ref":${REF}},{"reservation_ref":9007199254740992}]}`,
  )
  const refusal = await home.refusal(reserving('off_two', '--client-reference', 'T-two'))
  expect(refusal).toMatchObject({exit: 10})
  expect(refusal.message).toContain(`(${REF}, 9007199254740992)`)
})

test('api prints and shows what would be sent with every digit', async () => {
  answerWith('/account', `{"data":{"account_id":${REF},"balance":0.10000000000000000001}}`)
  const {stdout} = await home.run(['api', '/account', '--json'])
  expect(stdout).toContain(`"account_id": ${REF}`)
  expect(stdout).toContain('"balance": 0.10000000000000000001')
  expect((await home.run(['account', '--json'])).stdout).toContain(`"account_id": ${REF}`)
  expect((await home.run(['account', '--query', 'account.account_id'])).stdout).toBe(`${REF}\n`)
  const dry = await home.run(['api', 'POST', '/x', '--data', `{"id":${REF}}`, '--dry-run', '--print-curl'])
  expect(dry.stdout).toContain(`"id": ${REF}`)
  expect(dry.stderr).toContain(`{"id":${REF}}`)
})

test('an identity number of too many digits is still left out of a trace', async () => {
  answerWith('/account', `{"data":{"guests":[{"name":"Ada","identity":{"number":${REF}}}],"id":1}}`)
  const {stderr} = await home.run(['account', '-vv'])
  expect(stderr).toContain('"id":1')
  expect(stderr).not.toContain(REF)
})
