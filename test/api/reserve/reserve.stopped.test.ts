/** A reservation is stopped or killed halfway (§4.4). If its request was not sent before, resuming never sends it. */
import {expect, test} from 'vitest'
import {reserve, resume, type Stage} from '../../../src/api/reserve/reserve.js'
import type {Journal} from '../../../src/contract/journal.js'
import {intentFor, type Parts} from '../../support/booking.js'
import {eventually} from '../../support/eventually.js'
import {held} from '../../support/held.js'
import {ownWire} from '../../support/own.js'
import {keepToken, reservingAt} from '../../support/reserving.js'
import {rejectionOf} from '../../support/thrown.js'

const place = reservingAt()
const {open, sent} = place
const INTENT = intentFor('off_1', 'ref-1')
const NEVER_SENT = {kind: 'usage', details: {code: 'never_sent', result: {outcome: 'not_sent', attempts: 0}}}

/** Starts the reservation. `stages` and `recordings` grow as it proceeds. */
function start(parts: Parts) {
  const stopping = new AbortController()
  const stages: Stage[] = []
  const recordings: Promise<void>[] = []
  const hooks = {
    onStage: (stage: Stage) => void stages.push(stage),
    onStopping: (recording: Promise<void>) => void recordings.push(recording),
  }
  const failure = rejectionOf(reserve({...parts.reserveParts, ...hooks, signal: stopping.signal}, INTENT))
  return {stages, recordings, failure, stop: () => stopping.abort()}
}

/**
 * Returns the parts with a journal in which the write `name` waits for `release`. `calls` records the begin and end of its
 * writes.
 */
function holding(parts: Parts, name: 'attempt' | 'notSent') {
  const {journal} = parts.reserveParts
  const calls: string[] = []
  const hold = held()
  const watched =
    <Given extends unknown[], T>(called: typeof name, work: (...given: Given) => Promise<T>) =>
    async (...given: Given) => {
      calls.push(called)
      if (called === name) await hold.promise
      const result = await work(...given)
      calls.push(`${called} ended`)
      return result
    }
  const slow: Journal = {
    ...journal,
    attempt: watched('attempt', journal.attempt),
    notSent: watched('notSent', journal.notSent),
  }
  const reserveParts = {...parts.reserveParts, journal: slow}
  return {parts: {...parts, reserveParts}, calls, release: hold.release}
}

/** Makes the service grant no token before `release`. */
function holdToken() {
  const hold = held()
  place.service.script = async ({path}) => {
    if (path === '/oauth/token') await hold.promise
    return false
  }
  return hold
}

/** Resuming reports that nothing was sent, and makes no reservation. A new run makes the same reservation. */
async function expectNeverSent(parts: Parts): Promise<void> {
  expect(await parts.state.journal.list()).toMatchObject([{outcome: 'not_sent', attempts: 0, body: null}])
  const failure = await rejectionOf(resume(parts.reserveParts, 'ref-1'))
  expect(failure).toMatchObject(NEVER_SENT)
  expect(failure.message).toContain('nothing was ever sent for the client reference ref-1')
  expect(failure.details.hint).not.toContain('--resume')
}

test('stopped while the token is fetched: settled at once, and nothing is sent when the token comes', async () => {
  const granted = holdToken()
  const parts = open()
  const run = start(parts)
  await eventually(() => expect(place.service.seen('/oauth/token')).toHaveLength(1))
  run.stop()
  expect(await parts.state.journal.list()).toMatchObject([{outcome: 'not_sent', attempts: 0, body: null}])
  granted.release()
  await run.failure
  await eventually(async () => expect(await parts.state.tokens.listAll()).toHaveLength(1))
  expect(sent()).toEqual([])
  expect(run.stages).toEqual(['waiting', 'unsent', 'unsent'])
  await expectNeverSent(parts)
  expect(await reserve(open().reserveParts, INTENT)).toMatchObject({outcome: 'confirmed', repeated: false})
  expect(sent()).toHaveLength(1)
})

test('stopped while an attempt is being counted: counted to the end, then taken back, and nothing is sent', async () => {
  const parts = open()
  const slow = holding(parts, 'attempt')
  const run = start(slow.parts)
  await eventually(() => expect(slow.calls).toEqual(['attempt']))
  run.stop()
  await new Promise(setImmediate)
  expect(slow.calls).toEqual(['attempt'])
  // The end of the process waits for the whole run.
  expect(run.stages.at(-1)).toBe('sent')
  slow.release()
  expect(await run.failure).toMatchObject({kind: 'unreachable'})
  expect(slow.calls).toEqual(['attempt', 'attempt ended', 'notSent', 'notSent ended'])
  expect(run.stages.at(-1)).toBe('unsent')
  expect(sent()).toEqual([])
  await expectNeverSent(parts)
})

