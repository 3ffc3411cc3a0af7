/** Stopping `reserve`: the process lives until the stop is recorded, and its message says only what is certain. */
import {expect, test} from 'vitest'
import {ReserveStop} from '../../../../src/cli/features/reserve/stop.js'
import {Failure} from '../../../../src/contract/failure.js'
import {held} from '../../../support/held.js'

const NOTHING_BOOKED = {
  state: 'nothing was sent to reserve, nothing was booked',
  hint: 'to book, run the command again',
}

const never = new Promise<never>(() => {})

test('a stop waits for what is recorded because of it', async () => {
  const stop = new ReserveStop()
  const written = held()
  void stop.whileSending(
    () => 'look it up',
    ({signal, onStage, onStopping}) => {
      onStage?.('unsent')
      signal?.addEventListener('abort', () => onStopping?.(written.promise))
      return never
    },
  )
  let isOver = false
  const stopping = stop.end().then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  expect(isOver).toBe(false)
  written.release()
  await stopping
  expect(stop.note()).toEqual(NOTHING_BOOKED)
})

test('a stop before anything was sent waits for nothing', async () => {
  const stop = new ReserveStop()
  void stop.whileSending(
    () => '',
    () => never,
  )
  await stop.end()
  expect(stop.note().state).toContain('another one may be making')
})

test('what may have been sent is looked up, and what was refused made nothing', async () => {
  const stop = new ReserveStop()
  const refused = new Failure('refused', 'no', {code: 'sold_out'})
  const sending = stop.whileSending(
    () => 'look it up',
    async ({onStage}) => {
      onStage?.('sent')
      await new Promise(setImmediate)
      throw refused
    },
  )
  expect(stop.note()).toEqual({
    state: 'the request was sent, so a reservation may exist',
    hint: 'look it up',
  })
  await expect(sending).rejects.toBe(refused)
  stop.refused()
  expect(stop.note().state).toBe('nothing was booked: the one request sent was refused')
  stop.refused()
  expect(stop.note().state).toBe('nothing was booked: all 2 requests sent were refused')
})

test('until the journal was read, an earlier run may have booked', () => {
  const stop = new ReserveStop()
  expect(stop.note().state).toContain('earlier attempts could not be looked up')
  stop.nothingNamed()
  expect(stop.note()).toEqual(NOTHING_BOOKED)
})
