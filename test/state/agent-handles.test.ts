/** Handles of agents: making, finding, deciding, carrying out and expiring, in files and in PostgreSQL. */
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import {
  type HandleStore,
  isHandle,
  MOST_LIVE_HANDLES,
  mintHandle,
  type PreparedCancellation,
  type PreparedReservation,
  USED_HANDLE_RETENTION_SECONDS,
} from '../../src/contract/agent-handles.js'
import {openState, type State} from '../../src/state/state.js'
import {openSqlite} from '../../src/storage/database-file.js'
import {CLIENT, intent, OTHER_CLIENTS, offer} from '../support/client.js'
import {held} from '../support/held.js'
import {closing, filesWith, ownDirectory} from '../support/own.js'
import {describeEachPlace} from '../support/stores.js'

test('handles are random, and of the one form that is accepted', () => {
  const handles = Array.from({length: 1000}, mintHandle)
  expect(new Set(handles).size).toBe(1000)
  expect(handles.filter(handle => !isHandle(handle))).toEqual([])
  const [handle = ''] = handles
  for (const wrong of ['', 'hdl_', handle.slice(0, -1), `${handle}0`, handle.toUpperCase(), ` ${handle}`])
    expect(isHandle(wrong)).toBe(false)
})

/** Opens a store on this machine with one handle in it, which expires at 60. */
async function storeWithHandle() {
  const directory = ownDirectory()
  const state = closing(openState(directory))
  const handles = await state.agentHandles(CLIENT)
  const handle = mintHandle()
  const prepared: PreparedReservation = {
    kind: 'reservation',
    priceChecked: true,
    intent: intent(1),
    offer: offer('off_1'),
    doubts: [],
  }
  await handles.create({handle, prepared, program: 'p', expiresAt: 60}, 0)
  return {directory, state, handles, handle}
}

test('a changed character in what is sent is reported as damage', async () => {
  const {directory, handles, handle} = await storeWithHandle()
  const connection = openSqlite(join(directory, 'state.db'), {timeout: 0})
  connection.exec("UPDATE agent_handles SET prepared = replace(prepared, '10.00', '90.00')")
  connection.close()
  await expect(handles.find(handle, 1)).rejects.toThrow('is damaged')
})

test('what was prepared is forgotten with all secrets of this machine', async () => {
  const {directory, state, handles, handle} = await storeWithHandle()
  expect(await state.forget({profiles: [], clients: [CLIENT]})).toBe(false)
  expect(await handles.find(handle, 1)).toBeDefined()
  expect(await state.forget('all')).toBe(true)
  expect(await handles.find(handle, 1)).toBeUndefined()
  expect(filesWith(directory, 'canary-1')).toEqual([])
  expect(await state.forget('all')).toBe(false)
})

