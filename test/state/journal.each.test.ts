import {expect, test} from 'vitest'
import type {JournalEntry} from '../../src/contract/journal.js'
import {CLIENT, intent, OTHER_CLIENTS} from '../support/client.js'
import {describeEachPlace} from '../support/stores.js'

await describeEachPlace(place => {
  test('passes each entry of all clients once, oldest first, some at a time', async () => {
    const {journal} = await place.open()
    const passed: JournalEntry[] = []
    await journal.each(entry => passed.push(entry))
    expect(passed).toEqual([])
    const clients = [CLIENT, ...OTHER_CLIENTS]
    for (let n = 0; n < 7; n++) await journal.forClient(clients[n % 3] ?? CLIENT).begin(intent(n), n)
    await journal.each(entry => passed.push(entry), 3)
    expect(passed.map(({clientReferenceId}) => clientReferenceId)).toEqual(
      Array.from({length: 7}, (_, n) => `ref-${n}`),
    )
    const listed = await journal.list()
    expect(passed.toReversed()).toEqual(listed.map(entry => ({...entry, body: null})))
  })
})
