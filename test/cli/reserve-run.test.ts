/** The end of `reserve` by a signal: the process lives until what the stop records is written. */
import {expect, test} from 'vitest'
import {startRun} from '../../src/cli/features/reserve/run.js'
import {held} from '../support/held.js'

test('a stop waits for what is recorded because of it', async () => {
  const run = startRun('nothing was sent', 'run it again')
  run.onStage('unsent')
  const written = held()
  run.signal.addEventListener('abort', () => run.onStopping(written.promise))
  let isOver = false
  const stopping = run.stop().then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  expect(isOver).toBe(false)
  written.release()
  await stopping
  expect(run.note().state).toBe('nothing was sent')
})

test('a stop before anything was started waits for nothing', async () => {
  const run = startRun('nothing was sent', 'run it again')
  void run.follow(new Promise(() => {}))
  await run.stop()
  expect(run.note().state).toContain('another one may be making')
})
