/** After the reservation is made: what the command waits for, and that stopping it never leads to a second booking. */
import {beforeEach, expect, test} from 'vitest'
import type {ReserveOutcome} from '../../../../src/api/reserve/outcome.js'
import {namingReservation} from '../../../../src/cli/features/reserve/booking.js'
import {accompany} from '../../../../src/cli/features/wizard/wizard.js'
import {pending} from '../../../support/booking.js'
import {fakeClock} from '../../../support/clocks.js'
import {closing} from '../../../support/own.js'
import {answer, ScriptedService} from '../../../support/scripted-service.js'
import {rejectionOf} from '../../../support/thrown.js'
import {type Desk, openDesk} from '../wizard/desk.js'
import {type Line, said, scriptedPrompts} from '../wizard/scripted-prompts.js'

let service: ScriptedService
let desk: Desk

beforeEach(async () => {
  service = closing(await ScriptedService.start())
  desk = await openDesk(service.env)
})

const follow = (outcome: ReserveOutcome, script: readonly Line[]) => {
  const prompts = scriptedPrompts(script)
  const tell = (text: string) => void desk.messages.push(text)
  const wizard = {connection: desk.connection, prompts, tell}
  const done = namingReservation(outcome, tell, learn => accompany({...wizard, learn}, outcome, 60))
  return {prompts, done}
}

test('a stop after the confirmation reports the reservation as confirmed', async () => {
  const url = `${service.baseUrl}/files/v.pdf`
  service.script = ({path}, response) => {
    if (path !== '/reservations/R-1/voucher') return false
    answer(response, 200, {data: {voucher: {url}}})
    return true
  }
  const waiting = pending('https://pay.example/1')
  const script = said`Waiting for the payment → ^wait | voucher → ^C`
  const failure = await rejectionOf(follow(waiting, script).done)
  expect(failure.message).toContain('the reservation R-1 was made (confirmed)')
  expect(failure.details.hint).toBe('bookctl voucher download R-1')
  expect(failure.details.result).toMatchObject({outcome: 'confirmed', reservation: {status: 'CONFIRMED'}})
})

test('shows the state in the words of the service while it waits', async () => {
  const {prompts, done} = follow(pending(null, 'in_review'), [['Waiting for the confirmation', '']])
  await done
  expect(prompts.log.join('\n')).toContain('; R-1 is in_review')
})

test('a voucher that cannot be downloaded is left for later, and the reservation stays the result', async () => {
  service.script = ({path}, response) => {
    if (path.endsWith('/voucher')) answer(response, 404, {error: {code: 'gone'}})
    return path.endsWith('/voucher')
  }
  // Waits on this clock take no time.
  const api = {...desk.connection.api, clock: fakeClock()}
  desk = {...desk, connection: {...desk.connection, api}}
  await follow(pending(null, 'confirmed'), said`Download the voucher → yes`).done
  expect(desk.messages.at(-1)).toBe('Later: bookctl voucher download R-1')
})
