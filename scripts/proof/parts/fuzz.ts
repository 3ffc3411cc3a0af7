/** Hostile input: all that was saved, new inputs of each kind from the seed, and properties of what reads and writes them. */
import {corpusOf, fuzz, KINDS, trySaved} from '../../../test/proof/fuzz.js'
import {inTwos} from '../../../test/proof/matrix.js'
import {PROPERTIES} from '../../../test/proof/properties/all.js'
import type {Checked} from '../../../test/proof/property.js'
import type {Part} from '../part.js'

/** Ours: so many of each kind take some minutes. */
const INPUTS = 1500

/** Ours: of those that take no longer than most. */
const VALUES = 20_000

interface Cell {
  readonly name: string
  readonly group: string
  run(seed: number): Promise<Checked>
}

const PROPERTY_CELLS = PROPERTIES.map(
  ({name, check}): Cell => ({
    name: `property: ${name}`,
    group: `property: ${name.split(':', 1)[0]}`,
    run: seed => check(seed, VALUES),
  }),
)

const FUZZ_CELLS = KINDS.flatMap((kind): Cell[] => [
  {
    name: `fuzz: ${kind.name}, saved`,
    group: `${kind.name}, saved`,
    async run(seed) {
      const inputs = corpusOf(kind)
      const wrong: string[] = []
      for (const input of inputs) wrong.push(...(await trySaved(kind, input, seed)))
      return {tried: inputs.length, failure: wrong.length === 0 ? undefined : wrong.join('\n')}
    },
  },
  {
    name: `fuzz: ${kind.name}, new`,
    group: `${kind.name}, new`,
    run: seed => fuzz(kind, seed, INPUTS),
  },
])

export const fuzzing: Part = {
  title: 'Hostile input',
  unit: 'inputs',
  names: () => [...PROPERTY_CELLS, ...FUZZ_CELLS].map(({name}) => name),
  async run(names, tell, {seed}) {
    const runCell = async ({name, group, run}: Cell) => {
      const {tried, failure} = await run(seed)
      tell(name, {group, count: tried, wrong: failure === undefined ? [] : [failure]})
    }
    // One by one: they are bound by this process's own time, which two at once would share.
    for (const cell of PROPERTY_CELLS.filter(({name}) => names.has(name))) await runCell(cell)
    await inTwos(
      FUZZ_CELLS.filter(({name}) => names.has(name)),
      runCell,
    )
  },
}
