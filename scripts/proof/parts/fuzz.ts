/** Hostile input: all that was saved, new inputs of each kind from the seed, and properties of what reads and writes them. */
import {corpusOf, fuzz, KINDS, trySaved} from '../../../test/proof/fuzz.js'
import {inTwos} from '../../../test/proof/matrix.js'
import {PROPERTIES} from '../../../test/proof/properties/all.js'
import type {Part} from '../part.js'

/** Ours: so many of each kind take some minutes. */
const INPUTS = 1500

/** Ours: of those that take no longer than most. */
const VALUES = 20_000

const PROPERTY_CELLS = PROPERTIES.map(({name, weight, check}) => ({
  name: `property: ${name}`,
  group: `property: ${name.split(':', 1)[0]}`,
  count: Math.ceil(VALUES / weight),
  async run(seed: number): Promise<string[]> {
    const failure = await check(seed, VALUES)
    return failure ? [failure] : []
  },
}))

const FUZZ_CELLS = KINDS.flatMap(kind => [
  {
    name: `fuzz: ${kind.name}, saved`,
    group: `${kind.name}, saved`,
    count: corpusOf(kind).length,
    async run(seed: number): Promise<string[]> {
      const wrong: string[] = []
      for (const input of corpusOf(kind)) wrong.push(...(await trySaved(kind, input, seed)))
      return wrong
    },
  },
  {
    name: `fuzz: ${kind.name}, new`,
    group: `${kind.name}, new`,
    count: INPUTS,
    async run(seed: number): Promise<string[]> {
      const failure = await fuzz(kind, seed, INPUTS)
      return failure ? [failure] : []
    },
  },
])

const CELLS = [...PROPERTY_CELLS, ...FUZZ_CELLS]

export const fuzzing: Part = {
  title: 'Hostile input',
  unit: 'inputs',
  names: () => CELLS.map(({name}) => name),
  async run(names, tell, {seed}) {
    await inTwos(
      CELLS.filter(({name}) => names.has(name)),
      async ({name, group, count, run}) => tell(name, {group, count, wrong: await run(seed)}),
    )
  },
}
