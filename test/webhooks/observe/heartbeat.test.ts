/** How a receiver reports itself to its store, and finds out that a store that failed works again. */
import {afterEach, beforeEach, expect, test, vi} from 'vitest'
import {Heartbeat} from '../../../src/webhooks/observe/heartbeat.js'
import {ReceiverState} from '../../../src/webhooks/observe/receiver-state.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function open() {
  const beats: {readonly refused: Readonly<Record<string, number>>; readonly bytes: number}[] = []
  const store = {isFailing: false}
  const state = new ReceiverState({version: '1', targets: [], maxWaiting: 10, clock: () => 0})
  const heartbeat = new Heartbeat({
    store: {
      beat: async (_, refused, bytes) => {
        beats.push({refused, bytes})
        if (store.isFailing) throw new Error('full')
      },
    },
    state,
    place: () => ({pid: 1, host: 'h', since: 0, url: 'u', adminUrl: null}),
    onStoreError: () => {
      const wasUp = state.isStoreUp
      state.storeFailed('full')
      if (wasUp) heartbeat.hurry()
    },
  })
  return {beats, store, state, heartbeat}
}

test('reports every two seconds, with the requests refused since', async () => {
  const {beats, state, heartbeat} = open()
  await heartbeat.start()
  state.turnedAway(404, 1)
  await vi.advanceTimersByTimeAsync(4000)
  expect(beats).toEqual([
    {refused: {}, bytes: 0},
    {refused: {path: 1}, bytes: 0},
    {refused: {}, bytes: 0},
  ])
  await heartbeat.stop()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(beats.length).toBe(4)
})

test('tries a store that failed every second with as much as an event, and loses no count', async () => {
  const {beats, store, state, heartbeat} = open()
  await heartbeat.start()
  store.isFailing = true
  state.turnedAway(405, 1)
  state.storeFailed('full')
  heartbeat.hurry()
  await vi.advanceTimersByTimeAsync(3000)
  const failed = {refused: {method: 1}, bytes: 32 * 1024}
  expect(beats.slice(1)).toEqual([failed, failed, failed])
  expect(state.isStoreUp).toBe(false)
  store.isFailing = false
  await vi.advanceTimersByTimeAsync(1000)
  expect([state.isStoreUp, beats.at(-1)]).toEqual([true, failed])
  await vi.advanceTimersByTimeAsync(2000)
  expect(beats.at(-1)).toEqual({refused: {}, bytes: 0})
  await heartbeat.stop()
})
