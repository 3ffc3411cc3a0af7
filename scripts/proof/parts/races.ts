/** Races: fifty processes of the built binary at a time, let go together, over the same files and the same service. */
import {groupOf, runRaces} from '../../../test/proof/race-scene.js'
import {RACES} from '../../../test/proof/races.js'
import type {Part} from '../part.js'

const PROCESSES = 50

export const races: Part = {
  title: 'Races',
  unit: 'processes',
  names: () => RACES.map(({name}) => name),
  async run(names, tell) {
    const wanted = RACES.filter(({name}) => names.has(name))
    await runRaces(wanted, PROCESSES, (race, wrong) =>
      tell(race.name, {group: groupOf(race), count: PROCESSES, wrong}),
    )
  },
}
