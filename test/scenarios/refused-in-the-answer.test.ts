/** A reservation whose 2xx answer says that it was not made: it is refused, and everything known about it is shown. */
import {expect, test} from 'vitest'
import {answering} from '../support/scripted-service.js'
import {reserving} from '../support/stay.js'
import {scriptedHome} from './scripted-home.js'

const {service, home} = await scriptedHome()
const argvOf = (name: string) => reserving(`off_${name}`, '--client-reference', name)

const answerWith = (reservation_ref: string, status: string) =>
  service.at('/reservations/hotel', answering({data: {reservation_ref, status, note: 'kept as it is'}}))

test.each(['FAILED', 'Rejected', 'CANCELLED', 'canceled', 'expired', 'DECLINED', 'REJECTED_BY_HOTEL'])(
  '%s is a refusal, which the same command and --resume repeat without sending anything',
  async status => {
    const name = `T-${status}`
    answerWith(`R-${status}`, status)
    const facts = {outcome: status.toLowerCase(), reservation_ref: `R-${status}`, status}
    const first = await home.json(argvOf(name))
    expect(first).toMatchObject({exit: 5, result: {error: {code: 'not_confirmed'}, ...facts}})
    expect(first.result).toMatchObject({reservation: {note: 'kept as it is'}})
    for (const again of [argvOf(name), ['reserve', '--resume', name]]) {
      const {exit, result} = await home.json<{reservation: object}>(again)
      expect({exit, result}).toMatchObject({exit: 5, result: {error: {code: 'not_confirmed'}, ...facts}})
      expect(result.reservation).toMatchObject({reservation_ref: `R-${status}`, status})
    }
    expect(service.seen('/reservations/hotel')).toHaveLength(1)
    const {exit, stdout, stderr} = await home.run(argvOf(name))
    expect({exit, stdout}).toEqual({exit: 5, stdout: ''})
    expect(stderr).toContain(`reservation R-${status} is ${status.toLowerCase()}`)
  },
)

test('an error has the complete reservation, even a long one', async () => {
  const text = 'x'.repeat(20_000)
  service.at('/reservations/hotel', answering({reservation_ref: 'R-long', status: 'REJECTED', text}))
  expect(await home.json(argvOf('T-long'))).toMatchObject({exit: 5, result: {reservation: {text}}})
})

test.each(['ON_REQUEST', 'NOT_CANCELLED', 'CANCELLATION_REQUESTED', 'UNKNOWN'])(
  'a state that is no refusal stays as it is: %s',
  async status => {
    answerWith(`R-${status}`, status)
    expect(await home.json(argvOf(`T-${status}`))).toMatchObject({exit: 0, result: {status}})
  },
)