test('a stop passes on its recording once, and the run ends after it', async () => {
  const granted = holdToken()
  const parts = open()
  const slow = holding(parts, 'notSent')
  const run = start(slow.parts)
  await eventually(() => expect(place.service.seen('/oauth/token')).toHaveLength(1))
  run.stop()
  const settled: string[] = []
  void run.failure.then(() => settled.push('run'))
  void run.recordings[0]?.then(() => settled.push('recording'))
  granted.release()
  await eventually(async () => expect(await parts.state.tokens.listAll()).toHaveLength(1))
  await new Promise(setImmediate)
  expect(settled).toEqual([])
  slow.release()
  await run.failure
  expect(settled.sort()).toEqual(['recording', 'run'])
  expect(run.recordings).toHaveLength(1)
  expect(slow.calls).toEqual(['notSent', 'notSent ended'])
  await expectNeverSent(parts)
})

test('stopped while it connects: the attempt that was counted is taken back', async () => {
  const {port} = await ownWire(() => 'hang')
  const baseUrl = `https://127.0.0.1:${port}/v1`
  const parts = open({baseUrl})
  await keepToken(parts, baseUrl)
  const run = start(parts)
  await eventually(async () => expect(await parts.state.journal.list()).toMatchObject([{attempts: 1}]))
  run.stop()
  expect(await run.failure).toMatchObject({kind: 'unreachable'})
  expect(run.stages.at(-1)).toBe('unsent')
  await expectNeverSent(parts)
})

test('stopped while the answer is waited for: it may have been made, and resuming repeats it', async () => {
  place.service.script = ({path}) => path === '/reservations/hotel'
  const parts = open()
  const run = start(parts)
  await eventually(() => expect(sent()).toHaveLength(1))
  run.stop()
  expect(await run.failure).toMatchObject({kind: 'outcome_unknown'})
  expect(run.stages).toEqual(['waiting', 'unsent', 'sent'])
  expect(await parts.state.journal.list()).toMatchObject([{outcome: 'unknown', attempts: 1}])
  place.service.script = () => false
  expect(await resume(open().reserveParts, 'ref-1')).toMatchObject({outcome: 'confirmed', attempts: 2})
  expect(new Set(sent().map(({headers, body}) => headers['idempotency-key'] + body)).size).toBe(1)
})

test('killed before an attempt was counted: resuming makes nothing, the same command makes it', async () => {
  const parts = open()
  const killed = await parts.reserveParts.journal.begin(INTENT, 1)
  expect(await rejectionOf(resume(parts.reserveParts, 'ref-1'))).toMatchObject(NEVER_SENT)
  expect(sent()).toEqual([])
  expect(killed.entry.body).not.toBeNull()
  await expectNeverSent(parts)
  expect(await reserve(open().reserveParts, INTENT)).toMatchObject({outcome: 'confirmed', repeated: false})
})

test('killed after an attempt was counted: it may have been sent, and resuming repeats it under its key', async () => {
  const parts = open()
  const {journal} = parts.reserveParts
  const {entry} = await journal.begin(INTENT, 1)
  await journal.attempt(entry.id, 2)
  expect(await resume(parts.reserveParts, 'ref-1')).toMatchObject({outcome: 'confirmed', attempts: 2})
  expect(sent().map(({headers}) => headers['idempotency-key'])).toEqual([INTENT.idempotencyKey])
})

test('while another process has yet to send it, resuming waits for that one', async () => {
  const granted = holdToken()
  const run = reserve(open().reserveParts, INTENT)
  const resumed = resume(open().reserveParts, 'ref-1')
  await eventually(() => expect(place.service.seen('/oauth/token')).toHaveLength(1))
  granted.release()
  expect(await run).toMatchObject({outcome: 'confirmed'})
  expect(await resumed).toMatchObject({outcome: 'confirmed', reservation_ref: 'R-1'})
  expect(sent()).toHaveLength(1)
})

test('stopped while another process works on the offer: starts nothing', async () => {
  const parts = open()
  const hold = held()
  const {journal} = open().reserveParts
  const other = journal.alone(
    'off_1',
    1000,
    () => hold.promise,
    async () => undefined,
  )
  const run = start(parts)
  run.stop()
  hold.release()
  await other
  expect(await run.failure).toMatchObject({kind: 'interrupted'})
  expect(run.stages).toEqual(['waiting'])
  expect(await parts.state.journal.list()).toEqual([])
})
