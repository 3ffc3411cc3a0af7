/** Hostile input: new inputs of each kind from the seed; the saved ones are read in `npm test`. */
import {fuzz, KINDS} from '../../../test/proof/fuzz.js'
import {inTwos} from '../../../test/proof/matrix.js'
import type {Part} from '../part.js'

/** Ours: so many of each kind take some minutes. */
const INPUTS = 1500
const nameOf = ({name}: {readonly name: string}) => `fuzz: ${name}`

export const fuzzing: Part = {
  title: 'Hostile input',
  unit: 'inputs',
  names: () => KINDS.map(nameOf),
  async run(names, tell, {seed}) {
    await inTwos(
      KINDS.filter(kind => names.has(nameOf(kind))),
      async kind => {
        const failure = await fuzz(kind, seed, INPUTS)
        tell(nameOf(kind), {group: kind.name, count: INPUTS, wrong: failure ? [failure] : []})
      },
    )
  },
}
