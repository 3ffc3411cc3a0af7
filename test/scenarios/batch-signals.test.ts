/** `reserve batch` that is stopped or killed: what was sent is settled or resumed later, and nothing is booked twice. */
import type {ChildProcess} from 'node:child_process'
import {expect, test} from 'vitest'
import {ownHome} from '../support/own.js'
import {type BatchDocument, batch, outcomesOf, tripFile, tripsNamed} from './batch-files.js'
import {batchService, SEARCHES} from './batch-service.js'

const {service, scripted, posts, keys} = await batchService()

const ownFile = (prefix: string, count: number) => {
  const home = ownHome(service.env)
  return {home, path: tripFile(home, tripsNamed(prefix, count))}
}
const onceEach = (prefix: string, count: number) =>
  Object.fromEntries(tripsNamed(prefix, count).map(trip => [trip.client_reference_id, 1]))

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s: what was sent is awaited, the rest is not sent, and there is one document and a summary',
  async (signal, code) => {
    const {home, path} = ownFile(signal, 8)
    let child: ChildProcess | undefined
    scripted(() => {
      if (posts().length < 4) return false
      // Once: a second signal does not wait.
      if (!child?.killed) child?.kill(signal)
      // The answer comes after the command knows of the signal.
      return new Promise(resolve => setTimeout(() => resolve(false), 200))
    })
    const argv = ['reserve', 'batch', path, '--parallel', '2', '--json']
    const {exit, stdout, stderr} = await home.spawn(argv, {onStart: started => (child = started)})
    expect(exit).toBe(code)
    const result = JSON.parse(stdout) as BatchDocument
    const sent = posts().length
    expect(sent).toBeLessThanOrEqual(5)
    expect(result.batch).toMatchObject({trips: 8, confirmed: sent, unknown: 0, not_sent: 8 - sent})
    expect(stderr).toMatch(new RegExp(`8 trips: ${sent} confirmed, ${8 - sent} not sent`))
    expect(stderr).toContain('the same command again')

    scripted(() => false)
    const again = await batch(home, path)
    expect(again).toMatchObject({exit: 0, result: {batch: {confirmed: 8, repeated: sent}}})
    expect(keys()).toEqual(onceEach(signal, 8))
  },
)

test('a signal with --format ndjson leaves whole lines, one for each trip, and says the summary once', async () => {
  const {home, path} = ownFile('lines', 5)
  let child: ChildProcess | undefined
  scripted(() => {
    child?.kill('SIGTERM')
    return new Promise(resolve => setTimeout(() => resolve(false), 100))
  })
  const argv = ['reserve', 'batch', path, '--parallel', '1', '--format', 'ndjson']
  const {exit, stdout, stderr} = await home.spawn(argv, {onStart: started => (child = started)})
  expect(exit).toBe(143)
  expect(stderr).toContain('waiting for the answers to what was sent')
  expect(stderr.match(/5 trips: 1 confirmed, 4 not sent/g)).toHaveLength(1)
  const lines = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(lines.map(line => line.outcome)).toEqual(['confirmed', ...Array(4).fill('not_sent')])
})

test('a reader that closes the pipe early does not end it', async () => {
  const {home, path} = ownFile('pipe', 6)
  const argv = ['reserve', 'batch', path, '--parallel', '1', '--format', 'ndjson']
  const {exit, stderr} = await home.spawn(argv, {
    onStart: child => child.stdout?.once('data', () => child.stdout?.destroy()),
  })
  expect(exit).toBe(0)
  expect(stderr).toContain('6 trips: 6 confirmed')
  expect(keys()).toEqual(onceEach('pipe', 6))
})

test('a second signal does not wait for an answer; the next run finds out with the same keys', async () => {
  const {home, path} = ownFile('twice', 5)
  let child: ChildProcess | undefined
  scripted(request => {
    service.commit(request)
    if (posts().length === 2) {
      child?.kill('SIGINT')
      setTimeout(() => child?.kill('SIGINT'), 100)
    }
    // No answer.
    return true
  })
  const argv = ['reserve', 'batch', path, '--parallel', '2', '--json']
  const {exit, stdout} = await home.spawn(argv, {onStart: started => (child = started)})
  expect(exit).toBe(130)
  expect(JSON.parse(stdout)).toMatchObject({error: {code: 'interrupted'}})
  scripted(() => false)
  expect(await batch(home, path)).toMatchObject({exit: 0, result: {batch: {confirmed: 5, repeated: 2}}})
  expect(keys()).toEqual(onceEach('twice', 5))
})

test('a signal while the plan is made says that nothing was sent', async () => {
  const {home, path} = ownFile('plan', 3)
  let child: ChildProcess | undefined
  scripted(() => false)
  const {script} = service
  service.script = (request, response) => {
    if (request.path === SEARCHES) return child?.kill('SIGTERM')
    return script(request, response)
  }
  const argv = ['reserve', 'batch', path, '--json']
  const {exit, stdout} = await home.spawn(argv, {onStart: started => (child = started)})
  expect(exit).toBe(143)
  expect(JSON.parse(stdout).error.message).toContain('nothing was sent to reserve')
  expect(posts()).toEqual([])
})

test('killed while requests are under way, three times: the next run ends right, each trip with one key', async () => {
  const {home, path} = ownFile('kill', 12)
  let child: ChildProcess | undefined
  for (const round of [1, 2, 3]) {
    const before = posts().length
    scripted(request => {
      if (posts().length < before + 3) return false
      // Half of the requests that are lost have arrived.
      if (round !== 2) service.commit(request)
      child?.kill('SIGKILL')
      return true
    })
    const argv = ['reserve', 'batch', path, '--parallel', '3']
    expect(await home.spawn(argv, {onStart: started => (child = started)})).toMatchObject({exit: 'SIGKILL'})
  }
  scripted(() => false)
  const {exit, result} = await batch(home, path)
  expect(outcomesOf(result)).toEqual(Array(12).fill('confirmed'))
  expect(exit).toBe(0)
  expect(keys()).toEqual(onceEach('kill', 12))
  expect(service.reservations).toHaveLength(12)
})