await describeEachPlace(place => {
  let state: State
  let handles: HandleStore
  let now: number

  beforeEach(async () => {
    state = await place.open()
    handles = await state.agentHandles(CLIENT)
    now = Date.now() / 1000
  })

  const reservation: PreparedReservation = {
    kind: 'reservation',
    priceChecked: true,
    intent: intent(1),
    offer: offer('off_1', {total: '0100.10'}),
    doubts: ['canary-doubt'],
  }
  const cancellation: PreparedCancellation = {
    kind: 'cancellation',
    reservationRef: 'RSV-1',
    fee: {price: '10.00', currency: 'EUR'},
    lines: ['Guests  canary-guest'],
  }
  /** Creates a handle that expires after `seconds`. */
  const make = async (seconds = 60, prepared: PreparedReservation | PreparedCancellation = reservation) => {
    const handle = mintHandle()
    await handles.create({handle, prepared, program: 'claude 1', expiresAt: now + seconds}, now)
    return handle
  }
  const near = (seconds: number) => expect.closeTo(seconds, place.isShared ? -1.5 : 3)

  test('a handle has all that was prepared, and waits', async () => {
    const handle = await make()
    expect(await handles.find(handle, now)).toEqual({
      handle,
      kind: 'reservation',
      prepared: reservation,
      program: 'claude 1',
      decision: 'waiting',
      decidedBy: null,
      usedAt: null,
      result: null,
      createdAt: near(now),
      expiresAt: near(now + 60),
    })
    expect(await place.has('canary-doubt')).toBe(!place.isShared)
  })

  test('a handle is unknown to other clients, under another secret where it is sealed, and when it was altered', async () => {
    const handle = await make()
    for (const client of OTHER_CLIENTS) {
      const others = await state.agentHandles({...client, clientSecret: 's'})
      expect(await others.find(handle, now)).toBeUndefined()
      expect(await others.decide(handle, 'approved', 'terminal', now)).toBeUndefined()
      await others.use(handle, now)
      await others.end(handle, {}, now)
    }
    if (place.isShared) {
      const rotated = await state.agentHandles({...CLIENT, clientSecret: 'another'})
      expect(await rotated.find(handle, now)).toBeUndefined()
    }
    const last = handle.endsWith('0') ? '1' : '0'
    expect(await handles.find(handle.slice(0, -1) + last, now)).toBeUndefined()
    expect(await handles.find(handle, now)).toMatchObject({decision: 'waiting', usedAt: null})
  })

  test('the names of this machine are one service', async () => {
    const at = (host: string) => ({...CLIENT, baseUrl: `http://${host}:4010/v1`})
    const handle = mintHandle()
    const made = await state.agentHandles(at('localhost'))
    await made.create({handle, prepared: reservation, program: 'p', expiresAt: now + 9}, now)
    expect(await (await state.agentHandles(at('127.0.0.1'))).find(handle, now)).toMatchObject({handle})
  })

  test('the first decision stands, and a price that rose voids any', async () => {
    const [first, second, third] = [await make(), await make(), await make()]
    expect(await handles.decide(first, 'approved', 'elicitation', now)).toMatchObject({decision: 'approved'})
    const late = await handles.decide(first, 'declined', 'terminal', now)
    expect(late).toMatchObject({decision: 'approved', decidedBy: 'elicitation'})
    expect(await handles.decide(first, 'void', 'server', now)).toMatchObject({decision: 'void'})
    expect(await handles.decide(first, 'approved', 'terminal', now)).toMatchObject({decision: 'void'})
    expect(await handles.decide(second, 'declined', 'terminal', now)).toMatchObject({decision: 'declined'})
    expect(await handles.decide(second, 'void', 'server', now)).toMatchObject({decision: 'declined'})
    expect(await handles.find(third, now)).toMatchObject({decision: 'waiting'})
  })

  test('of many that decide at a time, one does', async () => {
    const handle = await make()
    const others = await Promise.all(
      [1, 2].map(async () => (await place.open(state.directory)).agentHandles(CLIENT)),
    )
    const decisions = await Promise.all(
      Array.from({length: 10}, async (_, n) => {
        const decision = n % 2 ? 'approved' : 'declined'
        return (await others[n % 2]?.decide(handle, decision, 'terminal', now))?.decision
      }),
    )
    expect(new Set(decisions).size).toBe(1)
  })

  test('a handle that has expired is unknown, can no longer be approved, and leaves no byte', async () => {
    const handle = await make(-1)
    expect(await handles.find(handle, now)).toBeUndefined()
    expect(await handles.decide(handle, 'approved', 'terminal', now)).toBeUndefined()
    await handles.prune(now)
    expect(await place.has(handle)).toBe(false)
    expect(await place.has('canary-1')).toBe(false)
  })

  test('one that was carried out has its result, and no longer what was prepared', async () => {
    const handle = await make(60, cancellation)
    await handles.use(handle, now)
    expect(await handles.find(handle, now)).toMatchObject({usedAt: near(now), prepared: cancellation})
    await handles.end(handle, {outcome: 'cancelled'}, now + 5)
    const ended = {kind: 'cancellation', prepared: null, usedAt: near(now), result: {outcome: 'cancelled'}}
    expect(await handles.find(handle, now)).toMatchObject(ended)
    expect(await place.has('canary-guest')).toBe(false)
    await handles.end(handle, {outcome: 'another'}, now)
    expect(await handles.find(handle, now)).toMatchObject(ended)
  })

  test('one that was carried out outlives its expiry for a time', async () => {
    const handle = await make(1)
    await handles.use(handle, now)
    expect(await handles.find(handle, now)).toMatchObject({handle, usedAt: near(now)})
    // A shared store has its own clock, which cannot be moved.
    if (place.isShared) return
    const later = now + USED_HANDLE_RETENTION_SECONDS
    await handles.prune(later - 1)
    expect(await handles.find(handle, later - 1)).toMatchObject({handle})
    await handles.prune(later)
    expect(await place.has(handle)).toBe(false)
  })

  test('beyond the limit the oldest that nobody answered give way, and none if all were answered', async () => {
    const all: string[] = []
    for (let n = 0; n < MOST_LIVE_HANDLES; n++) {
      const handle = mintHandle()
      await handles.create({handle, prepared: reservation, program: 'p', expiresAt: now + 60}, now + n / 1000)
      all.push(handle)
    }
    const [first = '', second = '', third = ''] = all
    await handles.decide(first, 'approved', 'terminal', now)
    const extra = await make()
    const isFound = async (handle: string) => (await handles.find(handle, now)) !== undefined
    expect(await isFound(first)).toBe(true)
    expect(await isFound(second)).toBe(false)
    expect(await isFound(third)).toBe(true)
    expect(await isFound(extra)).toBe(true)
    for (const handle of all) await handles.decide(handle, 'approved', 'terminal', now)
    await handles.decide(extra, 'approved', 'terminal', now)
    const tooMany = {kind: 'usage', details: {code: 'too_many_handles'}}
    await expect(make()).rejects.toMatchObject(tooMany)
    const [elsewhere] = OTHER_CLIENTS as [(typeof OTHER_CLIENTS)[number]]
    const others = await state.agentHandles(elsewhere)
    const other = {handle: mintHandle(), prepared: reservation, program: 'p', expiresAt: now + 60}
    await others.create(other, now)
    await handles.use(first, now)
    await handles.end(first, null, now)
    expect(await isFound(await make())).toBe(true)
  })

  test('one process at a time does a kind of work, beside any reservation', async () => {
    const hold = held()
    const nothing = async () => undefined
    const started = held()
    const work = async () => {
      started.release()
      await hold.promise
    }
    const first = handles.alone('spending', 0, work, nothing)
    await started.promise
    const journal = state.journal.forClient(CLIENT)
    const went = async () => 'went'
    const other = await (await place.open(state.directory)).agentHandles(CLIENT)
    expect(await other.alone('spending', 0, went, nothing)).toEqual({gaveUp: true})
    for (let n = 0; n < 64; n++)
      expect(await journal.alone(`off_${n}`, 0, went, nothing)).toEqual({gaveUp: false, value: 'went'})
    hold.release()
    await first
    expect(await other.alone('spending', 0, went, nothing)).toEqual({gaveUp: false, value: 'went'})
  })
})
