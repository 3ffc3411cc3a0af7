/** Booking dates are days of the calendar here, not of UTC. */
import process from 'node:process'
import {afterEach, expect, test} from 'vitest'
import {today} from '../../src/cli/features/reserve/plan.js'

const {TZ} = process.env
afterEach(() => {
  if (TZ === undefined) delete process.env.TZ
  else process.env.TZ = TZ
})

test('east and west of the date line it is another day', () => {
  const days = ['Pacific/Kiritimati', 'Etc/GMT+12'].map(zone => {
    process.env.TZ = zone
    return today()
  })
  const [east = '', west = ''] = days
  expect(Date.parse(east) - Date.parse(west)).toBeGreaterThanOrEqual(86_400_000)
})
