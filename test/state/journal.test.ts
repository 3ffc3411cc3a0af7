/** The reservation journal: adding, finding, giving up and removing entries, in files and in PostgreSQL. */
import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import type {Journal, JournalEntry} from '../../src/contract/journal.js'
import type {State} from '../../src/state/state.js'
import {CLIENT, intent, OTHER_CLIENTS as OTHERS} from '../support/client.js'
import {held} from '../support/held.js'
import {describeEachPlace} from '../support/stores.js'

await describeEachPlace(place => {
  let state: State
  let journal: Journal

  beforeEach(async () => {
    state = await place.open()
    journal = state.journal.forClient(CLIENT)
  })

  const begin = async (n: number, now = n) => (await journal.begin(intent(n), now)).entry.id
  /** The given time; a shared store uses its own clock. */
  const at = (seconds: number) => (place.isShared ? expect.any(Number) : seconds)
  const hash = (text: string) => (place.isShared ? expect.stringMatching(/^[0-9a-f]{64}$/) : text)

  test('an entry has the whole intent, and after its outcome no body', async () => {
    const {kind, entry} = await journal.begin(intent(1), 5.5)
    expect(kind).toBe('new')
    const {referenceGiven: _, keyGiven: __, ...written} = intent(1)
    const started = {
      ...written,
      baseUrl: CLIENT.baseUrl,
      clientId: CLIENT.clientId,
      id: entry.id,
      outcome: 'unresolved',
      reservationRef: null,
      attempts: 0,
      lost: false,
      booked: null,
      result: null,
      bodySha256: hash('body-1'),
      intentSha256: hash('intent-1'),
      createdAt: at(5.5),
      updatedAt: at(5.5),
    }
    expect(entry).toEqual(started)
    expect(await journal.find('ref-1')).toEqual(started)
    expect(await journal.attempt(entry.id, 6)).toBe(1)
    expect(await journal.attempt(entry.id, 7)).toBe(2)
    await journal.settle(entry.id, {outcome: 'unknown'}, 8)
    const unknown = {...started, outcome: 'unknown', attempts: 2, lost: true, updatedAt: at(8)}
    expect(await journal.find('ref-1')).toEqual(unknown)
    const outcome = {outcome: 'confirmed', reservationRef: 'R-1', result: {a: 1}}
    await journal.settle(entry.id, outcome, 9)
    const settled = {...started, ...outcome, body: null, attempts: 2, lost: true, updatedAt: at(9)}
    expect(await journal.find('ref-1')).toEqual(settled)
    await journal.settle(entry.id, {outcome: 'failed'}, 10)
    expect(await journal.find('ref-1')).toEqual(settled)
    expect(await place.has('canary-1')).toBe(false)
  })

  test('looking writes nothing, and returns the verdict that beginning would', async () => {
    expect(await journal.peek(intent(1))).toBeUndefined()
    expect(await journal.find('ref-1')).toBeUndefined()
    const id = await begin(1)
    expect(await journal.peek(intent(1))).toMatchObject({kind: 'repeat', entry: {id}})
    expect(await journal.begin(intent(1), 9)).toEqual(await journal.peek(intent(1)))
    expect((await journal.find('ref-1'))?.updatedAt).toEqual(at(1))
  })

  test('entries are found by offer, by reference and by key, of another client by offer and by reference', async () => {
    const [elsewhere, another] = OTHERS.map(client => state.journal.forClient(client)) as [Journal, Journal]
    const rotated = state.journal.forClient({...OTHERS[0], clientSecret: 'another'} as typeof CLIENT)
    const id = await begin(1)
    await journal.attempt(id, 2)
    for (const shared of [{offerId: 'off_1'}, {clientReferenceId: 'ref-1'}, {idempotencyKey: 'key-1'}]) {
      expect(await journal.peek(intent(2, shared))).toMatchObject({kind: 'conflict', entry: {id}})
      expect(await elsewhere.peek(intent(2, shared))).toBeUndefined()
      expect(await rotated.peek(intent(2, shared))).toBeUndefined()
      const byOther = await another.peek(intent(2, shared))
      if ('idempotencyKey' in shared) expect(byOther).toBeUndefined()
      else expect(byOther).toMatchObject({conflict: 'other_credential', entry: {id, clientId: 'cid_1'}})
    }
    expect(await elsewhere.find('ref-1')).toBeUndefined()
    expect(await another.find('ref-1')).toMatchObject({id, clientId: 'cid_1'})
  })

  test('of two clients that begin the same at a time, one alone counts an attempt', async () => {
    const [, another] = OTHERS.map(client => state.journal.forClient(client)) as [Journal, Journal]
    const first = await begin(1)
    const second = await another.begin(intent(1), 2)
    expect(second.kind).toBe('new')
    await expect(journal.attempt(first, 3)).rejects.toMatchObject({details: {code: 'begun_elsewhere'}})
    expect(await another.attempt(second.entry.id, 3)).toBe(1)
    expect(await journal.begin(intent(1), 4)).toMatchObject({conflict: 'other_credential'})
  })

  test('a trip is recognised by its guests and its stay, and no longer after it was given up', async () => {
    const stay = {
      check_in: '2030-01-01',
      check_out: '2030-01-04',
      rooms: [{adults: 2, children_ages: [5]}],
      city: 101,
    }
    const id = (await journal.begin(intent(1, {trip: {guests: 'guests-1', stay}}), 1)).entry.id
    const guests = journal.fingerprint('guests-1')
    expect(guests).toEqual(hash('guests-1'))
    expect((await journal.find('ref-1'))?.trip).toEqual({guests, stay})
    if (place.isShared) {
      // The hash uses the old client secret, so it cannot be compared.
      const rotated = state.journal.forClient({...CLIENT, clientSecret: 'another'})
      expect((await rotated.find('ref-1'))?.trip).toEqual({guests: null, stay})
    }
    await journal.attempt(id, 2)
    await journal.forget(id, 3)
    expect((await journal.find('ref-1'))?.trip).toBeNull()
  })

  test('many references are found at once, each as alone', async () => {
    for (const n of [1, 2, 3, 4]) await begin(n)
    await state.journal.forClient(OTHERS[0] as typeof CLIENT).begin(intent(3), 9)
    const found = await journal.findAll(['ref-1', 'ref-3', 'ref-9', 'ref-1'])
    expect([...found.keys()].sort()).toEqual(['ref-1', 'ref-3'])
    for (const [reference, entry] of found) expect(entry).toEqual(await journal.find(reference))
    expect((await journal.findAll([])).size).toBe(0)
  })

  test('the newest with a reference is found', async () => {
    await journal.settle(await begin(1), {outcome: 'failed'}, 2)
    const again = await journal.begin(intent(1), 3)
    expect(again.kind).toBe('new')
    expect((await journal.find('ref-1'))?.id).toBe(again.entry.id)
    expect((await journal.peek(intent(1)))?.entry.id).toBe(again.entry.id)
  })

  test.each([
    [{offerId: 'off_1'}, false],
    [{clientReferenceId: 'ref-1'}, false],
    [{idempotencyKey: 'key-1'}, false],
    [{offerId: 'off_1'}, true],
    [{clientReferenceId: 'ref-1'}, true],
    [{idempotencyKey: 'key-1'}, true],
    [intent(1), true],
  ])(
    'an entry of which nothing was sent gives way to one with the same %j, and no other does (settled: %s)',
    async (shared, isSettled) => {
      for (const client of OTHERS) await state.journal.forClient(client).begin(intent(8), 1)
      const sent = await begin(9, 1)
      await journal.attempt(sent, 1)
      const unsent = await begin(1)
      if (isSettled) {
        await journal.notSent(unsent, 0, 2)
        expect(await journal.peek(intent(2, shared))).toBeUndefined()
      }
      const made = await journal.begin(intent(2, shared), 2)
      expect(made.kind).toBe('new')
      await expect(journal.attempt(unsent, 3)).rejects.toThrow('another process started a reservation')
      await journal.notSent(unsent, 0, 3)
      expect(await journal.attempt(made.entry.id, 4)).toBe(1)
      const isSame = 'body' in shared
      expect((await journal.begin(intent(3, shared), 5)).kind).toBe(isSame ? 'repeat' : 'conflict')
      expect((await state.journal.list({client: CLIENT})).map(({id}) => id)).toEqual([made.entry.id, sent])
      for (const client of OTHERS) expect(await state.journal.list({client})).toHaveLength(1)
    },
  )

  const endings: [what: string, end: (id: number) => Promise<unknown>][] = [
    ['was settled as not sent', id => journal.notSent(id, 0, 2)],
    ['has ended', id => journal.settle(id, {outcome: 'confirmed'}, 3)],
    ['was given up', async id => [await journal.attempt(id, 2), await journal.forget(id, 3)]],
  ]
  test.each(endings)('refuses an attempt on an entry that %s, and counts none', async (_, end) => {
    const id = await begin(1)
    await end(id)
    const before = await journal.find('ref-1')
    const details = {code: 'begun_elsewhere', hint: 'check its outcome: bookctl journal'}
    const message = expect.stringMatching(/given up; nothing more was sent$/)
    const failure = expect.objectContaining({kind: 'usage', message, details})
    await expect(journal.attempt(id, 4)).rejects.toThrow(failure)
    expect(await journal.find('ref-1')).toEqual(before)
  })

  test('an entry of which nothing was sent stays as not sent, without attempts and without guest data', async () => {
    const id = await begin(1)
    await journal.attempt(id, 2)
    await journal.attempt(id, 3)
    await journal.notSent(id, 2, 4)
    const unsent = {outcome: 'not_sent', attempts: 0, body: null, reservationRef: null, updatedAt: at(4)}
    expect(await journal.find('ref-1')).toMatchObject(unsent)
    expect(await place.has('canary-1')).toBe(false)
    expect(await state.journal.list({unresolved: true})).toEqual([])
    await expect(journal.attempt(id, 5)).rejects.toThrow('nothing more was sent')
  })

  test('an entry is settled as not sent only while it is open and no other process counted an attempt', async () => {
    const counted = await begin(1)
    await journal.attempt(counted, 2)
    await journal.notSent(counted, 0, 3)
    expect(await journal.find('ref-1')).toMatchObject({outcome: 'unresolved', attempts: 1})
    const ended = await begin(2)
    await journal.settle(ended, {outcome: 'refused'}, 3)
    await journal.notSent(ended, 0, 4)
    const nothing = {reservationRef: null, result: null, body: null}
    expect(await journal.find('ref-2')).toMatchObject({outcome: 'refused', lost: false, ...nothing})
    const lost = await begin(3)
    await journal.attempt(lost, 3)
    await journal.settle(lost, {outcome: 'unknown'}, 4)
    await journal.notSent(lost, 1, 5)
    expect(await journal.find('ref-3')).toMatchObject({outcome: 'unknown', attempts: 1})
  })

  test('giving up removes an entry of which nothing was sent, and the guest data of any other', async () => {
    const unsent = await begin(1)
    await journal.forget(unsent, 2)
    expect(await journal.find('ref-1')).toBeUndefined()
    const sent = await begin(2)
    await journal.attempt(sent, 3)
    await journal.forget(sent, 4)
    const forgotten = {outcome: 'forgotten', body: null}
    const hashed = {attempts: 1, updatedAt: at(4), bodySha256: hash('body-2')}
    expect(await journal.find('ref-2')).toMatchObject({...forgotten, ...hashed})
    const ended = await begin(3)
    const confirmed = {outcome: 'confirmed', reservationRef: 'R-3', result: {a: 'canary-result'}}
    await journal.settle(ended, confirmed, 5)
    await journal.forget(ended, 6)
    const named = {result: null, reservationRef: 'R-3', updatedAt: at(6)}
    expect(await journal.find('ref-3')).toMatchObject({...forgotten, ...named})
    for (const canary of ['canary-1', 'canary-2', 'canary-result'])
      expect(await place.has(canary), canary).toBe(false)
    expect(await journal.peek(intent(2))).toMatchObject({kind: 'conflict', conflict: 'forgotten'})
  })

  test('records a later status of this client and this reservation alone, and not over an open outcome', async () => {
    const entries: number[] = []
    for (const n of [1, 2, 3, 4]) entries.push(await begin(n))
    const payment = {mode: 'instant', status: 'PENDING'}
    const result = {reservation_ref: 'R-1', status: 'PENDING_PAYMENT', payment}
    await journal.settle(entries[0] as number, {outcome: 'pending_payment', reservationRef: 'R-1', result}, 5)
    await journal.settle(entries[1] as number, {outcome: 'unknown', reservationRef: 'R-1'}, 5)
    await journal.settle(entries[2] as number, {outcome: 'confirmed', reservationRef: 'R-1'}, 5)
    await journal.forget(entries[2] as number, 6)
    await journal.settle(entries[3] as number, {outcome: 'confirmed', reservationRef: 'R-2'}, 5)
    for (const client of OTHERS) await state.journal.noteStatus(client, 'R-1', {outcome: 'cancelled'}, 7)
    await state.journal.noteStatus(CLIENT, 'R-1', {outcome: 'confirmed'}, 8)
    const found = await Promise.all(entries.map((_, n) => journal.find(`ref-${n + 1}`)))
    expect(found.map(entry => entry?.outcome)).toEqual(['confirmed', 'unknown', 'forgotten', 'confirmed'])
    expect(found.map(entry => entry?.updatedAt)).toEqual([8, 5, 6, 5].map(at))
    const noted = {reservation_ref: 'R-1', status: 'CONFIRMED', payment: {mode: 'instant'}}
    expect((await journal.find('ref-1'))?.result).toEqual(noted)
    await state.journal.noteStatus(CLIENT, 'R-1', {outcome: 'paid', result: {a: 1}}, 9)
    expect((await journal.find('ref-1'))?.result).toEqual({a: 1})
    const fee = {fee: '010.50', currency: 'EUR'}
    await state.journal.noteStatus(CLIENT, 'R-1', {outcome: 'cancelled', fee}, 10)
    const cancelled = {a: 1, status: 'CANCELLED', cancellation: fee}
    expect((await journal.find('ref-1'))?.result).toEqual(cancelled)
  })

  test('lists the entries of all clients, newest first, or of one, or the open ones', async () => {
    for (const client of OTHERS) await state.journal.forClient(client).begin(intent(8), 1)
    const first = await begin(1, 5)
    await begin(2, 9)
    await begin(3, 9)
    await journal.settle(first, {outcome: 'confirmed'}, 10)
    const references = async (filter?: Parameters<State['journal']['list']>[0]) =>
      (await state.journal.list(filter)).map(
        entry => `${entry.clientId} ${entry.baseUrl.slice(8, 9)} ${entry.clientReferenceId}`,
      )
    const own = ['cid_1 e ref-3', 'cid_1 e ref-2', 'cid_1 e ref-1']
    expect(await references()).toEqual([...own, 'cid_2 e ref-8', 'cid_1 o ref-8'])
    expect(await references({client: CLIENT})).toEqual(own)
    expect(await references({client: CLIENT, unresolved: true})).toEqual(own.slice(0, 2))
    for (const client of OTHERS) expect(await references({client})).toHaveLength(1)
  })

  test('an entry names the agent that made it, also once it was given up', async () => {
    const madeBy = {program: 'canary-program 1.2', handle: 'hdl_1'}
    const made = await journal.begin(intent(1, {madeBy}), 1)
    expect(made.entry.madeBy).toEqual(madeBy)
    await begin(2)
    expect((await journal.find('ref-1'))?.madeBy).toEqual(madeBy)
    expect((await journal.find('ref-2'))?.madeBy).toBeNull()
    expect(await state.journal.list({named: 'hdl_1'})).toMatchObject([{clientReferenceId: 'ref-1'}])
    expect(await state.journal.list({named: 'program'})).toEqual([])
    await journal.attempt(made.entry.id, 3)
    await journal.forget(made.entry.id, 4)
    const listed = await state.journal.list({byAgents: true})
    expect(listed).toMatchObject([{clientReferenceId: 'ref-1', outcome: 'forgotten', madeBy}])
    const passed: unknown[] = []
    await state.journal.each(entry => passed.push(entry.madeBy))
    expect(passed).toEqual([madeBy, null])
  })

  test('lists the entries that are open or changed lately', async () => {
    const now = Date.now() / 1000
    for (const n of [1, 2]) await begin(n, now - 100)
    for (const n of [1, 2, 3]) await journal.attempt(await begin(n, now - 100), now - 100)
    const [open, changed, settled] = (await state.journal.list()).toReversed() as [
      JournalEntry,
      JournalEntry,
      JournalEntry,
    ]
    await journal.settle(settled.id, {outcome: 'refused'}, now - 50)
    await journal.settle(changed.id, {outcome: 'refused'}, now)
    const within = async (withinSeconds: number) =>
      (await state.journal.list({openOrChanged: {withinSeconds, now}})).map(({id}) => id)
    expect(await within(200)).toEqual([settled.id, changed.id, open.id])
    // A shared store has the times of its own clock, by which all of them changed just now.
    const settledToo = place.isShared ? [settled.id] : []
    expect(await within(20)).toEqual([...settledToo, changed.id, open.id])
    expect(await within(-1)).toEqual([open.id])
  })

  test('passes each entry of all clients once, oldest first, some at a time', async () => {
    const passed: JournalEntry[] = []
    await state.journal.each(entry => passed.push(entry))
    expect(passed).toEqual([])
    const clients = [CLIENT, ...OTHERS]
    for (let n = 0; n < 7; n++) await state.journal.forClient(clients[n % 3] ?? CLIENT).begin(intent(n), n)
    await state.journal.each(entry => passed.push(entry), 3)
    expect(passed.map(({clientReferenceId}) => clientReferenceId)).toEqual(
      Array.from({length: 7}, (_, n) => `ref-${n}`),
    )
    const listed = await state.journal.list()
    expect(passed.toReversed()).toEqual(listed.map(entry => ({...entry, body: null})))
  })

  test('lists the entries with one name, of any kind and client, and those with the same guests', async () => {
    const guests = 'a'.repeat(64)
    const traveller = (n: number) => intent(n, {trip: {guests, stay: null}})
    const first = (await journal.begin(traveller(1), 1)).entry.id
    await journal.begin(traveller(2), 2)
    await begin(3)
    await journal.attempt(first, 4)
    await journal.settle(first, {outcome: 'confirmed', reservationRef: 'R-1'}, 4)
    const [elsewhere] = OTHERS as [(typeof OTHERS)[number]]
    await state.journal.forClient(elsewhere).begin(intent(8, {clientReferenceId: 'ref-3'}), 5)
    const listed = async (filter: Parameters<State['journal']['list']>[0]) =>
      (await state.journal.list(filter)).map(entry => entry.offerId)
    for (const named of ['ref-1', 'R-1', 'off_1', 'key-1']) expect(await listed({named})).toEqual(['off_1'])
    expect(await listed({named: 'ref-3'})).toEqual(['off_8', 'off_3'])
    expect(await listed({named: 'ref'})).toEqual([])
    const [entry] = await state.journal.list({named: 'ref-1'})
    expect(await listed({guests: entry?.trip?.guests ?? ''})).toEqual(['off_2', 'off_1'])
    expect(await listed({guests: 'b'.repeat(64)})).toEqual([])
  })

  test('one process at a time works on an offer; other offers and clients do not wait', async () => {
    const hold = held()
    const nothing = async () => undefined
    const first = journal.alone('off_1', 0, () => hold.promise, nothing)
    const went = async () => 'went'
    const go = (journal: Journal, offer: string) => journal.alone(offer, 0, went, nothing)
    expect(await go(journal, 'off_1')).toEqual({gaveUp: true})
    expect(await journal.alone('off_1', 0, went, async () => 'seen')).toEqual({gaveUp: false, value: 'seen'})
    const locks = place.isShared ? [] : readdirSync(join(state.directory, 'locks'))
    expect(locks.every(name => name.startsWith('reserve-'))).toBe(true)
    // Some of these offers may share a lock by chance.
    const others = await Promise.all([2, 3, 4, 5, 6].map(n => go(journal, `off_${n}`)))
    expect(others).toContainEqual({gaveUp: false, value: 'went'})
    const clients = await Promise.all(OTHERS.map(client => go(state.journal.forClient(client), 'off_1')))
    expect(clients).toContainEqual({gaveUp: false, value: 'went'})
    hold.release()
    expect(await first).toEqual({gaveUp: false, value: undefined})
  })
})
