/** Races in short: twelve processes of the built binary at a time. `npm run proof` runs all races, with fifty. */
import {expect, test} from 'vitest'
import {runRaces} from './race-scene.js'
import {RACES} from './races.js'

const PROCESSES = 12
/** Those that meet most of the code; the others are in the long form. */
const SHORT = [
  'tokens: the service is down',
  'reserve: the same request',
  'reserve: one reference for another offer each',
  'config: profiles, logins and logouts',
  'files: searches, reservations and the journal',
]

test('twelve at a time lose nothing and do nothing twice', async () => {
  const races = RACES.filter(({name}) => SHORT.includes(name))
  expect(races).toHaveLength(SHORT.length)
  const failed: string[] = []
  await runRaces(races, PROCESSES, ({name}, wrong) => {
    if (wrong.length > 0) failed.push([name, ...wrong].join('\n'))
  })
  expect(failed.join('\n\n')).toBe('')
})
