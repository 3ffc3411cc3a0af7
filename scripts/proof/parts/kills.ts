/** The crash harness: whatever changes something is killed, at every point that has a name, at every call, and at random. */
import {allKillCells, runKillCells} from '../../../test/proof/kill-cells.js'
import type {Part} from '../part.js'

export const kills: Part = {
  title: 'Kills',
  unit: 'kills',
  names: () => allKillCells().map(({name}) => name),
  async run(names, tell, {seed}) {
    const cells = allKillCells().filter(({name}) => names.has(name))
    // One that had ended by itself is no kill and is not counted, but must be right all the same.
    await runKillCells(cells, {seed, lanes: 2}, ({name, subject}, told) => {
      tell(name, {group: subject.name, count: told.kills, wrong: told.wrong})
    })
  },
}
