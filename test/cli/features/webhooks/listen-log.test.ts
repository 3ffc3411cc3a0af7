/** Lines of the log that repeat are counted. */
import {afterEach, beforeEach, expect, test, vi} from 'vitest'
import {ListenLog, logFormatIn} from '../../../../src/cli/features/webhooks/listen-log.js'
import {stderr} from '../../../../src/cli/terminal/streams.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const refused = (n: number) =>
  ({level: 'info', event: 'refused', message: `refused ${n}`, reason: 'path'}) as const

function logged() {
  let text = ''
  vi.spyOn(stderr(), 'write').mockImplementation(((piece: string, done: () => void) => {
    text += piece
    done()
    return true
  }) as never)
  const log = new ListenLog('json', false)
  const lines = () =>
    text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as {message: string; count?: number})
  return {log, lines}
}

test('equal lines are written once and then counted every second, and no line is forgotten', async () => {
  const {log, lines} = logged()
  for (let n = 0; n < 5; n++) log.writeCounted(refused(0))
  await vi.advanceTimersByTimeAsync(1100)
  log.writeCounted(refused(0))
  const ended = log.end()
  await vi.advanceTimersByTimeAsync(100)
  await ended
  expect(lines()).toMatchObject([
    {message: 'refused 0', reason: 'path'},
    {message: 'refused 0 (4 times)', count: 4},
    {message: 'refused 0'},
  ])
})

test('more than twenty different lines a second are written later', async () => {
  const {log, lines} = logged()
  for (let n = 0; n < 22; n++) log.writeCounted(refused(n))
  await vi.advanceTimersByTimeAsync(0)
  expect(lines().length).toBe(20)
  await vi.advanceTimersByTimeAsync(1100)
  expect(lines().map(({message}) => message)).toEqual(Array.from({length: 22}, (_, n) => `refused ${n}`))
})

test('the format is read from a command line that may be wrong otherwise', () => {
  expect(logFormatIn(['webhooks', 'listen', '--log', 'json', '--port', 'x'])).toBe('json')
  expect(logFormatIn(['webhooks', 'listen', '--log=text'])).toBe('text')
  expect(logFormatIn(['webhooks', 'listen', '--log', 'xml'])).toBeUndefined()
  expect(logFormatIn(['webhooks', 'listen', '--', '--log', 'json'])).toBeUndefined()
})
